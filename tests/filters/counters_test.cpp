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

/// 2^a + 2^b and 2^a - 2^b with a >= b, and 2^a: the steps that n keys take without wrapping
/// around.
std::vector<std::uint64_t> sums_of_two_powers(std::size_t n) {
    std::vector<std::uint64_t> steps;
    for (int b = 0; b < std::countl_zero(n); ++b) {
        const std::uint64_t low = std::uint64_t{1} << b;
        steps.push_back(low);
        for (int a = b + 1; a < 64; ++a)
            for (const std::uint64_t other : {low, 0 - low})
                steps.push_back((std::uint64_t{1} << a) + other);
    }
    return steps;
}

/// Three such powers, a sample.
std::vector<std::uint64_t> sums_of_three_powers(std::size_t n, std::size_t size) {
    std::vector<std::uint64_t> steps;
    for (std::uint64_t i = 0; steps.size() < size; ++i) {
        std::uint64_t any = test::random_key(i), step = 0;
        for (int power = 0; power < 3; ++power, any >>= 7)
            step += any % 2 == 0 ? std::uint64_t{1} << (any >> 1 & 63)
                                 : 0 - (std::uint64_t{1} << (any >> 1 & 63));
        if (step != 0 && std::countr_zero(step) < std::countl_zero(n)) steps.push_back(step);
    }
    return steps;
}

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
    AnyFilter filter_of(std::size_t n, std::uint64_t seed) const {
        // Tables below their design load: a small one is full before that now and then.
        const double bits = Layout::parse(GetParam()).is_table() ? 1.1 : 1;
        const double bits_per_key = bits * test::feasible_bits(GetParam(), 12);
        return make_filter(GetParam(), n, bits_per_key, {.seed = seed});
    }
    double rate_of(std::span<const std::uint64_t> keys, std::uint64_t seed) const {
        AnyFilter filter = filter_of(keys.size(), seed);
        filter.insert(keys);
        return test::exact_rate(filter.base());
    }
    /// Filter `number` of n keys in steps, and one of as many random keys.
    void add(std::uint64_t number, std::size_t n, std::uint64_t step, bool from_0, bool seed_0) {
        // Starts of any length: 0, and below powers of two up to 2^63.
        const std::uint64_t any = test::random_key(number);
        const std::uint64_t first = from_0 ? 0 : any >> (1 + number % 48);
        const std::uint64_t seed = seed_0 ? 0 : test::random_key(any);
        std::vector<std::uint64_t> keys(n);
        for (std::size_t i = 0; i < n; ++i) keys[i] = first + i * step;
        counters_.of.push_back(rate_of(keys, seed));
        for (std::size_t i = 0; i < n; ++i) keys[i] = test::random_key(number << 20 | i);
        random_.of.push_back(rate_of(keys, seed));
    }
    /// Those added since the last call.
    void compare() {
        const Rates counters = std::exchange(counters_, {}), random = std::exchange(random_, {});
        const double mean = random.mean(), deviation = random.deviation(mean);
        filters_ += counters.of.size();
        of_counters_ += counters.beyond(mean, 5 * deviation);
        of_random_ += random.beyond(mean, 5 * deviation);
        EXPECT_EQ(counters.beyond(mean, 10 * deviation), 0u);
        // The standard error of the quotient, doubled for tails that are longer than normal ones.
        const double error = 2 / std::sqrt(static_cast<double>(counters.of.size()));
        EXPECT_NEAR(counters.deviation(mean) / deviation, 1, 5 * error) << "spread";
        EXPECT_NEAR(counters.mean(), mean, 5 * deviation * error);
    }
    void few_are_far() const {
        const std::size_t allowed = rare_beyond(random_share * static_cast<double>(filters_));
        EXPECT_LE(of_random_, allowed) << "of " << filters_ << " filters of random keys";
        EXPECT_LE(of_counters_, allowed)
            << "of " << filters_ << " filters; of random keys " << of_random_;
    }

