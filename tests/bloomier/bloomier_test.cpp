// Bloomier filters: every key has its value, absent keys are absent as often as promised, on every
// way of asking.
#include "at_once.hpp"
#include "bloomier_support.hpp"
#include "fixed/kernel_table.hpp"
#include "fixed/slots.hpp"
#include "guarded.hpp"
#include "scale.hpp"

namespace simdbloom {
namespace {

using test::MapShape;

/// Promise: A map gives each key its value and finds absent keys at the promised rate.
TEST(Bloomier, EveryKeyHasItsValueOnEveryIsa) {
    for (const auto& shape : test::map_shapes())
        for (const std::size_t n : {0u, 1u, 2u, 7u, 65u, 1000u, 12'000u}) {
            auto map = test::make_map(shape, n, {.seed = 5});
            SCOPED_TRACE(map.spec() + ", keys: " + std::to_string(n));
            ASSERT_EQ(map.n_keys(), n);
            const auto keys = test::random_keys(n);
            const auto expected = shape.value_bits == 0 ? std::vector<std::uint32_t>(n)
                                                        : test::map_values(n, shape.value_bits);
            for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(map.value_of(keys[i]), expected[i]) << i;
            for (const Isa isa : usable_isas()) {
                map.use_isa(isa);
                std::vector<std::uint32_t> values(n, 0xDEADBEEF);
                std::vector<std::uint8_t> bitmap((n + 7) / 8);
                ASSERT_EQ(map.lookup(keys, values, bitmap), n) << to_string(isa);
                ASSERT_EQ(values, expected) << to_string(isa);
                std::fill(values.begin(), values.end(), 0xDEADBEEF);
                ASSERT_EQ(map.lookup(keys, values), n) << to_string(isa);
                ASSERT_EQ(values, expected) << to_string(isa);
                ASSERT_EQ(map.count(keys), n) << to_string(isa);
            }
        }
}

TEST(Bloomier, AnswersAreIdenticalForAllLengthsOnEveryIsa) {
    const test::GuardedBuffer key_memory(131 * 8), bit_memory(64), value_memory(131 * 4);
    for (const auto& shape : test::map_shapes()) {
        auto map = test::make_map(shape, 200);
        for (const Isa isa : usable_isas()) {
            map.use_isa(isa);
            SCOPED_TRACE(map.spec() + " on " + std::string(to_string(isa)));
            for (std::size_t n = 0; n <= 130; ++n) {
                const auto keys = key_memory.last<std::uint64_t>(n);
                std::vector<std::uint32_t> expected_values(n);
                std::vector<std::uint8_t> expected_bits((n + 7) / 8);
                for (std::size_t i = 0; i < n; ++i) {
                    keys[i] = test::random_key(test::random_key(n * 131 + i) %
                                               400);  // one half in the map
                    const auto value = map.value_of(keys[i]);
                    ASSERT_EQ(value.has_value(), map.contains(keys[i]));
                    expected_values[i] = value.value_or(0);
                    expected_bits[i / 8] = static_cast<std::uint8_t>(expected_bits[i / 8] |
                                                                     value.has_value() << i % 8);
                }
                SCOPED_TRACE(n);
                ASSERT_NO_FATAL_FAILURE(test::expect_answers_of_single_keys(map, keys));
                // Backwards too: something is read or written before the first only where memory
                // begins there.
                const auto bitmap = n % 2 == 0
                                        ? bit_memory.last<std::uint8_t>(expected_bits.size())
                                        : bit_memory.first<std::uint8_t>(expected_bits.size());
                std::ranges::fill(bitmap, 0xA5);
                const auto values = n % 2 == 0 ? value_memory.last<std::uint32_t>(n)
                                               : value_memory.first<std::uint32_t>(n);
                std::ranges::fill(values, 0xDEADBEEF);
                ASSERT_EQ(map.lookup(keys, values, bitmap), map.count(keys));
                ASSERT_TRUE(std::ranges::equal(values, expected_values));
                ASSERT_TRUE(std::ranges::equal(bitmap, expected_bits));
            }
        }
    }
}

TEST(Bloomier, StringsAndKeysOfTheUsersAreMapped) {
    std::vector<std::string> text;
    for (int i = 0; i < 5000; ++i) text.push_back("key " + std::to_string(i));
    const std::vector<std::string_view> words(text.begin(), text.end());
    const std::span<const std::string_view> inside(words.data(), 2500);
    const auto values = test::map_values(2500, 16);
    for (const auto hashing : {Hashing::fast, Hashing::seeded, Hashing::keyed}) {
        const auto map = BloomierMap::build(inside, values, 16, 16, {.hashing = hashing});
        for (std::size_t i = 0; i < 2500; ++i) ASSERT_EQ(map.value_of(words[i]), values[i]);
        EXPECT_EQ(map.value_of(std::as_bytes(std::span(words[7]))), values[7]);
        EXPECT_TRUE(map.contains(words[3]));
        std::vector<std::uint32_t> got(5000);
        std::vector<std::uint8_t> bitmap(625);
        const std::size_t found = map.lookup(words, got, bitmap);
        EXPECT_TRUE(std::equal(values.begin(), values.end(), got.begin()));
        EXPECT_EQ(map.count(words), found);
        EXPECT_LT(found, 2500u + 5);
    }
    const auto hasher = [](int key, std::uint64_t seed) {
        return hash_key(static_cast<std::uint64_t>(key) * 3, seed);
    };
    std::vector<int> numbers(300);
    for (int i = 0; i < 300; ++i) numbers[static_cast<std::size_t>(i)] = i - 150;
    const auto map = BloomierMap::build(Keys::of(numbers, hasher), std::span(values).first(300), 16,
                                        8, {.seed = 9});
    for (std::size_t i = 0; i < 300; ++i) EXPECT_EQ(map.value_of(numbers[i], hasher), values[i]);
    EXPECT_TRUE(map.contains(numbers[1], hasher));
    EXPECT_EQ(map.count(Keys::of(std::span<const int>(numbers), hasher)), 300u);
}

// Two-sided at 5 sigma, keys with and without structure, few keys and many.
TEST(Bloomier, AbsentKeysAreFoundAsRarelyAsPromised) {
    SIMDBLOOM_SKIP_IF_FORCED();
    struct Family {
        const char* name;
        std::uint64_t (*key)(std::uint64_t);
    };
    const Family families[] = {{"random", [](std::uint64_t i) { return test::random_key(i); }},
                               {"sequential", [](std::uint64_t i) { return i; }},
                               {"stride 4096", [](std::uint64_t i) { return i * 4096; }},
                               {"high bits", [](std::uint64_t i) { return i << 40; }},
                               {"both halves", [](std::uint64_t i) { return i | i << 32; }}};
    const std::size_t probes = test::scaled<std::size_t>(100'000, 500'000, 10'000'000);
    for (const unsigned arity : {3u, 4u})
        for (const unsigned f : {1u, 2u, 5u, 8u, 12u, 16u})
            for (const auto& family : families)
                for (const std::size_t n : {300u, 100'000u}) {
                    std::vector<std::uint64_t> keys(n), strangers(probes);
                    for (std::size_t i = 0; i < n; ++i) keys[i] = family.key(i);
                    for (std::size_t i = 0; i < probes; ++i) strangers[i] = family.key(n + i);
                    const auto map =
                        BloomierMap::build_filter(keys, f, {.seed = n + f}, {.arity = arity});
                    const double model = std::exp2(-static_cast<double>(f)),
                                 expected = model * static_cast<double>(probes);
                    EXPECT_EQ(map.expected_fpr(), model);
                    EXPECT_EQ(map.estimated_fpr(), model);
                    // Two sigma more than 5 where so few are expected that they are not normal.
                    EXPECT_LT(std::abs(static_cast<double>(map.count(strangers)) - expected),
                              (expected < 50 ? 7 : 5) * std::sqrt(expected * (1 - model)))
                        << map.spec() << ", " << family.name << " keys: " << n;
                }
}

// 2^-f takes values and checks to be unrelated, and strangers found to have any value.
TEST(Bloomier, StrangersThatAreFoundHaveAnyValue) {
    const auto map = test::make_map({2, 2}, 50'000);
    const auto strangers = test::random_keys(400'000, 1'000'000);
    std::vector<std::uint32_t> values(strangers.size());
    std::vector<std::uint8_t> bitmap(strangers.size() / 8);
    map.lookup(strangers, values, bitmap);
    double seen[4] = {};
    for (std::size_t i = 0; i < strangers.size(); ++i)
        if ((bitmap[i / 8] >> (i % 8) & 1) != 0) ++seen[values[i]];
        else EXPECT_EQ(values[i], 0u);
    for (const double n : seen) EXPECT_LT(std::abs(n - 25'000), 5 * std::sqrt(25'000.0)) << n;
    // Without checks every key is there.
    EXPECT_EQ(test::make_map({2, 0}, 1000).count(strangers), strangers.size());
}

// Larger than what is looked up without prefetching.
TEST(Bloomier, LargeMapsAnswerTheSameOnEveryIsa) {
    SIMDBLOOM_SKIP_IF_FORCED();
    for (const MapShape shape : {MapShape{32, 32, 3}, MapShape{30, 25, 4}}) {
        constexpr std::size_t n = 2'000'000;
        auto map = test::make_map(shape, n);
        ASSERT_GT(map.size_in_bytes(), 13u << 20);
        const auto keys = test::random_keys(40'001, n - 20'000);
        std::vector<std::uint32_t> expected(keys.size()), got(keys.size());
        std::vector<std::uint8_t> expected_bits((keys.size() + 7) / 8), bits(expected_bits.size());
        map.use_isa(Isa::scalar);
        EXPECT_GE(map.lookup(keys, expected, expected_bits), 20'000u);
        for (std::size_t i = 0; i < 20'000; ++i)
            ASSERT_EQ(expected[i], test::value_at(n - 20'000 + i, shape.value_bits));
        for (const Isa isa : usable_isas()) {
            map.use_isa(isa);
            map.lookup(keys, got, bits);
            EXPECT_EQ(got, expected) << to_string(isa);
            EXPECT_EQ(bits, expected_bits) << to_string(isa);
            map.contains(keys, bits);
            EXPECT_EQ(bits, expected_bits) << to_string(isa);
        }
    }
}

#ifndef _WIN32  // which has no mapping of 32 GiB that takes no memory
// Slots whose first bit, or byte, is past 2^32: kernels over a sparse mapping, in which a few slots
// are filled by hand.
TEST(Bloomier, SlotsPast32BitsOfAddressAreFound) {
    SIMDBLOOM_SKIP_IF_FORCED();
    constexpr detail::FuseGraph graph{3, 18, 0xFFFFFFFFu - (2u << 18)};
    static_assert(graph.slots() == 0xFFFFFFFFu);
    for (const auto& [r, f] : {std::pair{0u, 8u}, {2u, 7u}, {7u, 26u}, {32u, 32u}}) {
        const unsigned bits = r + f;
        const auto load = bits % 8 == 0
                              ? (bits <= 32 ? detail::SlotLoad::bytes32 : detail::SlotLoad::bytes64)
                          : bits <= 25 ? detail::SlotLoad::bits32
                                       : detail::SlotLoad::bits64;
        const std::size_t bytes = detail::bytes_of_slots(graph.slots(), bits);
        auto* const table =
            static_cast<std::byte*>(mmap(nullptr, bytes + 64, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
        ASSERT_NE(static_cast<void*>(table), MAP_FAILED);
        const std::uint64_t seed = detail::fuse_seed(1);
        std::vector<std::uint64_t> hashes = test::random_keys(200);
        // One more that begins at the last start.
        for (std::uint64_t i = 0;; ++i)
            if (detail::fuse_place(test::random_key(i), seed, graph).slot[0] >= graph.starts - 64) {
                hashes.push_back(test::random_key(i));
                break;
            }
        for (std::size_t i = 0; i < hashes.size(); ++i) {
            const auto place = detail::fuse_place(hashes[i], seed, graph);
            detail::fill_slot(
                table, bits, place.slot[i % 3],
                std::uint64_t{test::value_at(i, r)} << f | (place.check & detail::low_bits(f)));
        }
        const detail::FuseTarget target{table,
                                        graph.starts,
                                        0,
                                        seed,
                                        static_cast<std::uint32_t>(graph.window()),
                                        static_cast<std::uint8_t>(bits),
                                        static_cast<std::uint8_t>(r),
                                        static_cast<std::uint8_t>(f),
                                        {detail::Prefetch::ahead}};
        for (const Isa isa : usable_isas()) {
            const auto& kernels = detail::fuse_kernels(isa).of3[static_cast<std::size_t>(load)];
            std::vector<std::uint32_t> values(hashes.size());
            EXPECT_EQ(kernels.values(target, {hashes.data(), hashes.size(), true}, values.data(),
                                     nullptr),
                      hashes.size())
                << bits << " bits on " << to_string(isa);
            for (std::size_t i = 0; i < hashes.size(); ++i)
                EXPECT_EQ(values[i], r == 0 ? 0 : test::value_at(i, r))
                    << bits << " bits on " << to_string(isa);
            std::uint64_t all = kernels.probe.few(target, hashes.data() + 150, 51, true);
            EXPECT_EQ(all, (std::uint64_t{1} << 51) - 1) << bits << " bits on " << to_string(isa);
        }
        munmap(table, bytes + 64);
    }
}
#endif

TEST(Bloomier, SaysWhatItIs) {
    const auto map = test::make_map({8, 8}, 1000, {.seed = 3});
    EXPECT_EQ(map.spec(), "bloomier:r=8,f=8");
    EXPECT_EQ(test::make_map({8, 8, 4}, 1000).spec(), "bloomier:r=8,f=8,d=4");
    EXPECT_EQ(test::make_map({0, 8}, 1000).spec(), "fuse:f=8");
    EXPECT_EQ(map.value_bits(), 8u);
    EXPECT_EQ(map.check_bits(), 8u);
    EXPECT_EQ(map.arity(), 3u);
    EXPECT_EQ(map.seed(), 3u);
    EXPECT_EQ(map.slots(), 1250u);
    EXPECT_EQ(map.slots_per_key(), 1.25);
    EXPECT_EQ(map.size_in_bytes(), 2500u);
    EXPECT_EQ(map.bits_per_key(), 20);
    EXPECT_EQ(test::make_map({7, 3}, 1000).size_in_bytes(), 1563u) << "1250 slots of 10 bits";
    for (const auto& [r, f, bits] :
         {std::tuple{25u, 32u, 57u}, {26u, 32u, 64u}, {32u, 32u, 64u}, {1u, 0u, 1u}})
        EXPECT_EQ(test::make_map({r, f}, 10).slot_bits(), bits);
    EXPECT_EQ(map.isa(), default_isa());
    EXPECT_THROW(
        {
            auto copy = map;
            copy.use_isa(usable_isas().back() == Isa::neon ? Isa::avx2 : Isa::neon);
        },
        std::invalid_argument);
}

TEST(Bloomier, OutputsThatOverlapTheKeysAreRefused) {
    const auto map = test::make_map({8, 8}, 1000);
    auto keys = test::random_keys(20);
    const std::span values(reinterpret_cast<std::uint32_t*>(keys.data()), 20);
    const std::span bits(reinterpret_cast<std::uint8_t*>(keys.data() + 19), 3);
    std::vector<std::uint32_t> apart(20);
    EXPECT_INVALID("overlaps", map.lookup(keys, values));
    EXPECT_INVALID("overlaps", map.lookup(Keys::hashes(keys), values));
    EXPECT_INVALID("overlaps", map.lookup(keys, apart, bits));
    EXPECT_EQ(keys, test::random_keys(20));
}

TEST(Bloomier, OutputsThatAreTooShortAreRefused) {
    const auto map = test::make_map({8, 8}, 1000);
    const auto keys = test::random_keys(20);
    std::vector<std::uint32_t> values(19), enough(20);
    std::vector<std::uint8_t> bits(2), enough_bits(3);
    EXPECT_LENGTH_ERROR("room for 19 values is too short for 20 keys",
                        map.lookup(keys, values, enough_bits));
    EXPECT_LENGTH_ERROR("2 bytes", map.lookup(keys, enough, bits));
    EXPECT_LENGTH_ERROR("19 values", map.lookup(Keys::hashes(keys), values, enough_bits));
    EXPECT_LENGTH_ERROR("2 bytes", map.lookup(Keys::hashes(keys), enough, bits));
    EXPECT_LENGTH_ERROR("19 values", map.lookup(keys, values));
    EXPECT_LENGTH_ERROR("19 values", map.lookup(Keys::hashes(keys), values));
    EXPECT_LENGTH_ERROR("19", map.select(keys, values));
    EXPECT_LENGTH_ERROR("2 bytes", map.contains(keys, bits));
}

TEST(Bloomier, HoldsItsSlotsAndNothingElse) {
    test::Counting counting;
    {
        const auto map = test::make_map({8, 8}, 10'000, {.allocator = &counting});
        EXPECT_EQ(counting.allocations, 1u);
        EXPECT_GE(counting.live, map.size_in_bytes());
        EXPECT_LE(counting.live, map.size_in_bytes() + 4096);
    }
    EXPECT_EQ(counting.live, 0u);
}

TEST(ConcurrentBloomier, LookupsShareAMap) {
    const auto map = test::make_map({8, 8}, 5000);
    const auto keys = test::random_keys(5000);
    const auto values = test::map_values(5000, 8);
    std::vector<int> right(4);
    test::at_once(4, [&](unsigned t) {
        std::vector<std::uint32_t> got(keys.size());
        right[t] = map.lookup(keys, got) == keys.size() && got == values &&
                   map.count(keys) == keys.size() && map.value_of(keys[t]) == values[t];
    });
    EXPECT_EQ(right, std::vector<int>(4, 1));
}

}  // namespace
}  // namespace simdbloom
