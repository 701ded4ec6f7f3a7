// AVX2 (with BMI1, BMI2 and POPCNT): four 64-bit lanes.
#pragma once

#include <immintrin.h>

#include "core/kernels/ops/vector.hpp"

namespace simdbloom::detail {
namespace {

template <>
struct Ops<xsimd::avx2> : VectorOps<xsimd::avx2> {
    static V widen(const std::uint32_t* p) {
        return _mm256_cvtepu32_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    }
    static V load_first(const std::uint64_t* p, std::size_t n) {
        const __m256i wanted = _mm256_cmpgt_epi64(_mm256_set1_epi64x(static_cast<long long>(n)),
                                                  _mm256_set_epi64x(3, 2, 1, 0));
        return _mm256_maskload_epi64(reinterpret_cast<const long long*>(p), wanted);
    }
    static V mul32(V a, V b) { return _mm256_mul_epu32(a, b); }
    template <std::uint64_t c>
    static V mul(V a) {
        return mul_from_mul32<Ops, c>(a);
    }
    static V high_rotated(V a) {
        return _mm256_shuffle_epi8(a, _mm256_broadcastsi128_si256(
                                          _mm_set_epi64x(static_cast<long long>(rotated_high[1]),
                                                         static_cast<long long>(rotated_high[0]))));
    }
    static constexpr bool has_half_products = true;
    /// The low halves, rotated left by 8 bits, with anything above them.
    static V rotated(V a) {
        constexpr long long low = 0x0605040702010003, high = 0x0E0D0C0F0A09080B;
        return _mm256_shuffle_epi8(a, _mm256_set_epi64x(high, low, high, low));
    }
    static V swap_halves(V a) { return _mm256_shuffle_epi32(a, 0xB1); }
    static V bit(V n) { return _mm256_sllv_epi64(_mm256_set1_epi64x(1), n & V(63)); }
    static constexpr bool has_zero_shifts = true;
    static V shift_left(V v, V count) { return _mm256_sllv_epi64(v, count); }
    static V bit_below_64(V n) { return shift_left(V(1), n); }
    // A byte shuffle works within 128 bits. The pattern stands in both halves.
    static V byte_of_part(std::uint64_t pattern, std::size_t part) {
        const auto first = static_cast<long long>(4 * part);
        const __m256i control = _mm256_set_epi64x(~0xFFLL | (first + 3), ~0xFFLL | (first + 2),
                                                  ~0xFFLL | (first + 1), ~0xFFLL | first);
        return _mm256_shuffle_epi8(_mm256_set1_epi64x(static_cast<long long>(pattern)), control);
    }
    static V gather64(const std::byte* base, V offset) {
        return _mm256_i64gather_epi64(reinterpret_cast<const long long*>(base), offset, 1);
    }
    /// Only the lanes of `wanted` are loaded. The others are 0.
    static V gather64(const std::byte* base, V offset, unsigned wanted) {
        // The sign of lane i is bit i of `wanted`.
        const __m256i mask = _mm256_sllv_epi64(_mm256_set1_epi64x(static_cast<long long>(wanted)),
                                               _mm256_set_epi64x(60, 61, 62, 63));
        return _mm256_mask_i64gather_epi64(
            _mm256_setzero_si256(), reinterpret_cast<const long long*>(base), offset, mask, 1);
    }
    static V gather32(const std::byte* base, V offset) {
        return _mm256_cvtepu32_epi64(
            _mm256_i64gather_epi32(reinterpret_cast<const int*>(base), offset, 1));
    }
    static V shift_right(V v, V count) { return _mm256_srlv_epi64(v, count); }
    static V choose(V tested, V bits, V yes, V no) {
        const __m256i none =
            _mm256_cmpeq_epi64(_mm256_and_si256(tested, bits), _mm256_setzero_si256());
        return _mm256_blendv_epi8(yes, no, none);
    }
    static unsigned covered_lanes(V words, V mask) {
        return lane_mask(_mm256_cmpeq_epi64(_mm256_and_si256(words, mask), mask));
    }
    static unsigned nonzero_lanes(V a) {
        return lane_mask(_mm256_cmpeq_epi64(a, _mm256_setzero_si256())) ^ 15u;
    }
    // The bit is shifted into the sign: three instructions; bits of a mask and a comparison: six.
    static constexpr bool has_bit_lanes = true;
    static unsigned bit_lanes(V words, V n) {
        return lane_mask(_mm256_sllv_epi64(words, _mm256_andnot_si256(n, _mm256_set1_epi64x(63))));
    }

    // Stores the lanes of `keep` side by side. The lanes behind them are undefined.
    static void compress(std::uint64_t* to, V v, unsigned keep) {
        // Pairs of 32-bit lanes for each of the 16 masks.
        alignas(32) static constexpr struct Table {
            std::uint32_t lane[16][8] = {};
            constexpr Table() {
                for (unsigned mask = 0; mask < 16; ++mask)
                    for (unsigned i = 0, n = 0; i < 4; ++i)
                        if ((mask >> i & 1) != 0) {
                            lane[mask][n++] = 2 * i;
                            lane[mask][n++] = 2 * i + 1;
                        }
            }
        } table;
        const __m256i order = _mm256_load_si256(reinterpret_cast<const __m256i*>(table.lane[keep]));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permutevar8x32_epi32(v, order));
    }

