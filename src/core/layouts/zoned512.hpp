// The kernels of zoned512 (simdbloom/detail/layouts/zoned512.hpp).
//
// A test loads z words in place of the whole line, and the words lie in one line. One key takes one
// 64-bit lane: a vector tests the same zone of O::lanes keys, by a gather. With AVX512-BITALG the
// bits are fetched by their positions; elsewhere a mask is built from shifts.
//
// Limits: the FPR is above that of k bits anywhere in a line. Measured: bench/pages/results.md.
#pragma once

#include "core/kernels/one_line.hpp"

namespace simdbloom::detail {
namespace {

template <class O, unsigned zones, unsigned k_per_zone>
struct Zoned512 : OneLine<O, 64> {
    static constexpr std::uint32_t few_below = 9, few_inserts_below = 4;
    using typename OneLine<O, 64>::V;
    using OneLine<O, 64>::stage_address;
    using Stage = LineStage;
    using Answers = typename O::template LaneAnswers<LaneBits>;
    template <class P>
    using Over = Zoned512<P, zones, k_per_zone>;
    static constexpr unsigned zone_words = 8 / zones, index_bits = zones == 2 ? 2 : 1;

    static void stage(const Target& t, const Hashes<O>& hash, Stage& s, std::size_t i) {
        stage_address(t, hash, s, i);
        O::store(s.pattern + i, spread_vector<O>(low_halves(hash)));
    }
    static void test(const Target& t, const Stage& s, std::size_t at, Answers& answers,
                     std::size_t i) {
        const V p = O::load(s.pattern + at), block = O::load(s.offset + at);
        if constexpr (O::has_bit_gather) {
            std::uint64_t hit = ~std::uint64_t{0};
            for (unsigned g = 0; g < zones; ++g)
                hit &=
                    O::fetch_bits(O::gather64(t.bits, block + word_offset(p, g)), positions(p, g));
            answers.set(i, hit);
        } else {
            unsigned hit = ~0u;
            for (unsigned g = 0; g < zones; ++g)
                hit &= O::covered_lanes(O::gather64(t.bits, block + word_offset(p, g)), mask(p, g));
            answers.set(i, hit);
        }
    }
    static std::size_t insert(const Target& t, const Stage& s, std::size_t i, std::size_t n) {
        const V p = O::load(s.pattern + i), block = O::load(s.offset + i);
        for (unsigned g = 0; g < zones; ++g) {
            std::uint64_t offsets[O::lanes], masks[O::lanes];
            O::store(offsets, block + word_offset(p, g));
            O::store(masks, mask(p, g));
            for (std::size_t j = 0; j < n; ++j) set_bits(t.bits + offsets[j], masks[j]);
        }
        return n;
    }

private:
    static V word_offset(V p, unsigned g) {
        const V word =
            (p >> static_cast<int>(64 - index_bits * (g + 1))) & O::broadcast(zone_words - 1);
        return (word << 3) + O::broadcast(8 * zone_words * g);
    }
    static V mask(V p, unsigned g) {
        V m = O::broadcast(0);
// GCC 12 keeps this loop of four on NEON, 112 instructions a key where 55 do.
#pragma GCC unroll 4
        for (unsigned j = 0; j < k_per_zone; ++j)
            m = m | O::bit(p >> static_cast<int>(first_bit(g, j)));
        return m;
    }
    static constexpr unsigned first_bit(unsigned g, unsigned j) {
        return 64 - 4 - 6 * (g * k_per_zone + j + 1);
    }
    // Byte j is the position of bit j. Bytes from k_per_zone on repeat the first.
    static V positions(V p, unsigned g) requires(O::has_bit_gather) {
        std::uint64_t shifts = 0;
        for (unsigned j = 0; j < 8; ++j)
            shifts |= std::uint64_t{first_bit(g, j < k_per_zone ? j : 0)} << (8 * j);
        return O::bytes_at_bits(p, shifts);
    }
};

template <class O, unsigned variant>
struct KernelOf<O, LayoutKind::zoned512, variant> {
    static constexpr unsigned zones = variant < 4 ? 2 : 4;
    using type = Zoned512<O, zones, variant % 4 + 1>;
    static_assert(variant_of(LayoutKind::zoned512, zones*(variant % 4 + 1), zones) == variant);
};

}  // namespace
}  // namespace simdbloom::detail