private:
    Rates counters_, random_;
    std::size_t filters_ = 0, of_counters_ = 0, of_random_ = 0;
};

/// Promise: Keys that count up give filters like random keys, with one documented exception.
TEST_P(Counters, HaveFiltersLikeRandomKeys) {
    SIMDBLOOM_SKIP_IF_FORCED();
    using Cells = std::vector<CounterCell>;
    // Keys go into a table one after the other.
    const std::size_t by_day = Layout::parse(GetParam()).is_table() ? 20 : 200;
    const auto cells =
        test::scaled<Cells>({{1'000, 5}}, {{1'000, by_day}, {10'000, by_day / 20}, {100'000, 1}},
                            {{1'000, 200}, {10'000, 200}, {100'000, 200}});
    std::uint64_t number = 0;
    for (const CounterCell cell : cells) {
        SCOPED_TRACE(std::to_string(cell.n) + " keys");
        for (const std::uint64_t stride : strides)
            for (std::size_t start = 0; start < cell.starts; ++start)
                add(++number, cell.n, stride, start == 0, start % 4 == 1);
        compare();
    }
    few_are_far();
}

// Some sums of powers cancel in a shift: in x ^= x >> 29, 2^47 + 2^18 did. The first shift of the
// hash is by 19 now, where 2^47 + 2^28 + 2^9 cancels. The sample of three powers has no such step.
TEST_P(Counters, InStepsOfAFewPowersOfTwoHaveFiltersLikeRandomKeys) {
    SIMDBLOOM_SKIP_IF_FORCED();
    constexpr std::size_t n = 1'000;
    const std::size_t seeds = test::scaled<std::size_t>(1, 1, 8);
    const std::size_t apart = test::slow_build || Layout::parse(GetParam()).is_table() ? 8 : 1;
    std::vector<std::uint64_t> steps = sums_of_two_powers(n);
    const auto three = sums_of_three_powers(n, steps.size());
    steps.insert(steps.end(), three.begin(), three.end());
    std::uint64_t number = 0;
    for (std::size_t s = 0; s < steps.size(); s += test::nightly() ? 1 : apart)
        for (std::size_t i = 0; i < seeds; ++i) {
            ++number;
            add(number, n, steps[s], number % 3 == 0, number % 4 == 1);
        }
    compare();
    few_are_far();
}

// Absent keys with the step of the keys are found no more often than others.
TEST_P(Counters, AbsentKeysOfStepsOfTwoPowersAreFoundAsRarelyAsRandomOnes) {
    SIMDBLOOM_SKIP_IF_FORCED();
    constexpr std::size_t n = 1'000;
    std::vector<std::uint64_t> keys(n), absent(n);
    for (int apart = 16; apart < 40; ++apart) {
        double expected = 0, found = 0;
        for (int a = apart; a < std::countl_zero(2 * n); ++a)
            for (std::uint64_t seed = 0; seed < 4; ++seed) {
                const std::uint64_t b = std::uint64_t{1} << (a - apart), step = (b << apart) + b;
                AnyFilter filter = filter_of(n, test::random_key(seed));
                for (std::size_t i = 0; i < n; ++i) keys[i] = i * step, absent[i] = (n + i) * step;
                filter.insert(keys);
                found += static_cast<double>(filter.count(absent));
                expected += static_cast<double>(n) * test::exact_rate(filter.base());
            }
        EXPECT_NEAR(found, expected, 5 + 6 * std::sqrt(expected)) << "2^s + 2^(s-" << apart << ")";
    }
}

INSTANTIATE_TEST_SUITE_P(Spec, Counters,
                         ::testing::Values("register32:k=4", "register32:k=8", "register64:k=5",
                                           "register64:k=8", "split256", "split512", "sector512",
                                           "zoned512:z=2,k=8", "blocked512:k=8", "cuckoo8",
                                           "cuckoo12", "cuckoo16", "dleft12", "dleft14",
                                           "classic:k=8", "counting:k=8", "counting512:k=8"),
                         test::spec_name);

}  // namespace
}  // namespace simdbloom
