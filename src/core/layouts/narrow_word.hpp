// Words of 4, 5, 6 or 8 bytes: the buckets of cuckoo tables.
#pragma once

#include "simdbloom/detail/little_endian.hpp"

namespace simdbloom::detail {
namespace {

// Not by a copy of n bytes, which GCC 12 takes through the stack, where a load of eight bytes waits
// for the stores of four and two. ns a key of cuckoo12 to a load of 0.95, 16 and 256 KiB (Xeon
// 207): 37 and 41 so; 14 and 15 in parts.
template <std::size_t n>
inline std::uint64_t load_word(const std::byte* at) noexcept {
    static_assert(n == 4 || n == 5 || n == 6 || n == 8);
    if constexpr (n == 8) return load_le<std::uint64_t>(at);
    std::uint64_t word = load_le<std::uint32_t>(at);
    if constexpr (n == 5) word |= std::uint64_t{load_le<std::uint8_t>(at + 4)} << 32;
    if constexpr (n == 6) word |= std::uint64_t{load_le<std::uint16_t>(at + 4)} << 32;
    return word;
}
template <std::size_t n>
inline void store_word(std::byte* at, std::uint64_t word) noexcept {
    static_assert(n == 4 || n == 5 || n == 6 || n == 8);
    if constexpr (n == 8) return store_le(at, word);
    store_le(at, static_cast<std::uint32_t>(word));
    if constexpr (n == 5) store_le(at + 4, static_cast<std::uint8_t>(word >> 32));
    if constexpr (n == 6) store_le(at + 4, static_cast<std::uint16_t>(word >> 32));
}

}  // namespace
}  // namespace simdbloom::detail
