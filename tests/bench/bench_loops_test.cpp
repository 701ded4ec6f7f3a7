// The loops of engines: their hashes, sizes and bits against published values, and what they write
// against the plain loops.
#include <numeric>

#include "engines/loops.hpp"
#include "harness/keys.hpp"
#include "simdbloom/simdbloom.hpp"
#include "support.hpp"

namespace simdbloom::bench::engines {
namespace {

std::vector<u64> some_words(u64 seed, std::size_t n) {
    return KeySource::generated(seed).keys(0, n);
}

TEST(EngineHashes, VeloxOfBigints) {  // mir-ion, wangMixHash64; velox/type/tests/TypeTest.cpp
    EXPECT_EQ(wang_hash(0), 8633297058295171728u);
    EXPECT_EQ(wang_hash(1), 6614235796240398542u);
}

TEST(EngineSizes, OfVelox) {  // SplitBlockBloomFilterTest.numBlocks, velox at 4d16851
    const auto bytes = [](u64 n, double fpr) {
        return 32 * static_cast<u64>(std::ceil(std::ceil(split_block_bits(n, fpr)) / 256));
    };
    EXPECT_EQ(bytes(50'000'000, 0.01), 60509568u);
    EXPECT_EQ(bytes(45'523'964, 0.1), 32848640u);
}

TEST(EngineSizes, OfParquetCpp) {  // the table of parquet/properties.h, arrow at 515410b
    const auto kib = [](u64 n, double fpr) {
        return ParquetCpp::blocks_for_fpr(n, fpr) * 32 / 1024;
    };
    for (const double fpr : {0.1, 0.05, 0.01}) EXPECT_EQ(kib(100'000, fpr), 128u) << fpr;
    EXPECT_EQ(kib(1'000'000, 0.1), 1024u);
    EXPECT_EQ(kib(1'000'000, 0.05), 1024u);
    EXPECT_EQ(kib(1'000'000, 0.01), 2048u);
    EXPECT_EQ(kib(10'000'000, 0.1), 8192u);
    EXPECT_EQ(kib(10'000'000, 0.05), 16384u);
    EXPECT_EQ(kib(10'000'000, 0.01), 16384u);
    EXPECT_EQ(ParquetCpp::blocks_for_fpr(1, 0.5), 1u);
    EXPECT_EQ(ParquetCpp::blocks_for_fpr(u64{1} << 40, 0.01), ParquetCpp::most_blocks);
}

TEST(EngineFilters, ParquetCppHasTheFormatsBits) {
    constexpr u64 hash = 0x26C7827D889F6DA3u;  // "hello", BloomFilter.md of parquet-format
    constexpr u32 bits[] = {20, 9, 10, 7, 9, 31, 28, 27};
    auto vector = ParquetCpp::with_blocks(32);
    parquet_insert(vector, std::span(&hash, 1));
    for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(vector.bits.words[8 * 4 + i], u32{1} << bits[i]);

    const auto hashes = some_words(1, 5000);
    auto theirs = ParquetCpp::with_blocks(256);
    auto ours = SplitBlockBloom::with_bits_per_key(256, 256);
    parquet_insert(theirs, hashes);
    ours.insert(simdbloom::Keys::hashes(hashes));
    ASSERT_EQ(theirs.bits.bytes(), ours.size_in_bytes());
    EXPECT_EQ(std::memcmp(theirs.bits.words.data(), ours.bytes().data(), ours.size_in_bytes()), 0);
}

// With one key in each of 4,096 blocks the words are full by 1/32: after j foldings by
// 1 - (31/32)^(2^j), whose eighth power passes 1 % at j = 5.
TEST(EngineSizes, ParquetCppFoldsByTheMeanFill) {
    auto filter = ParquetCpp::with_blocks(4096);
    for (u64 block = 0; block < 4096; ++block) filter.insert(block << 52 | 12345);
    EXPECT_EQ(parquet_folded_blocks(filter, 0.01), 4096u / 16);
    EXPECT_EQ(parquet_folded_blocks(filter, 1e-12), 4096u);
    EXPECT_EQ(parquet_folded_blocks(ParquetCpp::with_blocks(4096), 0.01), 1u);
    EXPECT_EQ(parquet_folded_blocks(ParquetCpp::with_blocks(1), 0.01), 1u);
}

// Batches of every length up to two words, and one of many, in filters on both sides of 256 KiB:
// the bits go where the plain loop sets them, and lookups write what it answers and nothing else.
// Of each value, `hash` goes into the filter.
template <class Design, class Insert, class Check>
void for_batches(u64 (*hash)(u64), const Insert& insert, const Check& check) {
    const auto words = some_words(2, 3000);
    for (const u64 n_keys : {1000u, 400'000u}) {
        Design plain(n_keys, 12), looped(n_keys, 12);
        const auto in = std::span(words).first(1500);
        for (const u64 word : in) plain.insert(hash(word));
        insert(looped, in);
        const auto data = [](const auto& bits) {
            if constexpr (requires { bits.words; }) return bits.words.data();
            else return bits.data();
        };
        ASSERT_EQ(plain.bits.bytes(), looped.bits.bytes());
        EXPECT_EQ(std::memcmp(data(plain.bits), data(looped.bits), plain.bits.bytes()), 0);
        for (std::size_t n = 0; n <= 130; ++n) check(looped, std::span(words).subspan(1450, n));
        check(looped, std::span<const u64>(words));
    }
}
u64 as_it_is(u64 hash) { return hash; }
constexpr std::uint8_t untouched = 0xA5;

/// find(bitmap) writes what the plain loop answers.
template <class Find>
void expect_bitmap(const auto& filter, Hashes hashes, const Find& find) {
    std::vector<std::uint8_t> expected((hashes.size() + 7) / 8);
    for (std::size_t i = 0; i < hashes.size(); ++i)
        expected[i / 8] |= static_cast<std::uint8_t>(filter.contains(hashes[i]) << i % 8);
    expected.push_back(untouched);
    std::vector<std::uint8_t> bitmap(expected.size(), untouched);
    find(bitmap.data());
    EXPECT_EQ(bitmap, expected);
}
std::size_t found_in(const auto& filter, Hashes hashes) {
    return static_cast<std::size_t>(
        std::ranges::count_if(hashes, [&](u64 hash) { return filter.contains(hash); }));
}

TEST(EngineLoops, ParquetCppAnswersAsThePlainLoop) {
    for_batches<ParquetCpp>(as_it_is, parquet_insert, [](const ParquetCpp& filter, Hashes hashes) {
        expect_bitmap(filter, hashes, [&](std::uint8_t* bitmap) {
            EXPECT_EQ(parquet_find(filter, hashes, bitmap), found_in(filter, hashes));
        });
    });
}

TEST(EngineLoops, AceroAnswersAsThePlainLoop) {
    for_batches<Acero>(as_it_is, acero_insert, [](const Acero& filter, Hashes hashes) {
        expect_bitmap(filter, hashes,
                      [&](std::uint8_t* bitmap) { acero_find(filter, hashes, bitmap); });
    });
}

TEST(EngineLoops, DuckDbAnswersAsThePlainLoop) {
    for_batches<DuckDb>(as_it_is, duckdb_insert, [](const DuckDb& filter, Hashes hashes) {
        std::vector<u32> expected, selection(hashes.size());
        for (std::size_t i = 0; i < hashes.size(); ++i)
            if (filter.contains(hashes[i])) expected.push_back(static_cast<u32>(i));
        selection.resize(duckdb_lookup(filter, hashes, selection.data()));
        EXPECT_EQ(selection, expected);
    });
}

TEST(EngineLoops, VeloxAnswersAsThePlainLoop) {
    for_batches<Velox>(wang_hash, velox_insert, [](const Velox& filter, Hashes values) {
        std::vector<u64> hashes(values.size()), rows(values.size() / 64 + 1, ~u64{0});
        velox_hash(values, hashes.data());
        EXPECT_EQ(velox_apply(filter, values, rows.data()), found_in(filter, hashes));
        for (std::size_t i = 0; i < 64 * rows.size(); ++i)
            EXPECT_EQ(rows[i / 64] >> i % 64 & 1,
                      i >= values.size() || filter.contains(wang_hash(values[i])));
    });
}

TEST(EngineLoops, ClickHouseAnswersAsThePlainLoop) {
    const auto pairs_of = [](Hashes values) {
        std::vector<ClickHousePair> pairs;
        for (const u64 value : values) pairs.push_back(clickhouse_pair(value));
        return pairs;
    };
    for_batches<ClickHouse>(
        city64,
        [&](ClickHouse& filter, Hashes values) {
            ClickHouseLoops{filter}.insert(pairs_of(values));
        },
        [&](ClickHouse& filter, Hashes values) {
            std::vector<std::uint8_t> expected, mask(values.size() + 1, untouched);
            for (const u64 value : values) expected.push_back(filter.contains(city64(value)));
            expected.push_back(untouched);
            const auto found = ClickHouseLoops{filter}.find(pairs_of(values), mask.data());
            EXPECT_EQ(mask, expected);
            EXPECT_EQ(found,
                      static_cast<std::size_t>(std::accumulate(mask.begin(), mask.end() - 1, 0)));
        });
}

TEST(EngineLoops, RemaindersAreThoseOfTheDivision) {
    const auto words = some_words(3, 200);
    std::vector<u64> divisors{2, 3, 64, 65, u64{1} << 22, u64{1} << 63, ~u64{0}, ~u64{0} - 1};
    for (const u64 word : words) divisors.push_back(std::max<u64>(2, word >> word % 60));
    for (const u64 divisor : divisors) {
        const Remainder remainder(divisor);
        for (const u64 x : words) EXPECT_EQ(remainder(x), x % divisor) << divisor;
        for (const u64 x : {u64{0}, u64{1}, divisor - 1, divisor, divisor + 1, ~u64{0}})
            EXPECT_EQ(remainder(x), x % divisor) << x << " " << divisor;
    }
}

TEST(EngineLoops, BytesOfBits) {
    const auto words = some_words(4, 4);
    const auto* const bits = reinterpret_cast<const std::uint8_t*>(words.data());
    for (std::size_t n = 0; n <= 8 * 8 * words.size(); ++n) {
        std::vector<std::uint8_t> expected(n + 1, untouched), mask(n + 1, untouched);
        for (std::size_t i = 0; i < n; ++i) expected[i] = bits[i / 8] >> i % 8 & 1;
        bytes_of_bits(bits, n, mask.data());
        EXPECT_EQ(mask, expected);
    }
}

}  // namespace
}  // namespace simdbloom::bench::engines
