#include "simdbloom/fpr.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace simdbloom::fpr {
namespace {

// f(i) = sum of weight * base^i over the terms. long double: the weights alternate in sign and reach
// C(16, 8), so 64 mantissa bits leave an error below 1e-14.
struct Term { long double weight, base; };
using Sum = std::vector<Term>;

Sum multiply(const Sum& a, const Sum& b) {
    Sum product;
    for (const auto& s : a)
        for (const auto& t : b) product.push_back({s.weight * t.weight, s.base * t.base});
    std::sort(product.begin(), product.end(), [](const Term& s, const Term& t) { return s.base < t.base; });
    Sum merged;
    for (const auto& t : product) {
        if (!merged.empty() && t.base - merged.back().base < 1e-15L) merged.back().weight += t.weight;
        else merged.push_back(t);
    }
    return merged;
}

Sum power(const Sum& a, unsigned n) {
    Sum result{{1, 1}};
    for (unsigned i = 0; i < n; ++i) result = multiply(result, a);
    return result;
}

// The chance that `query` balls all hit occupied ones of `bins` bins after i keys threw `thrown` balls each.
// By the number j of distinct bins the query uses: S(query, j) (bins)_j / bins^query times the
// inclusion-exclusion for "these j are all occupied", sum_l (-1)^l C(j, l) (1 - l/bins)^(thrown i).
Sum all_occupied(unsigned bins, unsigned thrown, unsigned query) {
    std::vector<long double> distinct(query + 1, 0.0L);  // distribution of j
    distinct[0] = 1;
    for (unsigned ball = 0; ball < query; ++ball)
        for (unsigned j = ball + 1; j > 0; --j)
            distinct[j] = distinct[j] * j / bins + distinct[j - 1] * (static_cast<long double>(bins) - (j - 1)) / bins,
            distinct[j - 1] = j == 1 ? 0 : distinct[j - 1];
    Sum sum;
    for (unsigned l = 0; l <= std::min(query, bins); ++l) {
        long double weight = 0, choose = 1;  // choose = C(j, l)
        for (unsigned j = l; j <= query; ++j) {
            if (j > l) choose = choose * j / (j - l);
            weight += distinct[j] * choose;
        }
        sum.push_back({l % 2 != 0 ? -weight : weight, std::pow(1 - static_cast<long double>(l) / bins, static_cast<long double>(thrown))});
    }
    return sum;
}

Sum blocked_sum(unsigned B, unsigned k, unsigned query) { return all_occupied(B, k, query); }

Sum sectorised_sum(unsigned sectors, unsigned S, unsigned k, unsigned query) {
    return power(all_occupied(S, k / sectors, query / sectors), sectors);
}

Sum zoned_sum(unsigned sectors, unsigned S, unsigned z, unsigned k, unsigned query) {
    const long double p = static_cast<long double>(z) / sectors;  // chance that a key picks a given sector of its group
    Sum one = all_occupied(S, k / z, query / z);
    for (auto& t : one) t.base = 1 - p + p * t.base;
    return power(one, z);
}

double poisson_mean(const Sum& sum, double load) {
    long double f = 0;
    for (const auto& t : sum) f += t.weight * std::exp(-static_cast<long double>(load) * (1 - t.base));
    return static_cast<double>(std::max(f, 0.0L));
}

double binomial_mean(const Sum& sum, std::uint64_t n, std::uint64_t blocks) {
    long double f = 0;
    for (const auto& t : sum) {
        // Above 0, as every base is: no layout asks for as many bits as it has bins.
        const long double miss = 1 - (1 - t.base) / static_cast<long double>(blocks);
        f += t.weight * std::exp(static_cast<long double>(n) * std::log(miss));
    }
    return static_cast<double>(std::clamp(f, 0.0L, 1.0L));
}

Sum layout_sum(const Layout& layout, unsigned query_factor) {
    const unsigned k = layout.k, query = k * query_factor;
    switch (layout.kind) {
        case LayoutKind::register32: return blocked_sum(32, k, query);
        case LayoutKind::register64: return blocked_sum(64, k, query);
        case LayoutKind::split256: return sectorised_sum(8, 32, k, query);
        case LayoutKind::sector512: return sectorised_sum(8, 64, k, query);
        case LayoutKind::zoned512: return zoned_sum(8, 64, layout.groups, k, query);
        case LayoutKind::blocked512: return blocked_sum(512, k, query);
        case LayoutKind::counting512: return blocked_sum(128, k, query);
        default: throw std::invalid_argument("simdbloom: " + layout.spec() + " is not a blocked Bloom layout");
    }
}

/// Bits or counters of the array, for layouts that probe all of it; else 0.
double probed_array(const Layout& layout, std::uint64_t blocks) {
    return (layout.kind == LayoutKind::classic ? 64.0 : layout.kind == LayoutKind::counting ? 16.0 : 0.0) * static_cast<double>(blocks);
}

double cuckoo_load(std::uint64_t n, std::uint64_t buckets) {
    return static_cast<double>(n) / (4.0 * static_cast<double>(buckets));
}

}  // namespace

