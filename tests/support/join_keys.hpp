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

/// The rows of a column that pass.
inline std::vector<std::uint32_t> rows_that_pass(const JoinFilter& filter,
                                                 const JoinColumn& column) {
    std::vector<std::uint32_t> rows(column.size());
    rows.resize(filter.select(column, rows));
    return rows;
}

/// Every shape of answer to a column, of which the rows pass that one(row) says.
template <class One>
void expect_join_answers(const JoinFilter& filter, const JoinColumn& column, const One& one) {
    const std::size_t n = column.size();
    const auto rows = rows_that_pass(filter, column);  // select() may write behind them
    expect_answers(
        n, one, [&] { return filter.count(column); },
        [&](auto to) { return filter.bitmap(column, to); },
        [&](auto to) { return std::ranges::copy(rows, to.begin()), rows.size(); });
    std::vector<std::uint8_t> bytes(n, 0xA5);
    EXPECT_EQ(filter.bytes(column, bytes), filter.count(column));
    for (std::size_t row = 0; row < n; ++row) ASSERT_EQ(bytes[row], one(row)) << row;
    // Every third row, the last first, one of them twice; to another place and in place.
    std::vector<std::uint32_t> some, some_pass;
    for (std::size_t row = n; row-- > 0;)
        if (row % 3 == 0) some.push_back(static_cast<std::uint32_t>(row));
    if (!some.empty()) some.push_back(some.front());
    for (const auto row : some)
        if (one(row)) some_pass.push_back(row);
    std::vector<std::uint32_t> elsewhere(some.size());
    elsewhere.resize(filter.select(column, some, elsewhere));
    EXPECT_EQ(elsewhere, some_pass);
    some.resize(filter.select(column, some, some));
    EXPECT_EQ(some, some_pass);
}

/// At 12 bits a key.
inline JoinFilter chosen(const std::vector<std::uint64_t>& keys, const Options& options = {},
                         std::size_t n_keys = 0, bool hashed = false,
                         const std::string& spec = "auto") {
    return built(JoinBuilder(spec, n_keys, 12, options), {keys, hashed});
}

}  // namespace simdbloom::test
