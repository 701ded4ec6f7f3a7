// One key of a cuckoo table, for code inlined into the files of a caller (hash.hpp).
#pragma once

#include "simdbloom/detail/hash_pair.hpp"
#include "simdbloom/detail/layouts/fingerprint.hpp"
#include "simdbloom/detail/little_endian.hpp"

namespace simdbloom::detail {

// A slot of zeros is found in a bucket XOR four copies of the fingerprint, as by
// CuckooBucket::holding. Buckets of 12-bit slots are loaded with the two bytes behind, which change
// no answer: a subtraction borrows upwards. Always both: their lines are on the way at once.
template <unsigned bits>
[[gnu::always_inline]] inline std::uint64_t cuckoo_slots(const std::byte* table,
                                                         std::uint64_t bucket) noexcept {
    using Slots = std::conditional_t<bits == 8, std::uint32_t, std::uint64_t>;
    return load_le<Slots>(table + bits / 2 * bucket);
}
/// Whether one of the two buckets of a hash has its fingerprint, which has that many bits.
template <unsigned bits>
[[gnu::always_inline]] inline bool cuckoo_covers(const std::byte* table, std::uint64_t factor,
                                                 std::uint64_t hash) noexcept {
    constexpr std::uint64_t ones = cuckoo_ones<bits>;
    const std::uint64_t bucket = block_of_key(hash, factor);
    const std::uint32_t tag = fingerprint_of(static_cast<std::uint32_t>(hash), bits);
    const std::uint64_t other = cuckoo_alternate(bucket, tag, factor >> 32);
    const std::uint64_t a = cuckoo_slots<bits>(table, bucket) ^ (tag * ones),
                        b = cuckoo_slots<bits>(table, other) ^ (tag * ones);
    return ((((a - ones) & ~a) | ((b - ones) & ~b)) & (ones << (bits - 1))) != 0;
}

/// Whether one of the two buckets of a key has its fingerprint; `mixed` is mix_first(key, seed).
/// With the products in vectors a lookup of cuckoo12 takes 2.6 ns from L1, without 3.2 (Zen 5).
template <unsigned bits>
[[gnu::always_inline]] inline bool cuckoo_contains(const std::byte* table, std::uint64_t factor,
                                                   std::uint64_t mixed) noexcept {
#if defined(__AVX2__)
    using Pair = HashPair;
    using Four [[gnu::vector_size(16)]] = std::uint32_t;
    using Ints [[gnu::vector_size(16)]] = int;
    using Quads [[gnu::vector_size(16)]] = long long;
    const auto product = [](Pair a, Pair b) __attribute__((always_inline)) {
        return reinterpret_cast<Pair>(
            __builtin_ia32_pmuludq128(reinterpret_cast<Ints>(a), reinterpret_cast<Ints>(b)));
    };
    const Pair hash = mix_second_pair<multiplies_vectors>(mixed);
    const std::uint64_t buckets = factor >> 32;
    const auto words = reinterpret_cast<Four>(hash);
    const auto halves = reinterpret_cast<Pair>(__builtin_shufflevector(words, words, 1, 1, 0, 0));
    // The bucket, and the fingerprint less 1.
    const Pair place = product(halves, Pair{buckets, (1u << bits) - 1}) >> 32;
    const Pair tag = __builtin_shufflevector(place, place, 1, 1) + 1;
    const Pair h =
        product(product(tag, Pair{cuckoo_multiplier, cuckoo_multiplier}), Pair{buckets, buckets}) >>
        32;
    const std::uint64_t bucket = place[0], sum = h[0],
                        other = sum >= bucket ? sum - bucket : sum + buckets - bucket;
    const Pair two = tag | tag << bits, tags = two | two << 2 * bits;
    const Pair x = Pair{cuckoo_slots<bits>(table, bucket), cuckoo_slots<bits>(table, other)} ^ tags;
    constexpr std::uint64_t high = cuckoo_ones<bits> << (bits - 1);
    return __builtin_ia32_ptestz128(reinterpret_cast<Quads>((x - cuckoo_ones<bits>)&~x),
                                    reinterpret_cast<Quads>(Pair{high, high})) == 0;
#else
    return cuckoo_covers<bits>(table, factor, mix_second<true>(mixed));
#endif
}

}  // namespace simdbloom::detail
