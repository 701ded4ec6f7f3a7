// sector512: one bit in each of the 8 words of 64 bits of a cache line (Lang et al. 2019,
// "sectorized").
//
//   line     [   w0   |   w1   |   w2   |  ..  |   w7   ]
//   key          ^       ^            ^             ^        bit of word i: the low six bits of
//                                                            byte i of x * spread_multiplier
#pragma once

#include "simdbloom/detail/layouts/traits.hpp"

namespace simdbloom::detail::layouts {

struct sector512 {
    static constexpr LayoutTraits traits{
        .description = "one bit in each of the 8 64-bit words of a cache line (Lang et al. 2019)",
        .family = Family::cache_line,
        .format_code = 5,
        .block_bits = 512,
        .k_min = 8,
        .k_max = 8,
        .zones = 8,
        .word_bits = 64};

    SIMDBLOOM_INLINE static unsigned bit(std::uint32_t x, unsigned i, unsigned, unsigned) noexcept {
        return 64 * i + (static_cast<unsigned>(spread(x) >> (8 * i)) & 63u);
    }
};

}  // namespace simdbloom::detail::layouts
