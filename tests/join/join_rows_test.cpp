// Columns of every type, one or several, against what their rows are one by one; and what the keys
// and hashes of rows are, and how good.
#include "simdbloom/join/join_rows.hpp"

#include <set>

#include "given_rows.hpp"
#include "join_keys.hpp"

namespace simdbloom {
namespace {

using test::expect_all;
using test::GivenColumn;
using test::Givens;
using test::RowList;
using test::Rows;

constexpr std::size_t sizes[] = {0, 1, 64, 130, 1025, 2500};

/// Promise: Columns of any type, with NULLs or dictionaries, give the results of their rows one by
///   one.
TEST(JoinRows, EveryTypeIsWhatItsRowsAre) {
    for (const std::size_t n : sizes)
        for (const bool nulls : {false, true})
            for (const Nulls meaning : {Nulls::differ, Nulls::equal}) {
                Givens givens(n, nulls, {7, {}});
                for (const GivenColumn& column : givens.every_type())
                    expect_all(Rows({column}, meaning, {7, {}}));
            }
}

TEST(JoinRows, EverySizeUpTo130) {
    for (std::size_t n = 0; n <= 130; ++n) {
        Givens givens(n, true, {}, n);
        expect_all(Rows({givens.numbers<std::int16_t>("i16")}, Nulls::differ));
        expect_all(Rows({givens.views(), givens.numbers<std::int16_t>("i16")}, Nulls::equal));
    }
}

TEST(JoinRows, SeveralColumns) {
    for (const std::size_t n : sizes)
        for (const bool nulls : {false, true})
            for (const Nulls meaning : {Nulls::differ, Nulls::equal})
                for (const RowHash& hash : {RowHash(), RowHash{5, {}}, RowHash{0, Secret{1, 2}}}) {
                    Givens givens(n, nulls, hash), others(n, !nulls, hash, 1),
                        third(n, nulls, hash, 2);
                    const auto text = givens.strings<std::int32_t>("strings32");
                    expect_all(Rows(
                        {givens.numbers<std::int32_t>("i32"), others.numbers<std::int64_t>("i64")},
                        meaning, hash));
                    expect_all(Rows({text, others.numbers<double>("f64"), third.inlined()}, meaning,
                                    hash));
                    expect_all(Rows({others.hashes(), text}, meaning, hash));
                    expect_all(Rows({text}, meaning, hash));
                }
}

TEST(JoinRows, DictionariesStandForTheirWords) {
    for (const std::size_t n : {0u, 1u, 100u, 2500u})
        for (const std::size_t n_words : {1u, 100u, 1100u, 4000u})
            for (const bool nulls : {false, true})
                for (const Nulls meaning : {Nulls::differ, Nulls::equal}) {
                    Givens givens(n, nulls), some_words(n_words, nulls, {}, 1),
                        few_words(5, !nulls, {}, 2);
                    const auto texts = some_words.strings<std::int64_t>("strings64"),
                               numbers = some_words.numbers<std::int32_t>("i32"),
                               few = few_words.arrow_views();
                    const auto codes = givens.dictionary<std::int16_t>(texts),
                               nested = givens.dictionary<std::uint64_t>(
                                   some_words.dictionary<std::uint8_t>(few));
                    expect_all(Rows({codes}, meaning));
                    expect_all(Rows({givens.dictionary<std::uint32_t>(numbers)}, meaning));
                    expect_all(Rows({nested}, meaning));
                    expect_all(Rows({givens.dictionary<std::int8_t>(few), nested, codes}, meaning));
                }
}

TEST(JoinRows, ADictionaryWithoutWords) {
    Givens no_words(0, false);
    const std::vector<std::uint8_t> none(10), codes(70);
    for (const Nulls meaning : {Nulls::differ, Nulls::equal})
        for (const bool two : {false, true}) {
            const KeyColumn column =
                KeyColumn::dictionary(codes, no_words.views().column).with_validity(none.data());
            const GivenColumn given{"no words", column, false,
                                    [](std::size_t) { return std::nullopt; }};
            expect_all(Rows(two ? std::vector{given, given} : std::vector{given}, meaning));
        }
    const JoinRows wrong({KeyColumn::dictionary(codes, no_words.views().column)});
    EXPECT_INVALID("row 0 is word 0 of a dictionary of 0", wrong.count(JoinFilter::accept_all()));
}

TEST(JoinRows, CodesThatAreNoneAreNamed) {
    const std::vector<std::uint64_t> words{5, 6, 7};
    std::vector<std::int8_t> codes(2000);
    const auto refused = [&](const auto& wrong_codes, const std::string& what) {
        const KeyColumn column = KeyColumn::dictionary(wrong_codes, KeyColumn(words));
        EXPECT_INVALID(what, column.check());
        for (const bool two : {false, true}) {
            const JoinRows rows(two ? std::vector{column, column} : std::vector{column});
            JoinBuilder builder("split256", 100, 12);
            const std::uint64_t five[] = {5};
            builder.insert({five, two});
            EXPECT_INVALID(what, rows.insert_into(builder));
            const JoinFilter filter = std::move(builder).finish();
            for (const JoinFilter& asked : {filter, JoinFilter::accept_all()})
                EXPECT_INVALID(what, rows.count(asked));
        }
    };
    codes[1999] = 3;
    refused(codes, "row 1999 is word 3 of a dictionary of 3");
    codes[1500] = -1;
    refused(codes, "row 1500 is word -1 of a dictionary of 3");
    for (const std::uint64_t wrong : {std::uint64_t{1} << 32, std::uint64_t{1} << 63})
        refused(std::vector<std::int64_t>{0, static_cast<std::int64_t>(wrong)},
                "row 1 is word " + std::to_string(static_cast<std::int64_t>(wrong)) + " of");
    // Of rows that are NULL, or not asked about, codes do not matter.
    std::vector<std::uint8_t> valid(250, 0xFF);
    valid[1500 / 8] &= 0xFF - (1 << 1500 % 8);
    valid[1999 / 8] &= 0xFF - (1 << 1999 % 8);
    const KeyColumn column =
        KeyColumn::dictionary(codes, KeyColumn(words)).with_validity(valid.data());
    column.check();
    const JoinRows rows({column});
    EXPECT_EQ(rows.count(JoinFilter::accept_all()), 1998u);
}

TEST(JoinRows, ADictionaryIsAskedOnceForManyBatches) {
    for (const Nulls meaning : {Nulls::differ, Nulls::equal})
        for (const std::size_t n_words : {0u, 1u, 64u, 500u}) {
            Givens words(n_words, true), codes(3000, false);
            const auto column = words.strings<std::int32_t>("strings32");
            Rows given({column}, meaning);
            const JoinFilter filter = given.filter_of_some("split256");
            const JoinFilter passing = codes_that_pass(filter, column.column, meaning);
            EXPECT_EQ(passing.kind(), JoinFilter::Kind::bitmap);
            const auto expected = given.passing(filter);
            for (std::size_t code = 0; code < n_words + 200; ++code) {
                const std::uint64_t key[] = {code};
                const std::uint64_t null[] = {hash_key(0x243F6A8885A308D3u)};
                const bool null_passes = meaning == Nulls::equal && filter.count({null, true}) == 1;
                EXPECT_EQ(passing.count({key}) == 1, code < n_words    ? bool(expected[code])
                                                     : code == n_words ? null_passes
                                                                       : false)
                    << code;
            }
        }
    const std::vector<std::uint64_t> words{3, 4};
    EXPECT_EQ(codes_that_pass(JoinFilter::accept_all(), words).why(),
              "bitmap: 2 of 2 words of a dictionary pass");
}

TEST(JoinRows, AMoveIsACopy) {
    Givens givens(100, true);
    JoinRows rows({givens.strings<std::int32_t>("strings32").column});
    const std::size_t n = rows.count(JoinFilter::accept_all());
    JoinRows moved = std::move(rows);
    EXPECT_EQ(rows.count(JoinFilter::accept_all()), n);
    rows = std::move(moved);
    EXPECT_EQ(moved.count(JoinFilter::accept_all()), n);
}

// A batch outside of the range of the keys is skipped, whatever the width of its numbers.
TEST(JoinRows, NarrowColumnsKnowTheRange) {
    std::vector<std::int32_t> keys, inside, outside;
    for (std::int32_t i = 0; i < 5000; ++i) {
        keys.push_back(-1'000'000'000 + 350'003 * i);
        inside.push_back(keys.back() + i % 2);
        outside.push_back(1'000'000'000 + i);
    }
    const JoinFilter filter =
        test::built_of_rows(JoinBuilder("auto:split256", 0, 12), JoinRows({keys}));
    ASSERT_EQ(filter.kind(), JoinFilter::Kind::filter);
    for (const auto* column : {&keys, &inside, &outside}) {
        const std::vector<std::int64_t> wide(column->begin(), column->end());
        const JoinRows rows({*column}), wide_rows({wide});
        RowList expected(wide.size()), found(wide.size());
        expected.resize(wide_rows.select(filter, expected));
        found.resize(rows.select(filter, found));
        EXPECT_EQ(found, expected);
        EXPECT_EQ(rows.count(filter), expected.size());
        std::vector<std::uint8_t> bits(625), expected_bits(625);
        EXPECT_EQ(rows.bitmap(filter, bits), wide_rows.bitmap(filter, expected_bits));
        EXPECT_EQ(bits, expected_bits);
    }
    EXPECT_EQ(JoinRows({outside}).count(filter), 0u);
}

// Not even the rows of the pieces before it, which a selection in place would lose.
TEST(JoinRows, ARowThatIsNotThereLeavesTheOutputAsItWas) {
    const std::vector<std::uint64_t> values = test::random_keys(100);
    AnyFilter filled = make_filter("split256", 100, 12);
    filled.insert(std::span(values).first(50));
    const JoinFilter filter(filled), all = JoinFilter::accept_all();
    const JoinColumn column{values};
    const JoinRows of_column({values});
    for (const auto* f : {&filter, &all})
        for (const std::size_t wrong : {0u, 1u, 1'023u, 1'024u, 2'999u}) {
            RowList rows(3'000);
            for (std::uint32_t i = 0; i < rows.size(); ++i) rows[i] = i * 7 % 100;
            rows[wrong] = 100;
            const RowList before = rows;
            EXPECT_OUT_OF_RANGE("row 100 of a column of 100 rows", f->select(column, rows, rows));
            EXPECT_EQ(rows, before) << wrong;
            EXPECT_OUT_OF_RANGE("row 100 of a column of 100 rows",
                                of_column.select(*f, rows, rows));
            EXPECT_EQ(rows, before) << wrong;
            EXPECT_OUT_OF_RANGE("of 0 rows", f->select({}, std::span(rows).first(1), rows));
        }
    EXPECT_EQ(filter.select({}, {}, {}), 0u);
}

TEST(JoinRows, WrongOnesAreRefusedByValue) {
    const std::vector<std::int32_t> three(3), four(4);
    EXPECT_INVALID("no columns", JoinRows({}));
    EXPECT_INVALID("columns of 3 and of 4 rows", JoinRows({three, four}));
    const JoinRows rows({three}), hashed({three, three});
    const JoinFilter all = JoinFilter::accept_all();
    RowList out(2), wrong{0, 3};
    std::vector<std::uint8_t> byte(1), none;
    std::vector<std::uint64_t> no_words, words(2);
    JoinBuilder builder("split256", 10, 12);
    EXPECT_LENGTH_ERROR("room for 2", rows.select(all, out));
    EXPECT_LENGTH_ERROR("room for 0", rows.select(all, wrong, {}));
    EXPECT_OUT_OF_RANGE("row 3 of a column of 3", rows.select(all, wrong, out));
    EXPECT_OUT_OF_RANGE("row 3 of a column of 3", rows.hashes(wrong, words));
    EXPECT_OUT_OF_RANGE("row 3 of a column of 3", rows.insert_into(builder, wrong));
    EXPECT_EQ(builder.rows(), 0u);
    EXPECT_LENGTH_ERROR("0 bytes", rows.bitmap(all, none));
    EXPECT_LENGTH_ERROR("0 bytes", rows.and_bitmap(all, none));
    EXPECT_LENGTH_ERROR("0 bytes", rows.and_bitmap(all, no_words));
    EXPECT_LENGTH_ERROR("room for 1 of 3", rows.bytes(all, byte));
    EXPECT_LENGTH_ERROR("for 1 of 3", rows.and_bytes(all, byte));
    EXPECT_LENGTH_ERROR("room for 2 of 3", rows.hashes(words));
    EXPECT_LENGTH_ERROR("room for 0 of 2", rows.hashes(wrong, no_words));
    EXPECT_LENGTH_ERROR("for 2 of 3", rows.column(words, byte));
    // Nothing of a plain column either where no row is listed.
    const std::vector<std::uint64_t> keys{1, 2, 3};
    JoinRows({keys}).insert_into(builder, RowList());
    EXPECT_EQ(builder.rows(), 0u);
    EXPECT_EQ(JoinRows({keys}).select(all, RowList(), {}), 0u);
    // A list of keys cannot be probed with several columns.
    const JoinFilter of_keys = test::built_of_rows(JoinBuilder("auto", 3, 12), rows);
    EXPECT_INVALID("a filter of integers cannot be probed with rows", hashed.count(of_keys));
}

/// Promise: Rows of several columns hash as documented and have the FPR of random keys.
TEST(RowKeys, TheOrderOfColumnsAndThePlaceOfANullMatter) {
    // NULL, 0 and the words of NULL, in every place of up to three columns.
    const std::vector<std::uint64_t> numbers{0, 0, 1, 2};
    const std::vector<std::uint8_t> valid{0b1110};
    std::set<std::uint64_t> hashes;
    std::size_t n = 0;
    for (std::size_t columns = 1; columns <= 3; ++columns)
        for (std::size_t which = 0; which < std::size_t{1} << 2 * columns; ++which, ++n) {
            std::vector<KeyColumn> key;
            for (std::size_t c = 0; c < columns; ++c) {
                const std::size_t at = which >> 2 * c & 3;
                key.push_back(
                    KeyColumn(std::span(&numbers[at], 1)).with_validity(valid.data(), at));
            }
            std::uint64_t hash[1];
            EXPECT_EQ(JoinRows(key, Nulls::equal).hashes(hash), 1u);
            hashes.insert(hash[0]);
        }
    EXPECT_EQ(hashes.size(), n);
}

TEST(RowKeys, FprOfSeveralColumnsIsTheFiltersOwn) {
    constexpr std::uint32_t side = 600;
    std::vector<std::uint32_t> a, b, other;
    std::vector<std::string> text_of;
    for (std::uint32_t i = 0; i < side; ++i)
        for (std::uint32_t j = 0; j < side; ++j) {
            a.push_back(i);
            b.push_back(j);
            other.push_back(j + side);
        }
    for (std::uint32_t i = 0; i < a.size() + other.size(); ++i)
        text_of.push_back("user" + std::to_string(i));
    const std::vector<std::string_view> texts(text_of.begin(), text_of.end());
    const auto names = std::span(texts).first(a.size()),
               strangers = std::span(texts).last(a.size());
    struct Family {
        std::vector<KeyColumn> keys, others;
    };
    const Family families[] = {
        {{a, b}, {a, other}}, {{b, a}, {other, a}}, {{names, names}, {strangers, strangers}}};
    for (const Family& family : families) {
        const JoinRows keys(family.keys), others(family.others);
        std::vector<std::uint64_t> hashes(keys.size());
        keys.hashes(hashes);
        EXPECT_EQ(std::set(hashes.begin(), hashes.end()).size(), hashes.size());
        auto filter = make_filter("split256", keys.size(), 12);
        filter.insert(Keys::hashes(hashes));
        const JoinFilter asked(filter);
        EXPECT_EQ(keys.count(asked), keys.size());
        const double found = static_cast<double>(others.count(asked)),
                     expected = filter.expected_fpr() * static_cast<double>(others.size());
        EXPECT_NEAR(found, expected, 6 * std::sqrt(expected));
    }
}

TEST(RowKeys, HashesStayWhatTheyAre) {
    const std::vector<std::int32_t> id{1, -1, 7};
    const std::vector<std::string_view> name{"alpha", "", "a name of more than twelve bytes"};
    const std::vector<double> share{0.5, -0.0, 3};
    const std::vector<std::uint8_t> valid{0b011};
    const auto hashes = [&](const std::vector<KeyColumn>& columns, const RowHash& hash) {
        std::vector<std::uint64_t> h(3);
        JoinRows(columns, Nulls::equal, hash).hashes(h);
        return h;
    };
    const KeyColumn null_last = KeyColumn(share).with_validity(valid.data());
    using H = std::vector<std::uint64_t>;
    EXPECT_EQ(hashes({id}, {}), (H{0xDE5AE11BC66D2D45u, 0x7ED3122645101275u, 0xF4231E4F40E5318Cu}));
    EXPECT_EQ(hashes({name}, {}),
              (H{0xC758E1011DDA5848u, 0xEF46DB3751D8E999u, 0x682A207E1D450C93u}));
    EXPECT_EQ(hashes({id, name, null_last}, {}),
              (H{0x56DFB614CB6045E1u, 0x23042FCE6101A1A1u, 0xCC4EDE537799A547u}));
    EXPECT_EQ(hashes({null_last, name, id}, {9, {}}),
              (H{0x1A127896B6611E64u, 0x46709F75A7766906u, 0x66ECFA9AF8328E99u}));
    EXPECT_EQ(hashes({null_last, name, id}, {0, Secret{1, 2}}),
              (H{0x98A773AEE8155296u, 0xDB5D75BBAAF82587u, 0xF9D7332E245F357Bu}));
}

}  // namespace
}  // namespace simdbloom
