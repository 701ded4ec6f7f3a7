// The hash of one key in a vector, for code inlined into the files of a caller (hash.hpp).
#pragma once

#include "simdbloom/hash.hpp"

namespace simdbloom::detail {

// AMD, which has SSE4A, multiplies 64 bits of a vector in one step, Intel in three: a key of
// split256 by AVX-512 took a Xeon (family 6, model 167) 2.05 ns, and 1.75 in general registers,
// which lose less on AMD's: code for x86-64-v4 names no CPU.
#if defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__SSE4A__)
constexpr bool multiplies_vectors = true;
#else
constexpr bool multiplies_vectors = false;
#endif

#if defined(__AVX2__)
using HashPair [[gnu::vector_size(16)]] = std::uint64_t;

/// mix_second(mixed) and 0.
template <bool by_vectors>
[[gnu::always_inline]] inline HashPair mix_second_pair(std::uint64_t mixed) noexcept {
    if constexpr (!by_vectors) return HashPair{mix_second<true>(mixed), 0};
    using Bytes [[gnu::vector_size(16)]] = char;
    // The high half, rotated left by 8 bits, in the low one.
    const Bytes order = {7, 4, 5, 6, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    const HashPair first = {mixed, 0};
    return (first ^ reinterpret_cast<HashPair>(
                        __builtin_ia32_pshufb128(reinterpret_cast<Bytes>(first), order))) *
           mix_multiplier2;
}
#endif

}  // namespace simdbloom::detail
