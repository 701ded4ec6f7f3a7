// Numbers of keys from the bits: right on average, and with error bars that hold the truth as often
// as they say.
#include <optional>

#include "bit_rates.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

class EveryBloomSpecCounted : public testing::TestWithParam<std::string> {};

// Keys of a, of b and of both, over many seeds: the errors in units of the error bar have mean 0
// and deviation 1. At each fill 200 filters.
void expect_error_bars(const std::string& spec, double bits, std::initializer_list<double> fills) {
    struct Errors {
        double sum = 0, squares = 0, inside = 0, n = 0;
        void add(const Cardinality& estimate, double truth) {
            const double z = (estimate.keys - truth) / estimate.standard_error;
            sum += z, squares += z * z,
                inside += estimate.low() <= truth && truth <= estimate.high(), n += 1;
        }
        void check(const char* what) const {
            EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(n)) << what;
            const double deviation = std::sqrt(squares / n);
            EXPECT_GT(deviation, 0.8) << what;
            EXPECT_LT(deviation, 1.25) << what;
            EXPECT_GT(inside / n, 0.89) << what;
        }
    };
    for (const double fill : fills) {
        constexpr std::size_t n = 8000, common = 3000;
        Errors one, either, both;
        for (std::uint64_t seed = 1; seed <= 200; ++seed) {
            const auto make = [&] {
                return make_filter(spec, static_cast<std::size_t>(n / fill), bits, {.seed = seed});
            };
            auto a = make(), b = make();
            const auto keys = test::random_keys(2 * n - common);
            a.insert(std::span(keys).first(n));
            b.insert(std::span(keys).subspan(n - common));
            one.add(estimated_keys(a), n);
            if (a.base().layout().is_table()) continue;
            either.add(estimated_union(a, b), 2 * n - common);
            both.add(estimated_intersection(a, b), common);
        }
        SCOPED_TRACE(fill);
        one.check("one");
        if (either.n == 0) continue;
        either.check("either");
        both.check("both");
    }
}

TEST_P(EveryBloomSpecCounted, EstimatesAndTheirErrorBarsHold) {
    expect_error_bars(GetParam(), 10, {0.3, 1.0, 2.0});
}

TEST(Cardinality, CountersAndFingerprintsGiveErrorBarsToo) {
    for (const std::string spec : {"counting:k=7", "counting512:k=7", "counting512:k=1"})
        expect_error_bars(spec, 40, {0.3, 1.0, 2.0});
    for (const std::string spec : {"dleft12", "dleft14"}) {
        expect_error_bars(spec, 24, {0.3, 1.0});
        const auto filter = make_filter(spec, 100, 24);
        EXPECT_EQ(estimated_keys(filter).keys, 0);
        EXPECT_INVALID(spec, estimated_union(filter, filter));
    }
}

TEST_P(EveryBloomSpecCounted, TheEmptyAndTheFull) {
    auto filter = make_filter(GetParam(), 1000, 10);
    EXPECT_EQ(estimated_keys(filter).keys, 0);
    EXPECT_EQ(estimated_keys(filter).standard_error, 0);
    filter.insert(std::uint64_t{7});
    EXPECT_NEAR(estimated_keys(filter).keys, 1, 0.5);
    filter.accept_all();
    EXPECT_TRUE(std::isinf(estimated_keys(filter).keys));
}

INSTANTIATE_TEST_SUITE_P(Specs, EveryBloomSpecCounted,
                         testing::Values("classic:k=1", "classic:k=7", "register32:k=4",
                                         "register64:k=5", "register64:k=1", "split256", "split512",
                                         "sector512", "zoned512:z=2,k=6", "zoned512:z=4,k=8",
                                         "blocked512:k=7"),
                         test::spec_name);

