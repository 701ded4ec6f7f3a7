// blocked512: k bits anywhere in one cache line (Putze et al. 2007). counting512: k counters of 4
// bits in one line, with the same probes.
//
//   line     [ 512 bits ..................................... ]      or 128 counters
//   key        ^        ^             ^  ^                ^          bit i: (x * salt i) >> 23
//
// The bits of a key may lie in any word, so lanes cannot be dealt out in advance. Three ways:
// - AVX-512 takes one key at a time: up to 16 positions in one vector, from them the mask of the
//   line, and one test of the line (Ops::test_anywhere).
// - AVX2 takes one key at a time too, in vectors of eight positions (Ops::covers_anywhere).
// - The others take a vector of keys, and probe after probe of each; they stop once no key of the
//   vector can be found.
//
// Two positions of a key may be the same bit; the exact model counts that. It has the least FPR of
// all layouts that load one line, and of those the longest test. Measured: bench/pages/results.md;
// tried: bench/pages/tried.md, "Probing on AVX-512", "Patterns".
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/kernels/one_line.hpp"

namespace simdbloom::detail {
namespace {

/// A filter of bits, or of counters with cell_bits = 4. bit_position counts bits in both cases; the
/// position of a counter is that of its lowest bit.
template <class O, unsigned cell_bits = 1>
struct Blocked512 : OneLine<O, 64> {
    static constexpr std::uint32_t few_below = 4;
    template <class P>
    using Over = Blocked512<P, cell_bits>;
    using typename OneLine<O, 64>::V;
    using OneLine<O, 64>::stage_address;
    using Stage = LineStage;
    using Answers = typename O::template LineAnswers<
        std::conditional_t<O::has_line_test, KeyAnswers<O>, LaneBits>>;

    static void stage(const Target& t, V hash, Stage& s, std::size_t i) {
        stage_address(t, hash, s, i);
        O::store(s.pattern + i, hash);
    }
    static void test(const Target& t, const Stage& s, std::size_t at, Answers& answers,
                     std::size_t i) {
        if constexpr (O::has_masks) {
            for (std::size_t j = 0; j < O::lanes; ++j)
                O::template test_anywhere<cell_bits>(answers, i + j, t.bits + s.offset[at + j],
                                                     s.pattern[at + j], salt_lanes.lane, t.k);
        } else if constexpr (O::has_line_test) {
            for (std::size_t j = 0; j < O::lanes; ++j)
                answers.set(
                    i + j, O::template covers_anywhere<cell_bits>(
                               t.bits + s.offset[at + j], s.pattern[at + j], salt_lanes.lane, t.k));
        } else {
            const V x = O::load(s.pattern + at), block = O::load(s.offset + at);
            unsigned hit = ~0u;
            for (unsigned j = 0; j < t.k && hit != 0; ++j) {
                const V position = position_of(x, j);
                const V words = O::gather64(t.bits, block + word_offset(position));
                if constexpr (cell_bits == 1) hit &= O::covered_lanes(words, O::bit(position));
                else hit &= O::nonzero_lanes(words & O::nibble(position & O::broadcast(63)));
            }
            answers.set(i, hit);
        }
    }
    static std::size_t insert(const Target& t, const Stage& s, std::size_t i, std::size_t n) {
        for (std::size_t at = i; at < i + n; ++at) set_key(t, t.bits + s.offset[at], s.pattern[at]);
        return n;
    }

private:
    static void set_key(const Target& t, std::byte* block, std::uint64_t x) {
        if constexpr (cell_bits == 4) {
            for (unsigned j = 0; j < t.k; ++j)
                raise_counter(block, (static_cast<std::uint32_t>(x) * salt_lanes.lane[j]) >> 23);
        } else if constexpr (O::has_masks) {
            O::set_anywhere(block, x, salt_lanes.lane, t.k);
        } else {
            for (unsigned j = 0; j < t.k; ++j) {
                const std::uint32_t position =
                    (static_cast<std::uint32_t>(x) * salt_lanes.lane[j]) >> 23;
                set_bits(block + position / 64 * 8, std::uint64_t{1} << (position % 64));
            }
        }
    }
    // 9 bits: the top of the low half of x * salt.
    static V position_of(V x, unsigned j) {
        return (O::mul32(x, O::broadcast(salt_lanes.lane[j])) >> 23) &
               O::broadcast(512 - cell_bits);
    }
    static V word_offset(V position) { return (position >> 6) << 3; }
};

template <class O>
struct KernelOf<O, LayoutKind::blocked512, 0> {
    using type = Blocked512<O>;
};
template <class O>
struct KernelOf<O, LayoutKind::counting512, 0> {
    using type = Blocked512<O, 4>;
};

}  // namespace
}  // namespace simdbloom::detail
