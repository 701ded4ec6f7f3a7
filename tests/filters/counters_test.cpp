// Consecutive and evenly spaced keys, such as row numbers, against random ones: the exact rates of
// their filters, read off the bits, do not tell one from the other.
//
// For each number of keys, mean and standard deviation come from filters of random keys. Filters
// that are more than 5 of these deviations from the mean are counted.
#include "bit_rates.hpp"
#include "scale.hpp"

namespace simdbloom {
namespace {

constexpr std::uint64_t strides[24] = {
    1,  2,  3,  4,   5,   6,   7,    8,    10,   12,    16,      24,
    32, 48, 64, 100, 128, 256, 1000, 1024, 4096, 65536, 1000003, std::uint64_t{1} << 32};

/// How many starts each stride has.
struct CounterCell {
    std::size_t n, starts;
};

/// The share of random keys' filters beyond 5 deviations, at most: rates of few blocks are skewed,
/// and of `split256` with 1,000 keys 16 of 38,400 were.
constexpr double random_share = 5e-4;

/// P(X >= least) of a Poisson variable is below 10^-6.
std::size_t rare_beyond(double mean) {
    double term = std::exp(-mean), tail = 1 - term;
    std::size_t least = 1;
    for (; tail > 1e-6; ++least) tail -= term *= mean / static_cast<double>(least);
    return least;
}

/// The rates of many filters of one spec and number of keys.
struct Rates {
    std::vector<double> of;
    double mean() const {
        double sum = 0;
        for (const double rate : of) sum += rate;
        return sum / static_cast<double>(of.size());
    }
    double deviation(double from) const {
        double sum = 0;
        for (const double rate : of) sum += (rate - from) * (rate - from);
        return std::sqrt(sum / static_cast<double>(of.size()));
    }
    std::size_t beyond(double mean, double limit) const {
        const auto far = [&](double rate) { return std::abs(rate - mean) > limit; };
        return static_cast<std::size_t>(std::ranges::count_if(of, far));
    }
};

class Counters : public ::testing::TestWithParam<std::string> {
protected:
    double rate_of(std::span<const std::uint64_t> keys, std::uint64_t seed) const {
        // Tables below their design load: a small one is full before that now and then.
        const double bits = Layout::parse(GetParam()).is_table() ? 1.1 : 1;
        const double bits_per_key = bits * test::feasible_bits(GetParam(), 12);
        AnyFilter filter = make_filter(GetParam(), keys.size(), bits_per_key, {.seed = seed});
        filter.insert(keys);
        return test::exact_rate(filter.base());
    }
};

TEST_P(Counters, HaveFiltersLikeRandomKeys) {
    SIMDBLOOM_SKIP_IF_FORCED();
    const test::Stopwatch watch;
    using Cells = std::vector<CounterCell>;
    // Keys go into a table one after the other.
    const std::size_t by_day = Layout::parse(GetParam()).is_table() ? 20 : 200;
    const auto cells =
        test::scaled<Cells>({{1'000, 5}}, {{1'000, by_day}, {10'000, by_day / 20}, {100'000, 1}},
                            {{1'000, 200}, {10'000, 200}, {100'000, 200}});
    std::uint64_t number = 0;
    std::size_t filters = 0, of_counters = 0, of_random = 0;
    for (const CounterCell cell : cells) {
        SCOPED_TRACE(std::to_string(cell.n) + " keys");
        std::vector<std::uint64_t> keys(cell.n);
        Rates counters, random;
        for (const std::uint64_t stride : strides)
            for (std::size_t start = 0; start < cell.starts; ++start) {
                // Starts of any length: 0, and below powers of two up to 2^63.
                const std::uint64_t any = test::random_key(++number);
                const std::uint64_t first = start == 0 ? 0 : any >> (1 + number % 48);
                const std::uint64_t seed = start % 4 == 1 ? 0 : test::random_key(any);
                for (std::size_t i = 0; i < cell.n; ++i) keys[i] = first + i * stride;
                counters.of.push_back(rate_of(keys, seed));
                for (std::size_t i = 0; i < cell.n; ++i)
                    keys[i] = test::random_key(number << 20 | i);
                random.of.push_back(rate_of(keys, seed));
            }
        const double mean = random.mean(), deviation = random.deviation(mean);
        filters += counters.of.size();
        of_counters += counters.beyond(mean, 5 * deviation);
        of_random += random.beyond(mean, 5 * deviation);
        // The standard error of the quotient, doubled for tails that are longer than normal ones.
        const double error = 2 / std::sqrt(static_cast<double>(counters.of.size()));
        EXPECT_NEAR(counters.deviation(mean) / deviation, 1, 5 * error) << "spread";
        EXPECT_NEAR(counters.mean(), mean, 5 * deviation * error);
    }
    const std::size_t allowed = rare_beyond(random_share * static_cast<double>(filters));
    EXPECT_LE(of_random, allowed) << "of " << filters << " filters of random keys";
    EXPECT_LE(of_counters, allowed) << "of " << filters << " filters; of random keys " << of_random;
    test::progress(
        "%-16s beyond 5 sigma of %zu filters: %zu of counters, %zu of random keys, %.0f s",
        GetParam().c_str(), filters, of_counters, of_random, watch.seconds());
}

INSTANTIATE_TEST_SUITE_P(Spec, Counters,
                         ::testing::Values("register32:k=4", "register32:k=8", "register64:k=5",
                                           "register64:k=8", "split256", "split512", "sector512",
                                           "zoned512:z=2,k=8", "blocked512:k=8", "cuckoo8",
                                           "cuckoo12", "cuckoo16", "dleft12", "dleft14",
                                           "classic:k=8", "counting:k=8", "counting512:k=8"),
                         [](const auto& info) { return test::test_name(info.param); });

}  // namespace
}  // namespace simdbloom