double classic_asymptotic(double c, unsigned k) { return std::pow(-std::expm1(-static_cast<double>(k) / c), k); }

double classic(double bits, double keys, unsigned k) {
    return std::pow(-std::expm1(static_cast<double>(k) * keys * std::log1p(-1 / bits)), k);
}

unsigned classic_best_k(double c) {
    unsigned best = 1;
    for (unsigned k = 2; k <= 64; ++k)
        if (classic_asymptotic(c, k) < classic_asymptotic(c, best)) best = k;
    return best;
}

double occupancy(unsigned B, unsigned keys, unsigned k) {
    std::vector<double> p(B + 1, 0.0);
    p[0] = 1;
    for (unsigned ball = 0; ball < keys * k; ++ball)
        for (unsigned x = B + 1; x-- > 0;) p[x] = p[x] * x / B + (x > 0 ? p[x - 1] * (B - x + 1) / B : 0.0);
    double e = 0;
    for (unsigned x = 0; x <= B; ++x) e += p[x] * std::pow(static_cast<double>(x) / B, k);
    return e;
}

namespace {

double choose(unsigned n, unsigned r) {
    if (r > n) return 0;
    double c = 1;
    for (unsigned i = 1; i <= r; ++i) c = c * (n - r + i) / i;
    return c;
}

void throw_distinct(std::vector<double>& p, unsigned B, unsigned k) {
    std::vector<double> next(B + 1, 0.0);
    for (unsigned x = 0; x <= B; ++x)
        if (p[x] > 0)
            for (unsigned a = 0; a <= k && x + a <= B; ++a) next[x + a] += p[x] * choose(B - x, a) * choose(x, k - a) / choose(B, k);
    p = std::move(next);
}

double all_distinct_occupied(const std::vector<double>& p, unsigned B, unsigned k) {
    double d = 0;
    for (unsigned x = k; x <= B; ++x) d += p[x] * choose(x, k) / choose(B, k);
    return d;
}

}  // namespace

double occupancy_distinct(unsigned B, unsigned keys, unsigned k) {
    std::vector<double> p(B + 1, 0.0);
    p[0] = 1;
    for (unsigned i = 0; i < keys; ++i) throw_distinct(p, B, k);
    return all_distinct_occupied(p, B, k);
}

double blocked(unsigned B, double c, unsigned k) { return poisson_mean(blocked_sum(B, k, k), B / c); }

double blocked(unsigned B, std::uint64_t n, std::uint64_t blocks, unsigned k) { return binomial_mean(blocked_sum(B, k, k), n, blocks); }

double blocked_distinct(unsigned B, double c, unsigned k) {
    const double load = B / c;
    std::vector<double> p(B + 1, 0.0);
    p[0] = 1;
    double mass = std::exp(-load), f = 0;
    const double last = load + 12 * std::sqrt(load) + 30;  // Poisson mass beyond is below 1e-20
    for (unsigned i = 0; i <= last; ++i) {
        f += mass * all_distinct_occupied(p, B, k);
        throw_distinct(p, B, k);
        mass *= load / (i + 1);
    }
    return f;
}

double blocked_putze(unsigned B, double c, unsigned k) {
    const double load = B / c, last = load + 12 * std::sqrt(load) + 30;
    double mass = std::exp(-load), f = 0;
    for (unsigned i = 0; i <= last; ++i) {
        f += mass * classic(B, i, k);
        mass *= load / (i + 1);
    }
    return f;
}

double sectorised(unsigned B, unsigned S, double c, unsigned k) {
    return poisson_mean(sectorised_sum(B / S, S, k, k), B / c);
}

