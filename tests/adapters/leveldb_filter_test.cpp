// LevelDB's built-in filter without LevelDB: its published vectors, what it says of any bytes, and
// the same answers singly, in batches and on every ISA. leveldb_library_test.cpp compares with
// LevelDB itself.
#include "simdbloom/adapters/leveldb_filter.hpp"
#include "guarded.hpp"
#include "published_fpr.hpp"
#include "scale.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

std::string little_endian(std::uint64_t key) {
    std::string text;
    for (unsigned i = 0; i < 8; ++i) text += static_cast<char>(key >> (8 * i));
    return text;
}

TEST(LevelDbHash, HasTheVectorsOfLevelDb) {
    EXPECT_EQ(leveldb_hash(""), 0xBC9F1D34u);
    EXPECT_EQ(leveldb_hash("hello"), 0xF795964Eu);
    EXPECT_EQ(leveldb_hash("world"), 0x42C4E8FCu);
    EXPECT_EQ(leveldb_hash("\x62"), 0xEF1345C4u);
    EXPECT_EQ(leveldb_hash("\xC3\x97"), 0x5B663814u) << "bytes above 127 are not negative";
    EXPECT_EQ(leveldb_hash("\xE2\x99\xA5"), 0x323C078Fu);
    EXPECT_EQ(leveldb_hash("\xE1\x80\xB9\x32"), 0xED21633Au);
}

TEST(LevelDbHash, AnIntegerIsItsEightLittleEndianBytes) {
    for (std::uint64_t i = 0; i < 1000; ++i) {
        const std::uint64_t key = test::random_key(i);
        ASSERT_EQ(leveldb_hash(key), leveldb_hash(little_endian(key))) << key;
    }
}

/// Promise of LevelDbFilter.*, LevelDbLibrary.*: Filters in LevelDB's format equal LevelDB's
///   byte for byte.
TEST(LevelDbFilter, HasTheBytesOfTheKnownFilter) {
    const std::string_view keys[] = {"hello", "world"};
    const std::string expected("\x11\x40\x00\x41\x44\x10\x40\x10\x06", 9);
    EXPECT_TRUE(
        std::ranges::equal(make_leveldb_filter(keys, 10), std::as_bytes(std::span(expected))));
    std::string out = "before";
    append_leveldb_filter(keys, 10, out);
    EXPECT_EQ(out, "before" + expected);
}

TEST(LevelDbFilter, IntegersAndHashesGiveTheFilterOfTheirBytes) {
    const auto keys = test::random_keys(2000);
    std::vector<std::string> texts;
    std::vector<std::uint64_t> hashes;
    for (const auto key : keys) {
        texts.push_back(little_endian(key));
        hashes.push_back(leveldb_hash(key) | std::uint64_t{0xABCDEF}
                                                 << 40);  // only the low half is read
    }
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    for (const int bits : {0, 1, 7, 10, 43, 60}) {
        const auto filter = make_leveldb_filter(views, bits);
        EXPECT_EQ(make_leveldb_filter(keys, bits), filter) << bits;
        EXPECT_EQ(make_leveldb_filter(Keys::hashes(hashes), bits), filter) << bits;
        const auto hasher = [](std::uint64_t key, std::uint64_t seed) {
            return std::uint64_t{leveldb_hash(little_endian(key), std::uint32_t(seed))};
        };
        EXPECT_EQ(make_leveldb_filter(Keys::of(keys, hasher), bits), filter) << bits;
    }
    const std::vector<std::int32_t> narrow{7, -1};
    const std::vector<std::uint64_t> wide{7, ~std::uint64_t{0}};
    EXPECT_EQ(make_leveldb_filter(narrow, 10), make_leveldb_filter(wide, 10));
}

TEST(LevelDbFilter, WrongBitsPerKeyAreNamed) {
    const std::string_view keys[] = {"hello"};
    EXPECT_INVALID("bits_per_key=-3", make_leveldb_filter(keys, -3));
    std::string out = "kept";
    EXPECT_THROW(append_leveldb_filter(keys, -1, out), std::invalid_argument);
    EXPECT_EQ(out, "kept");
}

