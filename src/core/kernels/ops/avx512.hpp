// AVX-512 F, CD, DQ, BW and VL: eight 64-bit lanes. 256-bit blocks have 256-bit registers.
#pragma once

#include <immintrin.h>

#include "core/kernels/ops/vector.hpp"

namespace simdbloom::detail {
namespace {

// A mask as a number in a general register, before anything widens it. GCC 12 was seen to spill a
// widened __mmask8 by a store of one byte and to load eight: wrong answers of register32 under
// -fsanitize=address,undefined.
inline std::uint32_t in_register(std::uint32_t mask) {
    __asm__("" : "+r"(mask));
    return mask;
}

template <>
struct Ops<xsimd::avx512bw> : VectorOps<xsimd::avx512bw, xsimd::avx2> {
    static V widen(const std::uint32_t* p) {
        return _mm512_cvtepu32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    }
    static V load_first(const std::uint64_t* p, std::size_t n) {
        return _mm512_maskz_loadu_epi64(static_cast<__mmask8>((1u << n) - 1), p);
    }
    static V mul32(V a, V b) { return _mm512_mul_epu32(a, b); }
    template <std::uint64_t c>
    static V mul(V a) {
        return _mm512_mullo_epi64(a, V(c));
    }
    template <int n>
    static V rotate_left(V a) {
        return _mm512_rol_epi64(a, n);
    }
    // One byte shuffle does the same, but takes Zen 5 6 % longer (`split256`, 16 KiB). On Intel's,
    // both shifts go to port 0: by llvm-mca 9 cycles for a vector in place of 7, of 18 or more.
    static V high_rotated(V a) { return _mm512_srli_epi64(_mm512_rol_epi32(a, 8), 32); }
    static V swap_halves(V a) { return _mm512_shuffle_epi32(a, _MM_PERM_CDAB); }
    // A rotation takes its count modulo 64, and a shift does not: no masking is needed.
    static V bit(V n) { return _mm512_rolv_epi64(_mm512_set1_epi64(1), n); }
    static V bit_below_64(V n) { return _mm512_rolv_epi64(_mm512_set1_epi64(1), n); }
    static constexpr bool has_zero_shifts = true;
    static V shift_left(V v, V count) { return _mm512_sllv_epi64(v, count); }
    static V byte_of_part(std::uint64_t pattern, std::size_t) {
        const __m512i control = _mm512_set_epi64(~0xFFLL | 7, ~0xFFLL | 6, ~0xFFLL | 5, ~0xFFLL | 4,
                                                 ~0xFFLL | 3, ~0xFFLL | 2, ~0xFFLL | 1, ~0xFFLL);
        return _mm512_shuffle_epi8(_mm512_set1_epi64(static_cast<long long>(pattern)), control);
    }

    static V xor3(V a, V b, V c) { return _mm512_ternarylogic_epi64(a, b, c, 0x96); }
    // Rotations look only at the low six bits, so nothing needs to be masked.
    static V low_six_bits_of_bytes(V v) { return v; }

    static void write_positions16(unsigned hits, std::uint32_t base, std::uint32_t* out) {
        const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
        const __m512i positions = _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(base)), lane);
        const auto count = static_cast<unsigned>(__builtin_popcount(hits));
        _mm512_mask_storeu_epi32(
            out, static_cast<__mmask16>((1u << count) - 1),
            _mm512_maskz_compress_epi32(static_cast<__mmask16>(hits), positions));
    }

    // Tests leave the misses of a key in memory, in one byte or, of 16 words, in two. The hits of
    // 64 such keys are read together: a store a key in place of four scalar operations.
    static constexpr bool has_masks = true;
    struct MissBytes {
        alignas(64) std::uint8_t misses[64];
        std::uint64_t hits() const {
            const __m512i m = _mm512_load_si512(misses);
            return _mm512_testn_epi8_mask(m, m);
        }
    };
    struct MissWords {
        alignas(64) std::uint16_t misses[64];
        std::uint64_t hits() const {
            const __m512i low = _mm512_load_si512(misses), high = _mm512_load_si512(misses + 32);
            return in_register(_mm512_testn_epi16_mask(low, low)) |
                   std::uint64_t{in_register(_mm512_testn_epi16_mask(high, high))} << 32;
        }
    };
    /// One bit for each of the 32 cells of a key.
    struct CellHits {
        alignas(64) std::uint32_t cells[64];
        std::uint64_t hits() const {
            std::uint64_t all = 0;
            for (unsigned i = 0; i < 64; i += 16) {
                const __m512i c = _mm512_load_si512(cells + i);
                all |= std::uint64_t{in_register(_mm512_test_epi32_mask(c, c))} << i;
            }
            return all;
        }
    };
    template <class>
    using CellAnswers = CellHits;
    template <class>
    using SplitAnswers = MissBytes;
    template <class>
    using SectorAnswers = MissBytes;
    template <class>
    using LineAnswers = MissWords;

