// Operations that combine filters of bits with each other and with themselves.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include "simdbloom/detail/geometry.hpp"
#include "simdbloom/export.hpp"
#include "simdbloom/options.hpp"

namespace simdbloom {
class FilterBase;
}
namespace simdbloom::detail {

// SetOperations without the type of the filter.
SIMDBLOOM_API void unite(FilterBase& into, const FilterBase& from);
SIMDBLOOM_API void intersect(FilterBase& into, const FilterBase& with);
SIMDBLOOM_API void set_all_bits(FilterBase& filter);
/// The size of the filter when every `parts` adjacent blocks become one. Throws
/// std::invalid_argument if `parts` does not divide the number of blocks.
SIMDBLOOM_API Geometry folded_geometry(const FilterBase& filter, std::uint64_t parts);
/// ORs the blocks of `whole` into the empty filter `to`, which is a fraction of its size.
SIMDBLOOM_API void fold(FilterBase& to, const FilterBase& whole) noexcept;
SIMDBLOOM_API Options options_of_a_copy(const FilterBase& filter);
SIMDBLOOM_API std::uint64_t smallest_part(const FilterBase& filter) noexcept;

}  // namespace simdbloom::detail

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
        detail::unite(self(), other);
        return self();
    }
    /// Intersection: the filter then finds the keys that both have. It may find more absent keys
    /// than a filter of the common keys alone. Throws as |= does.
    F& operator&=(const F& other) {
        detail::intersect(self(), other);
        return self();
    }
    /// Makes the filter find every key, until clear() makes it find none.
    void accept_all() { detail::set_all_bits(self()); }

    /// A filter of the same keys with a `parts`-th of the size: every `parts` adjacent blocks are
    /// ORed into one. Throws std::invalid_argument unless `parts` divides blocks() (see
    /// Options::fold_levels). Its bits come from the operating system.
    F folded(std::uint64_t parts) const {
        F result = empty_copy(parts);
        detail::fold(result, self());
        return result;
    }
    /// The filter folded as often as estimated_fpr() stays at most `fpr`. A copy if it is above
    /// `fpr` already.
    F folded_to_fpr(double fpr) const {
        F result = self();
        while (result.blocks() > 1) {
            F smaller = result.folded(detail::smallest_part(result));
            if (!(smaller.estimated_fpr() <= fpr)) break;
            result = std::move(smaller);
        }
        return result;
    }

    /// A filter of no keys with a `parts`-th of the size.
    F empty_copy(std::uint64_t parts = 1) const {
        return F(detail::folded_geometry(self(), parts), detail::options_of_a_copy(self()));
    }

protected:
    SetOperations() = default;

private:
    F& self() noexcept { return static_cast<F&>(*this); }
    const F& self() const noexcept { return static_cast<const F&>(*this); }
};

template <class F>
concept BloomFilter = std::derived_from<F, SetOperations<F>>;

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
