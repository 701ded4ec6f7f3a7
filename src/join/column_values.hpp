// The values of one column, up to 1,024 rows at a time.
#pragma once

#include <cstdint>

#include "join/row_reader.hpp"
#include "simdbloom/detail/strings.hpp"
#include "simdbloom/join/key_column.hpp"

namespace simdbloom::detail {

/// Bit i of `valid` says that row piece[i] is not NULL. Returns whether there may be NULLs.
bool read_validity(const ColumnPlace& place, const RowPiece& piece, PieceBits& valid) noexcept;

/// values[i] = the key of row piece[i] in a column of numbers, or the hash in a column of hashes.
void read_numbers(const ColumnPlace& place, const RowPiece& piece, std::uint64_t* values) noexcept;

/// values[i] = the hash of row piece[i] in any other column. Undefined for a NULL, whose bit of
/// `valid` is 0. valid == nullptr: no NULLs.
void hash_column(const ColumnPlace& place, const RowPiece& piece, const PieceBits* valid,
                 const StringHash& hash, Isa isa, std::uint64_t* values);

/// codes[i] = the code of row piece[i]; 0 for NULLs. Throws std::invalid_argument for a code beyond
/// the dictionary.
void column_codes(const ColumnPlace& place, const RowPiece& piece, const PieceBits* valid,
                  std::uint32_t* codes);

}  // namespace simdbloom::detail
