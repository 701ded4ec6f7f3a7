#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "simdbloom/adapters/leveldb_filter.hpp"

namespace simdbloom {

SimulatedFpr simulate_leveldb_fpr(std::uint64_t n_keys, std::uint64_t bits, unsigned k) {
    if (n_keys == 0 || bits == 0)
        throw std::invalid_argument("simdbloom: a simulation of " + std::to_string(n_keys) +
                                    " keys in " + std::to_string(bits) + " bits");
    std::mt19937 random(12345);
    const auto probe = [&](auto&& use) {
        auto h = static_cast<std::uint32_t>(random());
        const std::uint32_t step = h >> 17 | h << 15;
        for (unsigned i = 0; i < k; ++i, h += step)
            if (!use(h % bits)) return false;
        return true;
    };
    // Small filters differ most from each other: there are more of them, with fewer probes each.
    const auto filters = std::clamp<std::uint64_t>(4'000'000 / n_keys, 3, 4000);
    const auto probes = std::min<std::uint64_t>(1'000'000, 20'000'000 / filters);
    std::vector<double> rates;
    std::vector<bool> array(static_cast<std::size_t>(bits));
    for (std::uint64_t f = 0; f < filters; ++f) {
        std::fill(array.begin(), array.end(), false);
        for (std::uint64_t i = 0; i < n_keys; ++i)
            probe([&](std::uint64_t at) { return array[static_cast<std::size_t>(at)] = true; });
        std::uint64_t hits = 0;
        for (std::uint64_t i = 0; i < probes; ++i)
            hits += probe([&](std::uint64_t at) {
                return static_cast<bool>(array[static_cast<std::size_t>(at)]);
            });
        rates.push_back(static_cast<double>(hits) / static_cast<double>(probes));
    }
    const auto count = static_cast<double>(filters);
    double mean = 0, squares = 0;
    for (const double rate : rates) mean += rate / count;
    for (const double rate : rates) squares += (rate - mean) * (rate - mean);
    // The measured spread is that of the filters and of the samples. A few filters may happen to
    // lie close together, so it is at least the spread of the samples.
    const double variance = std::max(squares / (count - 1), mean / static_cast<double>(probes));
    return {mean, std::sqrt(variance * (1 + 1 / count))};
}

}  // namespace simdbloom
