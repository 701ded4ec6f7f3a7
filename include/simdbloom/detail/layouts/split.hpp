// split256: one bit in each of the 8 words of 32 bits of a block. split512: the same with the 16
// words of a cache line.
//
//   block    [ w0 | w1 | w2 | w3 | w4 | w5 | w6 | w7 ]
//   key         ^     ^   ^    ^       ^  ^     ^   ^     bit of word i: (x * salt i) >> 27
#pragma once

#include "simdbloom/detail/layouts/traits.hpp"

namespace simdbloom::detail::layouts {

struct Split {
    SIMDBLOOM_INLINE static unsigned bit(std::uint32_t x, unsigned i, unsigned, unsigned) noexcept {
        return 32 * i + ((x * salts[i]) >> 27);
    }
};

struct split256 : Split {
    static constexpr LayoutTraits traits{
        .description = "one bit in each of 8 32-bit words (Parquet; Apple 2021)",
        .family = Family::split_block,
        .format_code = 4,
        .block_bits = 256,
        .k_min = 8,
        .k_max = 8,
        .zones = 8,
        .word_bits = 32};
};

struct split512 : Split {
    static constexpr LayoutTraits traits{
        .description = "one bit in each of the 16 32-bit words of a cache line",
        .family = Family::cache_line,
        .format_code = 16,
        .block_bits = 512,
        .k_min = 16,
        .k_max = 16,
        .zones = 16,
        .word_bits = 32};
};

}  // namespace simdbloom::detail::layouts
