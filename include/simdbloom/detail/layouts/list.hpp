// The list of layouts, over which iterates whatever there is of each (src/README.md).
#pragma once

#include <cstdint>

// DO(name) for each layout: simdbloom::detail::layouts::name is what it says of itself.
// clang-format off
#define SIMDBLOOM_EACH_LAYOUT(DO)                                            \
    DO(classic) DO(register32) DO(register64) DO(split256) DO(sector512)     \
    DO(zoned512) DO(blocked512) DO(cuckoo8) DO(cuckoo12) DO(cuckoo16)        \
    DO(counting) DO(counting512) DO(dleft12) DO(dleft14) DO(dleft16)         \
    DO(split512)
// clang-format on

namespace simdbloom {

/// The layouts. Their order means nothing, and no file holds these numbers.
enum class LayoutKind : std::uint8_t {
#define SIMDBLOOM_ENUMERATOR(name) name,
    SIMDBLOOM_EACH_LAYOUT(SIMDBLOOM_ENUMERATOR)
#undef SIMDBLOOM_ENUMERATOR
};

namespace detail {

#define SIMDBLOOM_INLINE [[gnu::always_inline]] constexpr

// Spreads 32 pattern bits over 64. Any 32 neighbouring bits of the product are a bijection of x or
// a good hash of it. With a 32-bit factor sector512 had 1.07 to 1.13 times the ideal FPR.
inline constexpr std::uint64_t spread_multiplier = 0x9E3779B97F4A7C15u;
SIMDBLOOM_INLINE std::uint64_t spread(std::uint32_t x) noexcept { return x * spread_multiplier; }

}  // namespace detail
}  // namespace simdbloom
