// The single header's choice of how batches prefetch, by a clock that the tests turn.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <thread>

#include "core/kernels/table.hpp"

namespace simdbloom {
namespace {
namespace single {

using detail::Prefetch, detail::Prefetching;
using std::clamp, std::sort;

thread_local std::uint64_t now, clock_reads;
std::uint64_t ticks() { return ++clock_reads, now; }
std::size_t level2_bytes() { return 1 << 20; }

#include "single/tuner.hpp"

using Costs = std::array<unsigned, 3>;

/// Runs a batch whose slices take so many ticks a key by their way. Returns the ticks of all.
std::uint64_t run(const void* bits, const Costs& costs, bool may_halve = false,
                  std::size_t batch = 4096) {
    const std::uint64_t start = now;
    Tuner tuner(bits, 1, may_halve);
    for (std::size_t done = 0; done < batch;) {
        const Tuner::Slice slice = tuner.next(batch - done);
        EXPECT_TRUE(may_halve || slice.way != BatchWay::halved);
        now += slice.keys * costs[static_cast<std::size_t>(slice.way)];
        tuner.done(slice);
        done += slice.keys;
    }
    return now - start;
}

/// Two filters that share a record.
std::array<const void*, 2> that_collide() {
    const auto bits = [](std::size_t i) { return reinterpret_cast<const void*>(64 * i); };
    std::size_t other = 2;
    while (&record_of(bits(other), 1) != &record_of(bits(1), 1)) ++other;
    return {bits(1), bits(other)};
}

/// Records are a thread's: each test begins without any.
template <class Test>
void in_new_thread(const Test& test) {
    std::thread(test).join();
}

// 2 * 6 reads of the clock a trial, and a trial in 2^18 keys.
TEST(SingleTuner, FiltersThatShareARecordTryAsRarelyAsOne) {
    for (const std::size_t batch : {2048u, 4096u, 100'000u})
        for (std::size_t fastest = 0; fastest < 2; ++fastest)
            in_new_thread([=] {
                Costs costs{30, 30, 30};
                costs[fastest] = 20;
                std::uint64_t took = 0;
                std::size_t keys = 0;
                for (; keys < 4 << 20; keys += 2 * batch)
                    for (const void* const bits : that_collide())
                        took += run(bits, costs, false, batch);
                EXPECT_LE(clock_reads, 12 * (4 << 20 >> 18)) << batch;
                EXPECT_LT(static_cast<double>(took), 1.02 * 20 * static_cast<double>(keys))
                    << batch << ' ' << fastest;
            });
}

TEST(SingleTuner, AFilterThatIsGoneInItsTrialKeepsNoOtherFromTrying) {
    in_new_thread([] {
        const auto [gone, other] = that_collide();
        const Costs costs{20, 30, 30};
        run(gone, costs);
        for (unsigned i = 0; i < 200; ++i) run(other, costs);
        EXPECT_EQ(run(other, costs), std::uint64_t{20} * 4096);
    });
}

TEST(SingleTuner, AFilterTakesHalvesOfLinesOnlyWhereItMay) {
    in_new_thread([] {
        const auto [halves, whole] = that_collide();
        const Costs costs{30, 20, 10};
        for (unsigned i = 0; i < 20; ++i) run(halves, costs, true);
        EXPECT_EQ(run(halves, costs, true), std::uint64_t{10} * 4096);
        for (unsigned i = 0; i < 500; ++i) {
            run(halves, costs, true);
            run(whole, costs);
        }
    });
}

}  // namespace single
}  // namespace
}  // namespace simdbloom
