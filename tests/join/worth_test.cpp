// What filters are worth, counters beside them, and when probing a filter stops and starts again.
#include "join_keys.hpp"

namespace simdbloom {
namespace {

using WorthKeys = std::vector<std::uint64_t>;

/// Promise of JoinWorth.*, JoinCounters.*: A filter's worth follows from its set bits and the
///   workload.
TEST(JoinWorth, IsWhatTheFprLeavesOfTheWork) {
    const WorthKeys keys = test::random_keys(10'000);
    Workload workload;
    workload.work_ns = 1e6;  // asking takes less, whatever the build and the machine
    workload.hits = 0.25;
    JoinBuilder builder("split256", keys.size(), 12);
    builder.insert({std::span(keys).first(5'000)});
    const Worth half = builder.worth(workload);
    builder.insert({std::span(keys).subspan(5'000)});
    const Worth before = builder.worth(workload);
    const JoinFilter filter = std::move(builder).finish();
    const Worth after = filter.worth(workload);
    EXPECT_LT(half.fpr, before.fpr) << "by the bits that are set";
    EXPECT_EQ(before.fpr, after.fpr);
    EXPECT_EQ(after.fpr, filter.estimated_fpr());
    EXPECT_EQ(after.bytes, filter.size_in_bytes());
    EXPECT_GT(after.asking_ns, 0);
    EXPECT_DOUBLE_EQ(after.gain_ns, 0.75 * (1 - after.fpr) * 1e6 - after.asking_ns);
    EXPECT_TRUE(after.pays());

    workload.hits = 1;
    EXPECT_FALSE(filter.worth(workload).pays()) << "all rows pass";
    workload.hits = 0;
    EXPECT_EQ(JoinFilter::accept_none().worth(workload).gain_ns, 1e6);
    EXPECT_EQ(JoinFilter::accept_all().worth(workload).gain_ns, 0);
    EXPECT_FALSE(JoinFilter::accept_all().worth(workload).pays());
    workload.hits = 2;
    EXPECT_INVALID("hits=2", filter.worth(workload));
}

TEST(JoinWorth, OfKeptKeysIsThatOfTheirFilter) {
    const WorthKeys keys = test::random_keys(50'000);
    const Workload workload{.work_ns = 10};
    JoinBuilder builder = JoinBuilder::for_fpr("split256", 0.01);
    EXPECT_FALSE(builder.worth(workload).pays()) << "there is no filter yet";
    builder.insert({keys});
    const Worth before = builder.worth(workload);
    const JoinFilter filter = std::move(builder).finish();
    // finish() moves the size a little to meet the FPR.
    EXPECT_NEAR(static_cast<double>(before.bytes) / static_cast<double>(filter.size_in_bytes()), 1,
                0.02);
    EXPECT_NEAR(before.fpr, 0.01, 0.0005);
    EXPECT_NEAR(filter.worth(workload).fpr, 0.01, 0.0001);
    EXPECT_INVALID("moved from", builder.worth(workload));
}

TEST(JoinWorth, OfAListOrABitmapIsMeasuredToo) {
    for (const auto& [keys, hashed] : {std::pair{test::random_keys(40), false},
                                       {test::random_keys(40), true},
                                       {test::sequence(~std::uint64_t{0} - 500, 1'000), false}}) {
        const JoinFilter exact = test::built(JoinBuilder("auto", 0, 12), {keys, hashed});
        ASSERT_EQ(exact.filter(), nullptr);
        const Worth worth = exact.worth({.work_ns = 1e6});
        EXPECT_GT(worth.asking_ns, 0) << exact.why();
        EXPECT_EQ(worth.gain_ns, 1e6 - worth.asking_ns);
    }
}

TEST(JoinCounters, CountWhatHappened) {
    JoinCounters counters;
    EXPECT_EQ(counters.pass_rate(), 1);
    EXPECT_FALSE(counters.measured_fpr());
    counters.record(1'000, 300);
    EXPECT_EQ(counters.pass_rate(), 0.3);
    EXPECT_FALSE(counters.measured_fpr()) << "nobody said what joined";
    counters.record(1'000, 110, 100);
    EXPECT_EQ(counters.measured_fpr(), 10.0 / 900);
    counters.skip(70);
    JoinCounters sum = counters;
    sum += counters;
    EXPECT_EQ(sum.asked, 4'000u);
    EXPECT_EQ(sum.passed, 820u);
    EXPECT_EQ(sum.skipped, 140u);
    EXPECT_EQ(sum.measured_fpr(), 20.0 / 1'800);
    // 3,180 rows stay away at 10 ns each; 4,000 questions take 2 ns each.
    EXPECT_EQ(sum.saved_ns(10, 2), 31'800 - 8'000);
    EXPECT_LT(sum.saved_ns(1, 2), 0);
    // A batch all of whose rows join says nothing of the FPR.
    JoinCounters all;
    all.record(10, 10, 10);
    EXPECT_FALSE(all.measured_fpr());
}

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
    EXPECT_INVALID("cost 0 ns", Governor::Settings::for_costs(0, 1));
    EXPECT_INVALID("inf", Governor::Settings::for_costs(1, HUGE_VAL));
}

}  // namespace
}  // namespace simdbloom
