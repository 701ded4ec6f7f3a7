// One key of a cuckoo table, for code inlined into the files of a caller (block_of_key.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "simdbloom/detail/block_of_key.hpp"
#include "simdbloom/detail/layouts/cuckoo.hpp"
#include "simdbloom/detail/little_endian.hpp"

namespace simdbloom::detail {

/// Whether one of the two buckets of a hash has its fingerprint, which has that many bits. All
/// slots of a bucket are compared in one word, as by CuckooBucket::holding. Buckets of 12-bit slots
/// are loaded with the two bytes behind, which change no answer: a subtraction borrows upwards.
/// Always both buckets, so that both lines are on the way at once.
template <unsigned bits>
[[gnu::always_inline]] inline bool cuckoo_contains(const std::byte* table, std::uint64_t buckets,
                                                   std::uint64_t factor,
                                                   std::uint64_t hash) noexcept {
    using Bucket = std::conditional_t<bits == 8, std::uint32_t, std::uint64_t>;
    constexpr Bucket ones = static_cast<Bucket>(std::uint64_t{1} | std::uint64_t{1} << bits |
                                                std::uint64_t{1} << 2 * bits |
                                                std::uint64_t{1} << 3 * bits),
                     high = static_cast<Bucket>(ones << (bits - 1));
    const std::uint64_t bucket = block_of_key(hash, factor);
    const std::uint32_t tag = fingerprint_of(static_cast<std::uint32_t>(hash), bits);
    const std::uint64_t other = cuckoo_alternate(bucket, tag, buckets);
    const auto tags = static_cast<Bucket>(tag * ones);
    const Bucket a = load_le<Bucket>(table + bits / 2 * bucket) ^ tags,
                 b = load_le<Bucket>(table + bits / 2 * other) ^ tags;
    return ((((a - ones) & ~a) | ((b - ones) & ~b)) & high) != 0;
}

}  // namespace simdbloom::detail
