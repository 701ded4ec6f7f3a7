// Method 1 of Bloom 1970: no key lost, batches as single keys, errors and time as its model has
// them.
#include "simdbloom/textbook/code_table.hpp"
#include "scale.hpp"
#include "simdbloom/textbook/textbook.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

TEST(CodeTable, FindsEveryKeyUpToTheLastCell) {
    for (const unsigned bits : {2u, 7u, 8u, 19u, 31u, 32u})
        for (const std::uint64_t cells : {2u, 3u, 64u, 1000u}) {
            CodeTable table(cells, bits);
            const auto keys = test::random_keys(100'000);
            const std::size_t in = table.try_insert(keys);
            ASSERT_LE(table.stored(), cells - 1);
            ASSERT_EQ(table.count(std::span(keys).first(in)), in) << bits << ' ' << cells;
            if (in == keys.size()) continue;  // every code is on every row
            EXPECT_EQ(table.stored(), cells - 1);
            EXPECT_FALSE(table.try_insert(keys[in]));
            EXPECT_FALSE(table.contains(keys[in])) << "a refused key leaves nothing behind";
            table.clear();
            EXPECT_EQ(table.count(keys), 0u);
            EXPECT_EQ(table.stored(), 0u);
            EXPECT_EQ(table.try_insert(keys), in) << "a cleared table is as a new one";
        }
}

TEST(CodeTable, ErrorsAndTimeAreThoseOfItsModel) {
    const std::size_t n = 100'000, probes = test::slow_build ? 100'000 : 1'000'000;
    const auto keys = test::random_keys(n), strangers = test::random_keys(probes, 1 << 30);
    for (const unsigned bits : {4u, 8u, 12u})
        for (const double empty : {0.5, 0.2, 0.1}) {
            CodeTable table = CodeTable::with_empty_share(n, empty, bits);
            ASSERT_EQ(table.try_insert(keys), n);
            ASSERT_EQ(table.count(keys), n);
            const double model = table.estimated_fpr(), asked = static_cast<double>(probes);
            EXPECT_NEAR(static_cast<double>(table.count(strangers)), asked * model,
                        5 * std::sqrt(asked * model))
                << bits << ' ' << empty;
            double looked_at = 0;
            for (std::size_t i = 0; i < 20'000; ++i)
                looked_at += static_cast<double>(table.probes(hash_key(strangers[i])));
            // Of a geometric number of cells the deviation is below the mean.
            EXPECT_NEAR(looked_at / 20'000 / table.expected_probes(), 1, 5 / std::sqrt(20'000))
                << bits << ' ' << empty;
            // Few keys lose their cell to another key's code.
            EXPECT_GT(static_cast<double>(table.stored()),
                      static_cast<double>(n) * (1 - 2 * model - 0.001));
        }
}

// Codes of all widths take all their values but 0: with 32 bits no two of these keys share one.
TEST(CodeTable, LongCodesTellKeysApart) {
    CodeTable table(4000, 32);
    const auto keys = test::random_keys(3000);
    EXPECT_EQ(table.try_insert(keys), keys.size());
    EXPECT_EQ(table.stored(), keys.size());
    EXPECT_EQ(table.count(test::random_keys(100'000, 1 << 20)), 0u);
    EXPECT_TRUE(table.try_insert_hash(~std::uint64_t{0}) && table.contains_hash(~std::uint64_t{0}));
    EXPECT_TRUE(table.try_insert_hash(0) && table.contains_hash(0));
    EXPECT_EQ(table.stored(), keys.size() + 2);
}

TEST(CodeTable, ErrorsNameTheValue) {
    EXPECT_INVALID("1 cells", CodeTable(1, 8));
    EXPECT_INVALID("codes of 1 bits", CodeTable(100, 1));
    EXPECT_INVALID("codes of 33 bits", CodeTable(100, 33));
    EXPECT_LENGTH_ERROR("4294967296 cells", CodeTable(std::uint64_t{1} << 32, 8));
    EXPECT_INVALID("0 keys", CodeTable::with_empty_share(0, 0.5, 8));
    EXPECT_INVALID("1.0", CodeTable::with_empty_share(10, 1, 8));
    EXPECT_INVALID("nan", CodeTable::with_empty_share(10, NAN, 8));
    EXPECT_LENGTH_ERROR("max_bytes=1000",
                        CodeTable::with_empty_share(1'000'000, 1e-4, 32, {.max_bytes = 1000}));
    EXPECT_EQ(CodeTable::with_empty_share(50, 0.5, 8).cells(), 100u);
}

// A row that only an empty cell ends would visit all cells of a full table: 2 ms with a million.
TEST(CodeTable, ALookupVisitsABoundedNumberOfCells) {
    const std::uint64_t cells = 50'000;
    CodeTable full(cells, 32);
    const auto keys = test::random_keys(60'000), absent = test::random_keys(2'000, 1 << 30);
    std::size_t in = 0;
    while (in < keys.size() && full.try_insert(keys[in])) ++in;
    EXPECT_GT(full.load(), 0.99);
    EXPECT_EQ(full.count(std::span(keys).first(in)), in) << "no key is lost for the end of its row";

    for (const auto key : absent) ASSERT_LE(full.probes(hash_key(key)), CodeTable::cells_of_row);
    const double found = static_cast<double>(full.count(absent)) / 2'000;
    EXPECT_NEAR(full.estimated_fpr(), found, 0.1);
}

TEST(CodeTable, ForFprMeetsItsTargetWithCodesThatLeaveItFewEmptyCells) {
    const std::size_t n = 100'000;
    const auto keys = test::random_keys(n), absent = test::random_keys(n, 1 << 30);
    for (const double fpr : {0.001, 0.05}) {
        CodeTable table = CodeTable::for_fpr(n, fpr, {.spec = "codes:c=32"});
        table.insert(keys);
        ASSERT_EQ(table.count(keys), n);
        EXPECT_LE(table.expected_fpr(), fpr * 1.0001);
        EXPECT_LE(static_cast<double>(table.count(absent)),
                  static_cast<double>(n) * fpr + 5 * std::sqrt(static_cast<double>(n) * fpr));
    }
}

}  // namespace
}  // namespace simdbloom
