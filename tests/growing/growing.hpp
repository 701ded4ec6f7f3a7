// What the tests of the growing cuckoo filter share.
#pragma once

#include "scale.hpp"
#include "support.hpp"

namespace simdbloom::test {

/// Random keys go in until the filter has grown `growths` times; visit(filter, keys) after each of
/// its growths and before the last.
template <class Visit>
std::vector<std::uint64_t> grow_to(GrowingCuckoo& filter, unsigned growths, const Visit& visit) {
    std::vector<std::uint64_t> keys;
    for (;;) {
        const auto step = std::max<std::size_t>(500, keys.size() / 32);
        const auto more = random_keys(step, keys.size());
        const unsigned before = filter.growths();
        EXPECT_EQ(filter.try_insert(more), step);
        keys.insert(keys.end(), more.begin(), more.end());
        if (filter.growths() == before) continue;
        visit(filter, keys);
        if (filter.growths() >= growths) return keys;
    }
}

}  // namespace simdbloom::test
