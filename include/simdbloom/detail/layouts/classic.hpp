// classic: k bits anywhere in an array (Bloom 1970); counting: 4-bit counters (Fan et al. 2000).
#pragma once

#include "simdbloom/detail/layouts/traits.hpp"

namespace simdbloom::detail {

inline constexpr std::uint64_t classic_multiplier = 0xFFFEB81Bu;

/// The probes of the classic layout. A probe is bit g % 64 of word (g >> 32) * words >> 32. The
/// first g is the hash, and this function gives each g from the one before, by multiply-with-carry
/// (Marsaglia 1994).
///
/// Of double hashing, g + i * step, two keys that share a position and a step share all positions:
/// with 24 bits a key, 10 keys had 420 times the FPR of k independent functions, 1000 keys 2 times.
///
/// The multiplier is near 2^32, so the upper half of g, a carry, takes nearly every value. But it
/// is nearly the lower half before it, and therefore no probe uses upper bits of the lower half.
SIMDBLOOM_INLINE std::uint64_t classic_next(std::uint64_t g) noexcept {
    return (g & 0xFFFFFFFFu) * classic_multiplier + (g >> 32);
}

/// A probe of `counting` takes counter g % 16 of the word. Returns the lowest bit of the counter.
SIMDBLOOM_INLINE unsigned counting_bit(std::uint64_t g) noexcept {
    return static_cast<unsigned>(g << 2) & 60u;
}

namespace layouts {

struct classic {
    static constexpr auto traits = LayoutTraits(
        Family::classic, 1, 64, {.k_min = 1, .k_max = 30, .word_bits = 64, .anywhere = true});
};

struct counting {
    static constexpr auto traits = LayoutTraits(
        Family::counting, 11, 64, {.k_min = 1, .k_max = 30, .word_bits = 64, .anywhere = true});
};

}  // namespace layouts
}  // namespace simdbloom::detail
