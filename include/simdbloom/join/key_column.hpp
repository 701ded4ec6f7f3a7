// Columns of keys where they lie in an engine's memory.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "simdbloom/export.hpp"
#include "simdbloom/key_kind.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// The unit of an instant or duration in nanoseconds; 0 of the other kinds.
constexpr std::int64_t unit_of(KeyKind kind) noexcept {
    return kind == KeyKind::days           ? 86'400'000'000'000
           : kind == KeyKind::seconds      ? 1'000'000'000
           : kind == KeyKind::milliseconds ? 1'000'000
           : kind == KeyKind::microseconds ? 1'000
           : kind == KeyKind::durations    ? 1'000
           : kind == KeyKind::nanoseconds  ? 1
                                           : 0;
}
/// The key of `n` units of `unit` nanoseconds in a filter of instants or durations: their number in
/// its unit or, if that is not a whole number of 64 bits, a hash of the time.
std::uint64_t time_key(std::int64_t n, std::int64_t unit, KeyKind filter) noexcept;

class KeyColumn;

namespace detail {

/// How the values of a column lie.
enum class ColumnType : std::uint8_t {
    i8,
    u8,
    i16,
    u16,
    i32,
    u32,
    word,  ///< 64 bits, signed or not
    f32,
    f64,
    boolean,  ///< bits in Arrow's order
    wide,     ///< see KeyColumn::wide
    decimal,  ///< see KeyColumn::decimals
    hash,
    // From here on hashed as strings of bytes.
    offsets32,
    offsets64,
    views,        ///< std::string_view
    arrow_views,  ///< see KeyColumn::arrow_views
    inlined,      ///< see KeyColumn::inlined
    fixed,
};

/// Where a column lies. Row 0 begins at `data`, but for booleans, where it is bit first_bit.
struct ColumnPlace {
    ColumnType type = ColumnType::word;
    std::size_t size = 0;
    const void* data = nullptr;  ///< values, codes, offsets or records
    const char* bytes = nullptr;
    const void* const* buffers = nullptr;  ///< of arrow_views
    std::span<const std::int64_t> buffer_sizes{};
    std::size_t width = 0;  ///< of fixed
    int scale = 0;          ///< of decimal
    std::size_t first_bit = 0;
    const std::uint8_t* valid = nullptr;
    std::size_t valid_offset = 0;
    std::shared_ptr<const std::uint8_t[]> own_valid{};  ///< not null: where `valid` points
    std::shared_ptr<const KeyColumn> words{};  ///< not null: `data` are codes, of an integer type
    std::int64_t unit = 0;                     ///< of times: the nanoseconds that a value counts
    KeyKind time = KeyKind::unknown;           ///< of times: their kind
    KeyKind key = KeyKind::unknown;            ///< of times: the kind whose keys are given

    bool untyped = false, floats = false;  ///< see KeyColumn::untyped, of_floats

    bool converts() const noexcept { return unit != unit_of(key); }
};

/// Not bool, which has no vectors of bytes, nor a character, whose arrays are text.
template <class T>
concept ColumnInteger = std::integral<T> && sizeof(T) <= 8 && !std::same_as<T, bool> &&
                        !std::same_as<T, char> && !std::same_as<T, wchar_t> &&
                        !std::same_as<T, char8_t> && !std::same_as<T, char16_t> &&
                        !std::same_as<T, char32_t>;
template <class T>
concept ColumnNumber = ColumnInteger<T> || std::same_as<T, float> || std::same_as<T, double>;

/// What lies in a span, vector or array.
template <class R>
using ElementOf = typename decltype(std::span(std::declval<const R&>()))::value_type;

template <ColumnNumber T>
constexpr ColumnType column_type() noexcept {
    if constexpr (std::same_as<T, float>) return ColumnType::f32;
    else if constexpr (std::same_as<T, double>) return ColumnType::f64;
    else if constexpr (sizeof(T) == 1)
        return std::signed_integral<T> ? ColumnType::i8 : ColumnType::u8;
    else if constexpr (sizeof(T) == 2)
        return std::signed_integral<T> ? ColumnType::i16 : ColumnType::u16;
    else if constexpr (sizeof(T) == 4)
        return std::signed_integral<T> ? ColumnType::i32 : ColumnType::u32;
    else return ColumnType::word;
}

}  // namespace detail

/// A column of keys. It and its copies point to the engine's memory, which must outlive them.
///
/// Numbers are keys of 64 bits: integers sign- or zero-extended, floats by join_key. So equal
/// numbers of two types have one key, and so do -1 and 2^64 - 1. Text and bytes are hashed. Dates
/// and times are plain integers unless instants() or durations() states their unit. Both sides of a
/// join need the same collation.
///
/// Only codes are always checked; for other values from outside call check(). The value of a NULL
/// is not read, except for its offsets.
class KeyColumn {
public:
    /// A span, vector or array of integers of 8 to 64 bits, float or double.
    template <class R>
    requires detail::ColumnNumber<detail::ElementOf<R>> KeyColumn(const R& numbers)
    noexcept
        : KeyColumn(detail::column_type<detail::ElementOf<R>>(), std::span(numbers).size(),
                    std::span(numbers).data()) {}
    /// The same of std::string_view: strings or bytes.
    template <class R>
    requires std::same_as<detail::ElementOf<R>, std::string_view> KeyColumn(const R& strings)
    noexcept
        : KeyColumn(detail::ColumnType::views, std::span(strings).size(),
                    std::span(strings).data()) {}

