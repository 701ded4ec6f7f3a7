// Parquet's Bloom filters: bytes of the specification, hashes of values, bytes that are none, and
// the filters of column chunks while row groups are written.
#include "parquet_support.hpp"

namespace simdbloom {
namespace {

using parquet::ChunkFilter;
using parquet::PhysicalType;
using test::Bytes;
using test::expect_refused;
using test::parquet_bytes;
using test::split_block_of;

// Values, blocks and bits of a filter of 32 blocks, worked out by hand from the specification.
struct Vector {
    const char* key;
    std::uint64_t hash;
    std::size_t block;
    unsigned bits[8];
};
constexpr Vector vectors[] = {{"hello", 0x26c7827d889f6da3, 4, {20, 9, 10, 7, 9, 31, 28, 27}},
                              {"parquet", 0x3c9d29275c52e429, 7, {2, 22, 22, 19, 26, 13, 4, 1}},
                              {"bloom", 0x50c8fb9e62dbc53c, 10, {21, 11, 8, 29, 23, 27, 8, 12}},
                              {"filter", 0x2a5736cdfcd7a9a1, 5, {23, 28, 0, 28, 5, 21, 30, 19}}};

/// Promise of Parquet.*, duckdb: Parquet filters follow the specification, and never exclude a row
///   group that holds the value.
TEST(Parquet, BytesAreThoseOfTheSpecification) {
    auto filter = split_block_of(32);
    ASSERT_EQ(filter.blocks(), 32u);
    std::vector<std::byte> bits(1024);
    for (const auto& v : vectors) {
        EXPECT_EQ(parquet::hash_value(std::string_view(v.key)), v.hash);
        filter.insert_hash(v.hash);
        for (std::size_t word = 0; word < 8; ++word)
            bits[v.block * 32 + word * 4 + v.bits[word] / 8] |= std::byte{1} << (v.bits[word] % 8);
    }
    const auto bytes = parquet::write_filter(filter);
    ASSERT_EQ(bytes.size(), 16 + 1024u);
    auto expected =
        parquet_bytes({0x15, 0x80, 0x10, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0});
    expected.insert(expected.end(), bits.begin(), bits.end());
    EXPECT_EQ(bytes, expected);

    const auto read = parquet::read_filter(bytes).value();
    EXPECT_EQ(read.bytes, bytes.size());
    EXPECT_EQ(read.filter.blocks(), 32u);
    EXPECT_EQ(read.filter.n_keys(), 4u);
    EXPECT_TRUE(std::ranges::equal(read.filter.bytes(), bits));
    for (const auto& v : vectors) EXPECT_TRUE(read.filter.contains(std::string_view(v.key)));
}

TEST(Parquet, AnyNumberOfBlocksGoesOutAndComesBack) {
    for (const std::size_t blocks : {1u, 2u, 3u, 5u, 100u, 1023u, 40'000u}) {
        auto filter = split_block_of(blocks);
        const auto hashes = test::random_keys(blocks * 10);
        filter.insert(simdbloom::Keys::hashes(hashes));
        const auto bytes = parquet::write_filter(filter);
        const auto read = parquet::read_filter(bytes).value();
        EXPECT_TRUE(std::ranges::equal(read.filter.bytes(), filter.bytes())) << blocks;
        EXPECT_EQ(read.filter.count(Keys::hashes(hashes)), hashes.size());
        EXPECT_NEAR(static_cast<double>(read.filter.n_keys()), static_cast<double>(hashes.size()),
                    5 + 0.02 * static_cast<double>(hashes.size()))
            << blocks;
    }
}

TEST(Parquet, HashesOfEveryType) {
    const auto of_bytes = [](std::initializer_list<unsigned> bytes) {
        std::string text;
        for (const unsigned b : bytes) text += static_cast<char>(b);
        return hash_bytes(text);
    };
    EXPECT_EQ(parquet::hash_value(true), of_bytes({1}));
    EXPECT_EQ(parquet::hash_value(std::int32_t{-2}), of_bytes({0xFE, 0xFF, 0xFF, 0xFF}));
    EXPECT_EQ(parquet::hash_value(std::int64_t{0x0102}), of_bytes({2, 1, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(parquet::hash_value(1.0f), of_bytes({0, 0, 0x80, 0x3F}));
    EXPECT_EQ(parquet::hash_value(1.0), of_bytes({0, 0, 0, 0, 0, 0, 0xF0, 0x3F}));
    EXPECT_EQ(parquet::hash_value(std::array<std::uint32_t, 3>{1, 2, 0x03040506}),
              of_bytes({1, 0, 0, 0, 2, 0, 0, 0, 6, 5, 4, 3}));

    const auto text = [](PhysicalType type, std::string_view value) {
        const auto hashes = parquet::hash_text(type, 2, value);
        EXPECT_EQ(hashes.size(), 1u);
        return hashes.at(0);
    };
    EXPECT_EQ(text(PhysicalType::boolean, "true"), of_bytes({1}));
    EXPECT_EQ(text(PhysicalType::int32, "-2"), parquet::hash_value(std::int32_t{-2}));
    EXPECT_EQ(text(PhysicalType::int64, "258"), parquet::hash_value(std::int64_t{258}));
    EXPECT_EQ(text(PhysicalType::int96, "010000000200000006050403"),
              of_bytes({1, 0, 0, 0, 2, 0, 0, 0, 6, 5, 4, 3}));
    EXPECT_EQ(text(PhysicalType::int96, "ff0000001200000006A5f403"),
              of_bytes({0xFF, 0, 0, 0, 0x12, 0, 0, 0, 6, 0xA5, 0xF4, 3}));
    EXPECT_EQ(text(PhysicalType::float32, "1"), parquet::hash_value(1.0f));
    EXPECT_EQ(text(PhysicalType::float64, "1e0"), parquet::hash_value(1.0));
    EXPECT_EQ(text(PhysicalType::byte_array, "hello"), vectors[0].hash);
    EXPECT_EQ(text(PhysicalType::fixed_len_byte_array, "ab"), hash_bytes("ab"));
    const std::pair<PhysicalType, const char*> wrong[] = {
        {PhysicalType::boolean, "yes"},   {PhysicalType::int32, "3000000000"},
        {PhysicalType::int32, "1x"},      {PhysicalType::int64, ""},
        {PhysicalType::int96, "01"},      {PhysicalType::int96, "01000000020000000605040g"},
        {PhysicalType::float64, "one"},   {PhysicalType::float32, "nan"},
        {PhysicalType::float64, "1e999"}, {PhysicalType::fixed_len_byte_array, "abc"}};
    for (const auto& w : wrong)
        EXPECT_INVALID(std::string("\"") + w.second + "\"", text(w.first, w.second));
}

TEST(Parquet, AZeroIsAskedForInBothItsEncodings) {
    for (const char* zero : {"0", "-0", "0.0", "-0e7"}) {
        EXPECT_EQ(parquet::hash_text(PhysicalType::float32, 0, zero),
                  (std::vector{parquet::hash_value(0.0f), parquet::hash_value(-0.0f)}));
        EXPECT_EQ(parquet::hash_text(PhysicalType::float64, 0, zero),
                  (std::vector{parquet::hash_value(0.0), parquet::hash_value(-0.0)}));
    }
    EXPECT_NE(parquet::hash_value(0.0), parquet::hash_value(-0.0));
    EXPECT_NE(parquet::hash_value(0.0f), parquet::hash_value(-0.0f));
    EXPECT_EQ(parquet::hash_text(PhysicalType::int64, 0, "-0").size(), 1u);
}

TEST(Parquet, RefusesBytesThatAreNoFilter) {
    auto filter = split_block_of(2);
    filter.insert_hash(1);
    const auto good = parquet::write_filter(filter);
    for (std::size_t n = 0; n < good.size(); ++n)
        EXPECT_FALSE(parquet::read_filter(std::span(good).first(n))) << n;
    expect_refused(parquet::read_filter(std::span(good).first(40)), LoadFault::too_short,
                   "64 bytes where 24 are left");
    expect_refused(parquet::read_filter(good, {.max_bytes = 63}), LoadFault::limit, "63");
    const auto refused = [](const Bytes& bytes, const std::string& says) {
        expect_refused(parquet::read_filter(bytes), LoadFault::parameter, says);
    };
    // A header of which one byte is another.
    const auto header =
        parquet_bytes({0x15, 0x40, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0});
    refused(test::changed(header, {{1, 0x42}}), "33 bytes");
    refused(test::changed(header, {{1, 0x00}}), "0 bytes");
    refused(test::changed(header, {{3, 0x2c}}), "algorithm");
    refused(test::changed(header, {{7, 0x2c}}), "hash");
    refused(test::changed(header, {{11, 0x2c}}), "compression");
    refused(parquet_bytes({0x15, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02}),
            "64 bits");
    refused(parquet_bytes({0x15, 0x80, 0x80, 0x80, 0x80, 0x7F}), "32 bits");
    refused(parquet_bytes({0x16, 0x40}), "numBytes is of type 6");
    refused(parquet_bytes({0x1F}), "type 15");
    refused(parquet_bytes({0x59, 0xF5, 0xFF, 0xFF, 0xFF, 0x0F}), "elements where");
    // A structure in field 5 in a structure in field 5 ..
    refused(Bytes(1000, std::byte{0x5C}), "32 structures");
}

/// Promise: A chunk filter has the bits of its folded size, meets its FPR, and is dropped if
///   worthless.
TEST(ParquetChunk, AFilterIsFoldedToTheFprAndHasTheBitsOfThatSize) {
    ChunkFilter filter({.fpr = 0.01, .max_bytes = 1 << 18});
    for (const std::size_t n : {1u, 10u, 1'000u, 20'000u, 100'000u}) {
        const auto hashes = test::random_keys(n);
        filter.insert(std::span(hashes).first(n / 2));
        for (const auto hash : std::span(hashes).subspan(n / 2)) filter.insert(hash);
        const auto flushed = filter.flush(1 << 30);
        auto read = parquet::read_filter(flushed.bytes);
        ASSERT_TRUE(read) << flushed.why;
        const SplitBlockBloom& got = read->filter;
        // Built anew for that size; the filter is empty after each flush.
        SplitBlockBloom direct = split_block_of(got.blocks());
        direct.insert(simdbloom::Keys::hashes(hashes));
        EXPECT_TRUE(std::ranges::equal(got.bytes(), direct.bytes()));
        EXPECT_DOUBLE_EQ(flushed.fpr, direct.estimated_fpr());
        EXPECT_LE(flushed.fpr, 0.01);
        EXPECT_EQ(flushed.why.rfind("written, ", 0), 0u) << flushed.why;
        if (got.blocks() > 1) {
            EXPECT_GT(direct.folded(2).estimated_fpr(), 0.01) << "half of it would do";
        }
    }
}

TEST(ParquetChunk, WhatIsNotWorthItsBytesIsDropped) {
    ChunkFilter filter({.fpr = 0.01, .max_bytes = 4'096});
    // Far more values than the most bytes are good for.
    filter.insert(test::random_keys(20'000));
    auto flushed = filter.flush(1 << 30);
    EXPECT_TRUE(flushed.bytes.empty());
    EXPECT_GT(flushed.fpr, 0.5);
    EXPECT_EQ(flushed.why.rfind("dropped, 4096 bytes", 0), 0u) << flushed.why;
    // As large as the chunk, at any fold.
    filter.insert(test::random_keys(1'000));
    flushed = filter.flush(400);
    EXPECT_TRUE(flushed.bytes.empty()) << flushed.why;
    // A half and a fourth of 3,000 bytes are too much and enough.
    filter.insert(test::random_keys(1'000));
    flushed = filter.flush(3'000);
    EXPECT_EQ(parquet::read_filter(flushed.bytes).value().filter.size_in_bytes(), 1'024u)
        << flushed.why;
    EXPECT_NE(flushed.why.find("beside 3000 of the chunk"), std::string::npos) << flushed.why;
    filter.insert(test::random_keys(1'000));
    flushed = filter.flush(0);
    EXPECT_NE(flushed.why.find("a chunk of unknown size"), std::string::npos) << flushed.why;
    EXPECT_EQ(parquet::read_filter(flushed.bytes).value().filter.size_in_bytes(), 2'048u)
        << flushed.why;
    // No value at all: 32 bytes that exclude everything.
    flushed = filter.flush(100);
    EXPECT_EQ(parquet::read_filter(flushed.bytes).value().filter.size_in_bytes(), 32u);
    EXPECT_EQ(flushed.fpr, 0);
    EXPECT_TRUE(filter.flush(40).bytes.empty());
}

TEST(ParquetChunk, SettingsOutOfRangeAreRefused) {
    const auto refused = [](const ChunkFilter::Settings& settings, const char* says) {
        EXPECT_INVALID(says, ChunkFilter(settings));
    };
    refused({.fpr = 0}, "fpr=0");
    refused({.fpr = 1}, "fpr=1");
    refused({.fpr = std::nan("")}, "fpr=nan");
    EXPECT_EQ(ChunkFilter({.max_bytes = 32}).flush(100).bytes.size(), 32u + 15);
    refused({.max_bytes = 16}, "max_bytes=16");
    refused({.max_bytes = 96}, "max_bytes=96");
    refused({.max_bytes = std::size_t{1} << 31}, "max_bytes=2147483648");
    refused({.read_at_most = 0}, "read_at_most=0");
    refused({.read_at_most = 1.5}, "read_at_most=1.5");
}

}  // namespace
}  // namespace simdbloom
