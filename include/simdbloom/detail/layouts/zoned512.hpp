// zoned512: k bits in z words of a cache line, z = 2 or 4 (Lang et al. 2019, "cache-sectorized").
//
//   line     [ w0  w1  w2  w3 | w4  w5  w6  w7 ]      z = 2: two zones of 4 words
//   key            ^^                   ^^            one word of each zone, k / 2 bits in each
//
// From the top the spread pattern has, for each zone, the number of its word (2 bits for one of 4
// words with z = 2, 1 bit for one of 2 words with z = 4), then k fields of 6 bits: 52 bits or less.
#pragma once

#include "simdbloom/detail/layouts/traits.hpp"

namespace simdbloom::detail {

/// The word of the line that zone g uses.
SIMDBLOOM_INLINE unsigned zoned_word(std::uint64_t p, unsigned g, unsigned zones) noexcept {
    const unsigned index_bits = zones == 2 ? 2 : 1, zone_words = 8 / zones;
    return g * zone_words +
           (static_cast<unsigned>(p >> (64 - index_bits * (g + 1))) & (zone_words - 1));
}
/// The bit of probe i in its word.
SIMDBLOOM_INLINE unsigned zoned_bit(std::uint64_t p, unsigned i) noexcept {
    return static_cast<unsigned>(p >> (64 - 4 - 6 * (i + 1))) & 63u;
}

namespace layouts {

struct zoned512 {
    static constexpr auto traits =
        LayoutTraits(Family::cache_line, 6, 512,
                     {.k_max = 8, .k_step = 0, .zones = 0, .word_bits = 64, .variants = 6});

    SIMDBLOOM_INLINE static unsigned bit(std::uint32_t x, unsigned i, unsigned k,
                                         unsigned zones) noexcept {
        const std::uint64_t p = spread(x);
        return 64 * zoned_word(p, i / (k / zones), zones) + zoned_bit(p, i);
    }
    /// k = 2, 4, 6, 8 with z = 2, then k = 4, 8 with z = 4.
    static constexpr unsigned variant(unsigned k, unsigned zones) noexcept {
        return zones == 2 ? k / 2 - 1 : 4 + k / 4 - 1;
    }
};

}  // namespace layouts
}  // namespace simdbloom::detail
