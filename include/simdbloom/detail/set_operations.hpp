// A filter whose bits can be ORed: union, intersection and folding.
#pragma once

#include "simdbloom/filter.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// The operations of a Bloom filter F, whose bits can be ORed.
template <class F>
class SetOperations {
public:
    /// Union: the bits are then those of a filter into which the keys of both went. Throws
    /// std::invalid_argument that names what differs: layout, size, hash or seed.
    F& operator|=(const F& other);
    /// Intersection: finds the keys that both have, and maybe more absent keys than a filter of
    /// those alone. Throws as |=.
    F& operator&=(const F& other);
    /// Makes the filter find every key, until clear() makes it find none.
    void accept_all();

    /// A filter of the same keys with a `parts`-th of the size: every `parts` adjacent blocks are
    /// ORed into one. Throws std::invalid_argument unless `parts` divides blocks() (see
    /// Options::fold_levels).
    F folded(std::uint64_t parts) const;
    /// The filter folded while estimated_fpr() stays at most `fpr`; a copy if it is above already.
    F folded_to_fpr(double fpr) const;

protected:
    SetOperations() = default;
};

/// A filter whose bits can be ORed.
template <class F>
concept BloomFilter = std::derived_from<F, SetOperations<F>>;

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
