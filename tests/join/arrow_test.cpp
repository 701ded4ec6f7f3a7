// Arrow arrays as keys, and answers as Arrow arrays.
#include "simdbloom/join/arrow.hpp"

#include <limits>

#include "arrow_column.hpp"
#include "guarded.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

using test::ArrowColumn;
using Numbers = std::vector<std::uint64_t>;
constexpr std::uint64_t minus_one = ~std::uint64_t{0};

TEST(Arrow, IntegersOfEveryWidthAreOneNumber) {
    const auto expect = [](std::initializer_list<const char*> formats, const auto& values,
                           const Numbers& numbers) {
        for (const char* const format : formats)
            EXPECT_EQ(ArrowColumn(format, 2).values(values).numbers(), numbers) << format;
    };
    using std::vector;
    expect({"c"}, vector<std::int8_t>{5, -1}, {5, minus_one});
    expect({"C"}, vector<std::uint8_t>{5, 255}, {5, 255});
    expect({"s"}, vector<std::int16_t>{5, -1}, {5, minus_one});
    expect({"S"}, vector<std::uint16_t>{5, 65535}, {5, 65535});
    expect({"i", "tdD"}, vector<std::int32_t>{5, -1}, {5, minus_one});
    expect({"I"}, vector<std::uint32_t>{5, 0xFFFFFFFF}, {5, 0xFFFFFFFF});
    expect({"l", "L", "tdm", "ttu", "tDu", "tsu:UTC", "tss:"}, vector<std::int64_t>{5, -1},
           {5, minus_one});
    // Durations and times of day are microseconds.
    expect({"tts"}, vector<std::int32_t>{5, -1}, {5'000'000, 0 - std::uint64_t{1'000'000}});
    expect({"ttm"}, vector<std::int32_t>{5, -1}, {5'000, 0 - std::uint64_t{1'000}});
    expect({"ttn", "tDn"}, vector<std::int64_t>{5000, -1000}, {5, minus_one});
}

TEST(Arrow, SixtyFourBitValuesAreUsedWhereTheyLie) {
    ArrowColumn column("l", 2, 1);
    column.values<std::int64_t>({7, 8, 9});
    EXPECT_EQ(column.rows().plain().value().values.data(),
              static_cast<const std::uint64_t*>(column.buffers[1]) + 1);
    EXPECT_EQ(column.numbers(), (Numbers{8, 9}));
}

TEST(Arrow, FloatsAndBooleans) {
    EXPECT_EQ(ArrowColumn("g", 3).values<double>({-0.0, 1.5, std::nan("7")}).numbers(),
              (Numbers{0, join_key(1.5), join_key(std::nan(""))}));
    EXPECT_EQ(ArrowColumn("f", 2).values<float>({-0.0f, 1.5f}).numbers(),
              (Numbers{0, join_key(1.5)}));
    EXPECT_EQ(ArrowColumn("b", 8, 2).values<std::uint8_t>({0b101100, 0b10}).numbers(),
              (Numbers{1, 1, 0, 1, 0, 0, 0, 1}));
}

TEST(Arrow, StringsAreHashedAsTheFilterHashesThem) {
    const std::vector<char> text{'x', 'h', 'e', 'l', 'l', 'o', 'w'};
    for (const std::uint64_t seed : {0u, 9u}) {
        const Numbers expected{hash_bytes("hello", seed), hash_bytes("", seed),
                               hash_bytes("w", seed)};
        EXPECT_EQ(ArrowColumn("u", 3, 1)
                      .values<std::int32_t>({0, 1, 6, 6, 7})
                      .values(text)
                      .numbers({seed, {}}),
                  expected);
        EXPECT_EQ(ArrowColumn("Z", 3, 1)
                      .values<std::int64_t>({0, 1, 6, 6, 7})
                      .values(text)
                      .numbers({seed, {}}),
                  expected);
    }
    const Secret secret{1, 2};
    EXPECT_EQ(
        ArrowColumn("z", 1, 1).values<std::int32_t>({0, 1, 6}).values(text).numbers({0, secret}),
        (Numbers{siphash("hello", secret)}));
    EXPECT_EQ(ArrowColumn("w:2", 2, 1).values(text).numbers(),
              (Numbers{hash_bytes("el"), hash_bytes("lo")}));
    EXPECT_EQ(ArrowColumn("d:38,0", 1).values(std::vector<char>(16, 'd')).numbers(),
              (Numbers{hash_bytes("dddddddddddddddd")}));
    // Nothing but empty strings: there need not be any bytes.
    EXPECT_EQ(ArrowColumn("u", 2).values<std::int32_t>({4, 4, 4}).buffer(nullptr).numbers(),
              (Numbers{hash_bytes(""), hash_bytes("")}));
}

TEST(Arrow, ADictionaryStandsForItsWords) {
    ArrowColumn words("u", 3);
    words.values<std::int32_t>({0, 1, 2, 3}).values<char>({'a', 'b', 'c'}).valid(0b101);
    ArrowColumn column("s", 4, 1);
    column.values<std::int16_t>({9, 2, 0, 1, 0}).valid(0b01110).dictionary(words);
    const test::JoinValues keys(column.rows());
    const JoinColumn& at = keys.column;
    ASSERT_EQ(at.size(), 4u);
    EXPECT_TRUE(at.hashed);
    EXPECT_EQ(at.values[0], hash_bytes("c"));
    EXPECT_EQ(at.values[1], hash_bytes("a"));
    EXPECT_TRUE(at.is_valid(0) && at.is_valid(1));
    EXPECT_FALSE(at.is_valid(2));  // the word is NULL
    EXPECT_FALSE(at.is_valid(3));  // the index is
    column.valid(0xFF).values<std::int16_t>({});
    column.array.offset = 0;
    EXPECT_INVALID("word 9", column.rows());
}

