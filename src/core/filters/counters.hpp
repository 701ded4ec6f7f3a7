// 4-bit counters, two in a byte, the lower half first.
#pragma once

#include "simdbloom/detail/little_endian.hpp"

namespace simdbloom::detail {

/// Bit 4 i says that counter i of the word is not 0.
inline std::uint64_t nonzero_counters(std::uint64_t word) noexcept {
    word |= word >> 1;
    return (word | word >> 2) & 0x1111111111111111u;
}

/// The sums of the 16 counters of two words, or 15 where a sum is more.
inline std::uint64_t add_counters(std::uint64_t a, std::uint64_t b) noexcept {
    constexpr std::uint64_t low = 0x0F0F0F0F0F0F0F0Fu;
    const auto half = [](std::uint64_t x, std::uint64_t y) {
        const std::uint64_t sum = x + y, carries = (sum >> 4) & 0x0101010101010101u;
        return (sum | carries * 15) & low;
    };
    return half(a & low, b & low) | half((a >> 4) & low, (b >> 4) & low) << 4;
}

}  // namespace simdbloom::detail
