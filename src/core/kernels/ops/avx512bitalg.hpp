// AVX-512 with VBMI, VBMI2 and BITALG (Ice Lake, Zen 4 and later): bits by their positions.
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
};

using avx512bitalg_ops = Ops<Avx512Bitalg>;

}  // namespace
}  // namespace simdbloom::detail
