// Columns of DuckDB as keys.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "duckdb_extension.h"
#include "simdbloom/join.hpp"

namespace simdbloom::duckdb {

/// The types that have functions of their own; DuckDB casts narrower numbers to them. Numbers of 64 bits are their keys, so that
/// an INTEGER and a BIGINT of one value are one key; a DATE is its days and a TIMESTAMP its microseconds, so that these are not.
inline constexpr duckdb_type key_types[] = {DUCKDB_TYPE_BIGINT, DUCKDB_TYPE_UBIGINT, DUCKDB_TYPE_DOUBLE, DUCKDB_TYPE_DATE, DUCKDB_TYPE_TIMESTAMP, DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_BLOB};

/// The strings of a vector: they lie in it where they are short.
std::string_view text_of(duckdb_string_t& string) noexcept;

/// The keys of a vector of one of the key_types.
class VectorKeys {
public:
    VectorKeys(duckdb_type type, duckdb_vector vector, std::size_t rows);
    JoinColumn column() const noexcept;

private:
    std::vector<std::uint64_t> values_;
    const std::uint64_t* borrowed_ = nullptr;
    std::size_t rows_;
    const std::uint64_t* valid_;
    bool hashed_ = false;
};

}  // namespace simdbloom::duckdb
