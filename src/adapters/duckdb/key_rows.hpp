// Keys of one column or of several.
//
// The hash of a row of several columns:
//   h_1 = w_1,  h_i = hash_key(h_(i-1)) + w_i
// w_i is the hash that a filter of column i alone would have, or a constant for NULL. The seed of
// the filter says how many columns there are and of which kinds, four bits a column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>

#include "adapters/duckdb/keys.hpp"

namespace simdbloom::duckdb {

/// The keys of a call. Refers to DuckDB's vectors.
class KeyRows {
public:
    static constexpr std::size_t most_columns = 8;

    /// One column of keys, several, or one of rows: (a, b). A row value is a key even if a member
    /// is NULL, because `=` finds NULLs in row values equal. Of several columns no key is NULL.
    /// Throws std::invalid_argument for types that have no keys and for more columns than 8.
    KeyRows(std::span<const duckdb_vector> columns, std::size_t rows);

    /// The seed of a filter of these keys.
    std::uint64_t seed() const noexcept;
    KeyColumn::Hashes hashes() const;
    /// As KeyColumn::ask(). Throws also if the filter has another number of columns.
    void ask(const AnyFilter& filter, std::size_t first, std::size_t n,
             KeyColumn::FilterProbe& question) const;

private:
    bool is_null(std::size_t row) const noexcept {
        return row_values_ != nullptr && (row_values_[row / 64] >> (row % 64) & 1) == 0;
    }

    std::deque<KeyColumn> columns_;
    bool as_rows_ = false;
    const std::uint64_t* row_values_ = nullptr;  ///< the validity of row values, or null
    std::size_t rows_;
};

/// What the keys of a filter are, by its seed: "integers", or "(integers, VARCHAR)".
std::string keys_text(std::uint64_t seed);
/// The same, as the format of saved filters says it to readers other than DuckDB.
KeyKind saved_kind(std::uint64_t seed) noexcept;
/// Whether no key went into a filter that the extension built.
bool is_empty(std::uint64_t seed) noexcept;

}  // namespace simdbloom::duckdb