TEST(Arrow, RefusesWhatHasNoKeys) {
    for (const char* format : {"n", "+s", "+l", "vq", "w:0", "w:x", "d:76,0,256", "e", "q"})
        EXPECT_INVALID(std::string("\"") + format + "\"",
                       ArrowColumn(format, 0).values<std::uint8_t>({}).rows());
    EXPECT_INVALID("-1 rows", ArrowColumn("i", -1).values<std::int32_t>({}).rows());
    EXPECT_INVALID("row -2", ArrowColumn("i", 1, -2).values<std::int32_t>({}).rows());
    EXPECT_INVALID("no buffer 1", ArrowColumn("i", 1).rows());
    EXPECT_INVALID("buffer 1", ArrowColumn("i", 1).buffer(nullptr).rows());
    EXPECT_INVALID("byte 3 to byte 1",
                   ArrowColumn("u", 1).values<std::int32_t>({3, 1}).values<char>({'a'}).rows());
    ArrowColumn released("i", 0);
    released.array.release = nullptr;
    EXPECT_INVALID("released", released.rows());
}

// Offset 4096 lies far behind the bytes; that it is wrong only the next one says.
TEST(Arrow, OffsetsAreCheckedBeforeAnyByteIsRead) {
    const test::GuardedBuffer text(100);
    const auto last = text.last<char>(5);
    std::fill(last.begin(), last.end(), 'x');
    const auto strings = [&](const char* format, auto offsets) {
        return ArrowColumn(format, static_cast<std::int64_t>(offsets.size()) - 1)
            .values(offsets)
            .buffer(last.data())
            .numbers();
    };
    struct Wrong {
        std::vector<std::int64_t> offsets;
        const char* what;
    };
    const Wrong wrong[] = {{{0, 4096, 0}, "row 1 goes from byte 4096 to byte 0"},
                           {{0, 5, 4096, 5}, "row 2 goes from byte 4096 to byte 5"},
                           {{0, 4096, 4096, 5}, "row 2 goes from byte 4096"},
                           {{-5, 0, 5}, "row 0 goes from byte -5"},
                           {{0, 4096, 0, 5}, "row 1"},
                           {{0, -1, 0}, "row 0 goes from byte 0 to byte -1"}};
    for (const Wrong& w : wrong) {
        const std::vector<std::int32_t> narrow(w.offsets.begin(), w.offsets.end());
        for (const char* format : {"u", "z"}) EXPECT_INVALID(w.what, strings(format, narrow));
        for (const char* format : {"U", "Z"}) EXPECT_INVALID(w.what, strings(format, w.offsets));
    }
    EXPECT_EQ(strings("u", std::vector<std::int32_t>{0, 5, 5}),
              (Numbers{hash_bytes("xxxxx"), hash_bytes("")}));
}

TEST(Arrow, LengthsThatCannotBeAreRefused) {
    const auto most = std::numeric_limits<std::int64_t>::max();
    EXPECT_INVALID("counted", ArrowColumn("i", 2, most).values<std::int32_t>({1}).rows());
    EXPECT_INVALID("memory", ArrowColumn("w:8", 1, most / 8).values<char>({'x'}).rows());
    EXPECT_INVALID("memory", ArrowColumn("d:3,1", 2, most / 16).values<char>({'x'}).rows());
    // Rows may end just where memory does, and not one later. No row is read here.
    EXPECT_EQ(ArrowColumn("w:8", 0, most / 8).values<char>({'x'}).numbers(), Numbers{});
    EXPECT_INVALID("memory", ArrowColumn("w:8", 0, most / 8 + 1).values<char>({'x'}).rows());
    EXPECT_INVALID("1 rows of 8 bytes", ArrowColumn("w:8", 1, most / 8).values<char>({'x'}).rows());
    EXPECT_INVALID("format", ArrowColumn(nullptr, 0).values<char>({}).rows());
    ArrowColumn column("i", 0);
    column.array.buffers = nullptr;
    EXPECT_INVALID("without buffers", column.rows());
}

TEST(Arrow, AnswersGoOutAndAreReleased) {
    ArrowSchema schema;
    ArrowArray array;
    export_rows({4, 9}, schema, array);
    EXPECT_STREQ(schema.format, "I");
    EXPECT_STREQ(schema.name, "");
    EXPECT_EQ(schema.metadata, nullptr);
    EXPECT_EQ(test::JoinValues(arrow_rows(schema, array)).values[1], 9u);
    array.release(&array);
    schema.release(&schema);
    EXPECT_EQ(array.release, nullptr);
    EXPECT_EQ(schema.release, nullptr);

    export_bitmap({0b10}, 3, schema, array);
    EXPECT_STREQ(schema.format, "b");
    EXPECT_EQ(test::JoinValues(arrow_rows(schema, array)).values, (Numbers{0, 1, 0}));
    array.release(&array);
    schema.release(&schema);
    EXPECT_LENGTH_ERROR("9", export_bitmap({0}, 9, schema, array));
}

}  // namespace
}  // namespace simdbloom
