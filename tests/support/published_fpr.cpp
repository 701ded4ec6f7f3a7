#include "published_fpr.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "simdbloom/fpr.hpp"

namespace simdbloom::published {

double occupancy(unsigned B, unsigned keys, unsigned k) {
    std::vector<double> p(B + 1, 0.0);
    p[0] = 1;
    for (unsigned ball = 0; ball < keys * k; ++ball)
        for (unsigned x = B + 1; x-- > 0;)
            p[x] = p[x] * x / B + (x > 0 ? p[x - 1] * (B - x + 1) / B : 0.0);
    double e = 0;
    for (unsigned x = 0; x <= B; ++x) e += p[x] * std::pow(static_cast<double>(x) / B, k);
    return e;
}

double blocked_putze(unsigned B, double c, unsigned k) {
    const double load = B / c, last = load + 12 * std::sqrt(load) + 30;
    double mass = std::exp(-load), f = 0;
    for (unsigned i = 0; i <= last; ++i) {
        f += mass * fpr::classic(B, i, k);
        mass *= load / (i + 1);
    }
    return f;
}

double cuckoo_upper_bound(unsigned f, unsigned slots) { return 2 * slots / std::exp2(f); }

double counting_overflow_bound(double counters) {
    return counters * std::pow(std::numbers::e * std::numbers::ln2 / 16, 16);
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

}  // namespace simdbloom::published
