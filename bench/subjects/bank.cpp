// Many filters of one size, asked with one key: as a FilterBank, and one by one.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "harness/subject.hpp"
#include "simdbloom/cache_line.hpp"
#include "simdbloom/fpr.hpp"

namespace simdbloom::bench {
namespace {

/// Filters of equal parts of the keys, of the layout that a bank of them would have.
std::vector<CacheLineBloom> filters_of(std::size_t sets, const Order& order) {
    const std::size_t each = order.n_keys / sets;
    Options options;
    // The same k for all sizes.
    options.spec = FilterBank::with_bits_per_key(1, 1000, order.bits_per_key).spec();
    options.seed = order.seed;
    std::vector<CacheLineBloom> filters;
    for (std::size_t s = 0; s < sets; ++s) {
        filters.push_back(CacheLineBloom::with_bits_per_key(each, order.bits_per_key, options));
        for_keys(order.keys, s * each, (s + 1) * each, [&](Keys piece) {
            filters[s].insert({piece, order.keys.hashed()});
        });
    }
    return filters;
}

std::uint64_t ones(std::span<const std::uint8_t> bitmap) {
    std::uint64_t n = 0;
    for (const std::uint8_t byte : bitmap) n += static_cast<unsigned>(std::popcount(byte));
    return n;
}

Subject subject_of_sets(const std::string& name, const CacheLineBloom& filter, std::size_t sets) {
    Subject s;
    s.name = name + ',' + filter.spec();
    s.bytes = filter.size_in_bytes() * sets;
    s.sets = sets;
    s.fpr = filter.expected_fpr();
    s.deviation = fpr::deviation(filter.layout(), filter.n_keys(), filter.blocks()) /
                  std::sqrt(static_cast<double>(sets));
    s.isas.assign(usable_isas().begin(), usable_isas().end());
    return s;
}

Subject make_bank(const std::string& name, std::size_t sets, const Order& order) {
    const auto filters = filters_of(sets, order);
    std::vector<const FilterBase*> bases;
    for (const auto& filter : filters) bases.push_back(&filter);
    const auto bank = std::make_shared<FilterBank>(FilterBank::of(bases));
    const bool hashed = order.keys.hashed();
    Subject s = subject_of_sets(name, filters[0], sets);
    s.use_isa = [bank](Isa isa) { bank->use_isa(isa); };
    s[Output::bitmap] = by_batches([=](Keys keys, Answers& a) {
        bank->contains({keys, hashed}, a.bitmap);
        return a.bitmap[0];
    });
    s[Output::count] = by_batches([=](Keys keys, Answers& a) {
        bank->count_per_set({keys, hashed}, a.counts);
        return std::accumulate(a.counts.begin(), a.counts.end(), std::uint64_t{0});
    });
    s[Output::single] = [=](Keys keys, std::size_t, Answers& a) {
        std::uint64_t found = 0;
        for (const std::uint64_t key : keys) {
            bank->contains_hash(hashed ? key : bank->hash_of(key), a.bitmap);
            found += ones(a.bitmap);
        }
        return found;
    };
    s.touch = [=](Keys keys) { return touch(*bank, keys, hashed); };
    s.lines = [=](std::uint64_t key) {
        return lines_touched(*bank, hashed ? key : bank->hash_of(key));
    };
    return s;
}

Subject make_filters(const std::string& name, std::size_t sets, const Order& order) {
    const auto filters = std::make_shared<std::vector<CacheLineBloom>>(filters_of(sets, order));
    const bool hashed = order.keys.hashed();
    Subject s = subject_of_sets(name, filters->front(), sets);
    s.use_isa = [filters](Isa isa) {
        for (auto& filter : *filters) filter.use_isa(isa);
    };
    s[Output::count] = by_batches([=](Keys keys, Answers& a) {
        std::uint64_t found = 0;
        for (std::size_t i = 0; i < sets; ++i)
            found += a.counts[i] = (*filters)[i].count({keys, hashed});
        return found;
    });
    s[Output::single] = [=](Keys keys, std::size_t, Answers& a) {
        std::uint64_t found = 0;
        for (const std::uint64_t key : keys) {
            std::ranges::fill(a.bitmap, std::uint8_t{0});
            for (std::size_t i = 0; i < sets; ++i) {
                const auto& filter = (*filters)[i];
                const bool in = hashed ? filter.contains_hash(key) : filter.contains(key);
                a.bitmap[i / 8] = static_cast<std::uint8_t>(a.bitmap[i / 8] | in << i % 8);
            }
            found += ones(a.bitmap);
        }
        return found;
    };
    s.lines = [=](std::uint64_t) { return static_cast<unsigned>(sets); };
    return s;
}

Kind kind_of(const char* what, std::size_t sets, const char* colour, auto make) {
    const std::string name = what + std::string(":") + std::to_string(sets);
    return {.name = name,
            .role = Role::bank,
            .make = [=](const Order& order) { return make(name, sets, order); },
            .colour = colour,
            .sets = sets};
}

const ListEntry bank_entry{
    kind_of("bank", 64, "#9467bd", make_bank),   kind_of("filters", 64, "#8c564b", make_filters),
    kind_of("bank", 512, "#9467bd", make_bank),  kind_of("filters", 512, "#8c564b", make_filters),
    kind_of("bank", 4096, "#9467bd", make_bank), kind_of("filters", 4096, "#8c564b", make_filters)};

}  // namespace
}  // namespace simdbloom::bench
