// SSE4.2 (with POPCNT): two 64-bit lanes.
#pragma once

#include <nmmintrin.h>

#include <cstring>

#include "core/kernels/ops/vector.hpp"

namespace simdbloom::detail {
namespace {

template <>
struct Ops<xsimd::sse4_2> : VectorOps<xsimd::sse4_2> {
    static V widen(const std::uint32_t* p) {
        return _mm_cvtepu32_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
    }
    static V mul32(V a, V b) { return _mm_mul_epu32(a, b); }
    template <std::uint64_t c>
    static V mul(V a) {
        return mul_from_mul32<Ops, c>(a);
    }
    static V high_rotated(V a) {
        return _mm_shuffle_epi8(a, _mm_set_epi64x(static_cast<long long>(rotated_high[1]),
                                                  static_cast<long long>(rotated_high[0])));
    }
    static V swap_halves(V a) { return _mm_shuffle_epi32(a, 0xB1); }
    // SSE shifts all lanes by one count, which it takes from the low lane of the count vector.
    static V bit(V n) { return bit_below_64(n & V(63)); }
    static V bit_below_64(V n) { return shift_left(V(1), n); }
    static V shift_left(V v, V count) {
        return shift_lanes(count, [&](__m128i c) { return _mm_sll_epi64(v, c); });
    }
    static V byte_of_part(std::uint64_t pattern, std::size_t part) {
        const auto first = static_cast<long long>(2 * part);
        return _mm_shuffle_epi8(_mm_set1_epi64x(static_cast<long long>(pattern)),
                                _mm_set_epi64x(~0xFFLL | (first + 1), ~0xFFLL | first));
    }
    static V gather64(const std::byte* base, V offset, unsigned wanted = 3) {
        long long lo = 0, hi = 0;
        if ((wanted & 1) != 0) std::memcpy(&lo, base + offset_of<0>(offset), 8);
        if ((wanted & 2) != 0) std::memcpy(&hi, base + offset_of<1>(offset), 8);
        return _mm_set_epi64x(hi, lo);
    }
    static V gather32(const std::byte* base, V offset) {
        std::uint32_t lo, hi;
        std::memcpy(&lo, base + offset_of<0>(offset), 4);
        std::memcpy(&hi, base + offset_of<1>(offset), 4);
        return _mm_set_epi64x(static_cast<long long>(hi), static_cast<long long>(lo));
    }
    static V shift_right(V v, V count) {
        return shift_lanes(count, [&](__m128i c) { return _mm_srl_epi64(v, c); });
    }
    static unsigned covered_lanes(V words, V mask) {
        return lane_mask(_mm_cmpeq_epi64(_mm_and_si128(words, mask), mask));
    }
    static unsigned nonzero_lanes(V a) {
        return lane_mask(_mm_cmpeq_epi64(a, _mm_setzero_si128())) ^ 3u;
    }

    // 2^n, made through the exponent of a float. n = 31 overflows to exactly 0x80000000.
    static V32 bit32(V32 n) {
        return _mm_cvttps_epi32(
            _mm_castsi128_ps(_mm_add_epi32(_mm_slli_epi32(n, 23), _mm_set1_epi32(0x3F800000))));
    }
    static bool covers(V block, V mask) { return _mm_testc_si128(block, mask) != 0; }
    static bool covers(V32 block, V32 mask) { return _mm_testc_si128(block, mask) != 0; }

    template <unsigned r>
    static V equal_cells(const std::byte* bucket, std::uint32_t remainder) {
        __m128i cells = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bucket));
        if constexpr (r == 12) {
            cells = _mm_shuffle_epi8(
                cells, _mm_setr_epi8(0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8, 9, 10, 10, 11));
            cells = _mm_srli_epi16(_mm_mullo_epi16(cells, _mm_set1_epi32(0x10010)), 4);
        } else if constexpr (r == 14) {
            cells = _mm_srli_epi16(cells, 2);
        }
        return _mm_cmpeq_epi16(cells, _mm_set1_epi16(static_cast<short>(remainder)));
    }

    static bool none(V bits) { return _mm_movemask_epi8(bits) == 0; }

    static constexpr bool has_byte_packing = true;
    static std::uint64_t pack_bytes(const std::uint8_t* bytes) {
        std::uint64_t hits = 0;
        for (int i = 0; i < 4; ++i) {
            const __m128i v = _mm_load_si128(reinterpret_cast<const __m128i*>(bytes + 16 * i));
            hits |=
                std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_slli_epi16(v, 7)))}
                << (16 * i);
        }
        return hits;
    }

private:
    template <class F>
    static V shift_lanes(V n, F shift) {
        return _mm_blend_epi16(shift(n), shift(_mm_unpackhi_epi64(n, n)), 0xF0);
    }
    template <int lane>
    static std::size_t offset_of(V v) {
        return static_cast<std::size_t>(_mm_extract_epi64(v, lane));
    }
    static unsigned lane_mask(__m128i v) {
        return static_cast<unsigned>(_mm_movemask_pd(_mm_castsi128_pd(v)));
    }
};

using sse42_ops = Ops<xsimd::sse4_2>;

}  // namespace
}  // namespace simdbloom::detail
