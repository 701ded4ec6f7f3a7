// Keys of one column or of several.
//
// The hash of a row of several columns:
//   h_1 = w_1,  h_i = hash_key(h_(i-1)) + w_i
// w_i is the hash in a filter of column i alone, or a constant for NULL. The seed of the filter
// encodes the number and the kinds of the columns, four bits a column.
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

    /// One column of keys, several columns, or one column of row values (a, b). A row value with a
    /// NULL member is a key, because `=` treats NULLs in row values as equal. Several columns with
    /// a NULL are not a key. Throws std::invalid_argument for types that have no keys and for more
    /// than 8 columns.
    KeyRows(std::span<const duckdb_vector> columns, std::size_t rows);

    /// The seed of a filter of these keys.
    std::uint64_t seed() const noexcept;
    KeyColumn::Hashes hashes() const;
    /// As KeyColumn::ask(). Also throws if the filter has another number of columns.
    void ask(const AnyFilter& filter, std::size_t first, std::size_t n,
             KeyColumn::FilterProbe& question) const;

private:
    std::deque<KeyColumn> columns_;
    bool as_rows_ = false;
    const std::uint64_t* row_values_ = nullptr;  ///< the validity of row values, or null
    std::size_t rows_;
};

/// The kinds of a filter's keys, by its seed: "integers", or "(integers, VARCHAR)".
std::string keys_text(std::uint64_t seed);
/// The same, as saved filters record it for readers other than DuckDB.
KeyKind saved_kind(std::uint64_t seed) noexcept;
/// Whether the extension built the filter of no keys.
bool is_empty(std::uint64_t seed) noexcept;

}  // namespace simdbloom::duckdb
