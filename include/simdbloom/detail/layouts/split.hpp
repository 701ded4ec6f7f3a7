// One bit in each word of a block. split256: 8 words of 32 bits; split512: 16 of them, a cache
// line; sector512: the 8 words of 64 bits of a line (Lang et al. 2019, "sectorized").
//
//   block    [ w0 | w1 | w2 | w3 | w4 | w5 | w6 | w7 ]
//   key         ^     ^   ^    ^       ^  ^     ^   ^     bit of word i: (x * salt i) >> 27; of
//                                                         sector512 the low six bits of byte i of
//                                                         x * spread_multiplier
#pragma once

#include "simdbloom/detail/layouts/salts.hpp"
#include "simdbloom/detail/layouts/traits.hpp"

namespace simdbloom::detail::layouts {

struct Split {
    SIMDBLOOM_INLINE static unsigned bit(std::uint32_t x, unsigned i, unsigned, unsigned) noexcept {
        return 32 * i + ((x * salts[i]) >> 27);
    }
};

struct split256 : Split {
    static constexpr auto traits = LayoutTraits(
        Family::split_block, 4, 256, {.k_min = 8, .k_max = 8, .zones = 8, .word_bits = 32});
};

struct split512 : Split {
    static constexpr auto traits = LayoutTraits(
        Family::cache_line, 16, 512, {.k_min = 16, .k_max = 16, .zones = 16, .word_bits = 32});
};

struct sector512 {
    static constexpr auto traits = LayoutTraits(
        Family::cache_line, 5, 512, {.k_min = 8, .k_max = 8, .zones = 8, .word_bits = 64});

    SIMDBLOOM_INLINE static unsigned bit(std::uint32_t x, unsigned i, unsigned, unsigned) noexcept {
        return 64 * i + (static_cast<unsigned>(spread(x) >> (8 * i)) & 63u);
    }
};

}  // namespace simdbloom::detail::layouts
