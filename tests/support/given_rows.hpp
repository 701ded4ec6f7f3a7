// Rows of given columns, what they must be, and every answer that they can be asked for.
#pragma once

#include <string>
#include <vector>

#include "given_columns.hpp"
#include "join_keys.hpp"

namespace simdbloom::test {

/// The formula of src/join/README.md, row by row.
inline std::uint64_t hash_of_row(const std::vector<GivenColumn>& columns, std::size_t row,
                                 const RowHash& hash) {
    const auto mixed = [&](std::uint64_t word) {
        return hash.secret ? siphash(word, *hash.secret) : hash_key(word, hash.seed);
    };
    std::uint64_t h = 0;
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const auto word = columns[c].word(row);
        const std::uint64_t w = word.value_or(0x243F6A8885A308D3u);
        if (c == 0) h = word && !columns[c].is_number ? w : mixed(w);
        else h = mixed((h << 23 | h >> 41) + w);
    }
    return h;
}

/// Rows, and what they must be.
struct Rows {
    Rows(std::vector<GivenColumn> given, Nulls nulls, const RowHash& hash = {})
        : columns(std::move(given)), rows(key_columns(), nulls, hash) {
        for (std::size_t row = 0; row < rows.size(); ++row) {
            hashes.push_back(hash_of_row(columns, row, hash));
            bool any = false;
            for (const auto& column : columns) any = any || !column.word(row);
            can_pass.push_back(nulls == Nulls::equal || !any);
            const bool keys = columns.size() == 1 && columns[0].is_number && nulls == Nulls::differ;
            values.push_back(keys ? columns[0].word(row).value_or(0) : hashes.back());
        }
    }
    std::vector<KeyColumn> key_columns() const {
        std::vector<KeyColumn> all;
        for (const auto& column : columns) all.push_back(column.column);
        return all;
    }
    std::vector<GivenColumn> columns;
    JoinRows rows;
    std::vector<std::uint64_t> hashes, values;
    std::vector<bool> can_pass;

    /// What passes a filter, by single lookups.
    std::vector<bool> passing(const JoinFilter& filter) const {
        std::vector<bool> passes(rows.size());
        for (std::size_t row = 0; row < rows.size(); ++row)
            passes[row] = can_pass[row] && filter.count({{&values[row], 1}, rows.hashed()}) == 1;
        return passes;
    }
    /// A filter of a third of the rows that can pass.
    JoinFilter filter_of_some(const char* spec) const {
        JoinBuilder builder(spec, rows.size() / 3 + 1, 12);
        for (std::size_t row = 0; row < rows.size(); row += 3)
            if (can_pass[row]) builder.insert({{&values[row], 1}, rows.hashed()});
        return std::move(builder).finish();
    }
};

inline void expect_flags(const Rows& given, const JoinFilter& filter,
                         const std::vector<bool>& passes) {
    const std::size_t n = given.rows.size();
    // One in 1, 3, 20 and 5,000 is set.
    for (const std::uint64_t one_in : {1u, 3u, 20u, 5000u}) {
        std::vector<std::uint8_t> bits((n + 7) / 8 + 1), flags(n + 3, 9);
        std::vector<std::uint64_t> words((n + 63) / 64 + 1);
        std::vector<bool> left(n);
        std::size_t n_left = 0;
        for (std::size_t row = 0; row < 8 * bits.size(); ++row) {
            // Bits behind the last row stay.
            const bool set = row >= n || random_key(row + 77) % one_in == 0;
            if (set) bits[row / 8] |= static_cast<std::uint8_t>(1u << row % 8);
            if (row >= n) continue;
            flags[row] = set ? static_cast<std::uint8_t>(1 + row % 255) : 0;
            left[row] = set && passes[row];
            n_left += left[row];
        }
        for (std::size_t row = 0; row < 64 * words.size(); ++row)
            if (row >= 8 * bits.size() || (bits[row / 8] >> row % 8 & 1) != 0)
                words[row / 64] |= std::uint64_t{1} << row % 64;
        EXPECT_EQ(given.rows.and_bitmap(filter, bits), n_left);
        EXPECT_EQ(given.rows.and_bitmap(filter, words), n_left);
        EXPECT_EQ(given.rows.and_bytes(filter, flags), n_left);
        for (std::size_t row = 0; row < 8 * bits.size(); ++row)
            ASSERT_EQ((bits[row / 8] >> row % 8 & 1) != 0, row >= n || left[row]) << row;
        for (std::size_t row = 0; row < 64 * words.size(); ++row)
            ASSERT_EQ((words[row / 64] >> row % 64 & 1) != 0, row >= n || left[row]) << row;
        for (std::size_t row = 0; row < flags.size(); ++row)
            ASSERT_EQ(flags[row], row >= n ? 9 : left[row] ? 1 + row % 255 : 0) << row;
    }
}

