// The slots of a BloomierMap: numbers of 1 to 57, or 64, bits side by side.
#pragma once

#include "simdbloom/detail/little_endian.hpp"

namespace simdbloom::detail {

inline std::uint64_t low_bits(unsigned bits) noexcept {
    return bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

/// No overflow: below 2^32 slots.
inline std::uint64_t bytes_of_slots(std::uint64_t slots, unsigned bits) noexcept {
    return (slots * bits + 7) / 8;
}

// Both read and write 8 bytes, of which up to 7 lie behind the last slot.
inline std::uint64_t load_slot(const std::byte* table, unsigned bits, std::uint64_t slot) noexcept {
    const std::uint64_t at = slot * bits;
    return load_le<std::uint64_t>(table + at / 8) >> at % 8 & low_bits(bits);
}
/// Into a slot that holds 0.
inline void fill_slot(std::byte* table, unsigned bits, std::uint64_t slot,
                      std::uint64_t value) noexcept {
    const std::uint64_t at = slot * bits;
    store_le(table + at / 8, load_le<std::uint64_t>(table + at / 8) | value << at % 8);
}

}  // namespace simdbloom::detail
