// Operations that combine filters of bits with each other and with themselves.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include "simdbloom/export.hpp"

namespace simdbloom::detail {
struct SharedAccess;
}

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// The operations of a Bloom filter F, whose bits can be ORed.
template <class F>
class SetOperations {
public:
    /// Union: the filter then finds the keys of both. The bits are those of a filter into which all
    /// keys went. Throws std::invalid_argument that names what differs if layout, size or seed
    /// differ. The caller must know that both filters were filled through the same hash.
    F& operator|=(const F& other) {
        self().unite(other);
        return self();
    }
    /// Intersection: the filter then finds the keys that both have. It may find more absent keys
    /// than a filter of the common keys alone. Throws as |= does.
    F& operator&=(const F& other) {
        self().intersect(other);
        return self();
    }
    /// Makes the filter find every key, until clear() makes it find none.
    void accept_all() { self().set_all_bits(); }

    /// A filter of the same keys with a `parts`-th of the size: every `parts` adjacent blocks are
    /// ORed into one. Throws std::invalid_argument unless `parts` divides blocks() (see
    /// Options::fold_levels). Its bits come from the operating system.
    F folded(std::uint64_t parts) const {
        F result = empty_copy(parts);
        result.fold_from(self());
        return result;
    }
    /// The filter folded as often as estimated_fpr() stays at most `fpr`. A copy if it is above
    /// `fpr` already.
    F folded_to_fpr(double fpr) const {
        F result = self();
        while (result.blocks() > 1) {
            F smaller = result.folded(result.smallest_part());
            if (!(smaller.estimated_fpr() <= fpr)) break;
            result = std::move(smaller);
        }
        return result;
    }

protected:
    SetOperations() = default;

private:
    friend struct detail::SharedAccess;

    /// A filter of no keys with a `parts`-th of the size.
    F empty_copy(std::uint64_t parts = 1) const {
        return F(self().folded_geometry(parts), self().options_of_a_copy());
    }
    F& self() noexcept { return static_cast<F&>(*this); }
    const F& self() const noexcept { return static_cast<const F&>(*this); }
};

template <class F>
concept BloomFilter = std::derived_from<F, SetOperations<F>>;

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
