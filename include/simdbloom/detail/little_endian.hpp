// Numbers in filters, bitmaps and saved bytes are little-endian on every machine.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace simdbloom::detail {

/// Converts a number of the machine to one whose bytes in memory are little-endian, and back.
template <class T>
[[gnu::always_inline]] constexpr T little_endian(T value) noexcept {
    static_assert(std::is_unsigned_v<T> &&
                  (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8));
    static_assert(std::endian::native == std::endian::little ||
                  std::endian::native == std::endian::big);
    if constexpr (std::endian::native == std::endian::little || sizeof(T) == 1) return value;
    else if constexpr (sizeof(T) == 2) return __builtin_bswap16(value);
    else if constexpr (sizeof(T) == 4) return __builtin_bswap32(value);
    else return __builtin_bswap64(value);
}

/// The little-endian number at `from`, at any address.
template <class T>
[[gnu::always_inline]] inline T load_le(const void* from) noexcept {
    T value;
    __builtin_memcpy(&value, from, sizeof value);
    return little_endian(value);
}

template <class T>
[[gnu::always_inline]] inline void store_le(void* to, const T& value) noexcept {
    const T bytes = little_endian(value);
    __builtin_memcpy(to, &bytes, sizeof bytes);
}

}  // namespace simdbloom::detail
