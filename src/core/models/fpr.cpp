#include "simdbloom/fpr.hpp"
#include "simdbloom/detail/layout_traits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "simdbloom/detail/errors.hpp"

namespace simdbloom::fpr {
namespace {

// f(i) = sum of weight * base^i: weights up to C(16, 8) of either sign leave an error below 1e-14.
struct Term {
    long double weight, base;
};
using Sum = std::vector<Term>;

Sum multiply(const Sum& a, const Sum& b) {
    Sum product;
    for (const auto& s : a)
        for (const auto& t : b) product.push_back({s.weight * t.weight, s.base * t.base});
    std::sort(product.begin(), product.end(),
              [](const Term& s, const Term& t) { return s.base < t.base; });
    Sum merged;
    for (const auto& t : product) {
        if (!merged.empty() && t.base - merged.back().base < 1e-15L)
            merged.back().weight += t.weight;
        else merged.push_back(t);
    }
    return merged;
}

Sum power(const Sum& a, unsigned n) {
    Sum result{{1, 1}};
    for (unsigned i = 0; i < n; ++i) result = multiply(result, a);
    return result;
}

// The chance that `query` balls all hit occupied bins, of `bins` bins, is the sum of weight[l] *
// e_l, if l given bins are all empty with chance e_l: S(query, j) (bins)_j / bins^query is the
// chance of j distinct bins, and sum_l (-1)^l C(j, l) e_l that of these all being occupied.
std::vector<long double> weights_of_empty(long double bins, unsigned query) {
    std::vector<long double> distinct(query + 1, 0.0L);  // distribution of j
    distinct[0] = 1;
    for (unsigned ball = 0; ball < query; ++ball)
        for (unsigned j = ball + 1; j > 0; --j)
            distinct[j] = distinct[j] * j / bins + distinct[j - 1] * (bins - (j - 1)) / bins,
            distinct[j - 1] = j == 1 ? 0 : distinct[j - 1];
    std::vector<long double> weights;
    for (unsigned l = 0; l <= query && l <= bins; ++l) {
        long double weight = 0, choose = 1;  // choose = C(j, l)
        for (unsigned j = l; j <= query; ++j) {
            if (j > l) choose = choose * j / (j - l);
            weight += distinct[j] * choose;
        }
        weights.push_back(l % 2 != 0 ? -weight : weight);
    }
    return weights;
}

// After i keys, each of which threw `thrown` balls.
Sum all_occupied(unsigned bins, unsigned thrown, unsigned query) {
    Sum sum;
    for (const long double weight : weights_of_empty(bins, query)) {
        const long double others = 1 - static_cast<long double>(sum.size()) / bins;
        sum.push_back({weight, std::pow(others, static_cast<long double>(thrown))});
    }
    return sum;
}

Sum zoned_sum(unsigned sectors, unsigned S, unsigned z, unsigned k, unsigned query) {
    const long double p = static_cast<long double>(z) /
                          sectors;  // chance that a key picks a given sector of its group
    Sum one = all_occupied(S, k / z, query / z);
    for (auto& t : one) t.base = 1 - p + p * t.base;
    return power(one, z);
}

double poisson_mean(const Sum& sum, double load) {
    long double f = 0;
    for (const auto& t : sum)
        f += t.weight * std::exp(-static_cast<long double>(load) * (1 - t.base));
    return static_cast<double>(std::max(f, 0.0L));
}

double binomial_mean(const Sum& sum, std::uint64_t n, std::uint64_t blocks) {
    long double f = 0;
    for (const auto& t : sum) {
        // Above -1: no layout asks for as many bits as it has bins. std::log lost 9 digits here.
        const long double hit = (t.base - 1) / static_cast<long double>(blocks);
        f += t.weight * std::exp(static_cast<long double>(n) * std::log1p(hit));
    }
    return static_cast<double>(std::clamp(f, 0.0L, 1.0L));
}

Sum layout_sum(const Layout& layout, unsigned query_factor) {
    if (layout.is_table() || layout.traits().anywhere)
        throw detail::argument_error(layout.spec(), " is not a blocked Bloom layout");
    const Layout::Pattern p = layout.pattern();
    return zoned_sum(p.zones * p.words_per_zone, p.cells_per_word, p.zones, layout.k,
                     layout.k * query_factor);
}

/// The number of bits or counters of the array, for layouts that probe all of it; else 0.
double probed_array(const Layout& layout, std::uint64_t blocks) {
    const detail::LayoutTraits& t = layout.traits();
    return t.anywhere
               ? static_cast<double>(t.block_bits / t.cell_bits()) * static_cast<double>(blocks)
               : 0;
}

// The variance of the share of `bins` bins that `balls` balls leave not empty. If A is the chance
// that a bin stays empty, two bins stay empty with A^2 (1 - 1 / (bins - 1)^2)^balls.
double variance_of_fill(double bins, double balls) {
    if (bins < 2) return 0;
    const double empty = std::exp(balls * std::log1p(-1 / bins));
    const double together = std::expm1(balls * std::log1p(-1 / ((bins - 1) * (bins - 1))));
    const double variance = empty * (1 - empty) / bins + empty * empty * (1 - 1 / bins) * together;
    return std::max(variance, 0.0);
}

// An absent key passes if a key in one of its two buckets has its tag; half as often where the two
// buckets are one. `slots[l]` is the number of keys with 2^-l of that chance.
template <class Slots>
double found_in_pairs(double tags, double buckets, double homes, const Slots& slots) {
    const auto hit = [&](double pairs) {
        double none = 0, chance = pairs / (buckets * tags);
        for (const auto n : slots)
            none += static_cast<double>(n) * std::log1p(-chance), chance /= 2;
        return 0 - std::expm1(none);
    };
    return (1 - 1 / homes) * hit(2) + hit(1) / homes;
}

}  // namespace

double classic_asymptotic(double c, unsigned k) {
    return std::pow(-std::expm1(-static_cast<double>(k) / c), k);
}

double classic(double bits, double keys, unsigned k) {
    return std::pow(-std::expm1(static_cast<double>(k) * keys * std::log1p(-1 / bits)), k);
}

double classic_exact(double bits, double keys, unsigned k) {
    const long double m = bits, balls = static_cast<long double>(k) * keys;
    long double f = 0, l = 0;
    for (const long double weight : weights_of_empty(m, k)) {
        f += weight * (l < m ? std::exp(balls * std::log1p(-l / m)) : balls == 0 ? 1.0L : 0.0L);
        l += 1;
    }
    if (f > 1e-9L) return static_cast<double>(std::min(f, 1.0L));
    // The weights reach C(30, 15), so little is left of a sum this small. These are the first two
    // terms of the mean of a power around the power of the mean.
    const double fill = -std::expm1(static_cast<double>(balls) * std::log1p(-1 / bits));
    const double spread =
        fill > 0 ? variance_of_fill(bits, static_cast<double>(balls)) / fill / fill : 0;
    return std::min(std::pow(fill, k) * (1 + k * (k - 1) / 2.0 * spread), 1.0);
}

unsigned classic_best_k(double c) {
    unsigned best = 1;
    for (unsigned k = 2; k <= 64; ++k)
        if (classic_asymptotic(c, k) < classic_asymptotic(c, best)) best = k;
    return best;
}

double blocked(unsigned B, double c, unsigned k) {
    return poisson_mean(all_occupied(B, k, k), B / c);
}

double blocked(unsigned B, std::uint64_t n, std::uint64_t blocks, unsigned k) {
    return binomial_mean(all_occupied(B, k, k), n, blocks);
}

double sectorised(unsigned B, unsigned S, double c, unsigned k) {
    return poisson_mean(zoned_sum(B / S, S, B / S, k, k), B / c);
}

double split_block(double c) { return sectorised(256, 32, c, 8); }

double zoned(unsigned B, unsigned S, unsigned z, double c, unsigned k) {
    return poisson_mean(zoned_sum(B / S, S, z, k, k), B / c);
}

double cuckoo(unsigned f, unsigned slots, double load) {
    return -std::expm1(2 * slots * load * std::log1p(-1 / (std::exp2(f) - 1)));
}

double cuckoo_pairs(unsigned f, double buckets, double keys) {
    return found_in_pairs(std::exp2(f) - 1, buckets, buckets, std::array{keys});
}

double bloomier(unsigned f) { return std::exp2(-static_cast<double>(f)); }

double growing_cuckoo(unsigned core_bits, std::uint64_t roots, unsigned growths,
                      std::span<const std::uint64_t> slots) {
    const auto homes = static_cast<double>(roots);
    return found_in_pairs(std::exp2(core_bits) - 1, std::ldexp(homes, static_cast<int>(growths)),
                          homes, slots);
}

double growing_cuckoo_bound(unsigned core_bits, unsigned movable_bits, unsigned growths) {
    return std::min(
        8 / ((std::exp2(core_bits) - 1) * std::exp2(movable_bits)) * (1 + growths / 2.0), 1.0);
}

double hash_floor(double keys, double w) { return -std::expm1(-keys / std::exp2(w)); }

double with_floor(double f, double floor) { return f + floor - f * floor; }

double counter_tail(double probes, double counters, unsigned least) {
    if (least == 0) return 1;
    if (probes < least) return 0;
    const double p = 1 / counters, odds = p / (1 - p);
    if (p >= 1) return 1;
    // The terms are products. Quotients of factorials would cost all digits with 10^9 keys.
    const auto terms = [&](unsigned first, auto more) {
        double log_term = probes * std::log1p(-p), j = 0;
        for (; j < first; ++j) log_term += std::log((probes - j) / (j + 1) * odds);
        double term = std::exp(log_term), sum = 0;
        for (; more(j, term, sum); ++j) {
            sum += term;
            term *= (probes - j) / (j + 1) * odds;
        }
        return sum;
    };
    const double limit = least;
    if (probes * p >= limit)
        return 1 - terms(0, [&](double j, double, double) { return j < limit; });
    return terms(least, [&](double j, double term, double sum) {
        return j <= probes && term > 1e-17 * sum;
    });
}

double counter_tail(const Layout& layout, std::uint64_t n_keys, std::uint64_t blocks,
                    unsigned least) {
    const double n = static_cast<double>(n_keys), count = static_cast<double>(blocks), k = layout.k;
    if (layout.traits().anywhere) return counter_tail(k * n, 16 * count, least);
    if (blocks == 1) return counter_tail(k * n, 128, least);
    // A sum over the number i of keys in the counter's line.
    const double p = 1 / count, odds = std::log(p / (1 - p)), mean = n * p;
    double log_mass = n * std::log1p(-p), sum = 0;
    for (double i = 0; i <= n; ++i) {
        const double mass = std::exp(log_mass);
        sum += mass * counter_tail(k * i, 128, least);
        if (i > 2 * mean + 10 && k * i > least && mass < 1e-15 * sum) break;
        log_mass += std::log((n - i) / (i + 1)) + odds;
    }
    return sum;
}

double dleft(unsigned remainder_bits, double blocks, double keys) {
    return -std::expm1(keys * std::log1p(-1 / (blocks * (std::exp2(remainder_bits) - 1))));
}

double expected(const Layout& layout, std::uint64_t n, std::uint64_t blocks) {
    const double keys = static_cast<double>(n), count = static_cast<double>(blocks);
    if (const double m = probed_array(layout, blocks); m != 0)
        return classic_exact(m, keys, layout.k);
    if (layout.is_cuckoo()) return cuckoo_pairs(layout.fingerprint_bits(), count, keys);
    if (layout.is_dleft()) return dleft(layout.fingerprint_bits(), count, keys);
    return with_floor(binomial_mean(layout_sum(layout, 1), n, blocks),
                      hash_floor(keys / count, 32));
}

double deviation(const Layout& layout, std::uint64_t n, std::uint64_t blocks) {
    const double count = static_cast<double>(blocks);
    if (const double m = probed_array(layout, blocks); m != 0) {
        // (X/m)^k, to first order in X - E[X].
        const double balls = layout.k * static_cast<double>(n);
        const double fill = -std::expm1(balls * std::log1p(-1 / m));
        const double mean = expected(layout, n, blocks);
        return layout.k * mean / fill * std::sqrt(variance_of_fill(m, balls));
    }
    if (layout.is_table()) {
        // The share of all fingerprints, a bucket and a tag; a key takes two of a cuckoo table.
        const auto keys = static_cast<double>(n);
        const double all = count * (std::exp2(layout.fingerprint_bits()) - 1);
        if (!layout.is_cuckoo() || blocks == 1) return std::sqrt(variance_of_fill(all, keys));
        const double of_ones = keys / count * (1 - 1 / count) / all / all;
        return std::sqrt(variance_of_fill(all / 2, keys) + of_ones);
    }
    const Sum chance = layout_sum(layout, 1);
    const double mean = binomial_mean(chance, n, blocks);
    const double second = binomial_mean(layout_sum(layout, 2), n, blocks);
    // The loads of all blocks add up to n: of Var(chance), Cov(chance, load)^2 / Var(load) cancels
    // out. Cov(chance, load) is Var(load) times the mean step from i to i + 1 of n - 1 other keys.
    Sum one_more = chance;
    for (auto& t : one_more) t.weight *= t.base;
    const double step =
        n == 0 ? 0 : binomial_mean(one_more, n - 1, blocks) - binomial_mean(chance, n - 1, blocks);
    const double load = static_cast<double>(n) / count * (1 - 1 / count);
    return std::sqrt(std::max(second - mean * mean - load * step * step, 0.0) / count);
}

unsigned best_k(Layout layout, std::uint64_t n, std::uint64_t blocks) {
    const auto range = layout.k_range();
    unsigned best = range.min;
    double least = 2;
    for (unsigned k = range.min; k <= range.max; k += range.step) {
        layout.k = k;
        const double f = expected(layout, n, blocks);
        if (f < least) least = f, best = k;
    }
    return best;
}

Interval wilson(double hits, double probes, double z) {
    if (probes <= 0) return {0, 1};
    const double p = hits / probes, denominator = 1 + z * z / probes;
    const double centre = (p + z * z / (2 * probes)) / denominator;
    const double half =
        z / denominator * std::sqrt(p * (1 - p) / probes + z * z / (4 * probes * probes));
    return {hits > 0 ? centre - half : 0, hits < probes ? centre + half : 1};
}

}  // namespace simdbloom::fpr
