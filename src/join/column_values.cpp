#include "join/row_reader.hpp"
#include "simdbloom/detail/errors.hpp"

#include <cstdlib>

namespace simdbloom::detail {
namespace {

/// Value i of an array at any address, because callers' data may be misaligned.
template <class T>
[[gnu::always_inline]] inline T value_at(const void* values, std::size_t i) noexcept {
    T value;
    __builtin_memcpy(&value, static_cast<const char*>(values) + i * sizeof(T), sizeof value);
    return value;
}

template <class T>
std::uint64_t key_of(T value) noexcept {
    if constexpr (std::is_floating_point_v<T>) return join_key(static_cast<double>(value));
    else return static_cast<std::uint64_t>(value);  // sign-extended if T is signed
}

__extension__ using Int128 = __int128;

/// The key of an integer of 128 bits, see KeyColumn::wide.
std::uint64_t wide_key(Int128 value) noexcept {
    const auto low = static_cast<std::uint64_t>(value);
    const auto high = static_cast<std::uint64_t>(value >> 64);
    if (high == 0 || static_cast<std::int64_t>(low) == value) return low;
    std::uint64_t halves[2];
    store_le(&halves[0], low);
    store_le(&halves[1], high);
    return hash_bytes(std::as_bytes(std::span(halves)));
}

/// Removes trailing zeros, each of which lowers the scale. Most decimals fit into 64 bits, whose
/// division takes a quarter of the time.
template <class Digits>
void strip_zeros(Digits& digits, int& scale) noexcept {
    for (; digits != 0 && digits % 10 == 0; --scale) digits /= 10;
}

/// The key of digits / 10^scale, see KeyColumn::decimals.
std::uint64_t decimal_key(Int128 digits, int scale) noexcept {
    if (auto narrow = static_cast<std::int64_t>(digits); narrow == digits) {
        strip_zeros(narrow, scale);
        digits = narrow;
    } else {
        strip_zeros(digits, scale);
    }
    if (digits == 0) return 0;
    for (Int128 more; scale < 0 && !__builtin_mul_overflow(digits, 10, &more); ++scale)
        digits = more;
    if (scale == 0) return wide_key(digits);
    // Powers of ten up to 10^22 are exact doubles: up to 15 digits give the nearest double, and any
    // digits the same double on every machine.
    auto number = static_cast<double>(digits);
    for (; scale >= 22; scale -= 22) number /= 1e22;
    for (; scale <= -22; scale += 22) number *= 1e22;
    double power = 1;
    for (int i = 0; i != std::abs(scale); ++i) power *= 10;
    return join_key(scale > 0 ? number / power : number * power);
}

/// out[i] = make(value of row piece[i]).
template <class T, class Out, class Make>
[[gnu::always_inline]] inline void for_each_value(const ColumnPlace& place, const RowPiece& piece,
                                                  Out* out, const Make& make) {
    if (piece.list != nullptr)
        for (std::size_t i = 0; i < piece.n; ++i)
            out[i] = make(value_at<T>(place.data, piece.list[i]));
    else
        for (std::size_t i = 0; i < piece.n; ++i)
            out[i] = make(value_at<T>(place.data, piece.first + i));
}

/// Calls use(T()) with the type of the numbers or codes.
template <class Use>
void with_number_type(ColumnType type, const Use& use) {
    // clang-format off
    switch (type) {
        case ColumnType::i8: return use(std::int8_t());
        case ColumnType::u8: return use(std::uint8_t());
        case ColumnType::i16: return use(std::int16_t());
        case ColumnType::u16: return use(std::uint16_t());
        case ColumnType::i32: return use(std::int32_t());
        case ColumnType::u32: return use(std::uint32_t());
        case ColumnType::f32: return use(float());
        case ColumnType::f64: return use(double());
        default: return use(std::uint64_t());
    }
    // clang-format on
}

template <class Offset>
void hash_offsets(const ColumnPlace& place, const RowPiece& piece, const StringHash& hash, Isa isa,
                  std::uint64_t* values) {
    const auto* const offsets = static_cast<const Offset*>(place.data);
    // All-empty strings need no bytes.
    if (place.bytes != nullptr && piece.list == nullptr)
        return hash_strings(StringOffsets<Offset>{place.bytes, offsets + piece.first}, piece.n,
                            hash, isa, values);
    hash_views(piece.n, hash, isa, values, [&](std::size_t i) {
        const std::size_t row = piece[i];
        if (place.bytes == nullptr) return std::string_view("", 0);
        return std::string_view(place.bytes + offsets[row],
                                static_cast<std::size_t>(offsets[row + 1] - offsets[row]));
    });
}

std::string_view arrow_view(const ColumnPlace& place, std::size_t row) noexcept {
    const char* const record = static_cast<const char*>(place.data) + 16 * row;
    const auto size = static_cast<std::size_t>(value_at<std::int32_t>(record, 0));
    if (size <= 12) return {record + 4, size};
    const auto buffer = static_cast<std::size_t>(value_at<std::int32_t>(record, 2));
    return {static_cast<const char*>(place.buffers[buffer]) + value_at<std::int32_t>(record, 3),
            size};
}

[[noreturn]] void refuse_code(const ColumnPlace& place, std::size_t row) {
    std::string code;
    with_number_type(place.type, [&](auto type) {
        using T = decltype(type);
        // Signed or unsigned, no valid word is above 2^63.
        using Shown = std::conditional_t<sizeof(T) == 8, std::int64_t, T>;
        code = std::to_string(static_cast<Shown>(value_at<T>(place.data, row)));
    });
    throw argument_error("a column whose row ", row, " is word ", code, " of a dictionary of ",
                         place.words->size());
}

}  // namespace

bool read_validity(const ColumnPlace& place, const RowPiece& piece, PieceBits& valid) noexcept {
    const std::size_t n = piece.n;
    if (place.valid == nullptr) {
        valid.set_all(n);
        return false;
    }
    for (std::size_t w = 0; w < PieceBits::words(n); ++w) {
        const std::size_t here = PieceBits::in_word(w, n);
        if (piece.list == nullptr) {
            valid.word[w] = bits_at(place.valid, place.valid_offset + piece.first + 64 * w, here);
            continue;
        }
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < here; ++i) {
            const std::size_t bit = place.valid_offset + piece.list[64 * w + i];
            bits |= std::uint64_t{place.valid[bit / 8] >> bit % 8 & 1u} << i;
        }
        valid.word[w] = bits;
    }
    return true;
}

