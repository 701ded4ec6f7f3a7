// Filling a filter on several threads, and in tasks that the caller runs: the bits are those of one
// thread.
#include <atomic>
#include <numeric>
#include <random>
#include <span>
#include <system_error>

#include "allocations.hpp"
#include "at_once.hpp"
#include "no_more_memory.hpp"
#include "support.hpp"
#include "threads/ways.hpp"
#include "ways.hpp"

namespace simdbloom {
namespace {

using detail::Way;

class EveryBloomSpec : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryBloomSpec, ParallelBuildsGiveTheBitsOfASerialOne) {
    // Partitioned builds gather hashes in memory that is filled several times by the last of these.
    const std::size_t counts[] = {0, 1, 7, 300'000};
    for (const std::size_t n : counts) {
        const auto keys = test::random_keys(n);
        auto serial = make_filter(GetParam(), std::max<std::size_t>(n, 1000), 11.7, {.seed = 5});
        const auto empty = serial;
        serial.insert(keys);
        for (const unsigned threads : {1u, 2u, 5u}) {
            const std::string what = " " + std::to_string(threads) + " " + std::to_string(n);
            auto parallel = empty;
            parallel_insert(parallel, keys, threads);
            EXPECT_TRUE(test::same_bits(parallel, serial)) << what;
            for (const Way way : test::ways_of(serial, threads)) {
                parallel = empty;
                detail::fill(parallel.base(), keys, threads, way);
                EXPECT_TRUE(test::same_bits(parallel, serial)) << test::name_of(way) << what;
            }
        }
    }
}

// What is in already stays in, and the kernels of every ISA take part.
TEST_P(EveryBloomSpec, ParallelBuildsAddOnEveryIsa) {
    const auto keys = test::random_keys(5'000);
    const std::span<const std::uint64_t> all(keys);
    for (const Hashing hashing : {Hashing::fast, Hashing::keyed}) {
        auto serial = make_filter(GetParam(), 5'000, 12, {.hashing = hashing});
        auto half = serial;
        half.insert(all.first(2'000));
        serial.insert(keys);
        for (const Isa isa : usable_isas())
            for (const unsigned threads : {2u, 3u})
                for (const Way way : test::ways_of(serial, threads)) {
                    auto parallel = half;
                    parallel.use_isa(isa);
                    detail::fill(parallel.base(), all.subspan(2'000), threads, way);
                    EXPECT_TRUE(test::same_bits(parallel, serial))
                        << test::name_of(way) << ' ' << to_string(isa);
                }
    }
}

TEST(Build, HashesAndConcreteTypes) {
    const auto keys = test::random_keys(10'000);
    auto serial = SplitBlockBloom::with_bits_per_key(10'000, 12);
    auto from_keys = serial, from_hashes = serial;
    serial.insert(keys);
    parallel_insert(from_keys, keys, 2);
    parallel_insert(from_hashes, Keys::hashes(test::hashes_of(keys, serial.seed())), 2);
    EXPECT_TRUE(test::same_bits(from_keys, serial)) << "keys";
    EXPECT_TRUE(test::same_bits(from_hashes, serial)) << "hashes";
}

// More threads than blocks: some own nothing.
TEST(Build, MoreThreadsThanBlocks) {
    const auto keys = test::random_keys(1'000);
    auto serial = make_filter("sector512", 100, 12);
    const auto empty = serial;
    serial.insert(keys);
    for (const Way way : test::ways_of(serial, 40)) {
        auto parallel = empty;
        detail::fill(parallel.base(), keys, 40, way);
        EXPECT_TRUE(test::same_bits(parallel, serial)) << test::name_of(way);
    }
}

TEST(Build, AThreadThatCannotStartIsAnErrorBeforeAnyBitIsSet) {
    test::NoMoreMemory refused;
    if (!refused.works()) GTEST_SKIP() << "a sanitizer or an emulator needs addresses of its own";
    auto filter = make_filter("split256", 1'000, 12);
    const auto before = filter;
    const auto keys = test::random_keys(1'000);
    EXPECT_THROW(refused.during([&] { detail::fill(filter.base(), keys, 40, Way::atomic); }),
                 std::system_error);
    EXPECT_TRUE(test::same_bits(filter, before)) << "40 threads";
}

void expect_refusal(AnyFilter filter, unsigned threads, const std::string& named) {
    const auto before = filter;
    EXPECT_INVALID(named, parallel_insert(filter, test::random_keys(100), threads));
    EXPECT_TRUE(test::same_bits(filter, before)) << named;
}

TEST(Build, WhatCannotBeIsRefused) {
    expect_refusal(make_filter("split256", 1'000, 12), 0, "0 threads");
    for (const std::string spec : {"cuckoo12", "counting:k=4", "counting512:k=4", "dleft14"})
        expect_refusal(make_filter(spec, 1'000, 24), 2, spec);
}

// In any order on one thread, and on threads that each take the next task.
/// Promise of EveryBloomSpec.ParallelBuilds*, BuildTasksTest.*: Builds on several threads or in
///   tasks set the bits of a serial build, and end when all tasks ran.
TEST_P(EveryBloomSpec, ParallelBuildsOfTasksGiveTheBitsOfASerialOne) {
    // The last of these fill the room of a region several times, but for 40 tasks.
    for (const std::size_t n : {0u, 1u, 1000u, 100'000u})
        for (const unsigned n_tasks : {1u, 3u, 40u}) {
            const auto keys = test::random_keys(n);
            const auto empty =
                make_filter(GetParam(), std::max<std::size_t>(n, 1000), 11.7, {.seed = 5});
            auto serial = empty;
            serial.insert(keys);
            SCOPED_TRACE(std::to_string(n_tasks) + " " + std::to_string(n));
            BuildTasks alone(empty, keys, n_tasks);
            ASSERT_EQ(alone.size(), n_tasks);
            std::vector<unsigned> order(n_tasks);
            std::iota(order.begin(), order.end(), 0u);
            std::shuffle(order.begin(), order.end(), std::mt19937(n_tasks));
            for (const unsigned i : order) alone.run(i);
            EXPECT_TRUE(test::same_bits(std::move(alone).finish(), serial));

            BuildTasks shared(empty, keys, n_tasks);
            std::atomic<unsigned> next{0};
            test::at_once(3, [&](unsigned) {
                for (unsigned i; (i = next++) < n_tasks;) shared.run(i);
            });
            EXPECT_TRUE(test::same_bits(std::move(shared).finish(), serial));
        }
}

INSTANTIATE_TEST_SUITE_P(Build, EveryBloomSpec, ::testing::ValuesIn(test::bloom_specs()),
                         test::spec_name);

TEST(BuildTasksTest, AddHashesToTheKeysOfTheFilterOnEveryIsa) {
    const auto hashes = test::random_keys(50'000);
    for (const Isa isa : usable_isas()) {
        auto half = make_filter("sector512", 50'000, 12, {.isa = isa});
        half.insert(Keys::hashes(std::span(hashes).first(20'000)));
        auto serial = half;
        const auto rest = std::span(hashes).subspan(20'000);
        serial.insert(Keys::hashes(rest));
        BuildTasks tasks(std::move(half), Keys::hashes(rest), 5);
        for (unsigned i = 5; i-- > 0;) tasks.run(i);
        EXPECT_TRUE(test::same_bits(std::move(tasks).finish(), serial)) << to_string(isa);
    }
}

TEST(BuildTasksTest, AFilterOfWhichATaskIsMissingIsNotHandedOut) {
    const auto keys = test::random_keys(1'000);
    BuildTasks tasks(make_filter("split256", 1'000, 12), keys, 3);
    EXPECT_EQ(tasks.unfinished(), 3u);
    tasks.run(2);
    tasks.run(0);
    EXPECT_EQ(tasks.unfinished(), 1u);
    EXPECT_INVALID("1 of 3 tasks", std::move(tasks).finish());
    EXPECT_INVALID("task 2 of 3", tasks.run(2));
    EXPECT_OUT_OF_RANGE("task 3 of 3", tasks.run(3));
    tasks.run(1);
    const AnyFilter filter = std::move(tasks).finish();
    EXPECT_EQ(filter.count(keys), keys.size());
    EXPECT_THROW(std::move(tasks).finish(), std::invalid_argument);
    EXPECT_THROW(tasks.run(1), std::invalid_argument);
}

TEST(BuildTasksTest, ATaskWithoutMemoryInsertsNothingAndMayBeRunAgain) {
    const auto keys = test::random_keys(10'000);
    auto serial = make_filter("split256", 10'000, 12);
    BuildTasks tasks(serial, keys, 4);
    serial.insert(keys);
    tasks.run(0);
    {
        // Whose room task 0 has left behind.
        const test::AllocationLimit none(0);
        tasks.run(1);
    }
    for (unsigned i = 2; i < 4; ++i) tasks.run(i);
    EXPECT_TRUE(test::same_bits(std::move(tasks).finish(), serial));

    BuildTasks again(make_filter("split256", 10'000, 12), keys, 4);
    {
        const test::AllocationLimit none(0);
        EXPECT_THROW(again.run(3), std::bad_alloc);
    }
    EXPECT_EQ(again.unfinished(), 4u);
    {
        // The room is all that it asks for: nothing fails once keys are in.
        const test::AllocationLimit room(1);
        again.run(3);
    }
    for (unsigned i = 0; i < 3; ++i) again.run(i);
    EXPECT_TRUE(test::same_bits(std::move(again).finish(), serial));
}

TEST(BuildTasksTest, WhatCannotBeIsRefused) {
    const auto keys = test::random_keys(100);
    const auto refused = [&](const std::string& spec, unsigned n_tasks, const std::string& named) {
        EXPECT_INVALID(named, BuildTasks(make_filter(spec, 1'000, 40), keys, n_tasks).size());
    };
    refused("split256", 0, "0 tasks");
    for (const std::string spec : {"cuckoo12", "counting:k=4", "growing12"}) refused(spec, 2, spec);
    auto moved = make_filter("split256", 1'000, 12);
    const auto to = std::move(moved);
    EXPECT_THROW(BuildTasks(std::move(moved), keys, 2), std::invalid_argument);
    EXPECT_EQ(to.n_keys(), 1'000u);
}

}  // namespace
}  // namespace simdbloom
