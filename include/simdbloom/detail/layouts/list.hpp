// The list of layouts. Whatever exists once a layout iterates it: the table of traits, the table of
// kernels, numbers in files, tests, benchmarks. src/README.md says how to add one.
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

}  // namespace simdbloom
