// Counting filters: counters against plain arrays of numbers, erasing, saturation, and how often
// counters overflow.
#include <map>
#include <random>

#include "support.hpp"

namespace simdbloom {
namespace {

/// What the definition says, with counters that have no end.
class Reference {
public:
    explicit Reference(const CountingBloom& filter)
        : filter_(filter), counters_(filter.size_in_bytes() * 2) {}

    std::vector<std::size_t> places(std::uint64_t key) const {
        const std::uint64_t hash = hash_key(key, filter_.seed()), blocks = filter_.blocks();
        const unsigned k = filter_.layout().k;
        std::vector<std::size_t> places;
        std::uint64_t g = hash;
        for (unsigned i = 0; i < k; ++i, g = detail::classic_next(g)) {
            if (filter_.layout().kind == LayoutKind::counting)
                places.push_back(((g >> 32) * blocks >> 32) * 16 + g % 16);
            else
                places.push_back(((hash >> 32) * blocks >> 32) * 128 +
                                 (static_cast<std::uint32_t>(hash) * detail::salts[i] >> 25));
        }
        return places;
    }
    void insert(std::uint64_t key) {
        for (const auto at : places(key)) ++counters_[at];
    }
    /// Counters that reached 15 once stay there.
    unsigned long expected(std::size_t at) const {
        return std::min<unsigned long>(counters_[at], 15);
    }
    std::vector<unsigned long>& counters() { return counters_; }

