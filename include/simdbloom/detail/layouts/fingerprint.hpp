// The fingerprint of a key in a table, and from one bucket of a cuckoo table to the other.
#pragma once

#include "simdbloom/detail/layouts/list.hpp"

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

}  // namespace simdbloom::detail
