// dleft12, dleft14, dleft16: four buckets of 8 cells; a cell has a fingerprint of that many bits
// and a counter of 2 bits (Bonomi et al. 2006).
//
//   subtable 0    .. [ cell cell cell cell cell cell cell cell ] ..     block of the hash
//   subtable 1    .. [ cell cell .. ] ..                                + stride
//   subtable 2    .. [ cell cell .. ] ..                                + 2 strides, and so on
//
// Block and fingerprint are what the paper calls the true fingerprint. The bucket in subtable s is
// bucket s of the block (block + s * stride) mod blocks, a permutation for each fingerprint.
#pragma once

#include "simdbloom/detail/layouts/fingerprint.hpp"
#include "simdbloom/detail/layouts/traits.hpp"

namespace simdbloom::detail {

SIMDBLOOM_INLINE std::uint64_t dleft_stride(std::uint32_t fingerprint,
                                            std::uint64_t blocks) noexcept {
    return (std::uint64_t{fingerprint * cuckoo_multiplier} * blocks) >> 32;
}
SIMDBLOOM_INLINE std::uint64_t dleft_next(std::uint64_t block, std::uint64_t stride,
                                          std::uint64_t blocks) noexcept {
    const std::uint64_t sum = block + stride;
    return sum >= blocks ? sum - blocks : sum;
}

namespace layouts {

struct dleft12 {
    static constexpr auto traits = LayoutTraits(Family::dleft, 14, 448, {.fingerprint_bits = 12});
};

struct dleft14 {
    static constexpr auto traits = LayoutTraits(Family::dleft, 13, 512, {.fingerprint_bits = 14});
};

struct dleft16 {
    static constexpr auto traits = LayoutTraits(Family::dleft, 15, 576, {.fingerprint_bits = 16});
};

}  // namespace layouts
}  // namespace simdbloom::detail
