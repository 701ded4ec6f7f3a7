// One key of split256: whether its block covers its pattern x, and the insert. Inlined always, with
// the instructions of the including file (hash.hpp).
#pragma once

#include "simdbloom/detail/layouts/salts.hpp"
#include "simdbloom/hash.hpp"
#if defined(__AVX2__)
#include "simdbloom/detail/hash_pair.hpp"
#elif !defined(__SSE2__)
#include "simdbloom/detail/little_endian.hpp"
#endif

namespace simdbloom::detail {

#if defined(__AVX2__)

using SplitWords [[gnu::vector_size(32), gnu::may_alias]] = std::uint32_t;

[[gnu::always_inline]] inline SplitWords split_bits(std::uint32_t p) noexcept {
    const SplitWords x = {p, p, p, p, p, p, p, p};
    const SplitWords odd = {salts[0], salts[1], salts[2], salts[3],
                            salts[4], salts[5], salts[6], salts[7]};
    return 1u << (x * odd >> 27);
}
[[gnu::always_inline]] inline bool split_covers(const std::byte* block, std::uint32_t x) noexcept {
    using Quads [[gnu::vector_size(32)]] = long long;
    return __builtin_ia32_ptestc256(
               reinterpret_cast<Quads>(*reinterpret_cast<const SplitWords*>(block)),
               reinterpret_cast<Quads>(split_bits(x))) != 0;
}
[[gnu::always_inline]] inline void split_set(std::byte* block, std::uint32_t x) noexcept {
    *reinterpret_cast<SplitWords*>(block) |= split_bits(x);
}

#elif defined(__SSE2__)

using HalfBlock [[gnu::vector_size(16), gnu::may_alias]] = std::uint32_t;

/// The bits of words 0, 2, 1 and 3 of a half: SSE2 multiplies words 0 and 2 of a vector. 2^n is
/// made through the exponent of a float; n = 31 overflows to exactly 0x80000000.
template <unsigned half>
[[gnu::always_inline]] inline HalfBlock split_bits(std::uint32_t x) noexcept {
    using Ints [[gnu::vector_size(16)]] = int;
    using Floats [[gnu::vector_size(16)]] = float;
    constexpr const std::uint32_t* s = salts + 4 * half;
    const auto pattern = reinterpret_cast<Ints>(HalfBlock{x, x, x, x});
    const auto even = reinterpret_cast<HalfBlock>(__builtin_ia32_pmuludq128(
                   pattern, reinterpret_cast<Ints>(HalfBlock{s[0], 0, s[2], 0}))),
               odd = reinterpret_cast<HalfBlock>(__builtin_ia32_pmuludq128(
                   pattern, reinterpret_cast<Ints>(HalfBlock{s[1], 0, s[3], 0})));
    const HalfBlock products = __builtin_shufflevector(even, odd, 0, 2, 4, 6),
                    exponents = (products >> 4 & 31u << 23) + (127u << 23);
    return reinterpret_cast<HalfBlock>(
        __builtin_ia32_cvttps2dq(reinterpret_cast<Floats>(exponents)));
}
[[gnu::always_inline]] inline HalfBlock middle_swapped(HalfBlock words) noexcept {
    return __builtin_shufflevector(words, words, 0, 2, 1, 3);
}
[[gnu::always_inline]] inline bool split_covers(const std::byte* block, std::uint32_t x) noexcept {
    using Bytes [[gnu::vector_size(16)]] = char;
    const auto* const halves = reinterpret_cast<const HalfBlock*>(block);
    const HalfBlock missing = (~middle_swapped(halves[0]) & split_bits<0>(x)) |
                              (~middle_swapped(halves[1]) & split_bits<1>(x));
    return __builtin_ia32_pmovmskb128(reinterpret_cast<Bytes>(missing == 0)) == 0xFFFF;
}
[[gnu::always_inline]] inline void split_set(std::byte* block, std::uint32_t x) noexcept {
    auto* const halves = reinterpret_cast<HalfBlock*>(block);
    halves[0] |= middle_swapped(split_bits<0>(x));
    halves[1] |= middle_swapped(split_bits<1>(x));
}

#else

[[gnu::always_inline]] inline std::uint32_t split_bit(std::uint32_t x, unsigned i) noexcept {
    return 1u << (x * salts[i] >> 27);
}
[[gnu::always_inline]] inline bool split_covers(const std::byte* block, std::uint32_t x) noexcept {
    std::uint32_t missing = 0;
    for (unsigned i = 0; i < 8; ++i)
        missing |= split_bit(x, i) & ~load_le<std::uint32_t>(block + 4 * i);
    return missing == 0;
}
[[gnu::always_inline]] inline void split_set(std::byte* block, std::uint32_t x) noexcept {
    for (unsigned i = 0; i < 8; ++i)
        store_le(block + 4 * i, load_le<std::uint32_t>(block + 4 * i) | split_bit(x, i));
}

#endif

/// Whether the block of a key covers its pattern; `mixed` is mix_first(key, seed).
///
/// From L1 one port is the limit, which has all multiplications of general registers (Zen 4): 1.72
/// ns; with the block's number in vectors 1.60, with the second multiplication too 1.45. Times as
/// fast as Boost.Bloom from 16 KiB, 256 KiB, 256 MiB (Zen 5): AVX-512 with the block's number in
/// general registers 0.98, 0.91, 0.91; in vectors 1.08, 0.99, 0.99; with its shift and mask too
/// 0.95, 0.92, 1.00. AVX2 with shift and mask in general registers 0.88, 0.85, 0.82; in vectors
/// 1.01, 0.93, 0.91. Xeon 207: in general registers 0.81, 0.87, 0.87, in vectors 0.71, 0.74, 0.97.
/// In caches the front end is the limit there: 29 operations in vectors, 25 in general registers,
/// Boost 21. In DRAM the limit is the number of integer registers for the keys in flight: shift and
/// mask alone, in general registers, cost 10 %.
[[gnu::always_inline]] inline bool split_contains(const std::byte* bits, std::uint64_t factor,
                                                  std::uint64_t mixed) noexcept {
#if defined(__AVX2__)
    using Four [[gnu::vector_size(16)]] = std::uint32_t;
    using Ints [[gnu::vector_size(16)]] = int;
    const HashPair hash = mix_second_pair<multiplies_vectors>(mixed), blocks = {factor >> 32, 0};
    const auto product = reinterpret_cast<HashPair>(__builtin_ia32_pmuludq128(
        reinterpret_cast<Ints>(hash >> 32), reinterpret_cast<Ints>(blocks)));
    constexpr std::uint64_t mask = ~std::uint64_t{31};
    const std::uint64_t offset =
        multiplies_vectors ? product[0] >> 27 & mask : (product >> 27 & mask)[0];
    // Not by __builtin_shufflevector, for which GCC 12 copies the vector first.
    return split_covers(bits + offset, reinterpret_cast<Four>(hash)[0]);
#else
    const std::uint64_t hash = mix_second<true>(mixed);
    return split_covers(bits + 32 * block_of_key(hash, factor), static_cast<std::uint32_t>(hash));
#endif
}

}  // namespace simdbloom::detail