// Filters end at a page that faults and begin at any address; sizes are no multiples of a word.
TEST(LevelDbFilter, BatchesAnswerAsSingleKeysDoOnEveryIsa) {
    const test::GuardedBuffer filter_memory(600), key_memory(131 * 8);
    for (const std::size_t n_keys : {1u, 7u, 33u, 100u, 389u}) {
        const auto inserted = test::random_keys(n_keys);
        const auto made = make_leveldb_filter(inserted, 11);
        const auto at = filter_memory.last<std::byte>(made.size());
        std::copy(made.begin(), made.end(), at.begin());
        LevelDbFilterView view{std::span<const std::byte>(at)};
        for (const Isa isa : usable_isas()) {
            view.use_isa(isa);
            for (std::size_t n = 0; n <= 130; ++n) {
                SCOPED_TRACE(std::string(to_string(isa)) + " n=" + std::to_string(n));
                const auto keys = key_memory.last<std::uint64_t>(n);
                std::vector<std::uint64_t> hashes;
                for (std::size_t i = 0; i < n; ++i) {
                    keys[i] = test::random_key(test::random_key(i + n) % (2 * n_keys));
                    hashes.push_back(leveldb_hash(keys[i]) | test::random_key(i) << 32);
                    ASSERT_EQ(view.contains(keys[i]), view.contains_hash(hashes[i]));
                }
                ASSERT_NO_FATAL_FAILURE(test::expect_answers_of_single_keys(view, keys));
                ASSERT_NO_FATAL_FAILURE(test::expect_answers_of_single_hashes(view, hashes));
            }
        }
    }
}

TEST(LevelDbFilter, StringsAnswerAsTheirHashesDo) {
    std::vector<std::string> texts;
    std::vector<std::uint64_t> hashes;
    for (std::uint64_t i = 0; i < 3000; ++i) {
        texts.push_back("key " + std::to_string(test::random_key(i)));
        hashes.push_back(leveldb_hash(texts.back()));
    }
    const std::vector<std::string_view> keys(texts.begin(), texts.end());
    const auto filter = make_leveldb_filter(std::span(keys).first(1500), 10);
    const LevelDbFilterView view{std::span<const std::byte>(filter)};
    test::expect_answers(
        3000, [&](std::size_t i) { return view.contains_hash(hashes[i]); },
        [&] { return view.count(keys); }, [&](auto to) { return view.contains(keys, to); },
        [&](auto to) { return view.select(keys, to); });
    EXPECT_GE(view.count(keys), 1500u);
    EXPECT_LE(view.count(keys), 1550u);
    std::vector<std::uint8_t> bitmap(374);
    std::vector<std::uint32_t> positions(2999);
    EXPECT_THROW(view.contains(keys, bitmap), std::length_error);
    EXPECT_THROW((void)view.select(keys, positions), std::length_error);
}

// Past 2^32 bits LevelDB's 32-bit positions are taken as they are: the array behind is never asked.
TEST(LevelDbFilter, ArraysPast32BitsAreAskedByPlainPositions) {
    for (const std::size_t array_bytes :
         {(std::size_t{1} << 29) - 1, std::size_t{1} << 29, (std::size_t{1} << 29) + 4099}) {
        const test::GuardedBuffer memory(array_bytes + 1);
        const auto bytes = memory.last<std::byte>(array_bytes + 1);
        bytes.back() = std::byte{3};
        std::vector<std::uint64_t> hashes;
        for (std::uint64_t i = 0; i < 100; ++i) {
            auto h = static_cast<std::uint32_t>(test::random_key(i));
            if (i == 0) h = 0xFFFFFFFFu;
            hashes.push_back(h);
            for (unsigned j = 0; j < 3; ++j) {
                const std::uint64_t position =
                    static_cast<std::uint32_t>(h + j * (h >> 17 | h << 15)) %
                    (std::uint64_t{array_bytes} * 8);
                // All of the even ones, all but the last of the odd ones.
                if (i % 2 == 0 || j < 2)
                    bytes[position / 8] |= std::byte{1} << static_cast<int>(position % 8);
            }
        }
        LevelDbFilterView view{std::span<const std::byte>(bytes)};
        EXPECT_EQ(view.bits(), 8 * array_bytes);
        for (std::size_t i = 0; i < hashes.size(); ++i)
            ASSERT_EQ(view.contains_hash(hashes[i]), i % 2 == 0) << i;
        for (const Isa isa : usable_isas()) {
            view.use_isa(isa);
            std::vector<std::uint32_t> positions(100);
            ASSERT_EQ(view.select(Keys::hashes(hashes), positions), 50u) << to_string(isa);
            for (std::uint32_t i = 0; i < 50; ++i) ASSERT_EQ(positions[i], 2 * i);
        }
    }
}

