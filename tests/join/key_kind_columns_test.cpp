// What a filter answers about columns that say the kind of their keys: Arrow's, instants of several
// units, decimals.
#include "arrow_column.hpp"
#include "join_keys.hpp"

namespace simdbloom {
namespace {

using test::ArrowColumn;

TEST(KeyKinds, InstantsAreConvertedInDictionariesInRowsAndAmongNulls) {
    const std::vector<std::int32_t> days{18262, 18263, 7}, codes{2, 0, 1};
    const auto in_days = KeyColumn::instants(days, unit_of(KeyKind::days));
    std::vector<std::int64_t> counts;
    for (const int day : days) counts.push_back(day * std::int64_t{86'400'000'000});
    const auto in_us = KeyColumn::instants(counts, 1'000);
    const std::uint8_t valid = 0b101;
    const auto both = [&](const JoinRows& inserted, const JoinRows& asked) {
        for (const char* const spec : {"auto", "split256"}) {
            const auto filter = test::built_of_rows(JoinBuilder(spec, 100, 20), inserted);
            EXPECT_EQ(inserted.count(filter), asked.count(filter));
            EXPECT_GE(asked.count(filter), 2u);
        }
    };
    for (const auto& [a, b] : {std::pair(in_days, in_us), std::pair(in_us, in_days)}) {
        both(JoinRows({a}), JoinRows({KeyColumn::dictionary(codes, b)}));
        both(JoinRows({KeyColumn::dictionary(codes, a)}), JoinRows({b}));
        both(JoinRows({a.with_validity(&valid)}), JoinRows({b.with_validity(&valid)}));
        both(JoinRows({a.with_validity(&valid)}, Nulls::equal),
             JoinRows({b.with_validity(&valid)}, Nulls::equal));
        both(JoinRows({codes, a}), JoinRows({codes, b}));
    }
    const std::vector<std::int64_t> in_ms{7, 18'262, 0}, in_us_too{7'000, 18'262'000, 0};
    both(JoinRows({codes, KeyColumn::durations(in_ms, 1'000'000)}),
         JoinRows({codes, KeyColumn::durations(in_us_too, 1'000)}));
}

TEST(KeyKinds, ArrowArraysSayWhatTheyAre) {
    const auto kind = [](const char* format) {
        ArrowColumn column(format, 1);
        column.values<std::int64_t>({0, 0}).values<char>({'a'});
        return column.rows().key_kind();
    };
    using enum KeyKind;
    const std::pair<KeyKind, std::vector<const char*>> formats[] = {
        {integers, {"c", "L", "b"}},
        {floats, {"f", "g", "d:10,2"}},
        {bytes, {"u", "Z", "w:4"}},
        {days, {"tdD"}},
        {seconds, {"tss:"}},
        {milliseconds, {"tdm", "tsm:UTC"}},
        {microseconds, {"tsu:"}},
        {nanoseconds, {"tsn:Asia/Tokyo"}},
        {durations, {"tts", "ttn", "tDs"}}};
    for (const auto& [expected, same] : formats)
        for (const char* const format : same) EXPECT_EQ(kind(format), expected) << format;
}

TEST(KeyKinds, ColumnsAreCheckedButNotConverted) {
    ArrowColumn days("tdD", 1), micros("tsu:", 1), texts("u", 1);
    days.values<std::int32_t>({18262});
    micros.values<std::int64_t>({1'577'836'800'000'000});
    texts.values<std::int32_t>({0, 1}).values<char>({'a'});
    JoinBuilder builder("split256", 10, 20);
    const test::JoinValues keys(days.rows()), of_micros(micros.rows()), of_texts(texts.rows());
    builder.insert(keys.column);
    EXPECT_INVALID("dates and instants in micro", builder.insert(of_micros.column));
    const auto filter = std::move(builder).finish();
    EXPECT_EQ(filter.key_kind(), KeyKind::days);
    EXPECT_EQ(filter.count(keys.column), 1u);
    EXPECT_INVALID("JoinRows converts it", filter.count(of_micros.column));
    EXPECT_INVALID("dates cannot be probed with text or bytes", filter.count(of_texts.column));
    EXPECT_EQ(micros.rows().count(filter), 1u);
    EXPECT_EQ(filter.count(test::JoinValues(micros.rows().as(KeyKind::days)).column), 1u);
}

TEST(KeyKinds, DecimalsAndWideIntegersAreTheNumbersThatTheyAre) {
    using Halves = std::array<std::int64_t, 2>;
    const auto wide = [](std::int64_t value) {
        Halves halves{value, value < 0 ? -1 : 0};
        if (std::endian::native == std::endian::big) std::swap(halves[0], halves[1]);
        return halves;
    };
    const auto keys = [](const KeyColumn& column) {
        std::vector<std::uint64_t> values(column.size());
        std::vector<std::uint8_t> valid(8);
        return JoinRows({column}).column(values, valid), values;
    };
    const std::vector<Halves> integers{wide(5), wide(-3), wide(0)};
    EXPECT_EQ(keys(KeyColumn::wide(integers.data(), 3)),
              (std::vector<std::uint64_t>{5, static_cast<std::uint64_t>(-3), 0}));
    const std::vector<Halves> large{{0, 1}, {-1, 0}};  // 2^64 and 2^64 - 1 on little-endian
    if (std::endian::native == std::endian::little) {
        EXPECT_EQ(keys(KeyColumn::wide(large.data(), 2))[1], ~std::uint64_t{0});
        EXPECT_NE(keys(KeyColumn::wide(large.data(), 2))[0], 0u);
    }
    for (const auto& [digits, scale, value] :
         {std::tuple(500, 2, 5.0), std::tuple(50, 1, 5.0), std::tuple(5, 0, 5.0),
          std::tuple(5, -2, 500.0), std::tuple(-15, 1, -1.5), std::tuple(1, 1, 0.1),
          std::tuple(100, 3, 0.1), std::tuple(0, 7, 0.0), std::tuple(12345, 4, 1.2345),
          std::tuple(1, -30, 1e30), std::tuple(1, 20, 1e-20)}) {
        const Halves one = wide(digits);
        const auto key = keys(KeyColumn::decimals(&one, scale, 1))[0];
        // Integers beyond 64 bits are no doubles.
        if (std::abs(value) < 1e19) {
            EXPECT_EQ(key, join_key(value)) << digits << " " << scale;
        }
        const Halves ten = wide(10 * digits);
        EXPECT_EQ(keys(KeyColumn::decimals(&ten, scale + 1, 1))[0], key) << digits << " " << scale;
    }
}

}  // namespace
}  // namespace simdbloom
