// Bloom filters in whole Parquet files: row groups, metadata, and files that are none.
#include "parquet_support.hpp"

namespace simdbloom {
namespace {

using parquet::PhysicalType;
using test::expect_refused;
using test::ParquetFile;
using test::split_block_of;
using test::Words;

TEST(Parquet, WholeFilesTellTheRowGroupsThatMayHoldAValue) {
    for (const bool with_lengths : {true, false}) {
        const ParquetFile made(Words{{"one", "two"}, {"three"}, {"two", "four"}}, with_lengths);
        const auto file = parquet::File::open(made.path).value();
        EXPECT_EQ(file.metadata().rows, 1000);
        EXPECT_EQ(file.metadata().created_by, "made here");
        ASSERT_EQ(file.metadata().row_groups.size(), 3u);
        EXPECT_EQ(file.metadata().row_groups[1].rows, 500);
        const auto& columns = file.metadata().row_groups[0].columns;
        ASSERT_EQ(columns.size(), 2u);
        EXPECT_EQ(columns[0].path, "a.b");
        EXPECT_EQ(columns[0].type, PhysicalType::byte_array);
        EXPECT_EQ(columns[0].values, 500);
        EXPECT_EQ(columns[0].filter_length.has_value(), with_lengths);
        EXPECT_EQ(columns[1].path, "n");
        EXPECT_EQ(columns[1].type, PhysicalType::fixed_len_byte_array);
        EXPECT_EQ(columns[1].type_length, 3);

        const std::size_t ab = file.column("a.b"), n = file.column("n");
        using Groups = std::vector<std::size_t>;
        EXPECT_EQ(file.row_groups_with(ab, parquet::hash_value(std::string_view("two"))),
                  (Groups{0, 2}));
        EXPECT_EQ(file.row_groups_with(ab, parquet::hash_value(std::string_view("three"))),
                  (Groups{1}));
        EXPECT_EQ(file.row_groups_with(ab, parquet::hash_value(std::string_view("five"))),
                  (Groups{}));
        EXPECT_EQ(file.row_groups_with(n, 5), (Groups{0, 1, 2}));
        expect_refused(file.read_filter(0, n), LoadFault::parameter, "no Bloom filter");
        expect_refused(file.read_filter(3, ab), LoadFault::parameter, "row group 3");
        EXPECT_INVALID("\"b\"; it has: a.b n", file.column("b"));
    }
}

TEST(Parquet, OneBlockOfALongFilterSaysWhatTheFilterSays) {
    Words words(2);
    for (int i = 0; i < 20'000; ++i)
        words[static_cast<std::size_t>(i % 2)].push_back("word " + std::to_string(i));
    for (const bool with_lengths : {true, false}) {
        const ParquetFile made(words, with_lengths);
        const auto file = parquet::File::open(made.path).value();
        for (std::size_t group = 0; group < 2; ++group) {
            const SplitBlockBloom filter = file.read_filter(group, 0).value();
            ASSERT_GT(filter.size_in_bytes(), 4096u);
            std::size_t passed = 0;
            for (int i = 0; i < 40'000; ++i) {
                const auto hash =
                    parquet::hash_value(std::string_view("word " + std::to_string(i)));
                const bool may = file.may_contain(group, 0, hash);
                ASSERT_EQ(may, filter.contains_hash(hash)) << i;
                ASSERT_TRUE(may || i >= 20'000 || static_cast<std::size_t>(i % 2) != group) << i;
                passed += may;
            }
            EXPECT_LT(passed, 11'000u);
        }
        EXPECT_TRUE(file.may_contain(0, 1, 5));  // no filter
        EXPECT_TRUE(file.may_contain(2, 0, 5));  // no such row group
        // A header that says more bytes than the file has, or that is none: nothing is excluded.
        const auto hash = parquet::hash_value(std::string_view("absent"));
        ASSERT_FALSE(file.may_contain(0, 0, hash));
        const auto header =
            static_cast<std::size_t>(*file.metadata().row_groups[0].columns[0].filter_offset);
        for (const auto& [at, value] :
             {std::pair{std::size_t{3}, 0x7F}, std::pair{std::size_t{0}, 0xFF}}) {
            auto bytes = made.bytes;
            bytes[header + at] = static_cast<std::byte>(value);
            made.write(bytes);
            EXPECT_TRUE(parquet::File::open(made.path).value().may_contain(0, 0, hash)) << at;
        }
    }
}

TEST(Parquet, RefusesFilesThatAreNone) {
    const ParquetFile made(Words{{"one"}});
    expect_refused(parquet::File::open("/no/such/file"), LoadFault::file, "/no/such/file");
    const auto changed = [&](std::size_t from_end, unsigned value) {
        auto bytes = made.bytes;
        bytes[bytes.size() - from_end] = static_cast<std::byte>(value);
        made.write(bytes);
        return parquet::File::open(made.path);
    };
    expect_refused(changed(1, '2'), LoadFault::foreign, made.path.string());
    expect_refused(changed(1, 'E'), LoadFault::file, "encrypted");
    expect_refused(changed(5, 1), LoadFault::size, "metadata of");
    for (std::size_t n = 0; n < 12; ++n) {
        made.write(std::span(made.bytes).first(n));
        EXPECT_FALSE(parquet::File::open(made.path)) << n;
    }
    // A filter that is not where the metadata says: nothing can be skipped.
    const ParquetFile shifted(Words{{"one"}}, true, 1 << 20);
    const auto file = parquet::File::open(shifted.path).value();
    expect_refused(file.read_filter(0, 0), LoadFault::size, "of row group 0");
    EXPECT_EQ(file.row_groups_with(0, 5), (std::vector<std::size_t>{0}));
}

// Every bit of a file flipped, and the file asked for values that are in it. No damage of a
// filter's header loses one, where the metadata say how long the filter is. A bit of the bitset
// loses the values that it is a bit of, and no others: Parquet has no checksum there.
TEST(Parquet, WhatDamageLosesAValue) {
    const Words words{{"one", "two"}, {"three"}};
    const ParquetFile made(words);
    const std::size_t bits_bytes = 32, header_bytes = 16;
    std::vector<std::size_t> starts;
    {
        const auto file = parquet::File::open(made.path).value();
        for (const auto& group : file.metadata().row_groups) {
            ASSERT_EQ(*group.columns[0].filter_length, bits_bytes + header_bytes - 1);
            starts.push_back(static_cast<std::size_t>(*group.columns[0].filter_offset));
        }
    }
    const std::size_t behind = starts[1] + header_bytes - 1 + bits_bytes;
    std::size_t bits_that_lose = 0, files_read = 0;
    for (std::size_t at = 4; at < made.bytes.size(); ++at)
        for (unsigned bit = 0; bit < 8; ++bit) {
            const auto put = [&](std::byte byte) {
                std::fstream to(made.path, std::ios::in | std::ios::out | std::ios::binary);
                to.seekp(static_cast<std::streamoff>(at)).put(static_cast<char>(byte));
            };
            put(made.bytes[at] ^ std::byte{1} << bit);
            const auto file = parquet::File::open(made.path);
            const bool is_read = file && (*file).metadata().row_groups.size() == 2;
            files_read += is_read;
            for (std::size_t group = 0; is_read && group < 2; ++group)
                for (const auto& word : words[group]) {
                    const auto hash = hash_bytes(word);
                    const bool lost = !(*file).may_contain(group, 0, hash);
                    if (at >= behind) continue;  // metadata: it is asked, and anything may be said
                    const std::size_t first = starts[group] + header_bytes - 1;
                    bool its_bit = false;
                    if (at >= first && at < first + bits_bytes) {
                        auto only = split_block_of(1);
                        only.insert_hash(hash);
                        its_bit = (only.bytes()[at - first] >> bit & std::byte{1}) != std::byte{0};
                    }
                    ASSERT_EQ(lost, its_bit) << word << ", byte " << at << " bit " << bit;
                    bits_that_lose += lost;
                }
            put(made.bytes[at]);
        }
    EXPECT_EQ(bits_that_lose, 3u * 8);
    EXPECT_GT(files_read, 8 * (behind - 4));
}

}  // namespace
}  // namespace simdbloom
