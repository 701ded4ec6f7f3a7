// Which filters threads can fill together.
#pragma once

#include "simdbloom/any/any_filter.hpp"
#include "simdbloom/detail/errors.hpp"

namespace simdbloom::detail {

/// Throws std::invalid_argument for null and for what is no Bloom filter: threads cannot fill a
/// table of fingerprints or counters together.
inline void check_bloom(const FilterBase* filter, const std::string& spec) {
    if (filter == nullptr || !filter->layout().is_bloom())
        throw argument_error("\"", spec, "\" cannot be filled by several threads");
}
/// The part of a Bloom filter that has its bits. Throws as check_bloom.
inline FilterBase& checked_bloom(AnyFilter& filter) {
    auto* const bits = filter.get_if<FilterBase>();
    check_bloom(bits, filter.spec());
    return *bits;
}

}  // namespace simdbloom::detail
