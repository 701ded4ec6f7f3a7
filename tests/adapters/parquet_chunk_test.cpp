// The filters of column chunks while row groups are written.
#include "parquet_support.hpp"

namespace simdbloom {
namespace {

using parquet::ChunkFilter;

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
        SplitBlockBloom direct = test::split_block_of(got.blocks());
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
