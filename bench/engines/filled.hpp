// Filters filled from generated keys, for the experiments.
#pragma once

#include <algorithm>
#include <stdexcept>

#include "engines/hashes.hpp"
#include "harness/keys.hpp"

namespace simdbloom::bench::engines {

/// Calls use(keys) for keys first .. last - 1 of that source.
template <class Use>
void for_numbers(u64 seed, u64 first, u64 last, const Use& use) {
    for_keys(KeySource::generated(seed), first, last, use);
}

/// Throws std::runtime_error where one of the first million keys is not found.
template <class F>
void fill_with(F& filter, u64 seed, u64 n) {
    for_numbers(seed, 0, n, [&](Keys keys) { filter.insert(keys); });
    std::size_t found = 0;
    for_numbers(seed, 0, std::min<u64>(n, 1'000'000),
                [&](Keys keys) { found += filter.count(keys); });
    if (found != std::min<u64>(n, 1'000'000))
        throw std::runtime_error(filter.spec() + ": a key that was inserted is not found");
}

}  // namespace simdbloom::bench::engines
