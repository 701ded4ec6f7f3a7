// The list of layouts, which whatever exists once a layout iterates (src/README.md says how to add
// one), and the factors that make several positions from one pattern.
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

// The eight odd salts of the Parquet specification, then eight more for layouts of up to 16 lanes.
inline constexpr std::uint32_t salts[16] = {0x47b6137bu, 0x44974d91u, 0x8824ad5bu, 0xa2b7289du,
                                            0x705495c7u, 0x2df1424bu, 0x9efc4947u, 0x5c6bfb31u,
                                            0x9e3779b1u, 0x85ebca77u, 0xc2b2ae3du, 0x27d4eb2fu,
                                            0x165667b1u, 0xd6e8feb9u, 0xcc9e2d51u, 0x1b873593u};

}  // namespace detail
}  // namespace simdbloom
