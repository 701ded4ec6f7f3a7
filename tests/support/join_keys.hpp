// Keys of build sides, and the join filters that a builder chooses for them.
#pragma once

#include "simdbloom/join/join.hpp"
#include "simdbloom/join/join_rows.hpp"
#include "support.hpp"

namespace simdbloom::test {

/// n keys, `step` apart.
inline std::vector<std::uint64_t> sequence(std::uint64_t first, std::size_t n,
                                           std::uint64_t step = 1) {
    std::vector<std::uint64_t> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = first + step * i;
    return keys;
}

/// Runs of dense keys with gaps.
inline std::vector<std::uint64_t> runs(std::uint64_t first, std::size_t n_runs, std::size_t keys,
                                       std::uint64_t every) {
    std::vector<std::uint64_t> all;
    for (std::size_t run = 0; run < n_runs; ++run)
        std::ranges::copy(sequence(first + run * every, keys), std::back_inserter(all));
    return all;
}

/// The filter of these rows.
inline JoinFilter built(JoinBuilder&& builder, const JoinColumn& rows) {
    builder.insert(rows);
    return std::move(builder).finish();
}
inline JoinFilter built_part(JoinBuilder&& builder, const JoinColumn& rows) {
    builder.insert(rows);
    return std::move(builder).part();
}
inline JoinFilter built_of_rows(JoinBuilder&& builder, const JoinRows& rows) {
    rows.insert_into(builder);
    return std::move(builder).finish();
}

using RowList = std::vector<std::uint32_t>;

/// The rows that pass: filter.select(column) or rows.select(filter).
template <class Asked, class By>
RowList rows_that_pass(const Asked& asked, const By& by, std::size_t n) {
    RowList rows(n);
    rows.resize(asked.select(by, rows));
    return rows;
}
inline RowList rows_that_pass(const JoinFilter& filter, const JoinColumn& column) {
    return rows_that_pass(filter, column, column.size());
}

/// Some of n rows, the last first, and one of them twice.
inline RowList some_of(std::size_t n) {
    RowList some;
    for (std::size_t row = n; row-- > 0;)
        if (random_key(row) % 3 == 0) some.push_back(static_cast<std::uint32_t>(row));
    if (!some.empty()) some.push_back(some.front());
    return some;
}

/// Every shape of answer about n rows, such as asked.count(by): a row passes if one(row) says so.
template <class Asked, class By, class One>
void expect_join_answers(const Asked& asked, const By& by, std::size_t n, const One& one) {
    const RowList rows = rows_that_pass(asked, by, n);  // select() may write behind them
    expect_answers(
        n, one, [&] { return asked.count(by); }, [&](auto to) { return asked.bitmap(by, to); },
        [&](auto to) { return std::ranges::copy(rows, to.begin()), rows.size(); });
    std::vector<std::uint8_t> bytes(n + 1, 0xA5);
    EXPECT_EQ(asked.bytes(by, std::span(bytes).first(n)), rows.size());
    for (std::size_t row = 0; row < n; ++row) ASSERT_EQ(bytes[row], one(row)) << row;
    EXPECT_EQ(bytes[n], 0xA5);
    // A list of rows, to another place and in place.
    RowList some = some_of(n), elsewhere(some.size()), some_pass;
    for (const auto row : some)
        if (one(row)) some_pass.push_back(row);
    elsewhere.resize(asked.select(by, some, elsewhere));
    EXPECT_EQ(elsewhere, some_pass);
    some.resize(asked.select(by, some, some));
    EXPECT_EQ(some, some_pass);
}

/// At 12 bits a key.
inline JoinFilter chosen(const std::vector<std::uint64_t>& keys, const Options& options = {},
                         std::size_t n_keys = 0, bool hashed = false,
                         const std::string& spec = "auto") {
    return built(JoinBuilder(spec, n_keys, 12, options), {keys, hashed});
}

}  // namespace simdbloom::test
