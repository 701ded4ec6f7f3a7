// Counting filters: counters against plain arrays of numbers, erasing, saturation, and how often
// counters overflow.

#include "published_fpr.hpp"
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

bool empty(const CountingBloom& filter) {
    return std::ranges::all_of(filter.bytes(), [](std::byte b) { return b == std::byte{0}; });
}

/// Promise of Counting.*, CountingModel.*, DLeft.*: 4-bit and 2-bit counters saturate, never wrap,
///   and overflow as rarely as the model says.
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
    }
}

TEST_P(Counting, ErasingUndoesInserting) {
    auto filter = make(20'000);
    const auto keys = test::random_keys(20'000);
    filter.insert(std::span(keys).first(10'000));
    const auto before = save(filter);
    filter.insert(std::span(keys).subspan(10'000));
    for (std::size_t i = 10'000; i < 12'000; ++i) ASSERT_TRUE(filter.erase(keys[i]));
    EXPECT_EQ(filter.erase(std::span(keys).subspan(12'000)), 8'000u);
    EXPECT_EQ(save(filter), before);
    EXPECT_EQ(filter.count(std::span(keys).first(10'000)), 10'000u);
    std::vector<std::uint64_t> hashes;
    for (std::size_t i = 0; i < 10'000; ++i) hashes.push_back(hash_key(keys[i]));
    EXPECT_EQ(filter.erase(Keys::hashes(hashes)), 10'000u);
    EXPECT_TRUE(empty(filter));
    EXPECT_EQ(filter.erase(keys), 0u);
    EXPECT_TRUE(empty(filter));
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
    EXPECT_TRUE(empty(filter));
    EXPECT_EQ(filter.saturated(), 0u);
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
    EXPECT_NEAR(published::counting_overflow_bound(1) / 1.37e-15, 1, 2e-3);
    EXPECT_NEAR(published::counting_overflow_bound(5e6) / published::counting_overflow_bound(1),
                5e6, 1);
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
