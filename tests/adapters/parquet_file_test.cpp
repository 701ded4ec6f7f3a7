// Bloom filters in whole Parquet files: row groups, metadata, and files that are none.
#include <iostream>

#include "parquet_support.hpp"

namespace simdbloom {
namespace {

using parquet::PhysicalType;
using test::expect_refused;
using test::parquet_bytes;
using test::parquet_file;
using test::ParquetFile;
using test::split_block_of;
using test::ThriftWriter;
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
        const std::vector any_of{hash_bytes("one"), hash_bytes("four")};
        EXPECT_EQ(file.row_groups_with(ab, any_of), (Groups{0, 2}));
        EXPECT_EQ(file.row_groups_with(ab, std::span<const std::uint64_t>()), (Groups{}));
        expect_refused(file.read_filter(0, n), LoadFault::parameter, "no Bloom filter");
        expect_refused(file.read_filter(3, ab), LoadFault::parameter, "row group 3");
        EXPECT_INVALID("\"b\"; it has: a.b n", file.column("b"));
    }
}

TEST(Parquet, Example) {
    const ParquetFile made(Words{{"one", "two"}, {"three"}}, true);
    const std::string path = made.path.string();
    /// Example of parquet::File, parquet::Metadata, parquet::RowGroup, parquet::ColumnChunk.
    //! [File]
    const parquet::File file = parquet::File::open(path).value();
    const std::size_t column = file.column("a.b");
    const auto hash = parquet::hash_value(std::string_view("three"));
    for (const std::size_t group : file.row_groups_with(column, hash)) {  // the others are skipped
        const parquet::RowGroup& read = file.metadata().row_groups[group];
        std::cout << "read " << read.rows << " rows of " << read.columns[column].path << '\n';
    }
    //! [File]
    EXPECT_EQ(file.row_groups_with(column, hash), std::vector<std::size_t>{1});
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
        for (const test::Change change : {test::Change{header + 3, 0x7F}, {header, 0xFF}}) {
            made.write(test::changed(made.bytes, {change}));
            EXPECT_TRUE(parquet::File::open(made.path).value().may_contain(0, 0, hash));
        }
    }
}

