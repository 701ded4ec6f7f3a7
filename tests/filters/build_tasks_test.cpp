// Filling a filter in tasks that the caller runs: the bits are those of one thread.
#include <atomic>
#include <numeric>
#include <random>
#include <span>
#include <thread>

#include "allocations.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

class EveryTaskSpec : public ::testing::TestWithParam<std::string> {};

// In any order on one thread, and on threads that each take the next task.
/// Promise of EveryTaskSpec.*, BuildTasksTest.*: Builds in tasks set the bits of a serial build in
///   any order, and end only when all tasks ran.
TEST_P(EveryTaskSpec, ParallelBuildsOfTasksGiveTheBitsOfASerialOne) {
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
            {
                std::vector<std::jthread> threads;
                for (int t = 0; t < 3; ++t)
                    threads.emplace_back([&] {
                        for (unsigned i; (i = next++) < n_tasks;) shared.run(i);
                    });
            }
            EXPECT_TRUE(test::same_bits(std::move(shared).finish(), serial));
        }
}

INSTANTIATE_TEST_SUITE_P(BuildTasks, EveryTaskSpec, ::testing::ValuesIn(test::bloom_specs()),
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
    test::expect_error<std::out_of_range>([&] { return tasks.run(3), 0; }, "task 3 of 3");
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