    void expect_equal(const CountingBloom& filter) const {
        std::size_t wrong = 0;
        for (std::size_t at = 0; at < counters_.size(); ++at)
            wrong += counter(filter, at) != expected(at);
        EXPECT_EQ(wrong, 0u) << "counters of " << counters_.size();
    }
    static unsigned long counter(const CountingBloom& filter, std::size_t at) {
        return std::to_integer<unsigned long>(filter.bytes()[at / 2]) >> (at % 2 * 4) & 15;
    }

private:
    const CountingBloom& filter_;
    std::vector<unsigned long> counters_;
};

class Counting : public ::testing::TestWithParam<std::string> {
protected:
    static CountingBloom make(std::size_t n, double bits = 48, std::uint64_t seed = 0) {
        return CountingBloom::with_bits_per_key(n, bits, {.seed = seed, .spec = GetParam()});
    }
};

/// Promise of Counting.*, CountingModel.*, DLeft.*: Counters saturate, never wrap, and overflow
///   as rarely as the model says.
TEST_P(Counting, CountersAreThoseOfTheDefinition) {
    // Dense enough that counters saturate and keys have several probes on one counter.
    for (const double bits : {4.0, 48.0}) {
        auto filter = make(3000, bits);
        Reference reference(filter);
        const auto keys = test::random_keys(3000);
        for (const Isa isa : usable_isas()) {
            filter.clear();
            filter.use_isa(isa);
            filter.insert(keys);
            if (isa == Isa::scalar)
                for (const auto key : keys) reference.insert(key);
            reference.expect_equal(filter);
        }
        std::uint64_t full = 0;
        for (std::size_t at = 0; at < reference.counters().size(); ++at)
            full += reference.expected(at) == 15;
        EXPECT_EQ(filter.saturated(), full);
        if (bits == 4 && filter.layout().k > 1) {
            EXPECT_GT(full, 10u);
        }
        for (const auto key : keys) {
            unsigned long least = 15;
            for (const auto at : reference.places(key))
                least = std::min(least, reference.expected(at));
            ASSERT_EQ(filter.count_estimate(key), least);
        }
    }
}

TEST_P(Counting, CountersSaturateAndNeverWrap) {
    auto filter = make(1000);
    const std::uint64_t key = 77, other = 78;
    filter.insert(other);
    for (unsigned i = 0; i < 100; ++i) {
        filter.insert(key);
        EXPECT_TRUE(filter.contains(key));
        EXPECT_GE(filter.count_estimate(key), std::min(i + 1, 15u));
    }
    const Reference reference(filter);
    auto places = reference.places(key);
    std::ranges::sort(places);
    places.erase(std::unique(places.begin(), places.end()), places.end());
    for (const auto at : places) EXPECT_EQ(Reference::counter(filter, at), 15u);
    EXPECT_EQ(filter.saturated(), places.size());
    const auto stuck = save(filter);
    for (unsigned i = 0; i < 200; ++i) EXPECT_TRUE(filter.erase(key));
    EXPECT_EQ(save(filter), stuck) << "a counter that was at 15 was lowered";
    EXPECT_TRUE(filter.contains(key));
    EXPECT_EQ(filter.count_estimate(key), 15u);
    EXPECT_TRUE(filter.erase(other));
    filter.clear();
    EXPECT_TRUE(test::is_blank(filter));
    EXPECT_EQ(filter.saturated(), 0u);
}

TEST_P(Counting, ErasingWhatTheFilterDoesNotFindIsSeenAndChangesNothing) {
    auto filter = make(2000, 24);
    filter.insert(test::random_keys(2000));
    const auto before = save(filter);
    std::size_t found = 0, unseen = 0;
    for (std::uint64_t i = 0; i < 20'000; ++i) {
        const std::uint64_t stranger = test::random_key(1'000'000 + i);
        auto copy = filter;
        const bool erased = copy.erase(stranger);
        if (!erased) {
            ASSERT_EQ(save(copy), before);
        }
        found += filter.contains(stranger), unseen += erased;
        ASSERT_TRUE(!erased || filter.contains(stranger));
    }
    EXPECT_GT(unseen, 0u);
    EXPECT_LE(unseen, found);
}

TEST_P(Counting, AnyOrderOfInsertsAndErasesLosesNoKeyAndCountsThemAll) {
    auto filter = make(500);
    std::map<std::uint64_t, unsigned> in;
    std::mt19937_64 random(5);
    for (unsigned i = 0; i < 40'000; ++i) {
        const std::uint64_t key = random() % 800;
        if (random() % 2 == 0) {
            if (in[key] < 6) filter.insert(key), ++in[key];
        } else if (in[key] > 0) {
            ASSERT_TRUE(filter.erase(key));
            --in[key];
        }
        if (i % 1000 == 0) {
            for (const auto& [k, count] : in) ASSERT_GE(filter.count_estimate(k), count);
        }
    }
    if (filter.saturated() != 0) return;
    for (const auto& [key, count] : in)
        for (unsigned c = 0; c < count; ++c) ASSERT_TRUE(filter.erase(key));
    EXPECT_TRUE(test::is_blank(filter));
}

TEST_P(Counting, ASumHasTheCountersOfAFilterOfAllKeys) {
    // Dense: many sums are above 15.
    auto a = make(2000, 5, 3), b = make(2000, 5, 3), both = make(2000, 5, 3);
    const auto left = test::random_keys(2000), right = test::random_keys(2000, 1500);
    a.insert(left), b.insert(right), both.insert(left), both.insert(right);
    EXPECT_EQ(&(a += b), &a);
    EXPECT_EQ(save(a), save(both));
    if (a.layout().k > 1) {
        EXPECT_GT(a.saturated(), 10u);
    }
    EXPECT_INVALID("seeds", a += make(2000, 5, 4));
    EXPECT_INVALID("numbers of blocks", a += make(4000, 5, 3));
    EXPECT_EQ(save(a), save(both));
}

// The share of counters raised 16 times, by counters without an end, and of those that stand at 15,
// by the filter's own.
TEST_P(Counting, OverflowsAreAsRareAsTheModelSays) {
    const unsigned k = Layout::parse(GetParam()).k;
    // Six raises a counter.
    constexpr std::size_t lines = 4000;
    const std::size_t n = lines * 128 * 6 / k;
    auto filter = make(n, 512.0 * lines / static_cast<double>(n));
    ASSERT_EQ(filter.size_in_bytes(), lines * 64);
    Reference reference(filter);
    const auto keys = test::random_keys(n);
    filter.insert(keys);
    for (const auto key : keys) reference.insert(key);
    for (const unsigned least : {15u, 16u}) {
        // The spread of lines holds what keys of one line have in common.
        double sum = 0, squares = 0;
        for (std::size_t line = 0; line < lines; ++line) {
            double high = 0;
            for (std::size_t at = 128 * line; at < 128 * (line + 1); ++at)
                high += reference.counters()[at] >= least;
            sum += high, squares += high * high;
        }
        const double mean = sum / lines,
                     sigma = std::sqrt((squares / lines - mean * mean) / lines) / 128;
        EXPECT_NEAR(sum / lines / 128,
                    fpr::counter_tail(filter.layout(), n, filter.blocks(), least), 5 * sigma)
            << least;
        if (least == 15) {
            EXPECT_EQ(static_cast<double>(filter.saturated()), sum);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Filter, Counting,
                         ::testing::Values("counting:k=1", "counting:k=8", "counting:k=30",
                                           "counting512:k=1", "counting512:k=8",
                                           "counting512:k=16"),
                         test::spec_name);

TEST(CountingModel, CheckValues) {
    // k = m / n ln 2, many counters: 7.07e-17 a counter, below Fan et al.'s 1.37e-15.
    EXPECT_NEAR(fpr::counter_tail(std::log(2.0) * 1e12, 1e12, 16) / 7.07283e-17, 1, 1e-5);
    // By adding the binomial distribution up.
    EXPECT_NEAR(fpr::counter_tail(1000, 100, 12) / 0.3026499138569012, 1, 1e-12);
    EXPECT_NEAR(fpr::counter_tail(1000, 100, 5),
                1 - 1000 * 0.01 * std::pow(0.99, 999) - std::pow(0.99, 1000) -
                    499500 * 1e-4 * std::pow(0.99, 998) - 166167000 * 1e-6 * std::pow(0.99, 997) -
                    41417124750 * 1e-8 * std::pow(0.99, 996),
                1e-12);
    EXPECT_EQ(fpr::counter_tail(10, 100, 0), 1);
    EXPECT_EQ(fpr::counter_tail(10, 1, 10), 1);
    EXPECT_EQ(fpr::counter_tail(10, 100, 11), 0);
    // The least load that a counter can have in a filter of few keys.
    EXPECT_NEAR(fpr::counter_tail(16, 100, 16) / 1e-32, 1, 1e-9);
    // Lines get different numbers of keys: 3 keys of one probe, 2 lines: 3 or more in one counter
    // of 128.
    Layout one = Layout::parse("counting512:k=1");
    EXPECT_NEAR(fpr::counter_tail(one, 3, 2, 3) / std::pow(1.0 / 256, 3), 1, 1e-9);
    EXPECT_NEAR(fpr::counter_tail(one, 3, 1, 3) / std::pow(1.0 / 128, 3), 1, 1e-9);
    // Of any counter of a filter of a million keys at the usual size.
    EXPECT_LT(12e6 * fpr::counter_tail(Layout::parse("counting:k=8"), 1'000'000, 750'000, 16),
              1e-9);
    EXPECT_LT(12e6 * fpr::counter_tail(Layout::parse("counting512:k=8"), 1'000'000, 93'750, 16),
              2e-7);
}

}  // namespace
}  // namespace simdbloom
