// The ways of threads to fill a filter, which callers cannot choose.
#pragma once

#include <string>
#include <vector>

#include "simdbloom/any/any_filter.hpp"
#include "threads/ways.hpp"

namespace simdbloom::test {

inline std::string name_of(detail::Way way) {
    constexpr const char* names[] = {"serial", "atomic", "halves", "regions", "merged"};
    return names[static_cast<std::size_t>(way)];
}

/// The ways that so many threads have for the filter's layout.
inline std::vector<detail::Way> ways_of(const AnyFilter& filter, unsigned threads) {
    using detail::Way;
    std::vector<Way> ways{Way::atomic, Way::merged};
    if (filter.layout().traits().anywhere) return ways;
    ways.push_back(Way::regions);
    if (threads == 2) ways.push_back(Way::halves);
    return ways;
}

}  // namespace simdbloom::test
