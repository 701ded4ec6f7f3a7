// Numbers of DuckDB, as `=` compares them.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "simdbloom/hash.hpp"
#include "simdbloom/join/join.hpp"

namespace simdbloom::duckdb {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

template <class T>
inline constexpr bool is_wide = std::is_same_v<T, Int128> || std::is_same_v<T, UInt128>;

/// The largest integer up to which F represents every integer.
template <class F>
inline constexpr std::int64_t exact_to = std::int64_t{1} << std::numeric_limits<F>::digits;

/// The key of an integer, the same for all types: its 64 bits in two's complement, or a hash of its
/// 128 bits.
template <class T>
std::uint64_t integer_key(T value) noexcept {
    if constexpr (is_wide<T>) {
        const bool negative =
            std::is_same_v<T, Int128> && static_cast<T>(static_cast<std::int64_t>(value)) == value;
        if (!negative && static_cast<T>(static_cast<std::uint64_t>(value)) != value)
            return hash_bytes(std::as_bytes(std::span(&value, 1)));
    }
    return static_cast<std::uint64_t>(value);
}

/// Casts an integer to FLOAT or DOUBLE as DuckDB does, which rounds 128 bits more than once.
template <class F, class T>
F floating(T value) noexcept {
    if constexpr (!is_wide<T>) {
        return static_cast<F>(value);
    } else {
        const auto low = static_cast<std::uint64_t>(value);
        using High = std::conditional_t<std::is_same_v<T, Int128>, std::int64_t, std::uint64_t>;
        const auto high = static_cast<High>(value >> 64);
        if (std::is_signed_v<High> && high == static_cast<High>(-1))
            return static_cast<F>(-static_cast<double>(~low) - 1);
        return static_cast<F>(static_cast<double>(low) + static_cast<double>(high) * 0x1p64);
    }
}

inline constexpr double powers_of_ten[] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11, 1e12,
    1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22, 1e23, 1e24, 1e25,
    1e26, 1e27, 1e28, 1e29, 1e30, 1e31, 1e32, 1e33, 1e34, 1e35, 1e36, 1e37, 1e38};

/// Casts the DECIMAL digits / 10^scale to FLOAT or DOUBLE as DuckDB does.
template <class F, class T>
F floating(T digits, unsigned scale) noexcept {
    const auto divisor = static_cast<F>(powers_of_ten[scale]);
    const bool exact = digits <= T{exact_to<F>} && digits >= -T{exact_to<F>};
    if (exact || scale == 0) return floating<F>(digits) / divisor;
    T power = 1;
    for (unsigned i = 0; i < scale; ++i) power *= 10;
    return floating<F>(digits / power) + floating<F>(digits % power) / divisor;
}

/// The key of a decimal, whatever zeros end its digits. A whole decimal has the key of the integer.
/// Any other has the key of the nearest double, so decimals of more than 15 digits may share a key.
template <class T>
std::uint64_t decimal_key(T digits, unsigned scale) noexcept {
    while (scale > 0 && digits % 10 == 0) {
        digits /= 10;
        --scale;
    }
    return scale == 0 ? integer_key(digits) : join_key(floating<double>(digits, scale));
}

}  // namespace simdbloom::duckdb
