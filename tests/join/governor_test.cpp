// When asking a filter stops and when it starts again.
#include "simdbloom/join/governor.hpp"

#include "support.hpp"

namespace simdbloom {
namespace {

constexpr Governor::Settings small{
    .stop_at = 0.5, .sample_rows = 100, .first_pause = 200, .longest_pause = 1000};

/// Feeds batches of ten rows of which `passing` pass, until n rows were asked about; returns how
/// many were skipped meanwhile.
std::uint64_t feed(Governor& governor, std::uint64_t n, std::uint64_t passing) {
    const std::uint64_t before = governor.skipped();
    for (std::uint64_t asked = 0; asked < n;)
        if (governor.should_probe(10)) {
            governor.record(10, passing);
            asked += 10;
        }
    return governor.skipped() - before;
}

TEST(Governor, AsksAsLongAsItPays) {
    Governor governor(small);
    EXPECT_EQ(feed(governor, 10'000, 4), 0u);
    EXPECT_FALSE(governor.paused());
    EXPECT_DOUBLE_EQ(governor.pass_rate(), 0.4);
}

TEST(Governor, StartsAnewOnceItPays) {
    Governor governor(small);
    feed(governor, 300, 10);
    ASSERT_TRUE(governor.paused());
    EXPECT_GT(feed(governor, 100, 1), 0u);
    EXPECT_EQ(feed(governor, 1000, 1), 0u);
    feed(governor, 100, 10);
    EXPECT_EQ(feed(governor, 100, 10), 200u);  // the first pause again
}

TEST(Governor, ABatchLongerThanThePauseEndsIt) {
    Governor governor(small);
    governor.record(100, 100);
    EXPECT_FALSE(governor.should_probe(100'000));
    EXPECT_TRUE(governor.should_probe(1));
}

TEST(Governor, ShareAtWhichItStops) {
    EXPECT_DOUBLE_EQ(Governor::Settings::for_costs(2, 20).stop_at, 0.9);
    EXPECT_DOUBLE_EQ(Governor::Settings::for_costs(20, 2).stop_at, 0);
    Governor::Settings never = small;
    never.stop_at = 1;
    Governor governor(never);
    governor.record(1000, 999);
    EXPECT_FALSE(governor.paused());
    governor.record(1000, 1000);
    EXPECT_TRUE(governor.paused());
}

TEST(Governor, SamplesAndPausesAreThoseThatTheHeaderNames) {
    Governor governor;
    EXPECT_EQ(governor.settings().stop_at, 0.5);
    governor.record(12'287, 12'287);
    EXPECT_FALSE(governor.paused());
    governor.record(1, 0);
    for (std::uint64_t pause = 32'768; pause < 1 << 24; pause *= 2) {
        EXPECT_FALSE(governor.should_probe(pause - 1)) << pause;
        EXPECT_FALSE(governor.should_probe(1)) << pause;
        ASSERT_TRUE(governor.should_probe(1)) << pause;
        governor.record(12'288, 12'288);
    }
    for (int vain = 0; vain < 2; ++vain) {
        EXPECT_FALSE(governor.should_probe((1 << 24) - 1));
        EXPECT_FALSE(governor.should_probe(1));
        ASSERT_TRUE(governor.should_probe(1));
        governor.record(12'288, 12'288);
    }
}

TEST(Governor, RefusesSettingsThatMeanNothing) {
    EXPECT_INVALID("1.5", Governor({.stop_at = 1.5}));
    EXPECT_INVALID("nan", Governor({.stop_at = std::nan("")}));
    EXPECT_INVALID("sample of 0", Governor({.sample_rows = 0}));
    EXPECT_INVALID("9 to 8", Governor({.first_pause = 9, .longest_pause = 8}));
    EXPECT_INVALID("0.0", Governor::Settings::for_costs(0, 1));
    EXPECT_INVALID("inf", Governor::Settings::for_costs(1, HUGE_VAL));
}

}  // namespace
}  // namespace simdbloom
