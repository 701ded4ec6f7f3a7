// blocked512: k bits anywhere in one cache line (Putze et al. 2007). counting512: k counters of 4
// bits in one line, with the same probes.
//
//   line     [ 512 bits ..................................... ]      or 128 counters
//   key        ^        ^             ^  ^                ^          bit i: (x * salt i) >> 23
#pragma once

#include "simdbloom/detail/layouts/salts.hpp"
#include "simdbloom/detail/layouts/traits.hpp"

namespace simdbloom {

/// Of a bank, series or reconciliation without a spec: the lowest FPR at one line a lookup.
inline constexpr std::string_view default_spec = "blocked512";

}  // namespace simdbloom

namespace simdbloom::detail::layouts {

struct blocked512 {
    static constexpr auto traits =
        LayoutTraits(Family::cache_line, 7, 512, {.k_min = 1, .k_max = 16, .word_bits = 512});

    SIMDBLOOM_INLINE static unsigned bit(std::uint32_t x, unsigned i, unsigned, unsigned) noexcept {
        return (x * salts[i]) >> 23;
    }
};

struct counting512 {
    static constexpr auto traits =
        LayoutTraits(Family::counting, 12, 512, {.k_min = 1, .k_max = 16, .word_bits = 512});

    /// The lowest bit of one of 128 counters.
    SIMDBLOOM_INLINE static unsigned bit(std::uint32_t x, unsigned i, unsigned, unsigned) noexcept {
        return ((x * salts[i]) >> 25) * 4;
    }
};

}  // namespace simdbloom::detail::layouts
