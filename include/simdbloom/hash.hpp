// From keys to the 64-bit hash every layout is defined on.
//
// The high 32 bits of a hash choose the block, the low 32 bits the pattern inside it; no bit serves both.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace simdbloom {

namespace detail {

inline constexpr std::uint64_t seed_offset = 0x9E3779B97F4A7C15u;  // so that key 0, seed 0 is not a fixed point
inline constexpr std::uint64_t mix_multiplier1 = 0x9E3779B1u;
inline constexpr std::uint64_t mix_multiplier2 = 0x85EBCA77u;

/// The batch kernels compute this same function a vector at a time. The multipliers have 32 bits so that
/// a 64-bit product costs two 32x32 ones on ISAs without a 64-bit multiply. The three shifts came out of a
/// search over sequences of shifts, rotations and multiplies of at most 16 AVX2 instructions: of those it
/// is one of four that gave uniform 9- to 14-bit windows (chi-square within 5.5 sigma) on 40 families of
/// structured keys. It is a bijection.
[[gnu::always_inline]] constexpr std::uint64_t mix(std::uint64_t key, std::uint64_t offset_seed) noexcept {
    std::uint64_t x = key ^ offset_seed;
    x ^= x >> 27;
    x *= mix_multiplier1;
    x ^= x >> 13;
    x *= mix_multiplier2;
    x ^= x >> 29;
    return x;
}

}  // namespace detail

/// The hash of an integer key: what insert(key) feeds to insert_hash. No promise against an adversary.
constexpr std::uint64_t hash_key(std::uint64_t key, std::uint64_t seed = 0) noexcept {
    return detail::mix(key, seed + detail::seed_offset);
}

/// XXH64 of the bytes with that seed. With seed 0 and the `split256` layout the bits are those of a Parquet
/// Bloom filter over the same BYTE_ARRAY values (parquet-format, BloomFilter.md).
std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed = 0) noexcept;
std::uint64_t hash_bytes(std::string_view text, std::uint64_t seed = 0) noexcept;

/// A user's own hash: called as hasher(key, seed), returns 64 well-mixed bits.
template <class H, class Key>
concept Hasher = requires(const H& hasher, const Key& key, std::uint64_t seed) {
    { hasher(key, seed) } -> std::convertible_to<std::uint64_t>;
};

}  // namespace simdbloom
