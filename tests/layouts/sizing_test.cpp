// Sizes: what is asked for is what is built, minimally; what cannot be built is refused by value.
#include <limits>

#include "simdbloom/detail/geometry.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

class Sizing : public ::testing::TestWithParam<std::string> {};

/// Promise of Sizing.WrongValuesAreRefusedByValue, Spec.MalformedOnesAreRefusedByName,
///   AnyStructure.OutputsThatAreTooShortAreRefusedUntouched,
///   Dispatch.UnknownNamesAreErrorsThatNameThem: An error names the wrong value.
TEST_P(Sizing, WrongValuesAreRefusedByValue) {
    const auto& s = GetParam();
    const double inf = std::numeric_limits<double>::infinity(),
                 nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_INVALID("n_keys=0", make_filter(s, 0, 12));
    EXPECT_INVALID("bits_per_key=0", make_filter(s, 10, 0));
    EXPECT_INVALID("bits_per_key=-3.5", make_filter(s, 10, -3.5));
    EXPECT_INVALID("bits_per_key=inf", make_filter(s, 10, inf));
    EXPECT_INVALID("nan", make_filter(s, 10, nan));
    EXPECT_INVALID("n_keys=0", make_filter_for_fpr(s, 0, 0.01));
    for (const double fpr : {0.0, 1.0, -0.5, 2.0, inf}) {
        char text[32];
        std::snprintf(text, sizeof text, "fpr=%g", fpr);
        EXPECT_INVALID(text, make_filter_for_fpr(s, 10, fpr));
    }
    EXPECT_INVALID("nan", make_filter_for_fpr(s, 10, nan));
    // (size_t)-1: a negative size
    EXPECT_LENGTH_ERROR("n_keys=18446744073709551615",
                        make_filter(s, static_cast<std::size_t>(-1), 20));
    EXPECT_LENGTH_ERROR("2^32", make_filter_for_fpr(s, static_cast<std::size_t>(-1), 0.01));
    EXPECT_LENGTH_ERROR("2^32", make_filter(s, 1u << 20, 1e7));
}

TEST_P(Sizing, BitsPerKeyAreMetWithinOneBlock) {
    const Layout layout = Layout::parse(GetParam());
    for (const std::size_t n : {3000u, 12'345u, 100'000u})
        for (const double wanted : {17.0, 20.0, 33.3}) {
            const double bits = test::feasible_bits(GetParam(), wanted);
            const auto filter = make_filter(GetParam(), n, bits);
            const double asked = static_cast<double>(n) * bits,
                         got = static_cast<double>(filter.size_in_bytes()) * 8;
            EXPECT_GE(got, asked);
            EXPECT_LT(got, asked + layout.block_bits() + (n < 4096 ? 0.1 * asked : 0));
            EXPECT_NEAR(filter.bits_per_key(), got / static_cast<double>(n), 1e-9);
        }
}

