// Which filters threads can fill together.
#pragma once

#include <stdexcept>

#include "simdbloom/any_filter.hpp"

namespace simdbloom::detail {

/// The part of a Bloom filter that has its bits. Throws std::invalid_argument for any other filter:
/// threads cannot fill a table of fingerprints or counters together.
inline FilterBase& checked_bloom(AnyFilter& filter) {
    auto* const bits = filter.get_if<FilterBase>();
    if (bits == nullptr || !bits->layout().is_bloom())
        throw std::invalid_argument("simdbloom: \"" + filter.spec() +
                                    "\" cannot be filled by several threads");
    return *bits;
}

[[noreturn]] inline void throw_classic_partitioned() {
    throw std::invalid_argument(
        "simdbloom: \"classic\" cannot be built partitioned: a key's bits lie in every range of "
        "blocks");
}

}  // namespace simdbloom::detail