inline void expect_answers(const Rows& given, const JoinFilter& filter) {
    const auto passes = given.passing(filter);
    const auto one = [&](std::size_t row) { return bool{passes[row]}; };
    expect_join_answers(given.rows, filter, given.rows.size(), one);
    if (const auto plain = given.rows.plain())
        expect_join_answers(filter, *plain, given.rows.size(), one);
    expect_flags(given, filter, passes);
}

inline void expect_hashes(const Rows& given) {
    const std::size_t n = given.rows.size();
    std::vector<std::uint64_t> hashes(n), values(n);
    std::vector<std::uint8_t> valid((n + 7) / 8);
    const auto can_pass = static_cast<std::size_t>(std::ranges::count(given.can_pass, true));
    EXPECT_EQ(given.rows.hashes(hashes), can_pass);
    EXPECT_EQ(hashes, given.hashes);
    std::ranges::fill(hashes, 0);
    EXPECT_EQ(given.rows.hashes(hashes, valid), can_pass);
    EXPECT_EQ(hashes, given.hashes);
    const JoinColumn column = given.rows.column(values, valid);
    EXPECT_EQ(column.hashed, given.rows.hashed());
    ASSERT_EQ(column.size(), n);
    for (std::size_t row = 0; row < n; ++row) {
        ASSERT_EQ((valid[row / 8] >> row % 8 & 1) != 0, given.can_pass[row]) << row;
        ASSERT_EQ(column.is_valid(row), given.can_pass[row]) << row;
        if (given.can_pass[row]) {
            ASSERT_EQ(column.values[row], given.values[row]) << row;
        }
    }
    const RowList some = some_of(n);
    std::vector<std::uint64_t> of_some(some.size()), expected;
    for (const std::uint32_t row : some) expected.push_back(given.hashes[row]);
    given.rows.hashes(some, of_some);
    EXPECT_EQ(of_some, expected);
}

/// A builder of all rows, and one of some, build what single inserts build.
inline void expect_builds(const Rows& given) {
    const auto build = [&](const auto& insert) {
        JoinBuilder builder("split256", given.rows.size() + 1, 12,
                            {.key_kind = given.rows.key_kind()});
        insert(builder);
        return save(std::move(builder).filter());
    };
    const auto one = [&](JoinBuilder& builder, std::size_t row) {
        if (given.can_pass[row]) builder.insert({{&given.values[row], 1}, given.rows.hashed()});
    };
    const RowList some = some_of(given.rows.size());
    EXPECT_EQ(build([&](JoinBuilder& builder) { given.rows.insert_into(builder); }),
              build([&](JoinBuilder& builder) {
                  for (std::size_t row = 0; row < given.rows.size(); ++row) one(builder, row);
              }));
    EXPECT_EQ(build([&](JoinBuilder& builder) { given.rows.insert_into(builder, some); }),
              build([&](JoinBuilder& builder) {
                  for (const std::uint32_t row : some) one(builder, row);
              }));
}

inline void expect_all(const Rows& given) {
    std::string what;
    for (const auto& column : given.columns) what += column.name + ", ";
    SCOPED_TRACE(what + std::to_string(given.rows.size()) + " rows");
    for (const char* const spec : {"split256", "auto"})
        expect_answers(given, given.filter_of_some(spec));
    expect_answers(given, JoinFilter::accept_all());
    expect_answers(given, JoinFilter::accept_none());
    expect_hashes(given);
    expect_builds(given);
}

}  // namespace simdbloom::test
