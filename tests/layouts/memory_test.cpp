// A filter takes its bits and at most one page more, gives all of it back, and building one
// allocates nothing else: counted at operator new, at the allocator given, and in the process's
// mappings.
#ifndef _WIN32
#include <fcntl.h>
#include <unistd.h>
#endif

#include "allocations.hpp"
#include "join_keys.hpp"
#include "no_more_memory.hpp"
#include "simdbloom/adapters/leveldb_filter.hpp"
#include "support.hpp"
#include "threads/ways.hpp"

namespace simdbloom {
namespace {

using test::heap_allocations;

constexpr std::size_t page = 4096;

/// Promise: A filter takes its bits and at most a page more; inserts, lookups and joins allocate
///   nothing.
TEST(Memory, OneAllocationOfTheBitsAndLessThanAPage) {
    for (const std::string spec : {"classic", "register64:k=4", "split256", "sector512",
                                   "blocked512:k=8", "cuckoo12", "counting:k=4", "counting512:k=4"})
        for (const std::size_t n : {1u, 1000u, 500'000u}) {
            test::Counting counting;
            {
                auto filter = make_filter(spec, n, 13, {.allocator = &counting});
                EXPECT_EQ(counting.allocations, 1u);
                EXPECT_LE(counting.bytes, filter.size_in_bytes() + page);
                filter.insert(test::random_keys(std::min<std::size_t>(n, 100)));
                auto copy = filter;
                auto moved = std::move(copy);
                EXPECT_EQ(counting.allocations, 2u);
            }
            EXPECT_EQ(counting.live, 0u);
        }
}

TEST(Memory, InsertingAndAskingAllocateNothing) {
    const auto keys = test::random_keys(10'000);
    std::vector<std::uint8_t> bitmap(1250);
    std::vector<std::uint32_t> positions(10'000);
    for (const auto& spec : test::all_specs()) {
        auto filter = make_filter(spec, keys.size(), test::feasible_bits(spec, 17));
        const std::size_t before = heap_allocations;
        filter.insert(keys);
        filter.contains(keys, bitmap);
        (void)filter.select(keys, positions);
        EXPECT_EQ(heap_allocations, before) << spec;
    }
}

#ifdef __linux__
// Read without a heap allocation, which might itself map or give back pages.
std::size_t mapped_pages() {
    const int file = open("/proc/self/statm", O_RDONLY);
    char text[64] = {};
    EXPECT_GT(::read(file, text, sizeof text - 1), 0);
    close(file);
    return std::strtoull(text, nullptr, 10);
}

TEST(Memory, LargeFiltersMapTheirBitsAndOnePage) {
#if defined(SIMDBLOOM_SANITIZED) || defined(SIMDBLOOM_EMULATED)
    GTEST_SKIP() << "the sanitizer or emulator maps memory of its own";
#endif
    for (const bool huge : {false, true}) {
        const std::size_t before = mapped_pages();
        {
            const auto filter = make_filter("sector512", 5'000'000, 12.3, {.huge_pages = huge});
            const std::size_t after = mapped_pages();
            EXPECT_LE((after - before) * page, filter.size_in_bytes() + 2 * page)
                << "the bits, rounded up to a page, and one page";
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(filter.base().bytes().data()) % (2u << 20),
                      0u);
        }
        EXPECT_EQ(mapped_pages(), before) << "not everything was given back";
    }
}
#endif

TEST(Memory, BitsBeginAsZerosWhateverWasInTheirMemory) {
    for (const std::size_t n : {1u, 1000u, 100'000u}) {
        test::Counting counting;
        const auto given = make_filter("sector512", n, 12, {.allocator = &counting});
        // Memory of the heap that was used before: of the same size, so that it comes back.
        void* const used = detail::allocate_aligned(64, given.size_in_bytes() + 64);
        std::memset(used, 0xC5, given.size_in_bytes() + 64);
        asm volatile("" : : "r"(used) : "memory");
        detail::free_aligned(used);
        const auto own = make_filter("sector512", n, 12);
        for (const AnyFilter* filter : {&given, &own}) EXPECT_TRUE(test::is_blank(*filter)) << n;
    }
}

// The system refuses: no filter without bits comes out of it.
/// Promise of AvailableMemory.*, Memory.WhatTheSystemRefusesIsAnErrorThatNamesTheBytes: A filter
///   too large for the machine or its control groups is an error.
TEST(Memory, WhatTheSystemRefusesIsAnErrorThatNamesTheBytes) {
    test::NoMoreMemory refused;
    if (!refused.works()) GTEST_SKIP() << "a sanitizer or an emulator needs addresses of its own";
    for (const std::size_t bytes : {1u << 20, 1u << 25})  // from the heap, and mapped
        for (const bool huge : {false, true}) {
            const auto make = [&] {
                (void)make_filter("sector512", 1000, static_cast<double>(bytes) * 8 / 1000,
                                  {.huge_pages = huge});
            };
            test::expect_error<AllocationError>(
                [&] { return refused.during(make), 0; },
                "simdbloom: cannot allocate " + std::to_string(bytes) + " bytes");
        }
}

TEST(Memory, LevelDbViewsLookAtTheEnvironmentOnceAndAllocateNothing) {
    const auto keys = test::random_keys(1'000);
    const auto filter = make_leveldb_filter(keys, 10);
    std::vector<std::uint8_t> bitmap(125);
    std::vector<std::uint32_t> positions(1'000);
    const auto ask = [&] {
        const LevelDbFilterView view{std::span<const std::byte>(filter)};
        view.contains(keys, bitmap);
        return view.count(keys) + view.select(keys, positions) + view.contains(keys[0]);
    };
    EXPECT_EQ(ask(), 2'001u);
    const test::IsaVariable unknown("avx1024");
    const std::size_t allocations = heap_allocations;
    EXPECT_EQ(ask(), 2'001u);
    EXPECT_EQ(heap_allocations, allocations);
}

#ifndef _WIN32
// Each copy alone is available; a filter of 1 GiB whose pages nobody touches takes no memory.
TEST(Memory, CopiesForThreadsAreAskedForAtOnceAndRefusedBeyondWhatThereIs) {
#if defined(SIMDBLOOM_SANITIZED) || defined(SIMDBLOOM_EMULATED)
    GTEST_SKIP() << "the sanitizer or emulator maps memory of its own";
#endif
    constexpr std::size_t gib = std::size_t{1} << 30;
    const std::size_t pages = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES));
    const auto threads = static_cast<unsigned>(4 * (pages * page / gib + 1) + 64);
    auto filter = make_filter("split256", gib / 2, 16);
    const auto keys = test::random_keys(10);
    EXPECT_THROW(detail::fill(filter.base(), keys, threads, detail::Way::merged), std::bad_alloc);
    EXPECT_EQ(filter.count(keys), 0u);
}
#endif

TEST(Memory, JoinsAllocateNothingPerBatch) {
    const auto keys = test::random_keys(5'000);
    auto filter = make_filter("split256", keys.size(), 12);
    filter.insert(keys);
    std::vector<std::uint64_t> runs(20'000);
    for (std::size_t i = 0; i < runs.size(); ++i) runs[i] = i / 1'000 * 100'000 + i % 1'000;
    std::vector<JoinFilter> joins{JoinFilter(std::move(filter))};
    for (const auto& build :
         {test::random_keys(30), test::sequence(0, 1'000), runs, test::random_keys(300)})
        joins.push_back(test::chosen(build));
    const JoinFilter& of_any = joins[0];
    StarProbe star({of_any, joins[1], of_any}, Governor::Settings{});
    const std::vector<std::uint8_t> valid(625, 0x5A);
    std::vector<std::uint8_t> bytes(keys.size());
    std::vector<std::uint32_t> rows(keys.size());
    const JoinColumn columns[] = {{keys, false, valid.data()}, {keys}, {keys, true}};
    const std::vector<std::int32_t> narrow(keys.size(), 7);
    const std::vector<float> floats(keys.size(), 7);
    const std::vector<std::string_view> texts(keys.size(), "a text");
    const JoinRows plain({keys}), of_narrow({narrow}), of_floats({floats}),
        several({narrow, KeyColumn(texts).with_validity(valid.data())});
    const std::size_t before = heap_allocations;
    for (int batch = 0; batch < 3; ++batch) {
        for (const JoinFilter& join : joins) {
            const std::size_t n = join.select(columns[0], rows);
            (void)join.select(columns[1], std::span(rows).first(n), rows);
            (void)join.count(columns[0]);
            for (const JoinRows* numbers : {&plain, &of_narrow, &of_floats}) {
                (void)numbers->count(join);
                (void)numbers->and_bytes(join, bytes);
            }
            (void)several.select(of_any, rows);
            (void)join.prune(batch, 1'000);
            join.bytes(columns[0], bytes);
            join.bitmap(columns[0], bytes);
        }
        (void)star.select(columns, rows);
    }
    EXPECT_EQ(heap_allocations, before);
}

}  // namespace
}  // namespace simdbloom
