// How many cells of a filter are set after so many throws: bits, counters above 0, fingerprints.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "simdbloom/cardinality.hpp"
#include "simdbloom/detail/layout_traits.hpp"

namespace simdbloom::detail {

/// The bits of a word that are set, or its counters of 4 bits that are not 0.
inline unsigned cells_set(std::uint64_t word, bool counters) noexcept {
    if (counters) {
        word |= word >> 1;
        word = (word | word >> 2) & 0x1111111111111111u;
    }
    return static_cast<unsigned>(std::popcount(word));
}

/// Throws are independent: keys, or probes of `classic` and `counting`.
class Occupancy {
public:
    /// Each throw sets one of `places` cells.
    explicit Occupancy(double places) : places_(places), q_(1 / places) {}
    /// The cells of a Bloom filter or of counters.
    explicit Occupancy(const FilterBase& filter)
        : places_(static_cast<double>(filter.size_in_bytes()) * 8 /
                  filter.layout().traits().cell_bits()),
          q_(1 / places_) {
        const Layout& layout = filter.layout();
        if (layout.traits().anywhere) {
            throws_per_key_ = layout.k;
            return;
        }
        const auto one_of = [](double hit, double times) {
            return -std::expm1(times * std::log1p(-hit));
        };
        // A key goes to one of the `words` words of each zone, and sets `k` of its `cells` cells.
        const Layout::Pattern p = layout.pattern();
        const double words = p.words_per_zone, cells = p.cells_per_word, k = p.cells_per_key,
                     in_word = one_of(1 / cells, k), blocks = static_cast<double>(filter.blocks());
        q_ = in_word / words / blocks;
        pairs_[0] = {cells - 1, one_of(2 / cells, k) / words / blocks};  // of one word
        pairs_[1] = {cells * (words - 1), 2 * q_};  // of one zone: a key goes to one word of it
        pairs_[2] = {cells * words * (p.zones - 1), one_of(in_word / words, 2) / blocks};
    }

    /// The number of throws that set that many cells, on average.
    double throws(double set) const { return std::log1p(-set / places_) / std::log1p(-q_); }
    /// The covariance of throws(set) of two filters with so many throws in common.
    double covariance(double shared) const {
        const double log_clear = std::log1p(-q_);
        double sum = std::expm1(-shared * log_clear), others = places_ - 1;
        for (const auto& pair : pairs_) {
            sum += pair.cells * together(shared, pair.q);
            others -= pair.cells;
        }
        sum += others * together(shared, 2 * q_);  // in other blocks, never by the same throw
        return sum / (places_ * log_clear * log_clear);
    }
    Cardinality estimate(double throws, double variance) const {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        if (!std::isfinite(throws)) return {infinity, infinity};
        return {throws / throws_per_key_, std::sqrt(std::max(variance, 0.0)) / throws_per_key_};
    }
    /// The keys that set that many cells.
    Cardinality keys(double set) const {
        const double n = throws(set);
        return estimate(n, covariance(n));
    }

private:
    /// P(two cells are clear) / P(one is)^2 - 1, where a throw sets one of the two or both with q.
    double together(double throws, double q) const {
        return std::expm1(throws * std::log1p((2 * q_ - q - q_ * q_) / ((1 - q_) * (1 - q_))));
    }

    double places_, q_, throws_per_key_ = 1;
    struct Pairs {
        double cells = 0, q = 0;
    };
    Pairs pairs_[3];  // cells of its block beside a given one, and the q of together()
};

}  // namespace simdbloom::detail
