// AVX-512 with VBMI, VBMI2, BITALG and GFNI (Ice Lake, Zen 4 and later): bits by their positions,
// and products of matrices of bits.
#pragma once

#include "core/kernels/ops/avx512.hpp"

namespace simdbloom::detail {
namespace {

struct Avx512Bitalg {};

template <>
struct Ops<Avx512Bitalg> : Ops<xsimd::avx512bw> {
    static constexpr bool has_bit_gather = true;

    /// Byte j of each lane: eight bits of `v` from the position in byte j of `shifts` on, rotating.
    static V bytes_at_bits(V v, std::uint64_t shifts) {
        return _mm512_multishift_epi64_epi8(V(shifts), v);
    }

    /// Bit 8 * i + j is the bit of lane i of `words` that byte j of `positions` (modulo 64) names.
    static std::uint64_t fetch_bits(V words, V positions) {
        return _mm512_bitshuffle_epi64_mask(words, positions);
    }

    // All 64 positions as bytes by one instruction. Absent keys seldom have more than 16 hits.
    static void write_positions64(std::uint64_t hits, std::uint32_t base, std::uint32_t* out) {
        alignas(64) static constexpr auto numbers = [] {
            struct {
                std::uint8_t byte[64];
            } all{};
            for (unsigned i = 0; i < 64; ++i) all.byte[i] = static_cast<std::uint8_t>(i);
            return all;
        }();
        const __m512i bytes = _mm512_maskz_compress_epi8(hits, _mm512_load_si512(&numbers));
        const auto n = static_cast<unsigned>(__builtin_popcountll(hits));
        const std::uint64_t wanted = _bzhi_u64(~std::uint64_t{0}, n);
        const __m512i first = _mm512_set1_epi32(static_cast<int>(base));
        const auto write = [&](__m128i sixteen, unsigned from) {
            _mm512_mask_storeu_epi32(out + from, static_cast<__mmask16>(wanted >> from),
                                     _mm512_add_epi32(first, _mm512_cvtepu8_epi32(sixteen)));
        };
        write(_mm512_castsi512_si128(bytes), 0);
        if (n <= 16) return;
        write(_mm512_extracti32x4_epi32(bytes, 1), 16);
        if (n <= 32) return;
        write(_mm512_extracti32x4_epi32(bytes, 2), 32);
        write(_mm512_extracti32x4_epi32(bytes, 3), 48);
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

    // Fetching takes every word at every position, an 8 x 8 matrix of bits, and the wanted bits lie
    // on its diagonal. 1.09 ns a key (16 KiB) against 1.25 with a mask built from the bytes.
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

    // Bits anywhere in a line, as products of 8 x 8 matrices of bits. Up to eight positions of a
    // key are split into word, byte and bit:
    //
    //   position   [ 8 7 6 | 5 4 3 | 2 1 0 ]     row p of the matrix `words`: the probes whose word
    //                word    byte    bit         is p; likewise `bytes` and `bits`
    //
    // Bit b of byte (w, y) of the line is the sum, over all probes, of words[w] & bytes[y] &
    // bits[b]. Sums are modulo 2: of equal positions of a key, all but the first leave `words`.
    static constexpr bool has_bit_products = true;
    struct BitMatrices {
        V words, bytes, bits;
    };
    /// Of eight keys x, and of the first n of the probes that have these salts.
    static BitMatrices bit_matrices(V x, const std::uint32_t* salts8, unsigned n) {
        // A lane holds two products of 32 bits, for probes r and r + 4. Bits 23 to 31 of a product
        // are the position.
        const __m512i both = _mm512_shuffle_epi32(x, _MM_PERM_CCAA);
        __m512i low = _mm512_setzero_si512(), word = low;
#pragma GCC unroll 4
        for (unsigned r = 0; r < 4; ++r) {
            const __m512i product =
                _mm512_mullo_epi32(both, V(salts8[r] | std::uint64_t{salts8[r + 4]} << 32));
            const __mmask64 probes = std::uint64_t{0x1111111111111111u} << r;
            low = _mm512_mask_multishift_epi64_epi8(low, probes, V(0x3737373717171717u), product);
            word = _mm512_mask_multishift_epi64_epi8(word, probes, V(0x3D3D3D3D1D1D1D1Du), product);
        }
        // Byte r of each lane is a power of two. A product takes rows in reverse order.
        const __m512i bit = powers<1, true>(low), byte = powers<8>(low);
        word = powers<1>(word);
        // Bit i of byte j: probes 7 - i and j have equal positions.
        const __m512i equal = _mm512_and_si512(
            product_of(word, word), _mm512_and_si512(product_of(byte, byte), product_of(bit, bit)));
        const __mmask64 firsts = _mm512_testn_epi8_mask(equal, V(0xFEFCF8F0E0C08000u));
        word = _mm512_maskz_mov_epi8(firsts & (0x0101010101010101u * (0xFFu >> (8 - n))), word);
        const V identity(0x8040201008040201u);
        return {product_of(identity, word), product_of(identity, byte), product_of(identity, bit)};
    }
    /// The bits of one key. clang 14 merges broadcast and shuffle into wrong code: of eight keys
    /// only one was inserted. The empty statement keeps the two apart.
    static V line_of(std::uint64_t words, std::uint64_t bytes, std::uint64_t bits) {
        const __m512i spread = _mm512_set_epi64(
            0x0707070707070707, 0x0606060606060606, 0x0505050505050505, 0x0404040404040404,
            0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0);
        __m512i in_lanes = V(words);
        __asm__("" : "+v"(in_lanes));
        return product_of(_mm512_and_epi64(_mm512_shuffle_epi8(in_lanes, spread), V(bytes)),
                          V(bits));
    }

private:
    /// The 8 x 8 matrices of bits of each lane: bit i of byte j is row 7 - i of `b` times row j of
    /// `a`.
    static __m512i product_of(__m512i a, __m512i b) {
        return _mm512_gf2p8affine_epi64_epi8(a, b, 0);
    }
    /// 2 to the power of i / step % 8, or of 7 minus that, for each byte i.
    template <unsigned step, bool reversed = false>
    static __m512i powers(__m512i i) {
        alignas(64) static constexpr auto table = [] {
            struct {
                std::uint8_t byte[64];
            } all{};
            for (unsigned j = 0; j < 64; ++j)
                all.byte[j] =
                    static_cast<std::uint8_t>(reversed ? 0x80 >> j / step % 8 : 1 << j / step % 8);
            return all;
        }();
        return _mm512_permutexvar_epi8(i, _mm512_load_si512(&table));
    }
};

using avx512bitalg_ops = Ops<Avx512Bitalg>;

}  // namespace
}  // namespace simdbloom::detail
