// What the keys of a filter are, and which questions it answers. This is the rule of the library
// and of all its front ends; src/any/kinds.md has it as a table.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "simdbloom/export.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// What the keys of a filter are, saved with the filter. Rows that say what they are (JoinRows,
/// Arrow, Python, DuckDB) are checked against it, and times are converted to its unit. A filter of
/// kind unknown answers every question as it is asked.
enum class KeyKind : std::uint8_t {
    unknown,       ///< nobody said, or keys of several kinds
    integers,      ///< by value, hashed as insert(uint64_t) does. -1 and 2^64 - 1 are one key
    bytes,         ///< bytes, and text as its UTF-8 bytes, hashed as insert(string_view) does
    floats,        ///< numbers by join_key: 5.0 is 5, -0.0 is 0, all NaNs are one key
    days,          ///< instants counted from 1970-01-01 (UTC): dates
    seconds,       ///< the same in seconds
    milliseconds,  ///< in milliseconds
    microseconds,  ///< in microseconds
    nanoseconds,   ///< in nanoseconds
    durations,     ///< lengths of time, and times of day, in microseconds
    rows,          ///< rows of several columns, as JoinRows hashes them; see kind_of_rows
    other,         ///< keys that only the program that built the filter can hash
};

/// The last kind with a name.
inline constexpr KeyKind last_key_kind = KeyKind::other;

/// Rows of such columns in this order: a number from 128 on. Numbers, bytes, instants and durations
/// are told apart, of more than three columns by a fingerprint of 48 values. KeyKind::rows where
/// the kind of a column is not known; it answers all rows.
KeyKind kind_of_rows(std::span<const KeyKind> columns) noexcept;
/// Whether the keys are rows of several columns.
constexpr bool is_rows(KeyKind kind) noexcept {
    return kind == KeyKind::rows || static_cast<unsigned>(kind) >= 128;
}
/// Whether a saved number is that of a kind.
constexpr bool is_key_kind(unsigned number) noexcept {
    return number <= static_cast<unsigned>(last_key_kind) || is_rows(static_cast<KeyKind>(number));
}

/// "unknown", "integers", .. as above.
std::string to_string(KeyKind kind);

/// Whether a filter of kind `filter` answers for keys of kind `asked`; yes if either is unknown.
bool may_ask(KeyKind filter, KeyKind asked) noexcept;
/// Throws std::invalid_argument that names both kinds unless may_ask().
void check_may_ask(KeyKind filter, KeyKind asked);

/// Whether such keys count units since 1970, so that instants in another unit must be converted.
constexpr bool is_instant(KeyKind kind) noexcept {
    return kind >= KeyKind::days && kind <= KeyKind::nanoseconds;
}

/// The kind of a filter that has keys of both: floats for integers and floats, unknown for other
/// kinds that differ. Throws std::invalid_argument that names both if one is an instant.
KeyKind united(KeyKind a, KeyKind b);
/// The kind of a filter after keys of kind `added` went in: instants in its own unit, converted;
/// else united(). Throws std::invalid_argument for instants in a filter of kind unknown too.
KeyKind kind_after(KeyKind filter, KeyKind added);

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
