// How Bloomier filters are built: the graph, its size, attempts, keys that come twice, and what is
// refused.
#include "bloomier_support.hpp"
#include "fixed/peeling.hpp"
#include "scale.hpp"

namespace simdbloom {
namespace {

using detail::fuse_graph;
using detail::fuse_place;
using detail::fuse_seed;
using detail::FuseGraph;

/// Promise of FuseGraph.*, BloomierBuild.*: From 8 keys on, a map has at most 1.25 slots a key.
TEST(FuseGraph, HasAtMost125SlotsForAHundredKeys) {
    // Those that have fewer than a key's slots and one for each further key have just these.
    for (const unsigned arity : {3u, 4u})
        for (std::uint64_t n = 0; n <= 1'000'000; n += n < 20'000 ? 1 : 37) {
            const FuseGraph graph = fuse_graph(n, arity);
            const std::uint64_t least = std::max<std::uint64_t>(n, 1) + arity - 1;
            ASSERT_LE(graph.slots(), std::max(least, n * 5 / 4)) << n;
            ASSERT_GE(graph.slots(), least) << n;
            ASSERT_GE(graph.starts, 1u) << n;
            ASSERT_LT(graph.starts, graph.slots()) << n;
            ASSERT_LE(graph.slots() * 4, n >= (arity == 3 ? 8u : 12u) ? n * 5 : graph.slots() * 4)
                << n;
        }
    const std::tuple<std::uint64_t, unsigned, std::uint64_t> slots[] = {
        {1, 3, 3},
        {7, 3, 9},
        {8, 3, 10},
        {10'000, 3, 12'500},
        {100'000, 3, 117'200},
        {1'000'000, 3, 1'130'000},
        {100'000'000, 3, 112'000'000},
        {11, 4, 14},
        {12, 4, 15},
        {1'000'000, 4, 1'072'000},
        {100'000'000, 4, 105'800'000}};
    for (const auto& [n, arity, expected] : slots) {
        EXPECT_EQ(fuse_graph(n, arity).slots(), expected);
        EXPECT_EQ(BloomierMap::slots_for(n, arity), expected);
    }
}

TEST(FuseGraph, SlotsPerKeyFallWithTheKeys) {
    for (const unsigned arity : {3u, 4u}) {
        double last = 2;
        for (double n = 8; n < 4e9 / 1.2; n *= 1.03) {
            const auto keys = static_cast<std::uint64_t>(n);
            const double here =
                static_cast<double>(fuse_graph(keys, arity).slots()) / static_cast<double>(keys);
            // Slots are whole: small graphs wobble.
            EXPECT_LT(here, last + 2.0 / static_cast<double>(keys)) << keys;
            last = here;
        }
    }
}

TEST(FuseGraph, IsRefusedBeyond32BitsOfSlots) {
    EXPECT_EQ(fuse_graph(3'834'792'228, 3).slots(), 0xFFFFFFFFu);
    EXPECT_LENGTH_ERROR("3834792229", fuse_graph(3'834'792'229, 3));
    EXPECT_LENGTH_ERROR("18446744073709551615", fuse_graph(~std::uint64_t{0}, 4));
}

TEST(FuseGraph, KeysHaveDistinctSlotsInTheirWindows) {
    for (const unsigned arity : {3u, 4u})
        for (const std::uint64_t n :
             {0ull, 1ull, 2ull, 5ull, 40ull, 1'000ull, 1'000'000ull, 3'000'000'000ull}) {
            const FuseGraph graph = fuse_graph(n, arity);
            std::uint64_t lowest = ~std::uint64_t{0}, highest = 0;
            for (std::uint64_t i = 0; i < 20'000; ++i) {
                const auto place =
                    fuse_place(i < 2 ? 0 - i : test::random_key(i), fuse_seed(i % 5 + 1), graph);
                ASSERT_LT(place.slot[0], graph.starts);
                for (unsigned r = 1; r < arity; ++r) {
                    const std::uint64_t window = place.slot[0] + 1 + (r - 1) * graph.window();
                    ASSERT_GE(place.slot[r], window);
                    ASSERT_LT(place.slot[r], window + graph.window());
                }
                lowest = std::min(lowest, place.slot[0]);
                highest = std::max(highest, place.slot[arity - 1]);
            }
            EXPECT_LT(highest, graph.slots());
            // All of the row is used.
            EXPECT_LT(static_cast<double>(lowest), 0.01 * static_cast<double>(graph.starts) + 1);
            EXPECT_GT(static_cast<double>(highest), 0.98 * static_cast<double>(graph.slots()) - 2)
                << n;
        }
}

// A change here makes maps that were saved unreadable.
TEST(FuseGraph, GoldenPlaces) {
    const auto three = fuse_place(0x0123456789ABCDEFu, fuse_seed(1), fuse_graph(1'000'000, 3)),
               four = fuse_place(0xFEDCBA9876543210u, fuse_seed(7), fuse_graph(5'000, 4));
    std::string text;
    for (const std::uint64_t n :
         {three.slot[0], three.slot[1], three.slot[2], std::uint64_t{three.check}, four.slot[0],
          four.slot[1], four.slot[2], four.slot[3], std::uint64_t{four.check}})
        text += std::to_string(n) + " ";
    EXPECT_EQ(text, "269870 276259 283817 2600437839 1983 2021 2157 2263 3461854479 ");
}

// The rule of fuse.cpp leaves enough chance of success at every size.
TEST(BloomierBuild, SucceedsAtEverySizeInFewAttempts) {
    SIMDBLOOM_SKIP_IF_FORCED();
    for (const unsigned arity : {3u, 4u}) {
        const auto keys =
            test::random_keys(test::scaled<std::size_t>(20'000, 1'000'000, 10'000'000));
        for (std::size_t n = 0; n <= (test::slow_build ? 40 : 400); n += n < 100 ? 1 : 7)
            ASSERT_EQ(BloomierMap::build_filter(std::span(keys).first(n), 8, {.seed = n},
                                                {.arity = arity})
                          .slots(),
                      BloomierMap::slots_for(n, arity))
                << n;
        struct Expected {
            std::size_t keys;
            double attempts3, attempts4;  // mean: twice what was measured, at least 2
        };
        for (const auto& e : {Expected{8, 24, 36},
                              {64, 290, 700},
                              {250, 1700, 1000},
                              {1'000, 220, 90},
                              {3'000, 10, 3},
                              {10'000, 2.5, 2.5},
                              {30'000, 2.5, 2.5},
                              {100'000, 2.5, 2.5},
                              {300'000, 2.5, 2.5},
                              {1'000'000, 2.5, 2.5},
                              {10'000'000, 2.5, 2.5}}) {
            if (e.keys > keys.size()) continue;
            double attempts = 0;
            const std::size_t builds = e.keys > 300'000 ? 2 : e.keys >= 10'000 ? 5 : 25;
            for (std::size_t i = 0; i < builds; ++i)
                attempts += BloomierMap::build_filter(std::span(keys).first(e.keys), 8, {.seed = i},
                                                      {.arity = arity})
                                .attempts();
            EXPECT_LE(attempts / static_cast<double>(builds),
                      arity == 3 ? e.attempts3 : e.attempts4)
                << e.keys << " keys, arity " << arity;
        }
    }
}

// And answers, of keys as of their hashes.
TEST(BloomierBuild, GivesTheSameBytesOnEveryIsa) {
    const auto keys = test::random_keys(31'000);
    const auto values = test::map_values(30'000, 7);
    for (const bool keyed : {false, true}) {
        Options options{.isa = Isa::scalar, .seed = 77};
        if (keyed) options.hashing = Hashing::keyed, options.secret = Secret{1, 2};
        const auto reference = test::make_map({7, 6}, 30'000, options);
        std::vector<std::uint64_t> hashes;
        for (const auto key : keys)
            hashes.push_back(keyed ? siphash(key, *options.secret) : hash_key(key, 77));
        for (const Isa isa : usable_isas()) {
            options.isa = isa;
            const auto map = test::make_map({7, 6}, 30'000, options);
            EXPECT_TRUE(test::same_bits(map, reference)) << to_string(isa);
            EXPECT_EQ(map.attempts(), reference.attempts());
            const auto of_hashes = BloomierMap::build(Keys::hashes(std::span(hashes).first(30'000)),
                                                      values, 7, 6, options);
            EXPECT_TRUE(test::same_bits(of_hashes, reference)) << to_string(isa);
            std::vector<std::uint32_t> by_key(keys.size()), by_hash(keys.size());
            EXPECT_EQ(map.lookup(keys, by_key), map.lookup(Keys::hashes(hashes), by_hash));
            EXPECT_EQ(by_key, by_hash);
            for (std::size_t i = 29'000; i < keys.size(); ++i)
                ASSERT_EQ(map.value_of(keys[i]), map.value_of_hash(hashes[i]));
        }
    }
}

TEST(BloomierBuild, KeysMayComeAgainWithTheSameValue) {
    const auto keys = test::random_keys(1000);
    const auto values = test::map_values(1000, 8);
    auto twice = keys;
    auto twice_values = values;
    for (std::size_t i = 0; i < 1000; i += 3)
        twice.push_back(keys[i]), twice_values.push_back(values[i]);
    for (int i = 0; i < 500; ++i) twice.push_back(keys[5]), twice_values.push_back(values[5]);
    const auto map = BloomierMap::build(twice, twice_values, 8, 8);
    EXPECT_EQ(map.n_keys(), 1000u);
    EXPECT_EQ(map.slots(), BloomierMap::slots_for(1000));
    for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(map.value_of(keys[i]), values[i]);
    const auto filter = BloomierMap::build_filter(twice, 8);
    EXPECT_EQ(filter.n_keys(), 1000u);
    EXPECT_EQ(filter.count(keys), 1000u);
    const std::vector<std::uint64_t> one(100, 42);
    EXPECT_EQ(BloomierMap::build_filter(one, 8).slots(), 3u);
}

TEST(BloomierBuild, WhatIsWrongIsNamed) {
    const std::vector<std::uint64_t> keys{17, 23, 5, 17}, wide{1, std::uint64_t{1} << 32, 3, 1};
    const std::vector<std::uint32_t> values{3, 1, 2, 4}, large{3, 300, 2, 3};
    EXPECT_INVALID("key 17 has the values 3 and 4, at positions 0 and 3",
                   BloomierMap::build(keys, values, 8, 8));
    EXPECT_INVALID("positions 0 and 3, of the same hash 17, have the values 3 and 4",
                   BloomierMap::build(Keys::hashes(keys), values, 8, 8));
    EXPECT_INVALID("the value 300 at position 1, of key 23, has more than 8 bits",
                   BloomierMap::build(keys, large, 8, 8));
    EXPECT_INVALID("the value 300 at position 1, has more than 8 bits",
                   BloomierMap::build(Keys::hashes(keys), large, 8, 8));
    EXPECT_INVALID("the value 4294967296 at position 1, of key 23",
                   BloomierMap::build(keys, wide, 32, 8));
    EXPECT_INVALID("4 keys and 3 values",
                   BloomierMap::build(keys, std::span(values).first(3), 8, 8));
    EXPECT_INVALID("4 keys and 4 values of 0 bits", BloomierMap::build(keys, values, 0, 8));
    EXPECT_INVALID("value_bits=33", BloomierMap::build(keys, values, 33, 8));
    EXPECT_INVALID("check_bits=33", BloomierMap::build(keys, values, 8, 33));
    EXPECT_INVALID("check_bits=0", BloomierMap::build_filter(keys, 0));
    EXPECT_INVALID("arity=5", BloomierMap::build_filter(keys, 8, {}, {.arity = 5}));
    EXPECT_LENGTH_ERROR("1250 bytes for 1000 keys are more than max_bytes=1249",
                        BloomierMap::build_filter(test::random_keys(1000), 8, {.max_bytes = 1249}));
    EXPECT_EQ(
        BloomierMap::build_filter(test::random_keys(1000), 8, {.max_bytes = 1250}).size_in_bytes(),
        1250u);
    const std::vector<std::string_view> words{"a", "b", "a"};
    EXPECT_INVALID("positions 0 and 2", BloomierMap::build(std::span<const std::string_view>(words),
                                                           std::span(values).first(3), 8, 8));
    // 64-bit values that fit are taken as they are.
    const std::vector<std::uint64_t> fit{3, 255, 0};
    const auto map = BloomierMap::build(std::span(keys).first(3), fit, 8, 8);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(map.value_of(keys[i]), fit[i]);
}

TEST(BloomierBuild, AttemptsAreCountedAndBounded) {
    const auto keys = test::random_keys(250);
    const auto map = BloomierMap::build_filter(keys, 8);
    ASSERT_GT(map.attempts(), 3u) << "1 graph in 600 can be peeled";
    EXPECT_EQ(BloomierMap::build_filter(keys, 8, {}, {.max_attempts = map.attempts()}).attempts(),
              map.attempts());
    test::expect_error<std::runtime_error>(
        [&] {
            return BloomierMap::build_filter(keys, 8, {}, {.max_attempts = map.attempts() - 1});
        },
        "none of " + std::to_string(map.attempts() - 1) + " graphs of 312 slots for 250 keys");
}

// The bytes of a map depend on the attempt that succeeded, and on none that failed before.
TEST(BloomierBuild, AnAttemptPeelsAsIfItWereTheFirst) {
    const auto hashes = test::random_keys(250);
    const FuseGraph graph = fuse_graph(hashes.size(), 3);
    const auto order = [](const detail::Peeling& peeling) {
        std::vector<std::pair<std::uint64_t, std::uint64_t>> filled;
        peeling.for_each_filled([&](std::uint64_t slot, std::uint64_t hash, std::uint32_t) {
            filled.emplace_back(slot, hash);
        });
        return filled;
    };
    detail::Peeling used, fresh;
    std::uint64_t attempt = 1;
    while (!used.peel(graph, fuse_seed(attempt), hashes, {})) ++attempt;
    ASSERT_GT(attempt, 3u) << "1 graph in 600 can be peeled";
    ASSERT_TRUE(fresh.peel(graph, fuse_seed(attempt), hashes, {}));
    EXPECT_EQ(order(used).size(), hashes.size());
    EXPECT_EQ(order(used), order(fresh));
}

// To tell hashes apart takes linear time, whoever chose them: a table with a multiplier that
// everybody knows would take n^2 / 2 steps for these, half a minute. Half of them come twice, so
// that no graph is peeled before they are told apart.
TEST(BloomierBuild, TellsChosenHashesApartInLinearTime) {
    constexpr std::uint64_t n = 200'000;
    constexpr std::uint64_t one = 1;
    for (const std::uint64_t step : {one, one << 46, detail::seed_offset}) {
        std::vector<std::uint64_t> hashes;
        for (std::uint64_t i = 0; i < n; ++i) hashes.push_back((i + 1) / 2 * step);
        try {
            const auto map =
                BloomierMap::build_filter(Keys::hashes(hashes), 8, {}, {.max_attempts = 4});
            EXPECT_EQ(map.n_keys(), n / 2 + 1);
            EXPECT_EQ(map.count(Keys::hashes(hashes)), n);
        } catch (const std::runtime_error& e) {
            EXPECT_NE(std::string(e.what()).find("none of 4 graphs"), std::string::npos);
            EXPECT_NE(std::string(e.what()).find("well-mixed"), std::string::npos);
        }
    }
}

}  // namespace
}  // namespace simdbloom