double split_block(double c) { return sectorised(256, 32, c, 8); }

double zoned(unsigned B, unsigned S, unsigned z, double c, unsigned k) {
    return poisson_mean(zoned_sum(B / S, S, z, k, k), B / c);
}

double cuckoo(unsigned f, unsigned slots, double load) {
    return -std::expm1(2 * slots * load * std::log1p(-1 / (std::exp2(f) - 1)));
}

double cuckoo_unreserved(unsigned f, unsigned slots, double load) {
    return -std::expm1(2 * slots * load * std::log1p(-std::exp2(-static_cast<double>(f))));
}

double cuckoo_zero_mapped(unsigned f, unsigned slots, double load) {
    return -std::expm1(2 * slots * load * std::log1p(-(std::exp2(f) + 2) / std::exp2(2 * f)));
}

double cuckoo_upper_bound(unsigned f, unsigned slots) { return 2 * slots / std::exp2(f); }

double bloomier(unsigned f) { return std::exp2(-static_cast<double>(f)); }

double growing_cuckoo(unsigned core_bits, std::span<const double> loads) {
    double exponent = 0, p = 1 / (std::exp2(core_bits) - 1);
    for (const double load : loads) exponent += 8 * load * std::log1p(-p), p /= 2;
    return 0 - std::expm1(exponent);
}

double growing_cuckoo_bound(unsigned core_bits, unsigned movable_bits, unsigned growths) {
    return std::min(8 / ((std::exp2(core_bits) - 1) * std::exp2(movable_bits)) * (1 + growths / 2.0), 1.0);
}

double hash_floor(double keys, double w) { return -std::expm1(-keys / std::exp2(w)); }

double with_floor(double f, double floor) { return 1 - (1 - f) * (1 - floor); }

double expected(const Layout& layout, std::uint64_t n, std::uint64_t blocks) {
    if (const double m = probed_array(layout, blocks); m != 0) return classic(m, static_cast<double>(n), layout.k);
    if (layout.is_cuckoo()) return cuckoo(layout.fingerprint_bits(), 4, cuckoo_load(n, blocks));
    if (layout.is_dleft()) return dleft(layout.fingerprint_bits(), static_cast<double>(blocks), static_cast<double>(n));
    return binomial_mean(layout_sum(layout, 1), n, blocks);
}

double deviation(const Layout& layout, std::uint64_t n, std::uint64_t blocks) {
    const double mean = expected(layout, n, blocks), count = static_cast<double>(blocks);
    // Var(X/m) of the share of m bins that balls, a of them a bin, leave not empty.
    const auto variance_of_fill = [](double m, double a) { return std::max((std::exp(-a) - (1 + a) * std::exp(-2 * a)) / m, 0.0); };
    if (const double m = probed_array(layout, blocks); m != 0) {
        // (X/m)^k
        const double a = layout.k * static_cast<double>(n) / m, fill = -std::expm1(-a), variance = variance_of_fill(m, a);
        return layout.k * mean / fill * std::sqrt(variance);
    }
    if (layout.is_dleft()) {
        const double fingerprints = count * (std::exp2(layout.fingerprint_bits()) - 1);
        return std::sqrt(variance_of_fill(fingerprints, static_cast<double>(n) / fingerprints));
    }
    // A stranger's chance depends on its tag's frequency; averaged over tags and buckets this is far below
    // the sampling error of any test: 1 / sqrt(slots) covers it.
    if (layout.is_cuckoo()) return mean / std::sqrt(4 * count);
    const double second = binomial_mean(layout_sum(layout, 2), n, blocks);
    // The loads of all blocks add up to n, so what a straight line through (load, chance) explains cancels out: of Var(chance)
    // Cov(chance, load)^2 / Var(load), where Cov(chance, load) is Var(load) times the mean step of the chance from i to i + 1 of
    // n - 1 other keys.
    Sum one_more = layout_sum(layout, 1);
    for (auto& t : one_more) t.weight *= t.base;
    const double step = n == 0 ? 0 : binomial_mean(one_more, n - 1, blocks) - binomial_mean(layout_sum(layout, 1), n - 1, blocks);
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
    const double half = z / denominator * std::sqrt(p * (1 - p) / probes + z * z / (4 * probes * probes));
    return {std::max(centre - half, 0.0), std::min(centre + half, 1.0)};
}

}  // namespace simdbloom::fpr
