// Saved Bloomier filters: what was saved comes back on every way, and anything else is refused.

#include "bloomier_support.hpp"
#include "saved_checks.hpp"

namespace simdbloom {
namespace {

namespace fs = std::filesystem;
using test::Bytes;
using test::put;
using test::sign;
using test::TemporaryFolder;

void expect_same_map(const BloomierMap& a, const BloomierMap& b) {
    EXPECT_EQ(a.spec(), b.spec());
    EXPECT_EQ(a.seed(), b.seed());
    EXPECT_EQ(a.n_keys(), b.n_keys());
    EXPECT_EQ(a.slots(), b.slots());
    EXPECT_EQ(a.attempts(), b.attempts());
    EXPECT_TRUE(std::ranges::equal(a.bytes(), b.bytes()));
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

TEST(BloomierSaved, KeyedMapsAskForTheirKey) {
    const Options keyed{.hashing = Hashing::keyed, .secret = Secret{1, 2}};
    const auto map = test::make_map({8, 8}, 100, keyed);
    const Bytes bytes = save(map);
    auto loaded = load<BloomierMap>(bytes, keyed);
    ASSERT_TRUE(loaded) << loaded.error().message;
    expect_same_map(map, *loaded);
    for (const Options& wrong : {Options{}, Options{.hashing = Hashing::keyed},
                                 Options{.hashing = Hashing::keyed, .secret = Secret{1, 3}}}) {
        auto refused = load<BloomierMap>(bytes, wrong);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().fault, LoadFault::secret) << refused.error().message;
    }
    auto unkeyed = load<BloomierMap>(save(test::make_map({8, 8}, 100)), keyed);
    ASSERT_FALSE(unkeyed);
    EXPECT_EQ(unkeyed.error().fault, LoadFault::secret);
}

// Written once; on any machine the same.
TEST(BloomierSaved, AMapSavedEarlierIsReadAndWrittenTheSame) {
    const std::string golden =
        "895342424d0d0a1a01000307060402000a00000000000000050000000000000008000000000000000000000000"
        "00000006000000000000000000000000000000"
        "3b050034960ceb9900806ac479a2d181033ce61482752fb828";
    const std::vector<std::uint64_t> keys{1, 2, 3, 4, 5, 6, 7, 8};
    const std::vector<std::uint32_t> values{10, 20, 30, 40, 50, 60, 70, 80};
    std::string hex;
    for (const std::byte b : save(BloomierMap::build(keys, values, 7, 6, {.seed = 5}))) {
        char text[3];
        std::snprintf(text, sizeof text, "%02x", std::to_integer<unsigned>(b));
        hex += text;
    }
    EXPECT_EQ(hex, golden);
    Bytes bytes;
    for (std::size_t i = 0; i < golden.size(); i += 2)
        bytes.push_back(static_cast<std::byte>(std::stoul(golden.substr(i, 2), nullptr, 16)));
    auto loaded = load<BloomierMap>(bytes);
    ASSERT_TRUE(loaded) << loaded.error().message;
    for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(loaded->value_of(keys[i]), values[i]);
}

TEST(BloomierSaved, EveryTruncationAndExtensionIsRefused) {
    for (const test::MapShape shape : {test::MapShape{0, 8}, {5, 6, 4}, {32, 32}})
        test::expect_other_lengths_refused<BloomierMap>(save(test::make_map(shape, 300)));
}

TEST(BloomierSaved, EveryFlippedBitIsSeen) {
    for (const test::MapShape shape : {test::MapShape{0, 8}, {5, 6, 4}})
        test::expect_flipped_bits_refused<BloomierMap>(save(test::make_map(shape, 3400)));
}

TEST(BloomierSaved, ForgeriesWithAFittingChecksumAreRefusedByName) {
    const Bytes good = save(test::make_map({8, 8}, 1000));
    const auto refused = [&](LoadFault fault, const std::string& says, auto change,
                             const Options& options = {}) {
        Bytes bytes = good;
        change(bytes);
        sign(bytes);
        test::expect_refused(load<BloomierMap>(bytes, options), fault, says);
    };
    refused(LoadFault::foreign, "Bloomier",
            [](Bytes& b) { b[4] = std::byte{'M'}, b[3] = std::byte{'L'}; });
    refused(LoadFault::version, "version 2", [](Bytes& b) { put(b, 8, std::uint16_t{2}); });
    refused(LoadFault::parameter, "arity 5", [](Bytes& b) { b[10] = std::byte{5}; });
    refused(LoadFault::parameter, "33 value bits", [](Bytes& b) { b[11] = std::byte{33}; });
    refused(LoadFault::parameter, "33 check bits", [](Bytes& b) { b[12] = std::byte{33}; });
    refused(LoadFault::parameter, "0 value bits and 0",
            [](Bytes& b) { b[11] = b[12] = std::byte{0}; });
    refused(LoadFault::parameter, "its own is hash 4: build a Bloomier",
            [](Bytes& b) { b[13] = std::byte{1}; });
    refused(LoadFault::parameter, "hash 5", [](Bytes& b) { b[13] = std::byte{5}; });
    refused(LoadFault::secret, "keyed", [](Bytes& b) { b[13] = std::byte{2}; });
    refused(LoadFault::parameter, "2^19", [](Bytes& b) { b[14] = std::byte{19}; });
    refused(LoadFault::parameter, "1250 slots are not from 2049",
            [](Bytes& b) { b[14] = std::byte{10}; });
    refused(LoadFault::parameter, "key kind 12", [](Bytes& b) { b[15] = std::byte{12}; });
    refused(LoadFault::parameter, "reserved", [](Bytes& b) { b[40] = std::byte{1}; });
    refused(LoadFault::parameter, "reserved", [](Bytes& b) { b[52] = std::byte{1}; });
    refused(LoadFault::parameter, "reserved", [](Bytes& b) { b[63] = std::byte{1}; });
    refused(LoadFault::parameter, "0 slots", [](Bytes& b) { put(b, 16, std::uint64_t{0}); });
    refused(LoadFault::parameter, "4294967296 slots",
            [](Bytes& b) { put(b, 16, std::uint64_t{1} << 32); });
    refused(LoadFault::parameter, "1251 keys", [](Bytes& b) { put(b, 32, std::uint64_t{1251}); });
    refused(LoadFault::parameter, "attempts", [](Bytes& b) { put(b, 48, std::uint32_t{0}); });
    refused(LoadFault::size, "1251 slots of 16 bits take 2574 bytes, not 2572",
            [](Bytes& b) { put(b, 16, std::uint64_t{1251}); });
    refused(LoadFault::size, "4294967295 slots of 64 bits", [](Bytes& b) {
        put(b, 16, std::uint64_t{0xFFFFFFFFu}), b[11] = b[12] = std::byte{32};
    });
    refused(LoadFault::limit, "2500 bytes", [](Bytes&) {}, {.max_bytes = 2499});
    // A filter is no map, and a map no filter.
    EXPECT_EQ(save(load(good).value()), good) << "as a filter of any structure";
    EXPECT_EQ(load<BloomierMap>(save(make_filter("split256", 1000, 12))).error().fault,
              LoadFault::foreign);
}

// Whatever slots and seeds someone signs, lookups stay inside them.
TEST(BloomierSaved, ForgedSlotsAreLookedUpWithinThem) {
    for (const auto& shape : test::map_shapes()) {
        Bytes bytes = save(test::make_map(shape, 100));
        for (std::size_t i = 64; i + 8 < bytes.size(); ++i)
            bytes[i] = static_cast<std::byte>(test::random_key(i));
        put(bytes, 48, std::uint32_t{0xFFFFFFFFu});
        sign(bytes);
        auto loaded = load<BloomierMap>(bytes);
        ASSERT_TRUE(loaded) << loaded.error().message;
        const auto keys = test::random_keys(500);
        std::vector<std::uint32_t> expected(500), got(500);
        for (std::size_t i = 0; i < 500; ++i) expected[i] = loaded->value_of(keys[i]).value_or(0);
        for (const Isa isa : usable_isas()) {
            loaded->use_isa(isa);
            loaded->lookup(keys, got);
            EXPECT_EQ(got, expected) << loaded->spec() << " on " << to_string(isa);
        }
        for (const auto value : expected) EXPECT_EQ(std::uint64_t{value} >> shape.value_bits, 0u);
    }
}

}  // namespace
}  // namespace simdbloom
