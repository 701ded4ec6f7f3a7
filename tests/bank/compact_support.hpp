// A compact bank, and the same sets as filters of the core, one by one.
#pragma once

#include "bank_support.hpp"
#include "simdbloom/bank/compact_bank.hpp"

namespace simdbloom::test {

struct CompactAndFilters {
    CompactBank bank;
    std::vector<AnyFilter> filters;
};

/// A filter of the bits that a set has.
inline AnyFilter filter_of_set(const CompactBank& bank, std::size_t set, Options options) {
    const FilterBank& its = bank.banks()[bank.place(set).bank];
    options.spec.clear();
    return make_filter(its.spec(), static_cast<std::size_t>(its.n_keys()),
                       its.bits_per_key() * (1 - 1e-9), options);
}

/// Sizes whose classes are shuffled: a power of 4, from 2 keys to 512.
inline std::vector<std::size_t> unequal_sizes(std::size_t sets) {
    std::vector<std::size_t> sizes;
    for (std::size_t s = 0; s < sets; ++s)
        sizes.push_back(std::size_t{2} << 2 * (random_key(s) % 5));
    return sizes;
}

inline CompactAndFilters make_compact(const std::string& spec, std::span<const std::size_t> sizes,
                                      Options options = {.seed = 77}) {
    options.spec = spec;
    CompactAndFilters both{CompactBank::with_bits_per_key(sizes, 8, options), {}};
    for (std::size_t s = 0; s < sizes.size(); ++s) {
        both.filters.push_back(filter_of_set(both.bank, s, options));
        const auto its = keys_of_set(s, sizes[s]);
        both.filters.back().insert(its);
        both.bank.insert(s, its);
    }
    return both;
}

}  // namespace simdbloom::test
