// A filter of one of the layouts that only experiments have.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/layouts/kernels.hpp"
#include "harness/keys.hpp"
#include "simdbloom/detail/storage.hpp"
#include "simdbloom/isa.hpp"
#include "tuning/caches.hpp"

namespace simdbloom::bench {

/// Fills distinct_positions, the same on every machine.
inline void choose_distinct_positions() {
    for (unsigned k = 1; k <= 8; ++k) {
        std::mt19937_64 random(k);
        for (unsigned i = 0; i < 1024; ++i) {
            std::array<bool, 64> taken{};
            std::byte* const at = distinct_positions[k] + 8 * i;
            for (unsigned j = 0; j < k;) {
                const auto position = static_cast<std::size_t>(random() & 63);
                if (!taken[position]) at[j++] = static_cast<std::byte>(position);
                taken[position] = true;
            }
            for (unsigned j = k; j < 8; ++j) at[j] = at[0];
        }
    }
}

inline const std::vector<std::pair<Isa, const OwnLayouts*>>& compiled_layouts() {
    static const auto all = [] {
        choose_distinct_positions();
        std::vector<std::pair<Isa, const OwnLayouts*>> usable{{Isa::scalar, &scalar_layouts}};
#ifdef __x86_64__
        for (const auto& [isa, layouts] : {std::pair{Isa::avx2, &avx2_layouts},
                                           {Isa::avx512, &avx512_layouts},
                                           {Isa::avx512bitalg, &avx512bitalg_layouts}})
            if (std::ranges::count(usable_isas(), isa) != 0) usable.emplace_back(isa, layouts);
#endif
        return usable;
    }();
    return all;
}

/// It is prefetched as the library's filters are: from the size of the level-2 cache on, and near
/// while the level-3 cache holds it.
class OwnFilter {
public:
    using Kernels = const LayoutKernels& (*)(const OwnLayouts&);
    OwnFilter(Kernels kernels, unsigned block_bits, std::uint64_t n_keys, double bits_per_key,
              unsigned k)
        : kernels_(kernels),
          blocks_(static_cast<std::uint64_t>(
              std::ceil(static_cast<double>(n_keys) * bits_per_key / block_bits))),
          k_(k),
          storage_(blocks_ * block_bits / 8, true, nullptr),
          layouts_(compiled_layouts().back().second) {}

    void use(const OwnLayouts& layouts) { layouts_ = &layouts; }
    void insert(Keys keys) {
        kernels_(*layouts_).insert(target(), {keys.data(), keys.size(), false});
    }
    std::size_t count(Keys keys) const {
        return kernels_(*layouts_).lookup(target(), {keys.data(), keys.size(), false},
                                          detail::Output::count, nullptr);
    }
    std::size_t size_in_bytes() const { return storage_.size(); }
    std::span<const std::byte> bytes() const { return {storage_.data(), storage_.size()}; }

private:
    detail::Target target() const {
        const std::size_t bytes = storage_.size();
        return {const_cast<std::byte*>(storage_.data()),
                blocks_,
                detail::seed_offset,
                k_,
                bytes > detail::caches().l2,
                nullptr,
                {},
                bytes <= detail::caches().l3};
    }

    Kernels kernels_;
    std::uint64_t blocks_;
    unsigned k_;
    detail::Storage storage_;
    const OwnLayouts* layouts_;
};

/// Fills the filter with keys 0 .. n-1 and throws std::runtime_error unless each of them is found
/// on every ISA, and as many strangers on every ISA as by scalar code.
inline void fill_and_check(OwnFilter& filter, const KeySource& source, std::uint64_t n,
                           const std::string& name) {
    for_keys(source, 0, n, [&](Keys keys) { filter.insert(keys); });
    const std::uint64_t checked = std::min<std::uint64_t>(n, 1 << 20);
    std::vector<std::size_t> found;
    for (const auto& [isa, layouts] : compiled_layouts()) {
        filter.use(*layouts);
        std::size_t own = 0, strangers = 0;
        for_keys(source, 0, checked, [&](Keys keys) { own += filter.count(keys); });
        for_keys(source, std::uint64_t{1} << 40, (std::uint64_t{1} << 40) + checked,
                 [&](Keys keys) { strangers += filter.count(keys); });
        found.push_back(strangers);
        if (own != checked || strangers != found[0])
            throw std::runtime_error(name + " on " + std::string(to_string(isa)) +
                                     " loses keys or answers otherwise than scalar code");
    }
}

/// The share of 2^26 strangers that the filter finds.
template <class F>
double measured_fpr(const F& filter, const KeySource& source, std::uint64_t strangers = 1 << 26) {
    constexpr std::uint64_t first = std::uint64_t{1} << 41;
    std::size_t found = 0;
    for_keys(source, first, first + strangers, [&](Keys keys) { found += filter.count(keys); });
    return static_cast<double>(found) / static_cast<double>(strangers);
}

}  // namespace simdbloom::bench
