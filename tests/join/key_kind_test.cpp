// What a filter answers about keys of another kind: src/any/kinds.md.
#include "simdbloom/key_kind.hpp"

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>

#include "at_once.hpp"
#include "join_keys.hpp"

namespace simdbloom {
namespace {

template <class Wanted>
std::vector<KeyKind> kinds_that(const Wanted& wanted) {
    std::vector<KeyKind> kinds;
    for (int i = 1; i <= static_cast<int>(last_key_kind); ++i)
        if (wanted(static_cast<KeyKind>(i))) kinds.push_back(static_cast<KeyKind>(i));
    return kinds;
}
const std::vector<KeyKind> all_kinds = kinds_that([](KeyKind) { return true; });
const std::vector<KeyKind> instants = kinds_that(is_instant);
const std::vector<KeyKind> kinds_of_rows =
    kinds_that([](KeyKind kind) { return kind != KeyKind::other; });

/// Rows of every kind that rows can have. Where two kinds answer each other they are equal.
const JoinRows& rows_of(KeyKind kind) {
    static const std::vector<std::int64_t> integers{5, -3, 0}, days{18262, -1, 0};
    static const std::vector<double> floats{5.0, -3.0, -0.0};
    static const std::vector<std::string_view> texts{"a", "\xC3\xA9", ""};
    static const std::map<KeyKind, std::vector<std::int64_t>> counts = [] {
        std::map<KeyKind, std::vector<std::int64_t>> all;
        for (const KeyKind unit : instants)
            for (const std::int64_t day : days)
                all[unit].push_back(day * (unit_of(KeyKind::days) / unit_of(unit)));
        return all;
    }();
    static const std::map<KeyKind, JoinRows> rows = [] {
        std::map<KeyKind, JoinRows> all;
        all.emplace(KeyKind::integers, JoinRows({integers}));
        all.emplace(KeyKind::floats, JoinRows({floats}));
        all.emplace(KeyKind::bytes, JoinRows({texts}));
        for (const auto& [unit, of_unit] : counts)
            all.emplace(unit, JoinRows({KeyColumn::instants(of_unit, unit_of(unit))}));
        all.emplace(KeyKind::durations, JoinRows({KeyColumn::durations(integers, 1'000'000'000)}));
        all.emplace(KeyKind::rows, JoinRows({integers, texts}));
        return all;
    }();
    return rows.at(kind);
}

Options options_of(KeyKind kind) {
    return {.key_kind = kind == KeyKind::other ? kind : KeyKind::unknown};
}
JoinFilter built_of_kind(JoinBuilder&& builder, KeyKind kind) {
    if (kind != KeyKind::other) return test::built_of_rows(std::move(builder), rows_of(kind));
    return test::built(std::move(builder), {std::vector<std::uint64_t>{1, 2, 3}});
}

/// Filters of every structure that a builder makes, whose rows are of that kind.
std::vector<JoinFilter> filters_of(KeyKind kind) {
    std::vector<JoinFilter> filters;
    const auto add = [&](JoinBuilder&& builder) {
        filters.push_back(built_of_kind(std::move(builder), kind));
        filters.push_back(load<JoinFilter>(save(filters.back())).value());
    };
    const Options options = options_of(kind);
    add(JoinBuilder("auto", 0, 12, options));
    add(JoinBuilder("split256", 100, 12, options));
    add(JoinBuilder("register64", 0, 12, options));
    add(JoinBuilder::for_fpr("blocked512", 0.01, options));
    return filters;
}

/// The kinds of questions that a filter of each kind answers, its own among them: the table of
/// kinds.md, which is the rule that all front ends follow.
std::map<std::string, std::set<std::string>> kinds_table() {
    std::ifstream page(SIMDBLOOM_KINDS_PAGE);
    std::map<std::string, std::set<std::string>> table;
    const std::regex row("\\| `(.*?)` \\|[^|]*\\|([^|]*)\\|.*"), name("`(.*?)`");
    for (std::string line; std::getline(page, line);) {
        std::smatch cells;
        if (!std::regex_match(line, cells, row)) continue;
        const std::string kind = cells[1], answers = cells[2];
        table[kind] = {std::sregex_token_iterator(answers.begin(), answers.end(), name, 1), {}};
        table[kind].insert(kind);
    }
    return table;
}

/// Promise of KeyKinds.*, python_kinds, duckdb, tool, tests/adapters/wasm/check: Equal keys are
///   found whatever their type and unit; other kinds are refused.
TEST(KeyKinds, EveryPairAnswersOrIsRefusedAsThePageSays) {
    const auto table = kinds_table();
    ASSERT_EQ(table.size(), all_kinds.size());
    for (const KeyKind of : all_kinds) {
        ASSERT_TRUE(table.contains(to_string(of))) << to_string(of);
        const auto filters = filters_of(of);
        for (const KeyKind about : all_kinds) {
            SCOPED_TRACE(to_string(of) + " asked about " + to_string(about));
            const bool answers = table.at(to_string(of)).contains(to_string(about));
            EXPECT_EQ(may_ask(of, about), answers);
            if (about == KeyKind::other) continue;  // no rows are
            const JoinRows& rows = rows_of(about);
            for (const JoinFilter& filter : filters) {
                EXPECT_EQ(to_string(filter.key_kind()), to_string(of));
                std::vector<std::uint32_t> positions(3);
                std::vector<std::uint8_t> bits{0xFF}, flags(3, 1);
                const std::vector<std::uint32_t> list{2, 0};
                std::vector<std::uint64_t> words{7};
                const std::pair<std::size_t, std::function<std::size_t()>> calls[] = {
                    {3, [&] { return rows.count(filter); }},
                    {3, [&] { return rows.select(filter, positions); }},
                    {2, [&] { return rows.select(filter, list, positions); }},
                    {3, [&] { return rows.bitmap(filter, bits); }},
                    {3, [&] { return rows.bytes(filter, flags); }},
                    {3, [&] { return rows.and_bitmap(filter, bits); }},
                    {3, [&] { return rows.and_bitmap(filter, words); }},
                    {3, [&] { return rows.and_bytes(filter, flags); }}};
                for (const auto& each : calls)  // clang 14 captures no structured binding
                    if (answers) EXPECT_EQ(each.second(), each.first);
                    else EXPECT_INVALID("cannot be probed with", each.second());
            }
        }
    }
}

// Every front end asks these files about keys of every kind. SIMDBLOOM_WRITE_GOLDEN=1 writes those
// that are missing.
TEST(KeyKinds, TheFilesThatOtherFrontEndsAskAreThoseOfThisBuild) {
    const std::filesystem::path folder = std::filesystem::path(SIMDBLOOM_GOLDEN_FOLDER) / "kinds";
    const auto expect_file = [&](const std::string& name, const JoinFilter& filter) {
        const auto path = folder / (name + ".filter");
        const char* const wanted = std::getenv("SIMDBLOOM_WRITE_GOLDEN");
        if (!std::filesystem::exists(path) && wanted != nullptr && std::string_view(wanted) == "1")
            save_file(*filter.filter(), path);
        auto file = load_file(path);
        ASSERT_TRUE(file) << file.error().message;
        EXPECT_EQ(save(*file), save(*filter.filter())) << path;
        EXPECT_EQ(to_string(file->key_kind()), to_string(filter.key_kind()));
    };
    for (const KeyKind kind : all_kinds)
        expect_file(to_string(kind),
                    built_of_kind(JoinBuilder("split256", 100, 30, options_of(kind)), kind));
    // Of the UUID 01234567-89ab-cdef-fedc-ba9876543210.
    const unsigned char uuid[] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF,
                                  0xFE, 0xDC, 0xBA, 0x98, 0x76, 0x54, 0x32, 0x10};
    expect_file("uuid", test::built_of_rows(JoinBuilder("split256", 100, 30),
                                            JoinRows({KeyColumn::fixed(uuid, 16, 1)})));
}

TEST(KeyKinds, FiltersOfUnknownKindAnswerAsTheyAreAsked) {
    for (const KeyKind about : kinds_of_rows) {
        JoinFilter filter(make_filter("split256", 100, 20));
        EXPECT_LT(rows_of(about).count(filter), 3u);
        EXPECT_TRUE(may_ask(KeyKind::unknown, about) && may_ask(about, KeyKind::unknown));
    }
    // An instant is the number that it counts.
    auto numbers = make_filter("split256", 100, 20);
    numbers.insert(std::uint64_t{18262});
    EXPECT_EQ(rows_of(KeyKind::days).count(JoinFilter(numbers)), 1u);
}

TEST(KeyKinds, RowsWithoutKeysAreOfNoKind) {
    const auto filter = filters_of(KeyKind::bytes).front();
    EXPECT_EQ(JoinRows({std::vector<int>{}}).count(filter), 0u);
    const std::vector<std::uint64_t> none{0, 0};
    const std::uint8_t null = 0;
    const auto column = KeyColumn(none).with_validity(&null).untyped();
    const auto of_texts = [&] {
        JoinBuilder builder("split256", 10, 12);
        JoinRows({std::vector<int>{}}).insert_into(builder);
        rows_of(KeyKind::bytes).insert_into(builder);
        return std::move(builder).finish();
    }();
    EXPECT_EQ(of_texts.key_kind(), KeyKind::bytes);
    EXPECT_EQ(JoinRows({column}).count(of_texts), 0u);
}

TEST(KeyKinds, InstantsOfEveryUnitAreFoundInEveryFilterOfInstants) {
    // Midnights, parts of a day, times that nanoseconds do not reach, and the ends of the unit.
    const std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                       most = std::numeric_limits<std::int64_t>::max();
    const std::vector<std::int64_t> values{
        0, 1, -1, 86'399, 86'400, 200'000, -200'000, 17'280'000'000, most, least, most / 1000};
    for (const KeyKind first : instants)
        for (const KeyKind unit : instants) {
            JoinBuilder builder("split256", 100, 30);
            const std::vector<std::int64_t> one{3};
            JoinRows({KeyColumn::instants(one, unit_of(first))}).insert_into(builder);
            const JoinRows rows({KeyColumn::instants(values, unit_of(unit))});
            rows.insert_into(builder);
            const JoinFilter filter = std::move(builder).finish();
            EXPECT_EQ(filter.key_kind(), first);
            EXPECT_EQ(rows.count(filter), values.size());
            for (const KeyKind asked : instants) {
                std::vector<std::int64_t> same;
                for (const std::int64_t value : values) {
                    __extension__ const __int128 wide = __int128{value} * unit_of(unit);
                    const auto count = static_cast<std::int64_t>(wide / unit_of(asked));
                    __extension__ const __int128 back = __int128{count} * unit_of(asked);
                    if (back == wide) same.push_back(count);
                }
                EXPECT_GT(same.size(), 0u);
                EXPECT_EQ(JoinRows({KeyColumn::instants(same, unit_of(asked))}).count(filter),
                          same.size())
                    << to_string(first) << " filled with " << to_string(unit) << " asked about "
                    << to_string(asked);
            }
        }
    // An hour is 3,600 seconds, whatever unit says so.
    const std::vector<std::int32_t> hours{1, 25};
    const std::vector<std::int64_t> seconds{3600, 90'000};
    const auto filter = test::built_of_rows(
        JoinBuilder("auto", 0, 12), JoinRows({KeyColumn::instants(hours, 3'600'000'000'000)}));
    EXPECT_EQ(filter.key_kind(), KeyKind::seconds);
    EXPECT_EQ(JoinRows({KeyColumn::instants(seconds, 1'000'000'000)}).count(filter), 2u);
    EXPECT_INVALID("units of 0 nanoseconds", KeyColumn::instants(hours, 0));
    EXPECT_INVALID("not integers", KeyColumn::instants(std::vector<double>{1}, 1));
}

TEST(KeyKinds, WhatGoesInTogetherStaysTogether) {
    const auto kind_after_both = [](KeyKind first, KeyKind second) {
        JoinBuilder builder("split256", 100, 20);
        rows_of(first).insert_into(builder);
        rows_of(second).insert_into(builder);
        const auto filter = std::move(builder).finish();
        EXPECT_EQ(rows_of(first).count(filter), 3u);
        EXPECT_EQ(rows_of(second).count(filter), 3u);
        return filter.key_kind();
    };
    EXPECT_EQ(kind_after_both(KeyKind::integers, KeyKind::floats), KeyKind::floats);
    EXPECT_EQ(kind_after_both(KeyKind::integers, KeyKind::bytes), KeyKind::unknown);
    EXPECT_EQ(kind_after_both(KeyKind::days, KeyKind::nanoseconds), KeyKind::days);
    EXPECT_EQ(kind_after_both(KeyKind::nanoseconds, KeyKind::days), KeyKind::nanoseconds);
    JoinBuilder builder("split256", 100, 20);
    rows_of(KeyKind::integers).insert_into(builder);
    EXPECT_INVALID("integers and dates", rows_of(KeyKind::days).insert_into(builder));
    rows_of(KeyKind::bytes).insert_into(builder);
    EXPECT_INVALID("unknown kind and dates", rows_of(KeyKind::days).insert_into(builder));
}

TEST(KeyKinds, UnionsKeepTheKindOrAreRefused) {
    for (const char* const spec : {"auto", "split256"})
        for (const KeyKind a : kinds_of_rows)
            for (const KeyKind b : kinds_of_rows) {
                SCOPED_TRACE(to_string(a) + " and " + to_string(b) + " of " + spec);
                const auto part = [&](KeyKind kind) {
                    JoinBuilder builder(spec, 100, 20);
                    rows_of(kind).insert_into(builder);
                    return std::move(builder).part();
                };
                const JoinFilter left = part(a), right = part(b);
                auto bytes = save(left);
                JoinBuilder builder("split256", 100, 20);
                builder.unite(left);
                const bool refused = a != b && (is_instant(a) || is_instant(b));
                if (refused) {
                    EXPECT_INVALID("cannot be keys of one filter", builder.unite(right));
                    const auto united = unite_saved(bytes, save(right));
                    ASSERT_FALSE(united);
                    EXPECT_EQ(united.error().fault, LoadFault::unlike);
                    EXPECT_EQ(bytes, save(left));
                    continue;
                }
                builder.unite(right);
                const KeyKind kind = united(left.key_kind(), right.key_kind());
                EXPECT_EQ(std::move(builder).finish().key_kind(), kind);
                const auto size = unite_saved(bytes, save(right));
                if (size) {
                    EXPECT_EQ(load<JoinFilter>(bytes).value().key_kind(), kind);
                } else {
                    EXPECT_NE(a, b) << size.error().message;
                }
            }
    auto days = make_filter("split256", 10, 12, {.key_kind = KeyKind::days});
    const auto seconds = make_filter("split256", 10, 12, {.key_kind = KeyKind::seconds});
    const auto before = save(days);
    EXPECT_INVALID("dates and instants", days |= seconds);
    EXPECT_EQ(save(days), before);
}

TEST(KeyKinds, RowsOfOtherColumnsAreRefused) {
    const std::vector<KeyKind> one_of_each{KeyKind::integers, KeyKind::bytes, KeyKind::days,
                                           KeyKind::durations};
    const auto numbered = [&](std::size_t which, std::size_t columns) {
        std::vector<KeyKind> kinds;
        for (std::size_t c = 0; c < columns; ++c) kinds.push_back(one_of_each[which >> 2 * c & 3]);
        return kind_of_rows(kinds);
    };
    std::set<KeyKind> kinds;
    for (std::size_t which = 0; which < 16; ++which) kinds.insert(numbered(which, 2));
    for (std::size_t which = 0; which < 64; ++which) kinds.insert(numbered(which, 3));
    EXPECT_EQ(kinds.size(), 80u);
    for (std::size_t which = 0; which < 1024; ++which) kinds.insert(numbered(which, 5));
    EXPECT_EQ(kinds.size(), 128u);
    for (const KeyKind kind : kinds) {
        EXPECT_TRUE(is_rows(kind) && is_key_kind(static_cast<unsigned>(kind)));
        EXPECT_EQ(may_ask(kind, *kinds.begin()), kind == *kinds.begin());
        EXPECT_TRUE(may_ask(kind, KeyKind::rows) && may_ask(KeyKind::rows, kind));
        EXPECT_FALSE(may_ask(kind, KeyKind::integers) || may_ask(KeyKind::bytes, kind));
    }
    const std::vector<int> numbers{1, 2};
    const std::vector<double> floats{1, 2};
    const std::vector<std::string_view> texts{"a", "b"};
    const auto filter =
        test::built_of_rows(JoinBuilder("split256", 10, 20), JoinRows({numbers, texts}));
    EXPECT_EQ(JoinRows({floats, texts}).count(filter), 2u);
    EXPECT_INVALID(
        "rows of (numbers, text or bytes) cannot be probed with rows of (text or bytes, numbers)",
        JoinRows({texts, numbers}).count(filter));
    EXPECT_INVALID("with rows of (numbers, text or bytes, numbers)",
                   JoinRows({numbers, texts, numbers}).count(filter));
    EXPECT_INVALID("with rows of four or more columns",
                   JoinRows({numbers, numbers, numbers, numbers}).count(filter));
}

TEST(KeyKinds, ThreadsWithDifferentUnitsAgreeOnOne) {
    for (int round = 0; round < 20; ++round) {
        JoinBuilder builder("split256", 100, 30);
        constexpr KeyKind kinds[] = {KeyKind::days, KeyKind::seconds, KeyKind::nanoseconds};
        test::at_once(3, [&](unsigned t) { rows_of(kinds[t]).insert_into(builder); });
        const auto filter = std::move(builder).finish();
        for (const KeyKind kind : {KeyKind::days, KeyKind::milliseconds, KeyKind::nanoseconds})
            EXPECT_EQ(rows_of(kind).count(filter), 3u);
    }
}

TEST(KeyKinds, AnUnknownKindInSavedBytesIsRefused) {
    auto bytes =
        save(test::built_of_rows(JoinBuilder("auto", 100, 20), rows_of(KeyKind::integers)));
    bytes[15] = static_cast<std::byte>(static_cast<int>(last_key_kind) + 1);
    const auto error = load<JoinFilter>(bytes).error();
    EXPECT_NE(error.message.find("key kind 12"), std::string::npos) << error.message;
}

}  // namespace
}  // namespace simdbloom
