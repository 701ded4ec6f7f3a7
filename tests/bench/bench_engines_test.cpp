// The filters of engines against published values and against engines on this system. Subjects.*
// hold them against their models.
#include "engines/designs.hpp"
#include "harness/keys.hpp"
#include "replication/parquet_folding.hpp"
#include "simdbloom/simdbloom.hpp"
#include "support.hpp"

namespace simdbloom::bench::engines {
namespace {

TEST(EngineHashes, TrinoOfBigints) {  // tests hold hash_bytes against published values
    auto keys = KeySource::generated(7).keys(0, 1000);
    keys.insert(keys.end(), {0, 1, 42, static_cast<u64>(-42), u64{1} << 63, ~u64{0} >> 1, ~u64{0}});
    for (const u64& key : keys)
        EXPECT_EQ(xxh64(key), hash_bytes({reinterpret_cast<const char*>(&key), 8})) << key;
}

TEST(EngineHashes, ClickHouseOfEightBytes) {  // _testdata/data.json of go-faster/city: ClickHouse64
    EXPECT_EQ(city64(0x6867666564636261u), 4864636163090995991u);  // "abcdefgh"
}

TEST(EngineHashes, DuckDbOfBigints) {  // SELECT hash(x::BIGINT), DuckDB 1.5.6 (@duckdb/node-api)
    EXPECT_EQ(duckdb_hash(0), 0u);
    EXPECT_EQ(duckdb_hash(1), 4717996019076358352u);
    EXPECT_EQ(duckdb_hash(42), 7199933130570745587u);
    EXPECT_EQ(duckdb_hash(static_cast<u64>(-1)), 4939931809569846361u);
    EXPECT_EQ(duckdb_hash(12345678901234u), 18162560320397688022u);
}

// What DuckDB 1.5.6 lets through a scan that its Bloom filter prunes:
//   CREATE TABLE dim AS SELECT (i * 7919 + 1)::BIGINT AS k FROM range(100000) t(i);
//   CREATE TABLE fact ...: (i * 7919 + j)::BIGINT for i in range(99999), j in 2 .. 12;
//   EXPLAIN ANALYZE SELECT count(*) FROM fact JOIN dim ON fact.k = dim.k
// The scan of dim gives 99,998 rows, those above the least and below the greatest k of fact, and
// the scan of fact 2,830 rows within the least and greatest of these: all of them strangers.
/// Promise of EngineHashes.*, EngineFilters.*, Subjects.*, duckdb: The measured engines' filters
///   match the engines in bytes, hashes, sizes and FPR.
TEST(EngineFilters, DuckDbLetsTheRowsThroughThatDuckDbLetsThrough) {
    EngineFilter<DuckDb> filter(99'998, 12);
    for (u64 i = 1; i < 99'999; ++i) filter.insert(i * 7919 + 1);
    EXPECT_EQ(filter.size_in_bytes(), u64{8} << 15);
    unsigned passed = 0;
    for (u64 j = 2; j < 13; ++j)
        for (u64 i = 0; i < 99'999; ++i) {
            const u64 key = i * 7919 + j;
            passed += key >= 7920 && key <= 791'884'163 && filter.contains(key);
        }
    EXPECT_EQ(passed, 2830u);
}

// BloomFilterMasks of apache/arrow (commit 2419896), with libstdc++.
TEST(EngineFilters, AceroHasArrowsMasks) {
    const auto& masks = acero_masks();
    EXPECT_EQ(masks[0], 0x0000080001140020u);
    EXPECT_EQ(masks[1023], 0x0000000240011010u);
    u64 checksum = 0;
    for (const u64 mask : masks) checksum = checksum * 0x9E3779B97F4A7C15u + mask;
    EXPECT_EQ(checksum, 0x8D98FAF1383040D8u);
}

// Of parquet-format's vectors, whose bits lie in the words that Velox's order of salts gives them.
TEST(EngineFilters, VeloxHasParquetsBits) {
    constexpr u64 hash = 0x26C7827D889F6DA3u;  // "hello"
    constexpr u32 bits[] = {20, 9, 10, 7, 9, 31, 28, 27};
    constexpr unsigned word_of[] = {5, 1, 0, 7, 4, 2, 6, 3};
    Velox velox(32 * 256 / 8, 8);
    velox.insert(hash);
    for (unsigned i = 0; i < 8; ++i)
        EXPECT_EQ(velox.bits.words[8 * 4 + i], u32{1} << bits[word_of[i]]) << i;
}

TEST(EngineFilters, ParquetsFoldingEndsWithoutBlocks) {
    int tried = 0;
    const auto refuse_third = [&](const auto&) { return ++tried < 3 ? 0.0 : 1.0; };
    EXPECT_TRUE(parquet_folding::folded_to({}, 0.5, refuse_third).empty());
    EXPECT_EQ(tried, 0);
    EXPECT_EQ(parquet_folding::folded_to(std::vector<std::uint32_t>(128), 0.5, refuse_third).size(),
              32u);
}

// filter<uint64_t, 1, fast_multiblock32<8>> of Boost.Bloom (commit 7eda52e), filled with the keys
// 0, 77, 154, ...; its bytes as digits of a number, modulo 2^64.
TEST(EngineFilters, BoostHasTheBytesOfBoost) {
    const auto checksum = [](u64 n) {
        EngineFilter<Boost> filter(n, 12);
        for (u64 i = 0; i < n; ++i) filter.insert(i * 77);
        u64 sum = 0;
        const auto& words = filter.design().bits.words;
        for (u64 i = 0; i < words.size(); ++i)
            for (unsigned byte = 0; byte < 4; ++byte)
                sum = sum * 0x9E3779B97F4A7C15u + (words[i] >> 8 * byte & 0xFF);
        return sum;
    };
    EXPECT_EQ(checksum(1), 0x641D44051159FA04u);
    EXPECT_EQ(checksum(1000), 0x097ADE9F52D1ECB7u);
    EXPECT_EQ(checksum(12345), 0x89A324002A792785u);
}

TEST(EngineFilters, OfOneKeyAndOfNoneAreFiltersToo) {
    All::for_each([]<class Design>() {
        SCOPED_TRACE(Design::name);
        EngineFilter<Design> none(1, 12), one(1, 12);
        one.insert(99);
        EXPECT_TRUE(one.contains(99));
        EXPECT_GE(one.size_in_bytes(), 8u);
        std::vector<u64> keys(1000);
        for (u64 i = 0; i < keys.size(); ++i) keys[i] = i;
        EXPECT_EQ(none.count(keys), 0u);
        EXPECT_EQ(none.contains(std::span<const u64>(), std::span<std::uint8_t>()), 0u);
    });
}

}  // namespace
}  // namespace simdbloom::bench::engines
