// Models of counters that overflow, and of d-left tables.
#include <cmath>

#include "simdbloom/detail/layout_traits.hpp"
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

double dleft(unsigned remainder_bits, double blocks, double keys) {
    return -std::expm1(keys * std::log1p(-1 / (blocks * (std::exp2(remainder_bits) - 1))));
}

}  // namespace simdbloom::fpr