/// Promise of FprTwoParts.*, Sizing.ForFprIsMetAndMinimal: With few keys too the FPR follows the
///   model, and `for_fpr` meets its target.
TEST_P(Sizing, ForFprIsMetAndMinimal) {
    const Layout layout = Layout::parse(GetParam());
    for (const std::size_t n : {1u, 100u, 5'000u, 1'000'000u})
        for (const double fpr : {0.05, 0.01, 0.001}) {
            if (layout.kind == LayoutKind::cuckoo8 && fpr < 0.01)
                continue;  // reached by emptiness alone
            const auto filter = make_filter_for_fpr(GetParam(), n, fpr);
            EXPECT_LE(filter.expected_fpr(), fpr) << n;
            const auto blocks = filter.base().blocks();
            const bool bound_by_load = layout.is_table() && filter.expected_fpr() < fpr * 0.99;
            if (blocks > 1 && !bound_by_load) {
                Layout smaller = filter.base().layout();
                if (!layout.is_table() && layout.k == 0 && layout.kind != LayoutKind::classic &&
                    layout.kind != LayoutKind::counting)
                    smaller.k = fpr::best_k(layout, n, blocks - 1);
                EXPECT_GT(fpr::expected(smaller, n, blocks - 1), fpr)
                    << n << " keys: one block less would do";
            }
        }
}

TEST_P(Sizing, MaxBytesCaps) {
    // A cap between what fits and what is wanted: the best FPR that the cap allows, and it says
    // which.
    const std::size_t cap = 200'000;
    const auto filter = make_filter_for_fpr(GetParam(), 60'000, 1e-9, {.max_bytes = cap});
    EXPECT_LE(filter.size_in_bytes(), cap);
    EXPECT_GT(filter.size_in_bytes(), cap - filter.base().layout().block_bits() / 8);
    EXPECT_GT(filter.expected_fpr(), 1e-9);
    EXPECT_LE(make_filter_for_fpr(GetParam(), 60'000, 0.2, {.max_bytes = cap}).expected_fpr(), 0.2);
    EXPECT_LENGTH_ERROR("max_bytes=200000",
                        make_filter(GetParam(), 60'000, 40, {.max_bytes = cap}));
    EXPECT_LENGTH_ERROR("max_bytes=3",
                        make_filter_for_fpr(GetParam(), 60'000, 0.01, {.max_bytes = 3}));
}

INSTANTIATE_TEST_SUITE_P(Filter, Sizing, ::testing::ValuesIn(test::layout_names()),
                         test::spec_name);

// Without the memory: the sizes alone.
TEST(SizingBorders, TheLastNumberOfBlocksThatCanBeAddressed) {
    constexpr std::uint64_t most = 0xFFFFFFFFu;
    const Layout layout = Layout::parse("register64:k=4");
    EXPECT_EQ(detail::size_for_bits(layout, most, 64, {}).blocks, most);
    EXPECT_LENGTH_ERROR("4.29497e+09 blocks", detail::size_for_bits(layout, most + 1, 64, {}));
    // Rounding up to a multiple of 2^fold_levels would be one too many.
    EXPECT_EQ(detail::size_for_bits(layout, most - 15, 64, {.fold_levels = 4}).blocks, most - 15);
    EXPECT_LENGTH_ERROR("at most 2^32 - 1",
                        detail::size_for_bits(layout, most - 14, 64, {.fold_levels = 4}));
    EXPECT_NO_THROW((void)detail::size_for_bits(layout, 100, 64, {.fold_levels = 16}));
    // 800 bytes asked for.
    EXPECT_EQ(detail::size_for_bits(layout, 100, 64, {.max_bytes = 800}).blocks, 100u);
    EXPECT_LENGTH_ERROR("800 bytes are above max_bytes=799",
                        detail::size_for_bits(layout, 100, 64, {.max_bytes = 799}));
    EXPECT_EQ(detail::size_for_bits(layout, 1, 0.001, {}).blocks, 1u);
}

TEST(SizingBorders, AnFprOutOfReachTakesAllThatMaxBytesAllows) {
    const Layout layout = Layout::parse("split256");
    EXPECT_EQ(detail::size_for_fpr(layout, 1000, 1e-12, {.max_bytes = 32 * 77 + 31}).blocks, 77u);
    EXPECT_EQ(detail::size_for_fpr(layout, 1000, 1e-12, {.max_bytes = 32}).blocks, 1u);
    EXPECT_LENGTH_ERROR("max_bytes=31 is below the 32 bytes",
                        detail::size_for_fpr(layout, 1000, 1e-12, {.max_bytes = 31}));
    EXPECT_LENGTH_ERROR("blocks", detail::size_for_fpr(Layout::parse("cuckoo8"), 1000, 1e-12, {}));
    // 1000 keys need 264 buckets and a margin.
    const std::size_t least = detail::size_for_fpr(Layout::parse("cuckoo16"), 1000, 0.5, {}).blocks;
    EXPECT_EQ(detail::size_for_fpr(Layout::parse("cuckoo16"), 1000, 1e-9, {.max_bytes = 8 * least})
                  .blocks,
              least);
    EXPECT_LENGTH_ERROR(
        std::to_string(8 * least) + " bytes that cuckoo16 needs at least for 1000 keys",
        detail::size_for_fpr(Layout::parse("cuckoo16"), 1000, 0.5, {.max_bytes = 8 * least - 1}));
}

// A number of blocks that can be halved, within the limit, holds the keys or is refused by name.
TEST(SizingBorders, FoldLevelsAndMaxBytesNeverMakeATableTooSmallForItsKeys) {
    unsigned made = 0, refused = 0;
    for (const std::string spec :
         {"cuckoo8", "cuckoo12", "cuckoo16", "dleft12", "dleft14", "dleft16"})
        for (const std::size_t n : {5u, 100u, 1'000u, 50'000u})
            for (const unsigned levels : {1u, 4u, 8u, 12u})
                for (const double room : {1.0, 1.1, 1.5, 3.0}) {
                    const Layout layout = Layout::parse(spec);
                    const auto least = detail::size_for_fpr(layout, n, 0.5, {}).blocks;
                    const auto bytes = static_cast<std::size_t>(
                        room * static_cast<double>(least * layout.block_bits() / 8));
                    const Options options{.max_bytes = bytes, .fold_levels = levels};
                    try {
                        auto filter = make_filter_for_fpr(spec, n, 1e-6, options);
                        EXPECT_LE(filter.size_in_bytes(), bytes);
                        EXPECT_EQ(filter.base().blocks() % (1u << levels), 0u);
                        EXPECT_NO_THROW(filter.insert(test::random_keys(n))) << spec << ' ' << n;
                        ++made;
                    } catch (const std::length_error& e) {
                        const std::string why = e.what();
                        EXPECT_NE(why.find("max_bytes=" + std::to_string(bytes)), why.npos) << why;
                        EXPECT_NE(why.find("fold_levels=" + std::to_string(levels)), why.npos)
                            << why;
                        ++refused;
                    }
                }
    EXPECT_GT(made, 150u);
    EXPECT_GT(refused, 50u);
}

// Below fpr::least the sums of the models are rounding errors: 0, whatever the size.
TEST(SizingBorders, AnFprThatNoModelTellsIsRefusedByValue) {
    for (const auto& spec : test::layout_names())
        for (const double fpr : {1e-13, 1e-300, 9.99e-13}) {
            char text[80];
            std::snprintf(text, sizeof text, "fpr=%g is below 1e-12", fpr);
            EXPECT_INVALID(text, make_filter_for_fpr(spec, 10, fpr));
        }
    // What is not refused is met by more than rounding: 10 % more blocks have a lower FPR.
    for (const auto& spec : test::layout_names()) {
        const Layout layout = Layout::parse(spec);
        for (const double fpr : {1e-9, 1e-10, 1e-12}) {
            detail::Geometry size{};
            try {
                size = detail::size_for_fpr(layout, 100, fpr, {});
            } catch (const std::length_error&) {
                continue;  // more than 2^32 - 1 blocks
            }
            const auto at = [&](std::uint64_t blocks) {
                return fpr::expected(size.layout, 100, blocks);
            };
            EXPECT_LE(at(size.blocks), fpr) << spec;
            EXPECT_GT(at(size.blocks), 0.5 * fpr) << spec;
            EXPECT_LT(at(size.blocks + size.blocks / 10 + 1), at(size.blocks)) << spec;
        }
    }
}

// Small tables have a margin against five keys with one and the same bucket; a change of it has to
// be a decision.
TEST(SizingBorders, SmallCuckooTablesHaveAMargin) {
    const auto buckets = [](std::size_t n) {
        return detail::size_for_fpr(Layout::parse("cuckoo16"), n, 0.5, {}).blocks;
    };
    EXPECT_EQ(buckets(1), 1u);
    EXPECT_EQ(buckets(4), 1u);
    EXPECT_EQ(buckets(5), 2u + 8);
    EXPECT_EQ(buckets(1000), 264u + 8 + 16);
    EXPECT_EQ(buckets(2047), 539u + 8 + 33);
    EXPECT_EQ(buckets(2048), 539u);
}

}  // namespace
}  // namespace simdbloom