TEST(LevelDbFilter, AViewOfLessThanTwoBytesHasNoBitsAndNoProbes) {
    const std::byte one[1]{std::byte{6}};
    for (const std::size_t bytes : {0u, 1u}) {
        const LevelDbFilterView view{std::span(one).first(bytes)};
        EXPECT_EQ(view.bits(), 0u);
        EXPECT_EQ(view.k(), 0u);
        EXPECT_EQ(view.size_in_bytes(), bytes);
    }
}

TEST(LevelDbFilter, TheSimulationGivesTheSameForTheSameArguments) {
    const published::SimulatedFpr four = published::simulate_leveldb_fpr(1'000'000, 9'000'000, 6);
    EXPECT_NEAR(four.fpr, 0.0199345, 1e-12);
    // Of four filters, and of their mean, whose variance is a quarter of theirs.
    EXPECT_NEAR(four.deviation / 1.5785475919338e-4, 1, 1e-9);
}

TEST(LevelDbFilter, ItsFprFollowsTheSimulation) {
    SIMDBLOOM_SKIP_IF_FORCED();
    for (const auto& [n, bits_per_key] :
         {std::pair{35u, 10}, {60u, 10}, {1000u, 8}, {50'000u, 12}}) {
        const unsigned filters = std::clamp(200'000u / n, 1u, 2000u), probes = 4'000'000 / filters;
        const auto outside = test::random_keys(probes, 1u << 30);
        double sum = 0;
        published::SimulatedFpr model{};
        for (unsigned f = 0; f < filters; ++f) {
            const auto filter = make_leveldb_filter(test::random_keys(n, f * n), bits_per_key);
            const LevelDbFilterView view{std::span<const std::byte>(filter)};
            if (f == 0) model = published::simulate_leveldb_fpr(n, view.bits(), view.k());
            sum += static_cast<double>(view.count(outside)) / probes;
        }
        const double sigma =
            std::sqrt((model.fpr / probes + model.deviation * model.deviation) / filters +
                      model.deviation * model.deviation / 40);
        EXPECT_LT(std::abs(sum / filters - model.fpr), 5 * sigma)
            << n << " keys: " << sum / filters << ", simulated " << model.fpr;
        // That the simulation is worth having: ideal hashing gives less.
        EXPECT_GT(model.fpr, 1.03 * fpr::classic(static_cast<double>(n) * bits_per_key, n,
                                                 static_cast<unsigned>(bits_per_key * 0.69)))
            << n;
    }
    EXPECT_THROW((void)published::simulate_leveldb_fpr(0, 64, 6), std::invalid_argument);
}

TEST(LevelDbFilter, UnusableIsasAreRefused) {
    const auto filter = make_leveldb_filter(test::random_keys(10), 10);
    LevelDbFilterView view{std::span<const std::byte>(filter)};
#if defined(__x86_64__)
    EXPECT_THROW(view.use_isa(Isa::neon), std::invalid_argument);
#else
    EXPECT_THROW(view.use_isa(Isa::avx2), std::invalid_argument);
#endif
    EXPECT_EQ(view.count(test::random_keys(10)), 10u);
}

}  // namespace
}  // namespace simdbloom
