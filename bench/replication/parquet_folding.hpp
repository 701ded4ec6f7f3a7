// What a writer of Parquet's Bloom filters needs to size and to fold them by exact rates. No other
// header of this project is needed. papers/parquet-format.md says what other formulas give.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace parquet_folding {

/// The FPR of a filter of `blocks` blocks with `values` distinct values, for many blocks: a block
/// has i values by Poisson's law, and each of its eight words then has a given bit with probability
/// 1 - (31/32)^i.
inline double expected_fpr(double values, double blocks) {
    const double load = values / blocks;
    double sum = 0;
    for (int i = 1; i < load + 12 * std::sqrt(load) + 30; ++i)
        sum += std::exp(i * std::log(load) - load - std::lgamma(i + 1.0)) *
               std::pow(1 - std::pow(31.0 / 32, i), 8);
    return sum;
}

/// The FPR of a filter by its bits: an absent value meets each block equally often, and one given
/// bit of each word. Not the eighth power of the mean fill: blocks fill unevenly.
inline double fpr_of(std::span<const std::uint32_t> words) {
    double sum = 0;
    for (std::size_t at = 0; at < words.size(); at += 8) {
        double block = 1;
        for (std::size_t i = 0; i < 8; ++i) block *= std::popcount(words[at + i]) / 32.0;
        sum += block;
    }
    return 8 * sum / static_cast<double>(words.size());
}

/// Half of the blocks: a block is chosen by the upper bits of a hash, so neighbours become one.
inline std::vector<std::uint32_t> folded(std::span<const std::uint32_t> words) {
    std::vector<std::uint32_t> half(words.size() / 2);
    for (std::size_t i = 0; i < half.size(); ++i) {
        const std::size_t at = i / 8 * 16 + i % 8;
        half[i] = words[at] | words[at + 8];
    }
    return half;
}

/// Folds while estimate(filter) stays at most `fpr`; an even number of blocks can be halved.
template <class Estimate>
std::vector<std::uint32_t> folded_to(std::vector<std::uint32_t> words, double fpr,
                                     const Estimate& estimate) {
    while (!words.empty() && words.size() % 16 == 0) {
        auto half = folded(words);
        if (estimate(half) > fpr) break;
        words = std::move(half);
    }
    return words;
}

}  // namespace parquet_folding