    // Tests the split blocks of eight keys, two side by side in a register. Patterns come from one
    // load and permutations: with two broadcasts from memory for each pair, a loop over hashes took
    // 0.34 ns a key in place of 0.31 (16 KiB, Zen 5).
    static void test_split_eight(MissBytes& answers, std::size_t i, const std::byte* bits,
                                 const std::uint64_t* offset, const std::uint64_t* pattern,
                                 const std::uint32_t* salts8) {
        const auto block = [&](unsigned j) {
            return _mm256_load_si256(reinterpret_cast<const __m256i*>(bits + offset[j]));
        };
        const __m512i salts =
            _mm512_broadcast_i64x4(_mm256_load_si256(reinterpret_cast<const __m256i*>(salts8)));
        const __m512i patterns = _mm512_loadu_si512(pattern);
        const __m512i pair = _mm512_inserti64x4(_mm512_setzero_si512(), _mm256_set1_epi32(2), 1);
#pragma GCC unroll 4
        for (unsigned j = 0; j < 8; j += 2) {
            const __m512i x = _mm512_permutexvar_epi32(
                _mm512_add_epi32(pair, _mm512_set1_epi32(static_cast<int>(2 * j))), patterns);
            const __m512i mask = _mm512_sllv_epi32(
                _mm512_set1_epi32(1), _mm512_srli_epi32(_mm512_mullo_epi32(x, salts), 27));
            const __m512i blocks =
                _mm512_inserti64x4(_mm512_castsi256_si512(block(j)), block(j + 1), 1);
            const std::uint16_t misses = _mm512_testn_epi32_mask(blocks, mask);
            __builtin_memcpy(answers.misses + i + j, &misses, 2);
        }
    }
    static void test_split_line(MissWords& answers, std::size_t i, const std::byte* block,
                                std::uint64_t x, const std::uint32_t* salts16) {
        const __m512i product =
            _mm512_mullo_epi32(_mm512_set1_epi32(static_cast<int>(x)), _mm512_load_si512(salts16));
        const __m512i mask =
            _mm512_sllv_epi32(_mm512_set1_epi32(1), _mm512_srli_epi32(product, 27));
        answers.misses[i] = _mm512_testn_epi32_mask(_mm512_load_si512(block), mask);
    }
    static void test_sectors(MissBytes& answers, std::size_t i, const std::byte* block,
                             std::uint64_t pattern) {
        answers.misses[i] = _mm512_testn_epi64_mask(_mm512_load_si512(block),
                                                    bit_below_64(byte_of_part(pattern, 0)));
    }
    // Compares the 32 cells of four d-left buckets. 12 bits are moved to words of their own.
    template <unsigned r>
    static void test_cells(CellHits& answers, std::size_t i, const std::byte* const (&bucket)[4],
                           std::uint32_t remainder) {
        const auto load = [&](unsigned s) {
            return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bucket[s]));
        };
        __m512i cells = _mm512_inserti32x4(_mm512_castsi128_si512(load(0)), load(1), 1);
        cells = _mm512_inserti32x4(_mm512_inserti32x4(cells, load(2), 2), load(3), 3);
        if constexpr (r == 12) {
            cells =
                _mm512_shuffle_epi8(cells, _mm512_broadcast_i32x4(_mm_setr_epi8(
                                               0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8, 9, 10, 10, 11)));
            cells = _mm512_sllv_epi16(cells, _mm512_set1_epi32(4));
        }
        const __m512i wanted = _mm512_set1_epi16(static_cast<short>(remainder << (16 - r)));
        answers.cells[i] = r == 16
                               ? _mm512_cmpeq_epi16_mask(cells, wanted)
                               : _mm512_testn_epi16_mask(
                                     _mm512_xor_si512(cells, wanted),
                                     _mm512_set1_epi16(static_cast<short>(0xFFFFu << (16 - r))));
    }
    // Tests k bits anywhere in a line, or counters with cell_bits = 4. Position j is the top 9 bits
    // of x * salt j. A permutation fetches the 32-bit word of each, a rotated mask tests its bit.
    template <unsigned cell_bits>
    static void test_anywhere(MissWords& answers, std::size_t i, const std::byte* block,
                              std::uint64_t x, const std::uint32_t* salts16, unsigned k) {
        __m512i position = _mm512_srli_epi32(
            _mm512_mullo_epi32(_mm512_set1_epi32(static_cast<int>(x)), _mm512_load_si512(salts16)),
            23);
        if constexpr (cell_bits == 4) position = _mm512_and_si512(position, _mm512_set1_epi32(508));
        const __m512i words =
            _mm512_permutexvar_epi32(_mm512_srli_epi32(position, 5), _mm512_load_si512(block));
        answers.misses[i] = _mm512_mask_testn_epi32_mask(
            static_cast<__mmask16>((1u << k) - 1), words,
            _mm512_rolv_epi32(_mm512_set1_epi32((1 << cell_bits) - 1), position));
    }

    static V choose(V tested, V bits, V yes, V no) {
        return _mm512_mask_mov_epi64(no, _mm512_test_epi64_mask(tested, bits), yes);
    }
    // The words of eight strings, 32 bytes of each or 16. A load under a mask touches only bytes of
    // the string. XXH64 of string_views takes 0.92 ns with 4 bytes and 1.68 with 1 to 16; with the
    // words loaded one string after the other, as on AVX2, 1.47 and 3.88 (Zen 5).
    template <bool long_words, class Strings>
    static StringWords<V> load_strings(const Strings& strings, std::size_t first, V sizes) {
        StringWords<V> w;
        V last = _mm512_setzero_si512();
        if constexpr (long_words) {
            const auto load = [&](std::size_t i) {
                return _mm256_maskz_loadu_epi8(first_bytes(strings.size(first + i)),
                                               strings.bytes(first + i));
            };
            const auto pair = [&](std::size_t i) {
                return _mm512_inserti64x4(_mm512_castsi256_si512(load(i)), load(i + 4), 1);
            };
            const __m512i s0 = pair(0), s1 = pair(1), s2 = pair(2), s3 = pair(3);
            const __m512i even01 = _mm512_unpacklo_epi64(s0, s1),
                          odd01 = _mm512_unpackhi_epi64(s0, s1),
                          even23 = _mm512_unpacklo_epi64(s2, s3),
                          odd23 = _mm512_unpackhi_epi64(s2, s3);
            const __m512i low = _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0),
                          high = _mm512_set_epi64(15, 14, 7, 6, 11, 10, 3, 2);
            w.word[0] = _mm512_permutex2var_epi64(even01, low, even23);
            w.word[1] = _mm512_permutex2var_epi64(odd01, low, odd23);
            w.word[2] = _mm512_permutex2var_epi64(even01, high, even23);
            last = _mm512_permutex2var_epi64(odd01, high, odd23);
        } else {
            const auto four = [&](std::size_t i) {
                const auto load = [&](std::size_t j) {
                    return _mm_maskz_loadu_epi8(
                        static_cast<__mmask16>(first_bytes(strings.size(first + j))),
                        strings.bytes(first + j));
                };
                __m512i all = _mm512_castsi128_si512(load(i));
                all = _mm512_inserti32x4(all, load(i + 2), 1);
                all = _mm512_inserti32x4(all, load(i + 4), 2);
                return _mm512_inserti32x4(all, load(i + 6), 3);
            };
            const __m512i even = four(0), odd = four(1);
            w.word[0] = _mm512_unpacklo_epi64(even, odd);
            w.word[1] = _mm512_unpackhi_epi64(even, odd);
            w.word[2] = last;
        }
        w.tail = choose(sizes, V(24), w.word[1], w.word[0]);
        w.tail = choose(sizes, V(16), w.word[2], w.tail);
        if constexpr (long_words) w.tail = choose(sizes + V(8), V(32), last, w.tail);
        return w;
    }

    /// Only the lanes of `wanted` are loaded. The others are 0.
    static V gather64(const std::byte* base, V offset, unsigned wanted = 0xFF) {
        return _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), hidden(wanted), offset, base, 1);
    }
    static V gather32(const std::byte* base, V offset) {
        return _mm512_cvtepu32_epi64(
            _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), hidden(0xFF), offset, base, 1));
    }
    /// A mask whose value the compiler does not see. It makes a mask of all lanes by kxnor, which
    /// on Zen 5 waits for the gather before: `classic` took 2.1 ns a key in place of 1.4 (16 KiB).
    /// Gathers without a mask wait for the register of the result too.
    static __mmask8 hidden(unsigned lanes) {
        auto mask = static_cast<__mmask8>(lanes);
        __asm__("" : "+Yk"(mask));
        return mask;
    }
    static V shift_right(V v, V count) { return _mm512_srlv_epi64(v, count); }
    static unsigned covered_lanes(V words, V mask) {
        return in_register(_mm512_cmpeq_epi64_mask(_mm512_and_si512(words, mask), mask));
    }
    static unsigned nonzero_lanes(V a) { return in_register(_mm512_test_epi64_mask(a, a)); }

    // Stores the lanes of `keep` side by side. A compress to memory is microcoded on Zen 4.
    static void compress(std::uint64_t* to, V v, unsigned keep) {
        _mm512_storeu_si512(to, _mm512_maskz_compress_epi64(static_cast<__mmask8>(keep), v));
    }

    static V32 bit32(V32 n) { return _mm256_sllv_epi32(_mm256_set1_epi32(1), n); }
    static bool covers(V block, V mask) {
        return in_register(_mm512_cmpeq_epi64_mask(_mm512_and_si512(block, mask), mask)) == 0xFF;
    }
    static bool covers(V32 block, V32 mask) { return _mm256_testc_si256(block, mask) != 0; }

private:
    /// The mask of the first n bytes of 32, or of some of a longer string: BZHI takes n % 256.
    static __mmask32 first_bytes(std::uint64_t n) {
        return _bzhi_u32(~0u, static_cast<std::uint32_t>(n));
    }
};

using avx512_ops = Ops<xsimd::avx512bw>;

}  // namespace
}  // namespace simdbloom::detail
