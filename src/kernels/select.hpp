// From a bitmask of hits to ascending positions.
#pragma once

#include <cstdint>

namespace simdbloom::detail {
namespace {

/// Writes base + i to `out` for every set bit i of `hits`, ascending, and nothing behind the last
/// one.
template <class O>
inline void write_positions(std::uint64_t hits, std::uint32_t base, std::uint32_t* out) {
    if constexpr (requires { O::write_positions64(hits, base, out); }) {
        O::write_positions64(hits, base, out);
        return;
    } else if constexpr (O::keeps_misses) {
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

}  // namespace
}  // namespace simdbloom::detail
