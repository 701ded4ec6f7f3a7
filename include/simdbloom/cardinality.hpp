// How many keys a filter has, and how many two filters have in common, from their bits alone.
#pragma once

#include "simdbloom/filter.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// An estimate and the standard deviation of its error.
struct Cardinality {
    double keys;            ///< the number of distinct keys; infinite where every bit is set
    double standard_error;  ///< of `keys`; the same unit

    /// low() to high() has the true number for 95 % of filters of many blocks far from full.
    double low() const noexcept { return keys - 1.96 * standard_error; }
    double high() const noexcept { return keys + 1.96 * standard_error; }  ///< see low()
};

/// The number of distinct keys in a filter.
///
/// Every key sets a given bit with the same probability q, so n = ln(share of clear bits) / ln(1 -
/// q): Swamidass & Baldi 2007, equation 4, with the exact q of each layout in place of k / m. The
/// standard error is the exact standard deviation of the number of clear bits over the slope of its
/// mean.
///
/// A counter above 0 counts as a set bit, and so does a fingerprint of a d-left filter among all
/// possible ones. A cuckoo filter counts its fingerprints, copies included, without error.
Cardinality estimated_keys(const FilterBase& filter);

/// The number of keys in either of two filters, as (a |= b) would be estimated. Throws
/// std::invalid_argument that names what differs where |= does, and for filters of fingerprints.
Cardinality estimated_union(const FilterBase& a, const FilterBase& b);
/// The number of keys in both: |A| + |B| - |A or B|, maybe below 0. Throws as estimated_union.
Cardinality estimated_intersection(const FilterBase& a, const FilterBase& b);

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
