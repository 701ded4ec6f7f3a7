// AVX-512 with VBMI and BITALG (Ice Lake, Zen 4 and later): bits are fetched by position and need
// no compare.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/ops/avx512.hpp"

namespace simdbloom::detail {
namespace {

struct Avx512Bitalg {};

template <>
struct Ops<Avx512Bitalg> : Ops<xsimd::avx512bw> {
    static constexpr bool fetches_bits = true;

    /// Byte j of each lane gets eight bits of `v`, from the position in byte j of `shifts` on,
    /// rotating.
    static V bytes_at_bits(V v, std::uint64_t shifts) {
        return _mm512_multishift_epi64_epi8(V(shifts), v);
    }

    /// Bit 8 * i + j is the bit of lane i of `words` that byte j of `positions` (modulo 64) names.
    static std::uint64_t fetch_bits(V words, V positions) {
        return _mm512_bitshuffle_epi64_mask(words, positions);
    }

    // One byte of fetched bits a key, eight keys a store. ns a key of register64 k = 4, against
    // masks and a compare: 16 KiB 0.73 against 1.06, 256 KiB 0.77 against 1.05.
    struct FetchedBytes {
        alignas(64) std::uint8_t bits[64];
        void set(std::size_t i, std::uint64_t fetched) { __builtin_memcpy(bits + i, &fetched, 8); }
        std::uint64_t hits() const {
            return _mm512_cmpeq_epi8_mask(_mm512_load_si512(bits), _mm512_set1_epi8(-1));
        }
    };
    template <class>
    using LaneAnswers = FetchedBytes;

    // The bytes of the pattern are the positions in words 0 to 7. Fetching takes every word at
    // every position, an 8 x 8 matrix of bits, and the wanted bits lie on its diagonal. 1.09 ns a
    // key (16 KiB) against 1.25 with a mask built from the bytes.
    static constexpr std::uint64_t diagonal = 0x8040201008040201u;
    struct Diagonals {
        alignas(64) std::uint64_t fetched[64];
        std::uint64_t hits() const {
            std::uint64_t all = 0;
            for (unsigned i = 0; i < 64; i += 8)
                all |= std::uint64_t{in_register(
                           _mm512_cmpeq_epi64_mask(_mm512_load_si512(fetched + i), V(diagonal)))}
                       << i;
            return all;
        }
    };
    template <class>
    using SectorAnswers = Diagonals;
    static void test_sectors(Diagonals& answers, std::size_t i, const std::byte* block,
                             std::uint64_t pattern) {
        answers.fetched[i] =
            _mm512_mask_bitshuffle_epi64_mask(diagonal, _mm512_load_si512(block), V(pattern));
    }
};

}  // namespace
}  // namespace simdbloom::detail
