// Parquet's Bloom filters: bytes of the specification, whole files made here, and bytes that are
// none.
#include "simdbloom/adapters/parquet.hpp"

#include <filesystem>
#include <fstream>

#include "support.hpp"

namespace simdbloom {
namespace {

using parquet::PhysicalType;

std::string hex(std::span<const std::byte> bytes) {
    std::string text;
    for (const std::byte b : bytes) {
        char two[4];
        std::snprintf(two, sizeof two, "%02x ", static_cast<unsigned>(b));
        text += two;
    }
    if (!text.empty()) text.pop_back();
    return text;
}

SplitBlockBloom of_blocks(std::size_t blocks) {
    return SplitBlockBloom::with_bits_per_key(blocks, 256);
}

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

TEST(Parquet, BytesAreThoseOfTheSpecification) {
    auto filter = of_blocks(32);
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
    EXPECT_EQ(hex(std::span(bytes).first(16)), "15 80 10 1c 1c 00 00 1c 1c 00 00 1c 1c 00 00 00");
    EXPECT_EQ(hex(std::span(bytes).subspan(16)), hex(bits));

    const auto read = parquet::read_filter(bytes).value();
    EXPECT_EQ(read.bytes, bytes.size());
    EXPECT_EQ(read.filter.blocks(), 32u);
    EXPECT_EQ(read.filter.n_keys(), 4u);
    EXPECT_EQ(hex(read.filter.bytes()), hex(bits));
    for (const auto& v : vectors) EXPECT_TRUE(read.filter.contains(std::string_view(v.key)));
}

TEST(Parquet, AnyNumberOfBlocksGoesOutAndComesBack) {
    for (const std::size_t blocks : {1u, 2u, 3u, 5u, 100u, 1023u, 40'000u}) {
        auto filter = of_blocks(blocks);
        const auto hashes = test::random_keys(blocks * 10);
        filter.insert_hashes(hashes);
        const auto bytes = parquet::write_filter(filter);
        const auto read = parquet::read_filter(bytes).value();
        EXPECT_EQ(hex(read.filter.bytes()), hex(filter.bytes())) << blocks;
        EXPECT_EQ(read.filter.count_hashes(hashes), hashes.size());
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
        test::expect_error<std::invalid_argument>([&] { return text(w.first, w.second); },
                                                  std::string("\"") + w.second + "\"");
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

std::vector<std::byte> parquet_bytes(std::initializer_list<unsigned> values) {
    std::vector<std::byte> bytes;
    for (const unsigned v : values) bytes.push_back(static_cast<std::byte>(v));
    return bytes;
}

template <class T>
void expect_refused(const Loaded<T>& loaded, LoadFault fault, const std::string& words) {
    ASSERT_FALSE(loaded) << words;
    EXPECT_EQ(static_cast<int>(loaded.error().fault), static_cast<int>(fault))
        << loaded.error().message;
    EXPECT_NE(loaded.error().message.find(words), std::string::npos) << loaded.error().message;
}

TEST(Parquet, RefusesBytesThatAreNoFilter) {
    auto filter = of_blocks(2);
    filter.insert_hash(1);
    const auto good = parquet::write_filter(filter);
    for (std::size_t n = 0; n < good.size(); ++n)
        EXPECT_FALSE(parquet::read_filter(std::span(good).first(n))) << n;
    expect_refused(parquet::read_filter(std::span(good).first(40)), LoadFault::too_short,
                   "64 bytes where 24 are left");
    expect_refused(parquet::read_filter(good, {.max_bytes = 63}), LoadFault::limit, "63");
    expect_refused(parquet::read_filter(parquet_bytes(
                       {0x15, 0x42, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0})),
                   LoadFault::parameter, "33 bytes");
    expect_refused(parquet::read_filter(parquet_bytes(
                       {0x15, 0x00, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0})),
                   LoadFault::parameter, "0 bytes");
    expect_refused(parquet::read_filter(parquet_bytes(
                       {0x15, 0x40, 0x1c, 0x2c, 0, 0, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0})),
                   LoadFault::parameter, "algorithm");
    expect_refused(parquet::read_filter(parquet_bytes(
                       {0x15, 0x40, 0x1c, 0x1c, 0, 0, 0x1c, 0x2c, 0, 0, 0x1c, 0x1c, 0, 0, 0})),
                   LoadFault::parameter, "hash");
    expect_refused(parquet::read_filter(parquet_bytes(
                       {0x15, 0x40, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0x1c, 0x2c, 0, 0, 0})),
                   LoadFault::parameter, "compression");
    expect_refused(parquet::read_filter(parquet_bytes(
                       {0x15, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02})),
                   LoadFault::parameter, "64 bits");
    expect_refused(parquet::read_filter(parquet_bytes({0x15, 0x80, 0x80, 0x80, 0x80, 0x7F})),
                   LoadFault::parameter, "32 bits");
    expect_refused(parquet::read_filter(parquet_bytes({0x16, 0x40})), LoadFault::parameter,
                   "numBytes is of type 6");
    expect_refused(parquet::read_filter(parquet_bytes({0x1F})), LoadFault::parameter, "type 15");
    expect_refused(parquet::read_filter(parquet_bytes({0x59, 0xF5, 0xFF, 0xFF, 0xFF, 0x0F})),
                   LoadFault::parameter, "elements where");
    std::vector<std::byte> deep(
        1000, std::byte{0x5C});  // a structure in field 5 in a structure in field 5 ..
    expect_refused(parquet::read_filter(deep), LoadFault::parameter, "32 structures");
}

/// Thrift's compact protocol, written.
struct Writer {
    std::vector<std::byte> bytes;
    std::vector<int> last{0};
    Writer& byte(unsigned b) { return bytes.push_back(static_cast<std::byte>(b)), *this; }
    Writer& varint(std::uint64_t v) {
        for (; v >= 0x80; v >>= 7) byte(static_cast<unsigned>(v & 0x7F) | 0x80);
        return byte(static_cast<unsigned>(v));
    }
    Writer& number(std::int64_t v) {
        return varint(static_cast<std::uint64_t>(v) << 1 ^ static_cast<std::uint64_t>(v >> 63));
    }
    Writer& field(int id, unsigned type) {
        if (id - last.back() < 16) byte(static_cast<unsigned>(id - last.back()) << 4 | type);
        else byte(type).number(id);
        last.back() = id;
        return *this;
    }
    Writer& i32(int id, std::int64_t v) { return field(id, 5).number(v); }
    Writer& i64(int id, std::int64_t v) { return field(id, 6).number(v); }
    Writer& raw(std::string_view text) {
        varint(text.size());
        for (const char c : text) byte(static_cast<unsigned char>(c));
        return *this;
    }
    Writer& text(int id, std::string_view t) { return field(id, 8).raw(t); }
    Writer& list(int id, unsigned type, std::size_t n) {
        field(id, 9);
        return n < 15 ? byte(static_cast<unsigned>(n) << 4 | type) : byte(0xF0 | type).varint(n);
    }
    Writer& open() { return last.push_back(0), *this; }
    Writer& close() { return last.pop_back(), byte(0); }
};

/// A file of these bytes and metadata.
std::vector<std::byte> parquet_file(std::span<const std::byte> data,
                                    std::span<const std::byte> metadata) {
    auto file = parquet_bytes({'P', 'A', 'R', '1'});
    file.insert(file.end(), data.begin(), data.end());
    file.insert(file.end(), metadata.begin(), metadata.end());
    for (std::size_t i = 0; i < 4; ++i)
        file.push_back(static_cast<std::byte>(metadata.size() >> 8 * i));
    for (const char c : {'P', 'A', 'R', '1'}) file.push_back(static_cast<std::byte>(c));
    return file;
}

using Words = std::vector<std::vector<std::string>>;

/// A file with a column "a.b" of strings and a column "n" of FIXED_LEN_BYTE_ARRAY; of each row
/// group the values of a.b that are in its filter. Real
/// files have much more; here some of it stands to be skipped.
struct MadeFile {
    explicit MadeFile(const Words& groups, bool with_lengths = true, std::int64_t shift = 0,
                      int last_type = 7) {
        std::vector<std::byte> filters;
        std::vector<std::int64_t> at, length;
        for (const auto& values : groups) {
            auto filter = of_blocks(1 + values.size() / 8);
            for (const auto& value : values) filter.insert(std::string_view(value));
            const auto bytes = parquet::write_filter(filter);
            at.push_back(static_cast<std::int64_t>(4 + filters.size()) + shift);
            length.push_back(static_cast<std::int64_t>(bytes.size()));
            filters.insert(filters.end(), bytes.begin(), bytes.end());
        }
        Writer w;
        w.i32(1, 2).list(2, 12, 4);
        w.open().text(4, "schema").i32(5, 2).close();
        w.open().text(4, "a").i32(5, 1).close();
        w.open().i32(1, 6).i32(3, 1).text(4, "b").close();
        w.open().i32(1, last_type).i32(2, 3).text(4, "n");
        w.field(10, 12).open().field(5, 1).field(6, 2).field(7, 7);
        for (int i = 0; i < 8; ++i) w.byte(0xAB);
        w.close().close();
        w.i64(3, 1000).list(4, 12, groups.size());
        for (std::size_t g = 0; g < groups.size(); ++g) {
            w.open().list(1, 12, 2);
            w.open()
                .i64(2, 4)
                .field(3, 12)
                .open()
                .i32(1, 6)
                .list(2, 5, 2)
                .number(0)
                .number(3)
                .list(3, 8, 2)
                .raw("a")
                .raw("b")
                .i32(4, 1)
                .i64(5, 500);
            w.field(8, 11).varint(1).byte(0x88).raw("key").raw("value");  // a map of one entry
            w.i64(14, at[g]);
            if (with_lengths) w.i32(15, length[g]);
            w.close().close();
            w.open().i64(2, 4).field(3, 12).open().i32(1, last_type).list(3, 8, 1).raw("n");
            w.i64(5, 500).list(40, 2, 3).byte(1).byte(2).byte(1).close().close();
            w.i64(2, 12345).i64(3, 500).close();
        }
        w.text(6, "made here").byte(0);
        metadata = w.bytes;
        bytes = parquet_file(filters, metadata);
        write(bytes);
    }
    ~MadeFile() { std::filesystem::remove(path); }
    void write(std::span<const std::byte> to) const {
        std::ofstream(path, std::ios::binary | std::ios::trunc)
            .write(reinterpret_cast<const char*>(to.data()),
                   static_cast<std::streamsize>(to.size()));
    }
    std::filesystem::path path = std::filesystem::temp_directory_path() /
                                 ("simdbloom-parquet-" + std::to_string(::getpid()));
    std::vector<std::byte> bytes, metadata;
};

TEST(Parquet, WholeFilesTellTheRowGroupsThatMayHoldAValue) {
    for (const bool with_lengths : {true, false}) {
        const MadeFile made(Words{{"one", "two"}, {"three"}, {"two", "four"}}, with_lengths);
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
        test::expect_error<std::invalid_argument>([&] { return file.column("b"); },
                                                  "\"b\"; it has: a.b n");
    }
}

TEST(Parquet, OneBlockOfALongFilterSaysWhatTheFilterSays) {
    Words words(2);
    for (int i = 0; i < 20'000; ++i)
        words[static_cast<std::size_t>(i % 2)].push_back("word " + std::to_string(i));
    for (const bool with_lengths : {true, false}) {
        const MadeFile made(words, with_lengths);
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
    const MadeFile made(Words{{"one"}});
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
    const MadeFile shifted(Words{{"one"}}, true, 1 << 20);
    const auto file = parquet::File::open(shifted.path).value();
    expect_refused(file.read_filter(0, 0), LoadFault::size, "of row group 0");
    EXPECT_EQ(file.row_groups_with(0, 5), (std::vector<std::size_t>{0}));
}

TEST(Parquet, MetadataOfAnyBytes) {
    const MadeFile made(Words{{"one", "two"}, {"three"}});
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
        const MadeFile made(Words{{"one"}}, true, 0, type);
        const auto file = parquet::File::open(made.path);
        ASSERT_TRUE(file) << type << ": " << file.error().message;
        EXPECT_EQ(static_cast<int>((*file).metadata().row_groups[0].columns[1].type), type);
    }
    for (const int type : {-1, 8}) {
        const MadeFile made(Words{{"one"}}, true, 0, type);
        expect_refused(parquet::File::open(made.path), LoadFault::parameter,
                       "physical type " + std::to_string(type));
    }
}

// What is left has no row groups and no columns.
TEST(Parquet, AFileThatWasMovedFromHasNothing) {
    const MadeFile made(Words{{"one"}, {"two"}});
    auto file = parquet::File::open(made.path).value();
    auto moved = std::move(file);
    const auto hash = hash_bytes("one");
    EXPECT_EQ(moved.row_groups_with(0, hash), std::vector<std::size_t>{0});
    EXPECT_TRUE(file.row_groups_with(0, hash).empty());
    EXPECT_FALSE(file.has_filter(0, 0));
    EXPECT_TRUE(file.may_contain(0, 0, hash)) << "a filter that is not there says nothing";
    EXPECT_EQ(file.read_filter(0, 0).error().fault, LoadFault::parameter);
    test::expect_error<std::invalid_argument>([&] { return file.column("a.b"); }, "moved from");
    file = std::move(moved);
    EXPECT_EQ(file.row_groups_with(0, hash), std::vector<std::size_t>{0});
}

TEST(Parquet, ARowGroupWithAnyOfTheValuesIsFound) {
    const MadeFile made(Words{{"one"}, {"two"}, {"three"}});
    const auto file = parquet::File::open(made.path).value();
    const std::vector hashes{hash_bytes("three"), hash_bytes("one")};
    EXPECT_EQ(file.row_groups_with(0, hashes), (std::vector<std::size_t>{0, 2}));
    const std::span<const std::uint64_t> none;
    EXPECT_EQ(file.row_groups_with(0, none), std::vector<std::size_t>());
}

// Every bit of a file flipped, and the file asked for values that are in it. No damage of a
// filter's header loses one, where the metadata say how long the filter is. A bit of the bitset
// loses the values that it is a bit of, and no others: Parquet has no checksum there.
TEST(Parquet, WhatDamageLosesAValue) {
    const Words words{{"one", "two"}, {"three"}};
    const MadeFile made(words);
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
                        auto only = of_blocks(1);
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
    const auto groups = [] { return Writer().list(4, 12, n); };
    const auto ends = [](Writer w) {
        for (std::size_t i = 0; i < n + 2; ++i) w.byte(0);
        return w.bytes;
    };
    expect_refused(parquet::parse_metadata(ends(groups())), LoadFault::parameter,
                   "1000000 elements");
    expect_refused(parquet::parse_metadata(ends(Writer().list(2, 12, n))), LoadFault::parameter,
                   "1000000 elements");
    expect_refused(parquet::parse_metadata(ends(Writer().list(4, 12, 1000))), LoadFault::parameter,
                   "a structure of 1 bytes, which takes at least 7");
    expect_refused(parquet::parse_metadata(ends(Writer().list(4, 12, 1).open().list(1, 12, 1000))),
                   LoadFault::parameter, "a structure of 1 bytes, which takes at least 20");

    // The smallest that are taken.
    Writer w;
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
    const MadeFile made(Words{{"one"}});
    Writer w;
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
    test::expect_error<std::invalid_argument>([&] { return file.column("none"); },
                                              "column48 column49 and 950 more");
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
        EXPECT_EQ(parquet::parse_metadata(Writer().i64(3, n).byte(0).bytes).value().rows, n);
    const auto of_last_bytes = [](std::initializer_list<unsigned> last) {
        Writer w;
        w.field(3, 6);
        for (int i = 0; i < 9; ++i) w.byte(0xFF);
        for (const unsigned b : last) w.byte(b);
        return parquet::parse_metadata(w.byte(0).bytes);
    };
    EXPECT_EQ(of_last_bytes({1}).value().rows, INT64_MIN);
    EXPECT_EQ(of_last_bytes({0}).value().rows, -(std::int64_t{1} << 62));
    for (const auto& more : {std::initializer_list<unsigned>{2}, {3}, {0x80, 0}, {0x81, 0}})
        expect_refused(of_last_bytes(more), LoadFault::parameter, "more than 64 bits");
}

// A writer may have added fields to the header, to 64 bytes together.
TEST(Parquet, HeadersWithFieldsOfLaterVersionsAreRead) {
    const MadeFile made(Words{{"one"}});
    for (const std::size_t size : {20u, 63u, 64u, 65u}) {
        auto filter = of_blocks(1);
        filter.insert(std::string_view("one"));
        auto bytes = parquet::write_filter(filter);
        const std::size_t header = bytes.size() - 32;
        Writer more;
        more.byte(0x18).raw(std::string(size - header - 2, 'x'));  // field 5
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(header) - 1, more.bytes.begin(),
                     more.bytes.end());
        ASSERT_EQ(bytes.size(), size + 32);
        Writer w;
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
    const MadeFile made(Words{{"one"}});
    auto tail = parquet_bytes({0, 0, 0, 0x20, 'P', 'A', 'R', '1'});  // 2^29 bytes of metadata
    made.write({});
    std::filesystem::resize_file(made.path, std::uint64_t{1} << 30);
    std::ofstream(made.path, std::ios::binary | std::ios::app)
        .write(reinterpret_cast<const char*>(tail.data()), 8);
    expect_refused(parquet::File::open(made.path), LoadFault::limit, "metadata of 536870912 bytes");

    const MadeFile whole(Words{{"one"}});
    test::Counting counting;
    const auto file = parquet::File::open(whole.path).value();
    expect_refused(file.read_filter(0, 0, {.max_bytes = 31, .allocator = &counting}),
                   LoadFault::limit, "32 bytes");
    EXPECT_EQ(counting.allocations, 0u);
}

}  // namespace
}  // namespace simdbloom
