// Saved Bloomier filters: what was saved comes back on every way, and anything else is refused.

#include "bloomier_support.hpp"
#include "saved_checks.hpp"

namespace simdbloom {
namespace {

namespace fs = std::filesystem;
using test::Bytes;
using test::TemporaryFolder;

void expect_same_map(const BloomierMap& a, const BloomierMap& b) {
    EXPECT_EQ(a.spec(), b.spec());
    EXPECT_EQ(a.seed(), b.seed());
    EXPECT_EQ(a.n_keys(), b.n_keys());
    EXPECT_EQ(a.slots(), b.slots());
    EXPECT_EQ(a.attempts(), b.attempts());
    EXPECT_TRUE(test::same_bits(a, b));
    const auto keys = test::random_keys(3000);
    std::vector<std::uint32_t> left(3000), right(3000);
    std::vector<std::uint8_t> left_bits(375), right_bits(375);
    EXPECT_EQ(a.lookup(keys, left, left_bits), b.lookup(keys, right, right_bits));
    EXPECT_EQ(left, right);
    EXPECT_EQ(left_bits, right_bits);
}

TEST(BloomierSaved, EveryMapComesBackFromBytesViewsAndFiles) {
    const TemporaryFolder folder;
    for (const auto& shape : test::map_shapes())
        for (const std::size_t n : {0u, 1u, 2000u}) {
            const auto map = test::make_map(shape, n, {.seed = 77});
            SCOPED_TRACE(map.spec() + ", keys: " + std::to_string(n));
            const auto path = folder.path / "map";
            test::expect_comes_back<BloomierMap>(map, path, expect_same_map);
            // It goes on when the file is gone, and where it is moved or copied to.
            BloomierMap mapped = map_file<BloomierMap>(path).value();
            fs::remove(path);
            const BloomierMap moved = std::move(mapped), copied = moved;
            expect_same_map(map, moved);
            expect_same_map(map, copied);
        }
}

TEST(BloomierSaved, TheHeaderIsAsDocumented) {
    const auto map = test::make_map({5, 6, 4}, 1, {.seed = 0x1122334455667788u});
    const Bytes bytes = save(map);
    test::expect_header(bytes, {0x89, 'S', 'B',  'B',  'M',  '\r', '\n', 0x1A, 1,    0,    4,
                                5,    6,   4,    0,    0,    4,    0,    0,    0,    0,    0,
                                0,    0,   0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 1},
                        {{48, 1}});
    EXPECT_EQ(bytes.size(), 64 + 6 + 8) << "4 slots of 11 bits";
    // Slot i is bits 11 i on; the XOR of the key's four has the check in its low 6 bits, and the
    // value above.
    const auto place = detail::fuse_place(hash_key(test::random_key(0), map.seed()),
                                          detail::fuse_seed(1), {4, 0, 1});
    std::uint64_t all = 0, slots = 0;
    for (std::size_t i = 0; i < 6; ++i)
        all |= std::to_integer<std::uint64_t>(bytes[64 + i]) << (8 * i);
    for (const std::uint64_t slot : place.slot) slots ^= all >> (11 * slot) & 0x7FF;
    EXPECT_EQ(slots & 63, place.check & 63);
    EXPECT_EQ(slots >> 6, test::value_at(0, 5));
}

// Written once; on any machine the same.
TEST(BloomierSaved, AMapSavedEarlierIsReadAndWrittenTheSame) {
    const std::string golden =
        "895342424d0d0a1a01000307060402000a00000000000000050000000000000008000000000000000000000000"
        "00000006000000000000000000000000000000"
        "3b050034960ceb9900806ac479a2d181033ce61482752fb828";
    const std::vector<std::uint64_t> keys{1, 2, 3, 4, 5, 6, 7, 8};
    const std::vector<std::uint32_t> values{10, 20, 30, 40, 50, 60, 70, 80};
    Bytes bytes;
    for (std::size_t i = 0; i < golden.size(); i += 2)
        bytes.push_back(static_cast<std::byte>(std::stoul(golden.substr(i, 2), nullptr, 16)));
    EXPECT_EQ(save(BloomierMap::build(keys, values, 7, 6, {.seed = 5})), bytes);
    auto loaded = load<BloomierMap>(bytes);
    ASSERT_TRUE(loaded) << loaded.error().message;
    for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(loaded->value_of(keys[i]), values[i]);
}

TEST(BloomierSaved, ForgeriesWithAFittingChecksumAreRefusedByName) {
    using enum LoadFault;
    const Bytes good = save(test::make_map({8, 8}, 1000));
    const auto refused = test::refuser<BloomierMap>(good);
    refused(structure, "Bloomier", {{4, 'M'}, {3, 'L'}});
    refused(version, "version 2", {{8, 2, 2}});
    refused(parameter, "arity 5", {{10, 5}});
    refused(parameter, "33 value bits", {{11, 33}});
    refused(parameter, "33 check bits", {{12, 33}});
    refused(parameter, "0 value bits and 0", {{11, 0}, {12, 0}});
    refused(parameter, "its own is hash 4: build a Bloomier", {{13, 1}});
    refused(parameter, "hash 5", {{13, 5}});
    refused(secret, "keyed", {{13, 2}});
    refused(parameter, "2^19", {{14, 19}});
    refused(parameter, "1250 slots are not from 2049", {{14, 10}});
    refused(parameter, "key kind 12", {{15, 12}});
    refused(parameter, "reserved", {{40, 1}});
    refused(parameter, "reserved", {{52, 1}});
    refused(parameter, "reserved", {{63, 1}});
    refused(parameter, "0 slots", {{16, 0, 8}});
    refused(parameter, "4294967296 slots", {{16, std::uint64_t{1} << 32, 8}});
    refused(parameter, "1251 keys", {{32, 1251, 8}});
    refused(parameter, "attempts", {{48, 0, 4}});
    refused(size, "1251 slots of 16 bits take 2574 bytes, not 2572", {{16, 1251, 8}});
    refused(size, "4294967295 slots of 64 bits", {{16, 0xFFFFFFFFu, 8}, {11, 32}, {12, 32}});
    refused(limit, "2500 bytes", {}, {.max_bytes = 2499});
    // A filter is no map, and a map no filter.
    EXPECT_EQ(save(load(good).value()), good) << "as a filter of any structure";
    EXPECT_EQ(load<BloomierMap>(save(make_filter("split256", 1000, 12))).error().fault,
              LoadFault::structure);
}

TEST(BloomierSaved, LoadingAllocatesTheSlotsOnlyAndNothingForWhatItRefuses) {
    test::expect_one_allocation<BloomierMap>(save(test::make_map({8, 8}, 5000)));
}

}  // namespace
}  // namespace simdbloom
