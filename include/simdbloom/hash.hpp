// From keys to the 64-bit hash that every layout is defined on. The high 32 bits of a hash choose
// the block, the low 32 bits the pattern in the block. No bit does both.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>

#include "simdbloom/export.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

namespace detail {

/// A number that would become another number as a 64-bit key, such as 1.25 (see join_key): calls
/// that would take it are deleted. Integers of up to 64 bits, bool and characters are keys.
template <class T>
concept LossyKey =
    std::convertible_to<T, std::uint64_t> && !std::is_class_v<T> && !std::is_enum_v<T> &&
    (!std::is_integral_v<T> || sizeof(T) > sizeof(std::uint64_t));

inline constexpr std::uint64_t seed_offset = 0x9E3779B97F4A7C15u;  // moves key 0 of seed 0
inline constexpr int mix_shift = 19;
inline constexpr std::uint64_t mix_multiplier1 = 0x897B2307897B2307u;
inline constexpr std::uint64_t mix_multiplier2 = 0xD6E8FEB86659FD93u;

// A program may compile some of its files for AVX2 and others not, while a linker keeps one of the
// inline functions of a name: what uses the instructions of the including file is inlined always.

/// x >> n. For one key by shrx: compilers copy x and shift the copy, and from DRAM a lookup
/// took 1.16 times as long, because fewer keys fit into the window of the CPU (Zen 4).
template <unsigned n, bool one_key>
[[gnu::always_inline]] constexpr std::uint64_t shift_right(std::uint64_t x) noexcept {
#if defined(__BMI2__) && defined(__x86_64__)
    if (one_key && !std::is_constant_evaluated()) {
        std::uint64_t shifted = 0;
        __asm__("shrx %2, %1, %0" : "=r"(shifted) : "r"(x), "r"(std::uint64_t{n}));
        return shifted;
    }
#endif
    return x >> n;
}

/// The hash of integer keys, a bijection, in two parts with one multiplication each.
/// src/core/kernels/hash.hpp computes it a vector at a time, and says why it is this one.
template <bool one_key = false>
[[gnu::always_inline]] constexpr std::uint64_t mix_first(std::uint64_t key,
                                                         std::uint64_t offset_seed) noexcept {
    const std::uint64_t x = key ^ offset_seed;
    return (x ^ shift_right<mix_shift, one_key>(x)) * mix_multiplier1;
}
template <bool one_key = false>
[[gnu::always_inline]] constexpr std::uint64_t mix_second(std::uint64_t x) noexcept {
    return (x ^ std::rotl(static_cast<std::uint32_t>(shift_right<32, one_key>(x)), 8)) *
           mix_multiplier2;
}
template <bool one_key = false>
[[gnu::always_inline]] constexpr std::uint64_t mix(std::uint64_t key,
                                                   std::uint64_t offset_seed) noexcept {
    return mix_second<one_key>(mix_first<one_key>(key, offset_seed));
}

/// block_index(hash, blocks), where `factor` is blocks << 32: the upper half of a product.
[[gnu::always_inline]] inline std::uint64_t block_of_key(std::uint64_t hash,
                                                         std::uint64_t factor) noexcept {
#if defined(__x86_64__) || defined(__aarch64__)
    __extension__ using Product = unsigned __int128;
    return static_cast<std::uint64_t>(Product{shift_right<32, true>(hash)} * factor >> 64);
#else
    return ((hash >> 32) * (factor >> 32)) >> 32;
#endif
}

}  // namespace detail

/// The hash of an integer key: what insert(key) gives to insert_hash, unless hashing is keyed.
///
/// No protection against an adversary. On keys with structure the low 16 bits are less even than
/// the others, and hashes under two seeds depend on each other in their low bits. Filters notice
/// neither. Partition by high bits; KeyHasher is for `hash % m` and several functions of one key.
[[gnu::always_inline]] constexpr std::uint64_t hash_key(std::uint64_t key,
                                                        std::uint64_t seed = 0) noexcept {
    return detail::mix(key, seed + detail::seed_offset);
}
template <detail::LossyKey K>
std::uint64_t hash_key(K, std::uint64_t = 0) = delete;

/// How keys are hashed, by how much an adversary may know.
enum class Hashing : std::uint8_t {
    fast,    ///< the mixer, or XXH64. Who knows keys of a filter can make false positives
    seeded,  ///< a random seed. Stops keys made in advance, not those of someone who probes
    keyed,   ///< SipHash-2-4. The FPR holds for any keys while the 128 bits stay secret
};

/// "fast", "seeded" or "keyed".
std::string to_string(Hashing hashing);

/// The secret of Hashing::keyed: 128 bits.
struct Secret {
    std::uint64_t low = 0;   ///< the first 8 bytes, little-endian
    std::uint64_t high = 0;  ///< the last 8 bytes
    friend bool operator==(const Secret&, const Secret&) = default;  ///< all 128 bits
    /// A new secret of the operating system. Throws std::system_error if there are no random bits.
    static Secret random();
};

/// SipHash-2-4 of the eight little-endian bytes of an integer.
std::uint64_t siphash(std::uint64_t value, const Secret& secret) noexcept;
template <detail::LossyKey K>
std::uint64_t siphash(K, const Secret&) = delete;
/// SipHash-2-4 of a string of bytes.
std::uint64_t siphash(std::span<const std::byte> bytes, const Secret& secret) noexcept;
std::uint64_t siphash(std::string_view text, const Secret& secret) noexcept;  ///< of a text

/// XXH64 of the bytes with that seed. A `split256` filter of hashes with seed 0 has the bits of a
/// Parquet Bloom filter of the same BYTE_ARRAY values (parquet-format, BloomFilter.md).
std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed = 0) noexcept;
std::uint64_t hash_bytes(std::string_view text, std::uint64_t seed = 0) noexcept;  ///< of a text
/// hashes[i] = hash_bytes(texts[i], seed); short strings several at a time. Throws
/// std::length_error if there is room for fewer hashes than strings.
void hash_bytes(std::span<const std::string_view> texts, std::span<std::uint64_t> hashes,
                std::uint64_t seed = 0);

/// A hash function of the user's. It is called as hasher(key, seed) and returns 64 well-mixed bits.
template <class H, class Key>
concept Hasher = requires(const H& hasher, const Key& key, std::uint64_t seed) {
    { hasher(key, seed) } -> std::convertible_to<std::uint64_t>;
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
