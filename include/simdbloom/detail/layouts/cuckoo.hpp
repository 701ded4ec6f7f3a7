// cuckoo8, cuckoo12, cuckoo16: buckets of 4 fingerprints of that many bits (Fan et al. 2014).
//
//   bucket b            [ f | f | f | f ]     b = the block of the hash
//   the other bucket    [ f | f | f | f ]     (H(f) - b) mod buckets
#pragma once

#include "simdbloom/detail/layouts/traits.hpp"

namespace simdbloom::detail {

inline constexpr std::uint32_t cuckoo_multiplier = 0x9E3779B1u;

/// The fingerprint, from 1 to 2^bits - 1. 0 marks an empty slot.
SIMDBLOOM_INLINE std::uint32_t fingerprint_of(std::uint32_t x, unsigned bits) noexcept {
    return 1 + static_cast<std::uint32_t>((x * ((std::uint64_t{1} << bits) - 1)) >> 32);
}

/// The lowest bit of each slot of a bucket.
template <unsigned bits>
inline constexpr std::uint64_t cuckoo_ones =
    1 | std::uint64_t{1} << bits | std::uint64_t{1} << 2 * bits | std::uint64_t{1} << 3 * bits;

/// The other bucket of a fingerprint: (H(fingerprint) - bucket) mod buckets, its own inverse.
SIMDBLOOM_INLINE std::uint64_t cuckoo_alternate(std::uint64_t bucket, std::uint32_t fingerprint,
                                                std::uint64_t buckets) noexcept {
    const std::uint64_t h = (std::uint64_t{fingerprint * cuckoo_multiplier} * buckets) >> 32;
    return h >= bucket ? h - bucket : h + buckets - bucket;
}

namespace layouts {

struct cuckoo8 {
    static constexpr auto traits = LayoutTraits(Family::cuckoo, 8, 32, {.fingerprint_bits = 8});
};

struct cuckoo12 {
    static constexpr auto traits = LayoutTraits(Family::cuckoo, 9, 48, {.fingerprint_bits = 12});
};

struct cuckoo16 {
    static constexpr auto traits = LayoutTraits(Family::cuckoo, 10, 64, {.fingerprint_bits = 16});
};

}  // namespace layouts
}  // namespace simdbloom::detail