TEST(Parquet, RefusesFilesThatAreNone) {
    const ParquetFile made(Words{{"one"}});
    expect_refused(parquet::File::open("/no/such/file"), LoadFault::file, "/no/such/file");
    const auto changed = [&](std::size_t from_end, unsigned value) {
        made.write(test::changed(made.bytes, {{made.bytes.size() - from_end, value}}));
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

TEST(Parquet, MetadataOfAnyBytes) {
    const ParquetFile made(Words{{"one", "two"}, {"three"}});
    for (std::size_t n = 0; n < made.metadata.size(); ++n)
        EXPECT_FALSE(parquet::parse_metadata(std::span(made.metadata).first(n))) << n;
    std::size_t refused = 0;
    for (std::size_t i = 0; i < made.metadata.size(); ++i)
        for (unsigned bit = 0; bit < 8; ++bit) {
            auto bytes = made.metadata;
            bytes[i] ^= std::byte{1} << bit;
            refused += !parquet::parse_metadata(bytes);
        }
    EXPECT_GT(refused, made.metadata.size());
}

TEST(Parquet, ColumnsOfEveryPhysicalTypeAreRead) {
    for (int type = 0; type < 8; ++type) {
        const ParquetFile made(Words{{"one"}}, true, 0, type);
        const auto file = parquet::File::open(made.path);
        ASSERT_TRUE(file) << type << ": " << file.error().message;
        EXPECT_EQ(static_cast<int>((*file).metadata().row_groups[0].columns[1].type), type);
    }
    for (const int type : {-1, 8}) {
        const ParquetFile made(Words{{"one"}}, true, 0, type);
        expect_refused(parquet::File::open(made.path), LoadFault::parameter,
                       "physical type " + std::to_string(type));
    }
}

TEST(Parquet, AFileThatWasMovedFromHasNothing) {
    const ParquetFile made(Words{{"one"}, {"two"}});
    auto file = parquet::File::open(made.path).value();
    auto moved = std::move(file);
    const auto hash = hash_bytes("one");
    EXPECT_EQ(moved.row_groups_with(0, hash), std::vector<std::size_t>{0});
    EXPECT_TRUE(file.row_groups_with(0, hash).empty());
    EXPECT_FALSE(file.has_filter(0, 0));
    EXPECT_TRUE(file.may_contain(0, 0, hash)) << "a filter that is not there says nothing";
    EXPECT_EQ(file.read_filter(0, 0).error().fault, LoadFault::parameter);
    EXPECT_INVALID("moved from", file.column("a.b"));
    file = std::move(moved);
    EXPECT_EQ(file.row_groups_with(0, hash), std::vector<std::size_t>{0});
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

TEST(Parquet, MetadataOfSmallPiecesTakeNoMoreMemoryThanTheyMay) {
    // 10^6 row groups of no bytes, columns of no bytes, elements of no bytes.
    constexpr std::size_t n = 1'000'000;
    const auto groups = [] { return ThriftWriter().list(4, 12, n); };
    const auto ends = [](ThriftWriter w) {
        for (std::size_t i = 0; i < n + 2; ++i) w.byte(0);
        return w.bytes;
    };
    expect_refused(parquet::parse_metadata(ends(groups())), LoadFault::parameter,
                   "1000000 elements");
    expect_refused(parquet::parse_metadata(ends(ThriftWriter().list(2, 12, n))),
                   LoadFault::parameter, "1000000 elements");
    expect_refused(parquet::parse_metadata(ends(ThriftWriter().list(4, 12, 1000))),
                   LoadFault::parameter, "a structure of 1 bytes, which takes at least 7");
    expect_refused(
        parquet::parse_metadata(ends(ThriftWriter().list(4, 12, 1).open().list(1, 12, 1000))),
        LoadFault::parameter, "a structure of 1 bytes, which takes at least 20");

    // The smallest that are taken.
    ThriftWriter w;
    w.list(4, 12, 20'000);
    for (int i = 0; i < 20'000; ++i) {
        w.open().list(1, 12, 1);
        w.open().text(20, "................").close();
        w.i64(2, 0).i64(3, 0).close();
    }
    w.byte(0);
    const auto metadata = parquet::parse_metadata(w.bytes).value();
    ASSERT_EQ(metadata.row_groups.size(), 20'000u);
    std::size_t taken = metadata.row_groups.capacity() * sizeof(parquet::RowGroup);
    for (const auto& group : metadata.row_groups)
        taken += group.columns.capacity() * sizeof(parquet::ColumnChunk);
    EXPECT_LE(taken, 5 * w.bytes.size());
}

TEST(Parquet, AColumnThatIsNotThereIsRefusedInAFewWords) {
    const ParquetFile made(Words{{"one"}});
    ThriftWriter w;
    w.list(4, 12, 1).open().list(1, 12, 1000);
    for (int i = 0; i < 1000; ++i) {
        const std::string name = "column" + std::to_string(i);
        w.open().i64(2, 4).field(3, 12).open().i32(1, 1).list(3, 8, 1).raw(name);
        w.i32(4, 1).i64(5, 7);
        w.close().close();
    }
    w.i64(2, 0).i64(3, 0).close().byte(0);
    made.write(parquet_file({}, w.bytes));
    const auto file = parquet::File::open(made.path).value();
    EXPECT_EQ(file.column("column999"), 999u);
    EXPECT_INVALID("column48 column49 and 950 more", file.column("none"));
}

TEST(Parquet, FieldsHaveNumbersOf16Bits) {
    const auto fields = [](int n) {
        std::vector<std::byte> bytes(static_cast<std::size_t>(n), std::byte{0xF1});  // 15 on, true
        bytes.push_back(std::byte{0});
        return parquet::parse_metadata(bytes);
    };
    EXPECT_TRUE(fields(32767 / 15));
    expect_refused(fields(32767 / 15 + 1), LoadFault::parameter,
                   "field 32775 has more than 16 bits");
}

TEST(Parquet, NumbersOf64BitsAreReadToTheirLimits) {
    for (const std::int64_t n : {INT64_MIN, INT64_MIN / 2, INT64_MAX / 2 + 1, INT64_MAX})
        EXPECT_EQ(parquet::parse_metadata(ThriftWriter().i64(3, n).byte(0).bytes).value().rows, n);
    const auto of_last_bytes = [](std::initializer_list<unsigned> last) {
        ThriftWriter w;
        w.field(3, 6);
        for (int i = 0; i < 9; ++i) w.byte(0xFF);
        for (const unsigned b : last) w.byte(b);
        return parquet::parse_metadata(w.byte(0).bytes);
    };
    // A file that says nothing of itself has no rows.
    const auto empty = parquet::parse_metadata(ThriftWriter().byte(0).bytes).value();
    EXPECT_EQ(empty.rows, 0);
    EXPECT_TRUE(empty.created_by.empty() && empty.row_groups.empty());
    EXPECT_EQ(of_last_bytes({1}).value().rows, INT64_MIN);
    EXPECT_EQ(of_last_bytes({0}).value().rows, -(std::int64_t{1} << 62));
    for (const auto& more : {std::initializer_list<unsigned>{2}, {3}, {0x80, 0}, {0x81, 0}})
        expect_refused(of_last_bytes(more), LoadFault::parameter, "more than 64 bits");
}

// A writer may have added fields to the header, to 64 bytes together.
TEST(Parquet, HeadersWithFieldsOfLaterVersionsAreRead) {
    const ParquetFile made(Words{{"one"}});
    for (const std::size_t size : {20u, 63u, 64u, 65u}) {
        auto filter = split_block_of(1);
        filter.insert(std::string_view("one"));
        auto bytes = parquet::write_filter(filter);
        const std::size_t header = bytes.size() - 32;
        ThriftWriter more;
        more.byte(0x18).raw(std::string(size - header - 2, 'x'));  // field 5
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(header) - 1, more.bytes.begin(),
                     more.bytes.end());
        ASSERT_EQ(bytes.size(), size + 32);
        ThriftWriter w;
        w.list(4, 12, 1).open().list(1, 12, 1);
        w.open().i64(2, 4).field(3, 12).open().i32(1, 6).list(3, 8, 1).raw("a column");
        w.i32(4, 1).i64(5, 7).i64(14, 4).close().close();
        w.i64(2, 0).i64(3, 0).close().byte(0);
        made.write(parquet_file(bytes, w.bytes));
        const auto file = parquet::File::open(made.path).value();
        const auto absent = parquet::hash_value(std::string_view("absent"));
        ASSERT_FALSE(filter.contains_hash(absent));
        // A longer header is none that is known, and its filter excludes nothing.
        EXPECT_EQ(file.may_contain(0, 0, absent), size > 64) << size;
        const auto read = file.read_filter(0, 0);
        if (size > 64) {
            expect_refused(read, LoadFault::parameter, "Thrift");
        } else {
            ASSERT_TRUE(read) << size << ": " << read.error().message;
            EXPECT_TRUE(std::ranges::equal((*read).bytes(), filter.bytes())) << size;
        }
    }
}

TEST(Parquet, AFileOfHolesIsRefusedBeforeItsMemoryIsTaken) {
    const ParquetFile made(Words{{"one"}});
    auto tail = parquet_bytes({0, 0, 0, 0x20, 'P', 'A', 'R', '1'});  // 2^29 bytes of metadata
    made.write({});
    std::filesystem::resize_file(made.path, std::uint64_t{1} << 30);
    std::ofstream(made.path, std::ios::binary | std::ios::app)
        .write(reinterpret_cast<const char*>(tail.data()), 8);
    expect_refused(parquet::File::open(made.path), LoadFault::limit, "metadata of 536870912 bytes");

    const ParquetFile whole(Words{{"one"}});
    test::Counting counting;
    const auto file = parquet::File::open(whole.path).value();
    expect_refused(file.read_filter(0, 0, {.max_bytes = 31, .allocator = &counting}),
                   LoadFault::limit, "32 bytes");
    EXPECT_EQ(counting.allocations, 0u);
}

}  // namespace
}  // namespace simdbloom
