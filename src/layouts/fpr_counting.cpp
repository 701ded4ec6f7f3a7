// Models of counters that overflow, and of d-left tables.
#include <cmath>
#include <numbers>
#include <vector>

#include "simdbloom/fpr.hpp"

namespace simdbloom::fpr {

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

double counting_overflow_bound(double counters) {
    return counters * std::pow(std::numbers::e * std::numbers::ln2 / 16, 16);
}

double dleft(unsigned remainder_bits, double blocks, double keys) {
    return -std::expm1(keys * std::log1p(-1 / (blocks * (std::exp2(remainder_bits) - 1))));
}

double dleft_share(unsigned subtables, double keys_per_bucket, unsigned least) {
    // share[i] is the share of the buckets of each subtable that have at least i keys. A key makes
    // one more such bucket of subtable s if its bucket there has i - 1 keys, its buckets to the
    // left have more, and its buckets to the right have no fewer.
    using Share = std::vector<std::vector<double>>;
    Share share(least + 1, std::vector<double>(subtables, 0.0));
    share[0].assign(subtables, 1.0);
    const auto slope = [&](const Share& y) {
        Share d(least + 1, std::vector<double>(subtables, 0.0));
        for (unsigned i = 1; i <= least; ++i)
            for (unsigned s = 0; s < subtables; ++s) {
                d[i][s] = y[i - 1][s] - y[i][s];
                for (unsigned other = 0; other < subtables; ++other)
                    if (other != s) d[i][s] *= y[other < s ? i : i - 1][other];
            }
        return d;
    };
    // Runge-Kutta in time. In one unit of time as many keys choose a subtable as it has buckets.
    const auto steps = static_cast<unsigned>(std::ceil(64 * subtables * keys_per_bucket)) + 1;
    const double h = subtables * keys_per_bucket / steps;
    const auto ahead = [&](const Share& d, double by) {
        Share y = share;
        for (unsigned i = 1; i <= least; ++i)
            for (unsigned s = 0; s < subtables; ++s) y[i][s] += by * d[i][s];
        return y;
    };
    for (unsigned step = 0; step < steps; ++step) {
        const Share a = slope(share), b = slope(ahead(a, h / 2)), c = slope(ahead(b, h / 2)),
                    e = slope(ahead(c, h));
        for (unsigned i = 1; i <= least; ++i)
            for (unsigned s = 0; s < subtables; ++s)
                share[i][s] += h / 6 * (a[i][s] + 2 * b[i][s] + 2 * c[i][s] + e[i][s]);
    }
    double sum = 0;
    for (const double x : share[least]) sum += x;
    return sum / subtables;
}

}  // namespace simdbloom::fpr
