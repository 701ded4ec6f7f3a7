// From a bitmask of hits to answers.
#pragma once

#include "simdbloom/detail/little_endian.hpp"
#include "simdbloom/detail/output.hpp"

namespace simdbloom::detail {
namespace {

/// Writes base + i to `out` for every set bit i of `hits`, ascending, and nothing behind the last
/// one.
template <class O>
inline void write_positions(std::uint64_t hits, std::uint32_t base, std::uint32_t* out) {
    if constexpr (O::has_bit_gather) {
        O::write_positions64(hits, base, out);
        return;
    } else if constexpr (O::has_masks) {
        for (unsigned first = 0; first < 64; first += 16) {
            const auto part = static_cast<unsigned>(hits >> first & 0xFFFF);
            O::write_positions16(part, base + first, out);
            out += __builtin_popcount(part);
        }
        return;
    }
    for (; hits != 0; hits &= hits - 1)
        *out++ = base + static_cast<std::uint32_t>(__builtin_ctzll(hits));
}

/// Writes the answers of the n <= 64 keys from number `first` on, a multiple of 64. Bit j of `hits`
/// says that key j of these was found; `found` is the number of keys found before.
template <class O>
inline void write_hits(std::uint64_t hits, std::size_t first, std::size_t n, Output output,
                       void* out, std::size_t found) {
    if (output == Output::bitmap) {
        auto* bytes = static_cast<std::uint8_t*>(out) + first / 8;
        if (n == 64) store_le(bytes, hits);
        else
            for (std::size_t i = 0; i * 8 < n; ++i)
                bytes[i] = static_cast<std::uint8_t>(hits >> (8 * i));
    } else if (output == Output::select) {
        write_positions<O>(hits, static_cast<std::uint32_t>(first),
                           static_cast<std::uint32_t*>(out) + found);
    }
}

}  // namespace
}  // namespace simdbloom::detail
