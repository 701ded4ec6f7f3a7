// The way that batches choose while they run, by a clock that the tests turn.
#include "core/dispatch/tuner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <thread>

#include "core/os/memory.hpp"

namespace simdbloom {
namespace {

using detail::BatchWay;
using detail::Prefetch;
using detail::Tuner;

thread_local std::uint64_t now;

/// Batches whose slices take so many ticks a key by their way.
class TunerTest : public testing::Test {
protected:
    using Costs = std::array<unsigned, detail::n_ways>;

    TunerTest() {
        detail::set_tuner_clock([]() noexcept { return now; });
    }
    ~TunerTest() override { detail::set_tuner_clock(nullptr); }

    /// The bits of filter number i. Each test has its own.
    const void* bits(std::size_t i = 0) const {
        return reinterpret_cast<const void*>(64 * (test_ * 5000 + i));
    }

    Tuner tuner(const void* bits, bool may_halve = false) const {
        return Tuner(bits, 1, this->bits(), {Prefetch::tuned, 40}, may_halve);
    }
    /// Calls run(way, first, n) for the slices of a batch of n keys, until it returns false.
    template <class Run>
    static void in_slices(Tuner slice, std::size_t n, const Run& run) {
        while (slice.next(n) && run(slice.way(), slice.first(), slice.keys())) {
        }
    }
    /// Runs n keys in batches, whose slices take ticks(way, keys). Returns the ticks of all.
    template <class Ticks>
    static std::uint64_t run_by(const Ticks& ticks, const Tuner& tuner, std::size_t n,
                                std::size_t batch = 4096) {
        const std::uint64_t start = now;
        for (std::size_t done = 0; done < n; done += batch)
            in_slices(tuner, batch, [&](BatchWay way, std::size_t, std::size_t keys) {
                now += ticks(way, keys);
                return true;
            });
        return now - start;
    }
    static std::uint64_t run(const Tuner& tuner, const Costs& costs, std::size_t n,
                             std::size_t batch = 4096) {
        const auto ticks = [&](BatchWay way, std::size_t keys) {
            return costs[static_cast<std::size_t>(way)] * keys;
        };
        return run_by(ticks, tuner, n, batch);
    }
    std::uint64_t run(const void* bits, const Costs& costs, std::size_t n, std::size_t batch = 4096,
                      bool may_halve = false) const {
        return run(tuner(bits, may_halve), costs, n, batch);
    }
    BatchWay best(const void* bits, bool may_halve = false) const {
        return tuner(bits, may_halve).best();
    }

private:
    static inline std::size_t tests_ = 0;
    const std::size_t test_ = ++tests_;
};

TEST_F(TunerTest, TakesTheFastestWay) {
    for (std::size_t fastest = 0; fastest < 2; ++fastest)
        for (const std::size_t batch : {1024u, 4096u, 100'000u}) {
            Costs costs{30, 30, 30};
            costs[fastest] = 20;
            const void* const filter = bits(100 * fastest + batch % 97);
            run(filter, costs, 100'000, batch);
            EXPECT_EQ(best(filter), static_cast<BatchWay>(fastest)) << batch;
        }
}

TEST_F(TunerTest, TakesHalvesOfLinesOnlyWhereTheyMayBe) {
    const Costs costs{30, 30, 10};
    run(bits(1), costs, 100'000, 4096, true);
    EXPECT_EQ(best(bits(1), true), BatchWay::halved);
    run(bits(2), costs, 100'000);
    EXPECT_NE(best(bits(2)), BatchWay::halved);
}

TEST_F(TunerTest, NoticesAChangeWithin100000Keys) {
    for (const std::size_t batch : {1024u, 4096u, 1u << 20}) {
        const void* const filter = bits(batch % 1000);
        run(filter, {20, 30, 30}, 8 << 20, batch);
        EXPECT_EQ(best(filter), BatchWay::none);
        run(filter, {60, 30, 40}, batch < 100'000 ? 100'000 : batch, batch);
        EXPECT_EQ(best(filter), BatchWay::ahead) << batch;
        // And back, although the way that is taken takes as long as before.
        run(filter, {10, 30, 40}, 4 << 20, batch);
        EXPECT_EQ(best(filter), BatchWay::none) << batch;
    }
}

TEST_F(TunerTest, AWayThatFailedIsTriedLikeOthersOnceTimesHaveDoubledOrHalved) {
    // 512 MiB: a way settles after a million keys, and one that failed then rests 64 million.
    const Tuner filter(bits(), 1, bits(), {Prefetch::tuned, 60}, false);
    run(filter, {800, 600}, 1 << 20);
    for (unsigned i = 0; i < 1000 && filter.best() != BatchWay::none; ++i)
        run(filter, {400, 600}, 4096);
    EXPECT_EQ(filter.best(), BatchWay::none);
    run(filter, {800, 600}, 8 << 20);
    EXPECT_EQ(filter.best(), BatchWay::ahead);
    run(filter, {115, 130}, 100'000);
    EXPECT_EQ(filter.best(), BatchWay::none);
}

TEST_F(TunerTest, TakesAWayThatPaysOnlyOnceTheCachesHaveSettled) {
    // A slice that prefetches is slower than one that does not, whatever the caches hold. But where
    // all do, the caches hold more.
    double held = 0;
    const Tuner filter(bits(), 1, bits(), {Prefetch::tuned, 46}, false);  // 4 MiB, 65,536 lines
    const auto settling = [&](BatchWay way, std::size_t keys) {
        const bool ahead = way != BatchWay::none;
        held += ((ahead ? 1 : 0) - held) * static_cast<double>(keys) / 65'536;
        held = std::clamp(held, 0.0, 1.0);
        return static_cast<std::uint64_t>((ahead ? 250 : 240) - 100 * held) * keys;
    };
    run_by(settling, filter, 4 << 20);
    EXPECT_LT(run_by(settling, filter, 32 << 20), std::uint64_t{160} * (32 << 20));
    EXPECT_EQ(filter.best(), BatchWay::ahead);
}

TEST_F(TunerTest, TheFirstTrialIsNotTheLastWord) {
    const Tuner filter = tuner(bits());
    run(filter, {600, 800}, 1 << 19);
    EXPECT_EQ(filter.best(), BatchWay::none);
    run(filter, {600, 540}, 1 << 19);
    EXPECT_EQ(filter.best(), BatchWay::ahead);
}

TEST_F(TunerTest, OfWaysThatPrefetchAlikeTheFasterOneIsTakenBeforeTheCachesHaveSettled) {
    // 512 MiB settle after a million keys.
    const Tuner filter(bits(), 1, bits(), {Prefetch::tuned, 60}, true);
    for (unsigned i = 0; i < 3; ++i) {
        run(filter, {900, 600, 650}, 1 << 19);
        EXPECT_EQ(filter.best(), BatchWay::ahead) << i;
        run(filter, {900, 650, 600}, 1 << 19);
        EXPECT_EQ(filter.best(), BatchWay::halved) << i;
    }
}

TEST_F(TunerTest, AMomentInWhichTheFastestWayIsSlowIsSoonForgotten) {
    const Tuner filter(bits(), 1, bits(), {Prefetch::tuned, 60},
                       false);  // 512 MiB: settled after 4 million keys
    run(filter, {30, 20}, 1 << 20);
    run(filter, {30, 40}, 100'000);
    EXPECT_EQ(filter.best(), BatchWay::none);
    run(filter, {30, 20}, 400'000);
    EXPECT_EQ(filter.best(), BatchWay::ahead);
}

TEST_F(TunerTest, ADisturbanceInATrialDoesNotChooseTheSlowerWay) {
    // The first slice of the trial is quiet, of a filter that no other filter of its kind precedes.
    for (unsigned quiet = 0; quiet < 4; ++quiet) {
        const Tuner filter(bits(quiet), 1, bits(quiet), {Prefetch::tuned, 60}, false);
        std::size_t slices = 0;
        run_by(
            [&](BatchWay way, std::size_t keys) {
                return (++slices > quiet ? 4u : 1u) * (way == BatchWay::none ? 30u : 20u) * keys;
            },
            filter, 12 * 2048);
        EXPECT_EQ(filter.best(), BatchWay::ahead) << quiet;
    }
}

TEST_F(TunerTest, AnInterruptInATryDoesNotHideTheWay) {
    std::size_t tries = 0;
    const auto ticks = [&](BatchWay way, std::size_t keys) {
        return (way == BatchWay::none ? 20 : ++tries > 3 ? 2500u : 21u) * keys;
    };
    const Tuner filter(bits(), 1, bits(), {Prefetch::tuned, 40}, false);
    while (tries < 5) run_by(ticks, filter, 4096);
    run_by([](BatchWay way, std::size_t keys) { return (way == BatchWay::none ? 20 : 10) * keys; },
           filter, 2 << 20);
    EXPECT_EQ(filter.best(), BatchWay::ahead);
}

TEST_F(TunerTest, AnExpensiveWayIsTriedBesideOneThatCostsLittle) {
    run(bits(), {400, 20, 20}, 1 << 20, 4096, true);
    run(bits(), {10, 20, 20}, 32 << 20, 4096, true);
    EXPECT_EQ(best(bits(), true), BatchWay::none);
}

TEST_F(TunerTest, TryingCostsAtMostOnePercent) {
    for (const unsigned worse : {21u, 25u, 40u, 100u}) {
        const Costs costs{worse, 20, worse};
        run(bits(worse), costs, 1 << 20);
        const std::uint64_t took = run(bits(worse), costs, 64 << 20);
        EXPECT_LT(static_cast<double>(took), 1.01 * 20 * (64 << 20)) << worse;
    }
}

TEST_F(TunerTest, TryingCostsLittleWhileTimesJump) {
    std::mt19937_64 random(5);
    std::uint64_t took = 0, least = 0;
    for (unsigned i = 0; i < 20'000; ++i) {
        const unsigned factor = 10 + static_cast<unsigned>(random() % 20);
        took += run(bits(), {2 * factor, factor, factor}, 4096);
        least += std::uint64_t{factor} * 4096;
    }
    EXPECT_LT(static_cast<double>(took), 1.03 * static_cast<double>(least));
}

TEST_F(TunerTest, AClockThatJumpsOrStandsDoesNoHarm) {
    const Costs costs{30, 20, 40};
    run(bits(), costs, 1 << 20);
    // The last one stands.
    for (const std::uint64_t jump :
         {std::uint64_t{1} << 62, std::uint64_t{1} << 45, std::uint64_t{0}}) {
        run_by([&](BatchWay, std::size_t) { return 0 - jump; }, tuner(bits()), 1 << 20, 1 << 20);
        EXPECT_EQ(best(bits()), BatchWay::ahead);
    }
    // A filter that never saw a clock that runs.
    std::size_t slices = 0;
    in_slices(tuner(bits(7)), 1 << 20,
              [&](BatchWay, std::size_t, std::size_t) { return ++slices > 0; });
    EXPECT_LT(slices, 200u);
}

TEST_F(TunerTest, AClockThatJumpsDuringATrialDoesNoHarm) {
    // Bit w of jumps: the clock jumps in the slices of way w.
    for (unsigned jumps = 1; jumps < 4; ++jumps)
        for (const std::size_t fastest : {0u, 1u}) {
            const Tuner filter(bits(2 * jumps + fastest), 1, bits(2 * jumps + fastest),
                               {Prefetch::tuned, 40}, false);
            Costs costs{24, 24, 0};
            costs[fastest] = 20;
            const auto run_jumping = [&](std::size_t n, unsigned ways) {
                const auto ticks = [&](BatchWay way, std::size_t keys) {
                    const auto w = static_cast<std::size_t>(way);
                    return costs[w] * keys - (std::uint64_t{ways >> w & 1} << 62);
                };
                return static_cast<double>(run_by(ticks, filter, n)) / static_cast<double>(n);
            };
            run_jumping(16'384, jumps);
            // The first use of the other way takes 1/8 of these keys.
            EXPECT_LT(run_jumping(1 << 20, 0), 1.06 * 20) << jumps << ' ' << fastest;
            EXPECT_LT(run_jumping(64 << 20, 0), 1.01 * 20) << jumps << ' ' << fastest;
            EXPECT_EQ(filter.best(), static_cast<BatchWay>(fastest)) << jumps;
        }
}

TEST_F(TunerTest, FiltersOfOneKindLearnApart) {
    for (unsigned i = 0; i < 100; ++i) {
        run(bits(1), {10, 20, 30}, 4096);
        run(bits(2), {60, 20, 30}, 4096);
    }
    EXPECT_EQ(best(bits(1)), BatchWay::none);
    EXPECT_EQ(best(bits(2)), BatchWay::ahead);
}

TEST_F(TunerTest, AThousandFiltersBeginWithWhatOthersLearnt) {
    const Costs costs{20, 40, 60};
    std::uint64_t took = 0;
    for (unsigned round = 0; round < 10; ++round)
        for (std::size_t i = 0; i < 1000; ++i) took += run(bits(i), costs, 4096);
    EXPECT_LT(static_cast<double>(took), 1.03 * 20 * 4096 * 10'000);
}

TEST_F(TunerTest, HundredsOfFiltersInTurnNoticeAChange) {
    for (const std::size_t batch : {1024u, 4096u, 16'384u})
        for (const Costs& costs : {Costs{20, 40, 60}, Costs{80, 40, 60}}) {
            std::uint64_t took = 0;
            std::size_t keys = 0;
            for (std::size_t i = 0; keys < 4 << 20; ++i, keys += batch)
                took += run(bits(i % 500), costs, batch, batch);
            // A way that took twice as long is tried again after some 700,000 keys, or sooner: by
            // where the filters lie, the loss until then is 0 to 25 % of these keys.
            EXPECT_LT(static_cast<double>(took),
                      1.3 * std::min(costs[0], costs[1]) * static_cast<double>(keys))
                << batch << ' ' << costs[0];
        }
}

TEST_F(TunerTest, AThreadLearnsAlone) {
    run(bits(), {10, 20, 30}, 1 << 18);
    std::thread([&] {
        run(bits(), {30, 20, 40}, 1 << 18);
        EXPECT_EQ(best(bits()), BatchWay::ahead);
    }).join();
    EXPECT_EQ(best(bits()), BatchWay::none);
}

TEST_F(TunerTest, SlicesAreTheWholeBatchInOrder) {
    for (const std::size_t n :
         {0u, 1u, 1023u, 1024u, 2047u, 2049u, 3071u, 3072u, 4096u, 20'001u, 100'000u}) {
        std::size_t next = 0;
        in_slices(tuner(bits(n % 4096)), n, [&](BatchWay, std::size_t first, std::size_t keys) {
            EXPECT_EQ(first, next);
            EXPECT_EQ(first % 64, 0u);
            EXPECT_TRUE(keys > 0 || n == 0);
            next = first + keys;
            now += keys;
            return true;
        });
        EXPECT_EQ(next, n);
    }
}

TEST_F(TunerTest, ABatchThatStopsTakesNoFurtherSlice) {
    std::size_t slices = 0;
    in_slices(tuner(bits()), 1 << 20,
              [&](BatchWay, std::size_t, std::size_t) { return ++slices < 3; });
    EXPECT_EQ(slices, 3u);
}

TEST(Prefetching, IsTunedFromHalfOfTheLevel2CacheOn) {
    const std::size_t l2 = detail::level2_bytes();
    EXPECT_EQ(detail::prefetching_of(l2 / 2 - 1).way, Prefetch::none);
    EXPECT_EQ(detail::prefetching_of(l2 / 2).way, Prefetch::tuned);
    EXPECT_NE(detail::prefetching_of(l2).size, detail::prefetching_of(l2 * 3 / 2).size);
    for (const Prefetch way : {Prefetch::none, Prefetch::ahead}) {
        detail::fix_prefetch(way);
        EXPECT_EQ(detail::prefetching_of(1).way, way);
        EXPECT_EQ(detail::prefetching_of(SIZE_MAX).way, way);
    }
    detail::fix_prefetch(Prefetch::tuned);
    EXPECT_EQ(detail::prefetching_of(1).way, Prefetch::none);
}

}  // namespace
}  // namespace simdbloom
