// Columns of DuckDB as keys.
//
// A filter may be built of one type and probed with another, because `=` compares an INTEGER with a
// DOUBLE. So equal values of two types have one key. The low byte of a filter's seed is the kind of
// its keys. Where `=` rounds (2^53 + 1 as BIGINT equals 2^53 as DOUBLE), no key can tell the values
// apart, and every probe passes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "adapters/duckdb/functions.hpp"
#include "simdbloom/join/join.hpp"

namespace simdbloom::duckdb {

enum class KeyClass : std::uint8_t {
    foreign,   ///< not built by this extension: unknown
    none,      ///< no rows, or only NULLs
    integer,   ///< all integers but UHUGEINT, BOOLEAN, DECIMAL(n, 0)
    uhugeint,  ///< separate, because `=` compares it with HUGEINT as doubles
    decimal,   ///< with digits after the point
    single,    ///< FLOAT
    real,      ///< DOUBLE
    text,      ///< VARCHAR, ENUM
    bytes,     ///< BLOB
    instant,   ///< TIMESTAMP, TIMESTAMP_S, _MS, _NS: as microseconds
    zoned,     ///< TIMESTAMP WITH TIME ZONE
    time,
    uuid,
    bits,
    date,  ///< DATE: as microseconds of whole days
};
constexpr KeyClass last_kind = KeyClass::date;

constexpr std::uint64_t seed_base = 0x6475'636B'6462'0000u;  // "duckdb"
/// The seed of filters of that kind.
constexpr std::uint64_t seed_of(KeyClass kind) noexcept {
    return kind == KeyClass::foreign ? 0 : seed_base + static_cast<std::uint64_t>(kind);
}
KeyClass kind_of(std::uint64_t seed) noexcept;
const char* kind_name(KeyClass kind) noexcept;
/// The same, as saved filters record it for readers other than DuckDB.
KeyKind saved_kind(KeyClass kind) noexcept;

/// Days since 1970-01-01 as the key of a DATE in a filter of that kind.
std::uint64_t day_key(std::int32_t days, KeyKind filter = KeyKind::microseconds) noexcept;

/// The bytes of a string of a vector, in which short ones lie.
std::span<const std::byte> blob_of(duckdb_string_t& string) noexcept;

/// Whether a row is not NULL, by the validity of its vector, which is null without NULLs.
inline bool is_valid(const std::uint64_t* validity, std::size_t row) noexcept {
    return validity == nullptr || (validity[row / 64] >> (row % 64) & 1) != 0;
}

/// A column of keys. Refers to DuckDB's vector.
class KeyColumn {
public:
    /// Throws std::invalid_argument with the name of a type that has no keys.
    KeyColumn(duckdb_vector vector, std::size_t rows);

    KeyClass kind() const noexcept { return kind_; }
    bool is_valid(std::size_t row) const noexcept { return duckdb::is_valid(valid_, row); }

    /// The hashes of the rows that are not NULL, in order. Some decimals have two hashes.
    struct Hashes {
        std::vector<std::uint64_t> values;
        std::vector<std::uint32_t> rows;  ///< the row of each hash
    };
    Hashes hashes() const;

    /// The rows [first, first + n) as keys to probe a filter with.
    struct FilterProbe {
        JoinColumn column;
        std::vector<std::uint64_t> values;   ///< the memory of `column`, unless it is DuckDB's
        std::vector<std::uint32_t> certain;  ///< rows, from 0, that pass without a probe
    };
    /// The filter has that seed, and keys of that kind as it is saved. Throws std::invalid_argument
    /// if equal keys of the two types cannot be matched.
    void ask(std::uint64_t seed, KeyKind saved, std::size_t first, std::size_t n,
             FilterProbe& question) const;

private:
    template <class Use>
    void with_numbers(const Use& use) const;
    template <class T>
    std::uint64_t number_key(T value, KeyClass filter) const noexcept;
    bool holds_strings() const noexcept;
    std::vector<std::uint64_t> hash_strings(std::size_t first, std::size_t n,
                                            std::uint64_t seed) const;
    std::uint64_t hash_of(std::size_t row, std::uint64_t seed, KeyKind filter) const;
    std::uint64_t instant_key(std::size_t row, KeyKind filter) const noexcept;
    std::uint64_t label_hash(std::size_t row, std::uint64_t seed) const;
    void check_askable(KeyClass filter, KeyKind saved) const;

    LogicalType type_;
    duckdb_type id_, storage_;
    KeyClass kind_;
    unsigned scale_ = 0;
    void* data_;
    const std::uint64_t* valid_;
    std::size_t rows_;
};

}  // namespace simdbloom::duckdb
