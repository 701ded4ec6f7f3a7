// Numbers of keys from the bits: right on average, and with error bars that hold the truth as often
// as they say.

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
    for (const auto& spec : test::names_of(detail::Family::counting))
        expect_error_bars(spec, 40, {0.3, 1.0, 2.0});
    for (const auto& spec : test::names_of(detail::Family::dleft)) {
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
                         testing::ValuesIn(test::layout_names([](const auto& traits) {
                             return !traits.is_table() && traits.cell_bits() == 1;
                         })),
                         test::spec_name);

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