    static V32 bit32(V32 n) { return _mm256_sllv_epi32(_mm256_set1_epi32(1), n); }
    static bool covers(V block, V mask) { return _mm256_testc_si256(block, mask) != 0; }
    static bool covers(V32 block, V32 mask) { return _mm256_testc_si256(block, mask) != 0; }

    // 2 * hits + (1 if the block has all bits of the mask). GCC 12 and clang 14 do not find this.
    static constexpr bool has_carry_test = true;
    static std::uint64_t append_covers(std::uint64_t hits, V32 block, V32 mask) {
        __asm__("vptest %2, %1\n\tadc %0, %0"
                : "+r"(hits)
                : "x"(static_cast<__m256i>(block)), "x"(static_cast<__m256i>(mask))
                : "cc");
        return hits;
    }

    static constexpr bool has_line_test = true;
    // Whether the line has the k bits of a key anywhere, or its k counters above 0 with cell_bits =
    // 4.
    //
    // A position is the top 9 bits of x * salt, for eight salts at a time:
    //   1 bit    which half of the line
    //   3 bits   which 32-bit word in the half
    //   5 bits   which bit in the word; for a counter the 3 bits that choose one of eight counters
    // Two permutations fetch the word from both halves, a blend takes the right one, and a shift
    // moves the wanted bit into the sign, or the counter to the top four bits. A gather for each
    // bit took 6.2 ns a key against 2.4 (k = 8, 16 KiB).
    template <unsigned cell_bits>
    static bool covers_anywhere(const std::byte* block, std::uint64_t x,
                                const std::uint32_t* salts16, unsigned k) {
        const __m256i low = load_aligned(block), high = load_aligned(block + 32);
        const auto found = [&](const std::uint32_t* salts8) {
            const __m256i product =
                _mm256_mullo_epi32(_mm256_set1_epi32(static_cast<int>(x)), load_aligned(salts8));
            const __m256i word = _mm256_srli_epi32(product, 28),
                          from_top = _mm256_andnot_si256(_mm256_srli_epi32(product, 23),
                                                         _mm256_set1_epi32(32 - cell_bits));
            const __m256 words =
                _mm256_blendv_ps(_mm256_castsi256_ps(_mm256_permutevar8x32_epi32(low, word)),
                                 _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(high, word)),
                                 _mm256_castsi256_ps(product));
            __m256i top = _mm256_sllv_epi32(_mm256_castps_si256(words), from_top);
            if constexpr (cell_bits == 4)
                top = _mm256_cmpeq_epi32(_mm256_srli_epi32(top, 28), _mm256_setzero_si256());
            const auto signs = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(top)));
            return cell_bits == 4 ? signs ^ 0xFFu : signs;
        };
        unsigned hits = found(salts16);
        if (k > 8) hits |= found(salts16 + 8) << 8;
        return (~hits & ((1u << k) - 1)) == 0;
    }

    // As in SSE4.2, for two buckets at once.
    template <unsigned r>
    static __m256i equal_cells(const std::byte* bucket0, const std::byte* bucket1,
                               std::uint32_t remainder) {
        __m256i cells = _mm256_inserti128_si256(
            _mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bucket0))),
            _mm_loadu_si128(reinterpret_cast<const __m128i*>(bucket1)), 1);
        if constexpr (r == 12) {
            cells =
                _mm256_shuffle_epi8(cells, _mm256_broadcastsi128_si256(_mm_setr_epi8(
                                               0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8, 9, 10, 10, 11)));
            cells = _mm256_srli_epi16(_mm256_mullo_epi16(cells, _mm256_set1_epi32(0x10010)), 4);
        } else if constexpr (r == 14) {
            cells = _mm256_srli_epi16(cells, 2);
        }
        return _mm256_cmpeq_epi16(cells, _mm256_set1_epi16(static_cast<short>(remainder)));
    }
    template <unsigned r>
    static bool any_cell(const std::byte* const (&bucket)[4], std::uint32_t remainder) {
        const __m256i either = _mm256_or_si256(equal_cells<r>(bucket[0], bucket[1], remainder),
                                               equal_cells<r>(bucket[2], bucket[3], remainder));
        return _mm256_movemask_epi8(either) != 0;
    }

    // Packs 64 bytes of 0 or 1 into 64 bits: bit 0 of each byte is moved to its sign.
    static constexpr bool has_byte_packing = true;
    static std::uint64_t pack_bytes(const std::uint8_t* bytes) {
        const auto half = [](const std::uint8_t* p) {
            const __m256i v = _mm256_load_si256(reinterpret_cast<const __m256i*>(p));
            return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_slli_epi16(v, 7)));
        };
        return half(bytes) | std::uint64_t{half(bytes + 32)} << 32;
    }

private:
    static __m256i load_aligned(const void* p) {
        return _mm256_load_si256(static_cast<const __m256i*>(p));
    }
    static unsigned lane_mask(__m256i v) {
        return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(v)));
    }
};

using avx2_ops = Ops<xsimd::avx2>;

}  // namespace
}  // namespace simdbloom::detail