void read_numbers(const ColumnPlace& place, const RowPiece& piece, std::uint64_t* values) noexcept {
    if (place.type == ColumnType::boolean) {
        const auto* const bits = static_cast<const std::uint8_t*>(place.data);
        for (std::size_t i = 0; i < piece.n; ++i) {
            const std::size_t bit = place.first_bit + piece[i];
            values[i] = bits[bit / 8] >> bit % 8 & 1u;
        }
        return;
    }
    if (place.type == ColumnType::wide)
        return for_each_value<Int128>(place, piece, values, &wide_key);
    if (place.type == ColumnType::decimal)
        return for_each_value<Int128>(
            place, piece, values, [&](Int128 digits) { return decimal_key(digits, place.scale); });
    with_number_type(place.type, [&](auto type) {
        using T = decltype(type);
        if constexpr (std::is_integral_v<T>)
            if (place.converts())
                return for_each_value<T>(place, piece, values, [&](T value) {
                    return time_key(static_cast<std::int64_t>(value), place.unit, place.key);
                });
        for_each_value<T>(place, piece, values, &key_of<T>);
    });
}

void hash_column(const ColumnPlace& place, const RowPiece& piece, const PieceBits* valid,
                 const StringHash& hash, Isa isa, std::uint64_t* values) {
    const bool as_they_lie = piece.list == nullptr && valid == nullptr;
    const auto hash_each = [&](const auto& view_of) {
        hash_views(piece.n, hash, isa, values, [&](std::size_t i) {
            if (valid != nullptr && !(*valid)[i]) return std::string_view("", 0);
            return std::string_view(view_of(piece[i]));
        });
    };
    switch (place.type) {
        case ColumnType::offsets32:
            return hash_offsets<std::int32_t>(place, piece, hash, isa, values);
        case ColumnType::offsets64:
            return hash_offsets<std::int64_t>(place, piece, hash, isa, values);
        case ColumnType::views: {
            const auto* const strings = static_cast<const std::string_view*>(place.data);
            if (as_they_lie)
                return hash_strings({strings + piece.first, piece.n}, hash, isa, values);
            return hash_each([&](std::size_t row) { return strings[row]; });
        }
        case ColumnType::inlined: {
            const InlinedStrings strings{static_cast<const char*>(place.data)};
            if (as_they_lie)
                return hash_strings(strings.from(piece.first), piece.n, hash, isa, values);
            return hash_each([&](std::size_t row) {
                return std::string_view(strings.bytes(row), strings.size(row));
            });
        }
        case ColumnType::arrow_views:
            return hash_each([&](std::size_t row) { return arrow_view(place, row); });
        default:
            break;
    }
    const auto* const bytes = static_cast<const char*>(place.data);
    hash_each(
        [&](std::size_t row) { return std::string_view(bytes + row * place.width, place.width); });
}

void column_codes(const ColumnPlace& place, const RowPiece& piece, const PieceBits* valid,
                  std::uint32_t* codes) {
    // A dictionary has at most 2^31 words: a negative code, or one beyond 32 bits, is invalid.
    with_number_type(place.type, [&](auto type) {
        using T = decltype(type);
        for_each_value<T>(place, piece, codes, [](T value) {
            const std::uint64_t code = key_of(value);
            if constexpr (sizeof(T) == 8)
                return code >> 32 != 0 ? ~std::uint32_t{0} : static_cast<std::uint32_t>(code);
            else return static_cast<std::uint32_t>(code);
        });
    });
    if (valid != nullptr) valid->for_each_zero(piece.n, [&](std::size_t i) { codes[i] = 0; });
    std::uint32_t most = 0;
    for (std::size_t i = 0; i < piece.n; ++i) most = std::max(most, codes[i]);
    const std::size_t words = place.words->size();
    if (most < words) return;
    for (std::size_t i = 0; i < piece.n; ++i)
        if (codes[i] >= words && (valid == nullptr || (*valid)[i])) refuse_code(place, piece[i]);
}

}  // namespace simdbloom::detail