    /// n booleans, the keys 0 and 1: bit first_bit + i in Arrow's order.
    static KeyColumn booleans(const std::uint8_t* bits, std::size_t n,
                              std::size_t first_bit = 0) noexcept {
        return {
            {.type = detail::ColumnType::boolean, .size = n, .data = bits, .first_bit = first_bit}};
    }
    /// Values that are well-mixed 64-bit hashes already (see FilterBase).
    static KeyColumn hashes(std::span<const std::uint64_t> hashes) noexcept {
        return {detail::ColumnType::hash, hashes.size(), hashes.data()};
    }
    /// String i goes from byte offsets[i] to offsets[i + 1]: one string less than offsets.
    static KeyColumn strings(const char* bytes, std::span<const std::int32_t> offsets) noexcept {
        return of_offsets(detail::ColumnType::offsets32, bytes, offsets);
    }
    /// The same of offsets of 64 bits.
    static KeyColumn strings(const char* bytes, std::span<const std::int64_t> offsets) noexcept {
        return of_offsets(detail::ColumnType::offsets64, bytes, offsets);
    }
    /// Arrow's views, records of 16 bytes: a size of 32 bits, then up to 12 bytes of the string, or
    /// 4 of them, the number of a buffer, and the place in it. Only check() reads buffer_sizes.
    static KeyColumn arrow_views(const void* records, std::size_t n, const void* const* buffers,
                                 std::span<const std::int64_t> buffer_sizes) noexcept {
        return {{.type = detail::ColumnType::arrow_views,
                 .size = n,
                 .data = records,
                 .buffers = buffers,
                 .buffer_sizes = buffer_sizes}};
    }
    /// Records of 16 bytes as DuckDB and Velox have them: a size of 32 bits, then up to 12 bytes of
    /// the string, or 4 of them and its address.
    static KeyColumn inlined(const void* records, std::size_t n) noexcept {
        return {detail::ColumnType::inlined, n, records};
    }
    /// n strings of `width` bytes each.
    static KeyColumn fixed(const void* bytes, std::size_t width, std::size_t n) noexcept {
        return {{.type = detail::ColumnType::fixed, .size = n, .data = bytes, .width = width}};
    }
    /// n integers of 128 bits in the machine's byte order. An integer that fits into 64 bits,
    /// signed or not, has their key; any other the XXH64 of its 16 little-endian bytes.
    static KeyColumn wide(const void* integers, std::size_t n) noexcept {
        return {detail::ColumnType::wide, n, integers};
    }
    /// n decimals: such integers, divided by 10^scale. A whole number has the key of the integer,
    /// any other that of a double next to it; equal decimals of two scales have one key.
    static KeyColumn decimals(const void* integers, int scale, std::size_t n) noexcept {
        return {{.type = detail::ColumnType::decimal, .size = n, .data = integers, .scale = scale}};
    }
    /// Integers of up to 64 bits as numbers of units since 1970-01-01 (UTC). In a filter that knows
    /// its kind, equal instants in two units have one key. Throws std::invalid_argument unless
    /// `numbers` are integers and a unit is a whole, positive number of nanoseconds.
    static KeyColumn instants(const KeyColumn& numbers, std::int64_t unit_in_ns);
    /// The same as lengths of time, or times of day.
    static KeyColumn durations(const KeyColumn& numbers, std::int64_t unit_in_ns);
    /// Row i is word codes[i] of a dictionary with words of any kind. Throws std::invalid_argument
    /// unless codes are integers, and std::length_error for more than 2^31 words.
    static KeyColumn dictionary(const KeyColumn& codes, KeyColumn words);

    /// This column with NULLs: bit offset + i is set if row i is not NULL, in Arrow's order.
    /// nullptr: no NULLs.
    KeyColumn with_validity(const std::uint8_t* valid, std::size_t offset = 0) const;
    /// The same, but rows that were NULL stay NULL, as in the columns of a struct. Copies the bits.
    KeyColumn also_null(const std::uint8_t* valid, std::size_t offset = 0) const;

    std::size_t size() const noexcept { return place_.size; }  ///< the number of rows
    bool is_number() const noexcept;  ///< whether the values, or those of the words, are numbers
    /// What the values, or those of the words, are; unknown for hashes. Instants have the next
    /// finer unit of KeyKind: hours are seconds.
    KeyKind key_kind() const noexcept;
    KeyColumn of_floats() const;  ///< integers that are keys of floats (join_key), as floats
    KeyColumn untyped() const;    ///< as a column of unknown kind, which every filter answers
    KeyColumn as(KeyKind filter) const;  ///< with the keys of that filter: times in its unit
    /// Throws std::invalid_argument, naming the row, unless offsets ascend from 0 or more, views
    /// lie in their buffers and codes in their dictionary, and if strings that are not all empty
    /// have no memory. Of NULLs only offsets are checked.
    void check() const;

    // For the library's own code.
    KeyColumn(detail::ColumnPlace place) noexcept : place_(std::move(place)) {}
    const detail::ColumnPlace& place() const noexcept { return place_; }

private:
    KeyColumn(detail::ColumnType type, std::size_t size, const void* data) noexcept
        : place_{.type = type, .size = size, .data = data} {}
    template <class Offset>
    static KeyColumn of_offsets(detail::ColumnType type, const char* bytes,
                                std::span<const Offset> offsets) noexcept {
        return {{.type = type,
                 .size = offsets.empty() ? 0 : offsets.size() - 1,
                 .data = offsets.data(),
                 .bytes = bytes}};
    }

    detail::ColumnPlace place_;
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