/// The chance that one throw leaves bit 0 of block 0 clear, and bit `other` of block 0 or of
/// another block too. A throw is a key or, for `classic`, a probe.
double left_clear(const FilterBase& filter, std::optional<unsigned> other, bool other_block) {
    const Layout& layout = filter.layout();
    const double blocks = static_cast<double>(filter.blocks());
    if (layout.kind == LayoutKind::classic) {
        const double bits = 8.0 * static_cast<double>(filter.size_in_bytes());
        return 1 - (!other || *other == 0 ? 1 : 2) / bits;
    }
    const test::Shape shape = test::shape_of(filter);
    const double words = static_cast<double>(shape.words), probes = shape.probes,
                 word = 8.0 * static_cast<double>(shape.word_bytes);
    const double one = (1 - 1 / words) + std::pow(1 - 1 / word, probes) / words;  // in its block
    if (!other || *other == 0) return 1 - (1 - one) / blocks;
    if (other_block) return 1 - 2 * (1 - one) / blocks;
    const auto its_word = static_cast<double>(*other / static_cast<unsigned>(word));
    double both = 2 * one - 1;  // another word of the group: never both are set
    if (its_word == 0) both = (1 - 1 / words) + std::pow(1 - 2 / word, probes) / words;
    else if (its_word >= words) both = one * one;
    return 1 - (1 - both) / blocks;
}

// The variance of log(share of clear bits) from every pair of bits.
double variance_of(const FilterBase& filter, double throws) {
    const double clear = left_clear(filter, std::nullopt, false),
                 bits = 8.0 * static_cast<double>(filter.size_in_bytes());
    const bool classic = filter.layout().kind == LayoutKind::classic;
    const unsigned block = classic ? 1 : filter.layout().block_bits();
    const auto covariance = [&](double both) {
        return std::pow(both / (clear * clear), throws) - 1;
    };
    double sum = std::pow(clear, -throws) - 1;
    for (unsigned other = 1; other < block; ++other)
        sum += covariance(left_clear(filter, other, false));
    sum += (bits - block) * covariance(left_clear(filter, 1, true));
    return sum / (bits * std::log(clear) * std::log(clear));
}

TEST_P(EveryBloomSpecCounted, StandardErrorsAreThoseOfEveryPairOfBits) {
    auto a = make_filter(GetParam(), 500, 10), b = make_filter(GetParam(), 500, 10);
    const auto keys = test::random_keys(600);
    a.insert(std::span(keys).first(400));
    b.insert(std::span(keys).subspan(300));
    const bool classic = a.base().layout().kind == LayoutKind::classic;
    const double throws_per_key = classic ? a.base().layout().k : 1;
    const auto variance = [&](const Cardinality& c) {
        return variance_of(a.base(), c.keys * throws_per_key) / throws_per_key / throws_per_key;
    };
    const auto in_a = estimated_keys(a), in_b = estimated_keys(b),
               in_either = estimated_union(a, b), in_both = estimated_intersection(a, b);
    for (const auto& c : {in_a, in_b, in_either})
        EXPECT_NEAR(c.standard_error * c.standard_error / variance(c), 1, 1e-6);
    EXPECT_NEAR(in_both.keys, in_a.keys + in_b.keys - in_either.keys, 1e-6);
    const double of_both =
        variance(in_either) - variance(in_a) - variance(in_b) + 2 * variance(in_both);
    EXPECT_NEAR(in_both.standard_error * in_both.standard_error / of_both, 1, 1e-5);
}

TEST(Cardinality, CuckooFiltersCountTheirFingerprints) {
    auto filter = make_filter("cuckoo12", 1000, 13);
    filter.insert(test::random_keys(777));
    EXPECT_EQ(estimated_keys(filter).keys, 777);
    EXPECT_EQ(estimated_keys(filter).standard_error, 0);
    EXPECT_INVALID("cuckoo12", estimated_union(filter, filter));
}

TEST(Cardinality, FiltersThatCannotBeUnitedAreRefusedByWhatDiffers) {
    const auto a = make_filter("split256", 1000, 10, {.seed = 1}),
               b = make_filter("split256", 1000, 10, {.seed = 2}),
               c = make_filter("sector512", 1000, 10, {.seed = 1});
    EXPECT_INVALID("seeds", estimated_intersection(a, b));
    EXPECT_INVALID("split256 and sector512", estimated_union(a, c));
}

}  // namespace
}  // namespace simdbloom
