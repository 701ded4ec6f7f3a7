// Build sides in partitions: half a filter is never asked.
#include "at_once.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

using Kind = JoinFilter::Kind;

/// A join whose build side is in partitions by the hash of the key. One in two probe rows has a
/// partner.
struct SpillingJoin {
    static constexpr std::size_t n_partitions = 8, n_build = 100'000, n_probe = 200'000;

    SpillingJoin() : partitions(n_partitions) {
        for (const auto key : test::random_keys(n_build))
            partitions[hash_key(key, 99) % n_partitions].push_back(key);
        probe = test::random_keys(n_build);  // the partners, then absent keys
        const auto strangers = test::random_keys(n_probe - n_build, n_build);
        probe.insert(probe.end(), strangers.begin(), strangers.end());
    }
    void insert(JoinBuilder& builder, std::size_t first, std::size_t last) const {
        for (std::size_t p = first; p < last; ++p) builder.insert({partitions[p]});
    }
    /// The rows of the join's result: those with a partner that pass.
    std::size_t joined(const JoinFilter& filter) const {
        return filter.count({std::span(probe).first(n_build)});
    }

    std::vector<std::vector<std::uint64_t>> partitions;
    std::vector<std::uint64_t> probe;
};

// The builds of https://github.com/duckdb/duckdb/issues/25702: one partition of the build side is
// in memory, the others are on disk when the probe begins. A filter of what is in memory loses the
// rows whose partners are on disk.
/// Promise of JoinPartitions.*, SavedParts.*: A join filter with a missing part or partition lets
///   every row pass.
TEST(JoinPartitions, AJoinThatSpillsLosesNoRow) {
    const SpillingJoin join;
    JoinBuilder half("split256", join.n_build, 12);
    join.insert(half, 0, 1);
    EXPECT_LT(join.joined(std::move(half).finish()), join.n_build / 5);

    JoinBuilder spilled("split256", join.n_build, 12);
    EXPECT_EQ(spilled.announce(join.n_partitions), 0u);
    join.insert(spilled, 0, 1);
    spilled.seal(0);
    EXPECT_EQ(spilled.unsealed(), 7u);
    const JoinFilter all = std::move(spilled).finish();
    EXPECT_EQ(all.kind(), Kind::all);
    EXPECT_EQ(all.why(), "all: 7 of 8 partitions of the build side were not sealed");
    EXPECT_EQ(join.joined(all), join.n_build);

    // Read back before the probe begins: a filter again.
    JoinBuilder read_back("split256", join.n_build, 12);
    read_back.announce(join.n_partitions);
    for (const std::size_t p : {0u, 5u, 3u, 1u, 2u, 7u, 4u, 6u}) {
        join.insert(read_back, p, p + 1);
        read_back.seal(p);
    }
    const JoinFilter filter = std::move(read_back).finish();
    EXPECT_EQ(filter.kind(), Kind::filter);
    EXPECT_EQ(filter.why().find("filter: split256"), 0u) << filter.why();
    EXPECT_EQ(join.joined(filter), join.n_build);
    EXPECT_LT(filter.count({join.probe}), join.n_build + join.n_build / 50);
}

TEST(JoinPartitions, ConcurrentThreadsSealTheirOwn) {
    const SpillingJoin join;
    for (const bool one_fails : {false, true}) {
        JoinBuilder builder("split256", join.n_build, 12);
        test::at_once(4, [&](std::size_t t) {
            const std::size_t first = builder.announce(2);
            join.insert(builder, 2 * t, 2 * t + 2);
            builder.seal(first);
            if (!one_fails || t != 3) builder.seal(first + 1);
        });
        EXPECT_EQ(builder.unsealed(), one_fails ? 1u : 0u);
        const JoinFilter filter = std::move(builder).finish();
        EXPECT_EQ(filter.kind(), one_fails ? Kind::all : Kind::filter);
        EXPECT_EQ(join.joined(filter), join.n_build);
    }
}

TEST(JoinPartitions, BuildersThatChooseWaitToo) {
    const SpillingJoin join;
    for (const std::size_t sealed : {std::size_t{3}, join.n_partitions}) {
        const auto built = [&](JoinBuilder& builder) {
            builder.announce(join.n_partitions);
            join.insert(builder, 0, sealed);
            for (std::size_t p = 0; p < sealed; ++p) builder.seal(p);
        };
        JoinBuilder whole("auto", join.n_build, 12), part("auto", join.n_build, 12);
        built(whole);
        built(part);
        for (const JoinFilter& filter : {std::move(whole).finish(), std::move(part).part()}) {
            EXPECT_EQ(filter.kind(), sealed == 3 ? Kind::all : Kind::filter) << filter.why();
            EXPECT_EQ(join.joined(filter), join.n_build);
        }
    }
}

TEST(JoinPartitions, EmptyOnesAreSealedToo) {
    const std::uint64_t key = 1;
    JoinBuilder waiting("split256", 100, 12), empty("split256", 100, 12);
    waiting.announce(1);
    EXPECT_EQ(std::move(waiting).finish().kind(), Kind::all);
    empty.announce(2);
    empty.seal(1);
    empty.seal(0);
    EXPECT_EQ(std::move(empty).finish().kind(), Kind::none);

    // More are found when those that were announced are sealed.
    JoinBuilder later("split256", 100, 12);
    later.announce(1);
    later.insert({{&key, 1}});
    later.seal(0);
    EXPECT_EQ(later.announce(3), 1u);
    EXPECT_EQ(std::move(later).finish().why(),
              "all: 3 of 4 partitions of the build side were not sealed");
}

TEST(JoinPartitions, WrongNumbersAreRefused) {
    JoinBuilder builder("split256", 100, 12);
    EXPECT_OUT_OF_RANGE("partition 0", builder.seal(0));
    builder.announce(2);
    EXPECT_OUT_OF_RANGE("the 2", builder.seal(2));
    builder.seal(1);
    EXPECT_INVALID("partition 1", builder.seal(1));
    EXPECT_INVALID("1 of 2 partitions", std::move(builder).filter());
    // The number of partitions does not wrap around, and those before still count.
    for (const std::size_t n : {~std::size_t{0}, ~std::size_t{0} - 1, ~std::size_t{0} / 2 + 1}) {
        EXPECT_LENGTH_ERROR(std::to_string(n) + " partitions after 2", builder.announce(n));
        EXPECT_EQ(builder.unsealed(), 1u);
    }
    builder.seal(0);
    EXPECT_EQ(std::move(builder).filter().n_keys(), 100u);
}

}  // namespace
}  // namespace simdbloom
