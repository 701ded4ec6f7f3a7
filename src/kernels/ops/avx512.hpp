// AVX-512 F, CD, DQ, BW and VL: eight 64-bit lanes. A 256-bit block is handled in a 256-bit register.
#pragma once

#include <immintrin.h>

#include "kernels/ops/vector.hpp"

namespace simdbloom::detail {
namespace {

template <>
struct Ops<xsimd::avx512bw> : VectorOps<xsimd::avx512bw, xsimd::avx2> {
    static V mul32(V a, V b) { return _mm512_mul_epu32(a, b); }
    static V mul_small(V a, std::uint32_t c) { return _mm512_mullo_epi64(a, V(std::uint64_t{c})); }
    static V swap_halves(V a) { return _mm512_rol_epi64(a, 32); }
    // A rotation takes its count modulo 64, a shift does not: no masking.
    static V bit(V n) { return _mm512_rolv_epi64(_mm512_set1_epi64(1), n); }
    static V shift_right(V a, V n) { return _mm512_srlv_epi64(a, n); }
    static V gather64(const std::byte* base, V offset) { return _mm512_i64gather_epi64(offset, base, 1); }
    static V gather32(const std::byte* base, V offset) {
        return _mm512_cvtepu32_epi64(_mm512_i64gather_epi32(offset, base, 1));
    }
    static unsigned covered_lanes(V words, V mask) { return _mm512_cmpeq_epi64_mask(_mm512_and_si512(words, mask), mask); }
    static unsigned nonzero_lanes(V a) { return _mm512_test_epi64_mask(a, a); }

    static V32 bit32(V32 n) { return _mm256_sllv_epi32(_mm256_set1_epi32(1), n); }
    static bool covers(V block, V mask) {
        return _mm512_cmpeq_epi64_mask(_mm512_and_si512(block, mask), mask) == 0xFF;
    }
    static bool covers32(V32 block, V32 mask) { return _mm256_testc_si256(block, mask) != 0; }
};

}  // namespace
}  // namespace simdbloom::detail
