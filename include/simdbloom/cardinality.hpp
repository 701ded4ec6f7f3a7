// How many keys a filter holds, and two have in common, from their bits or counters alone.
#pragma once

#include "simdbloom/any_filter.hpp"

namespace simdbloom {

/// An estimate and the standard deviation of its error.
struct Cardinality {
    double keys;  ///< distinct ones; infinite where every bit is set
    double standard_error;

    /// 95 % of the estimates have the truth between these (many blocks, far from full).
    double low() const noexcept { return keys - 1.96 * standard_error; }
    double high() const noexcept { return keys + 1.96 * standard_error; }
};

/// Every key sets a given bit with the same probability q, so n = ln(share of clear bits) / ln(1 -
/// q): Swamidass & Baldi 2007, equation 4, with the exact q of each layout in place of k / m. The
/// error is the exact standard deviation of the number of clear bits, from the probability that two
/// of them are clear together, over the slope of its mean. A counter above 0 is a bit that is set,
/// and to a d-left filter a fingerprint it holds is one of as many as there can be. A cuckoo filter
/// counts its fingerprints, copies included, without error.
Cardinality estimated_keys(const FilterBase& filter);
inline Cardinality estimated_keys(const AnyFilter& filter) { return estimated_keys(filter.base()); }

/// Of two filters whose union could be made: the keys of either, as (a |= b) would be estimated,
/// and those of both, which is |A| + |B| - |A or B| and may come out below 0. Throws
/// std::invalid_argument naming what differs as |= does, and for filters whose fingerprints cannot
/// be ORed.
Cardinality estimated_union(const FilterBase& a, const FilterBase& b);
Cardinality estimated_intersection(const FilterBase& a, const FilterBase& b);
inline Cardinality estimated_union(const AnyFilter& a, const AnyFilter& b) {
    return estimated_union(a.base(), b.base());
}
inline Cardinality estimated_intersection(const AnyFilter& a, const AnyFilter& b) {
    return estimated_intersection(a.base(), b.base());
}

}  // namespace simdbloom
