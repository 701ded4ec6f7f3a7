// The kernels of blocked512 and counting512 (simdbloom/detail/layouts/blocked.hpp).
//
// The bits of a key may lie in any word, so lanes cannot be dealt out in advance. Three ways:
// - AVX-512 takes one key at a time: up to 16 positions in one vector, from them the mask of the
//   line, and one test of the line (Ops::test_anywhere). With GFNI, inserts make the masks of eight
//   keys at once (Ops::bit_matrices).
// - AVX2 takes one key at a time too, in vectors of eight positions (Ops::covers_anywhere).
// - The others take a vector of keys, and probe after probe of each; they stop once no key of the
//   vector can be found.
//
// The least FPR of all layouts that load one line, and the longest test. Measured:
// bench/pages/results.md; tried: bench/pages/tried.md, "Probing", "Patterns".
#pragma once

#include <type_traits>

#include "core/kernels/one_line.hpp"

namespace simdbloom::detail {
namespace {

/// Bits, or counters with cell_bits = 4, whose position is that of their lowest bit.
template <class O, unsigned cell_bits = 1>
struct Anywhere : OneLine<O, 64> {
    static constexpr std::uint32_t few_below = 4;
    static constexpr unsigned max_k = layouts::blocked512::traits.k_max;
    static constexpr bool by_shifts = O::has_zero_shifts && cell_bits == 1;
    template <class P>
    using Over = Anywhere<P, cell_bits>;
    using typename OneLine<O, 64>::V;
    using OneLine<O, 64>::stage_address;
    struct InsertStage : LineStage {
        alignas(64) std::uint64_t position[max_k][chunk_keys];
    };
    using Stage = std::conditional_t<by_shifts, InsertStage, LineStage>;
    using Answers = typename O::template LineAnswers<
        std::conditional_t<O::has_line_test, KeyAnswers<O>, LaneBits>>;

    static void stage(const Target& t, const Hashes<O>& hash, LineStage& s, std::size_t i) {
        stage_address(t, hash, s, i);
        O::store(s.pattern + i, low_halves(hash));
    }
    static void test(const Target& t, const LineStage& s, std::size_t at, Answers& answers,
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
                else
                    hit &= O::nonzero_lanes(
                        words & O::shift_left(O::broadcast(15), position & O::broadcast(63)));
            }
            answers.set(i, hit);
        }
    }
    // With shifts, the positions of a chunk of keys are computed before the first bit is set.
    static void stage_insert(const Target& t, const Hashes<O>& hash, Stage& s, std::size_t i) {
        if constexpr (by_shifts) {
            stage_address(t, hash, s, i);
            for (unsigned r = 0; r < t.k; ++r)
                O::store(s.position[r] + i, position_of(low_halves(hash), r));
            // Beyond the line: sets nothing.
            if (t.k % 2 != 0) O::store(s.position[t.k] + i, O::broadcast(512));
        } else {
            stage(t, hash, s, i);
        }
    }
    static std::size_t insert(const Target& t, const Stage& s, std::size_t i, std::size_t n) {
        for (std::size_t j = i; j < i + n; ++j) {
            std::byte* const block = t.bits + s.offset[j];
            if constexpr (by_shifts) set_anywhere(t.k, block, s, j);
            else set_key(t, block, s.pattern[j]);
        }
        return n;
    }

private:
    static void set_key(const Target& t, std::byte* block, std::uint64_t x) {
        for (unsigned j = 0; j < t.k; ++j) {
            const std::uint32_t position =
                (static_cast<std::uint32_t>(x) * salt_lanes.lane[j]) >> 23;
            if constexpr (cell_bits == 4) raise_counter(block, position);
            else set_bits(block + position / 64 * 8, std::uint64_t{1} << (position % 64));
        }
    }
    // Sets k bits anywhere in a line. For each position, every word of the line shifts a 1 by
    // position minus the word's own first bit. A shift by 64 or more, or by a negative count, is 0:
    //
    //   word             ..  word 1   word 2   word 3  ..
    //   its first bit         64       128      192
    //   position 130          66        2       -62
    //   1 << that              0       bit 2      0
    static void set_anywhere(unsigned k, std::byte* block, const Stage& s, std::size_t i) {
        constexpr std::size_t parts = 8 / O::lanes;
        V line[parts];
        for (std::size_t part = 0; part < parts; ++part)
            line[part] = O::template load_block<V>(block + 8 * O::lanes * part);
            // Unrolled whole: as a loop, a key from DRAM takes 1.4 times as long (Zen 5).
#pragma GCC unroll 8
        for (unsigned r = 0; r < max_k; r += 2) {
            if (r >= k) break;
            const V one = O::broadcast(s.position[r][i]),
                    other = O::broadcast(s.position[r + 1][i]);
            for (std::size_t part = 0; part < parts; ++part) {
                const V first = O::load(first_bits.word + O::lanes * part);
                line[part] = line[part] | O::shift_left(O::broadcast(1), one - first) |
                             O::shift_left(O::broadcast(1), other - first);
            }
        }
        for (std::size_t part = 0; part < parts; ++part)
            O::store_block(block + 8 * O::lanes * part, line[part]);
    }
    alignas(64) static constexpr struct {
        std::uint64_t word[8] = {0, 64, 128, 192, 256, 320, 384, 448};
    } first_bits{};
    // 9 bits: the top of the low half of x * salt.
    static V position_of(V x, unsigned j) {
        return (O::mul32(x, O::broadcast(salt_lanes.lane[j])) >> 23) &
               O::broadcast(512 - cell_bits);
    }
    static V word_offset(V position) { return (position >> 6) << 3; }
};

/// Anywhere with inserts by products of matrices of bits. ns a key at 16 KiB, 2 and 64 MiB (k = 8,
/// Xeon 207): shifts 6.9, 7.8, 13.3; products 3.8, 4.6, 10.6; sector512 2.0, 3.7, 9.5.
template <class O>
struct AnywhereByProducts : Anywhere<O> {
    using typename Anywhere<O>::V;
    struct Stage : LineStage {
        struct {
            alignas(64) std::uint64_t words[chunk_keys], bytes[chunk_keys], bits[chunk_keys];
        } of_eight[Anywhere<O>::max_k / 8];  // probes
    };

    static void stage_insert(const Target& t, const Hashes<O>& hash, Stage& s, std::size_t i) {
        Anywhere<O>::stage_address(t, hash, s, i);
        stage_eight<0>(low_halves(hash), t.k < 8 ? t.k : 8, s, i);
        if (t.k > 8) stage_eight<1>(low_halves(hash), t.k - 8, s, i);
    }
    static std::size_t insert(const Target& t, const Stage& s, std::size_t i, std::size_t n) {
        if (t.k > 8) set<2>(t, s, i, n);
        else set<1>(t, s, i, n);
        return n;
    }

private:
    template <unsigned eight>
    static void stage_eight(V x, unsigned n, Stage& s, std::size_t i) {
        const auto m = O::bit_matrices(x, salt_lanes.lane + 8 * eight, n);
        O::store(s.of_eight[eight].words + i, m.words);
        O::store(s.of_eight[eight].bytes + i, m.bytes);
        O::store(s.of_eight[eight].bits + i, m.bits);
    }
    template <unsigned eights>
    static void set(const Target& t, const Stage& s, std::size_t i, std::size_t n) {
        for (std::size_t j = i; j < i + n; ++j) {
            std::byte* const block = t.bits + s.offset[j];
            V line = O::template load_block<V>(block);
            for (unsigned e = 0; e < eights; ++e)
                line = line | O::line_of(s.of_eight[e].words[j], s.of_eight[e].bytes[j],
                                         s.of_eight[e].bits[j]);
            O::store_block(block, line);
        }
    }
};

template <class O>
struct KernelOf<O, LayoutKind::blocked512, 0>
    : std::conditional<O::has_bit_products, AnywhereByProducts<O>, Anywhere<O>> {};
template <class O>
struct KernelOf<O, LayoutKind::counting512, 0> : std::type_identity<Anywhere<O, 4>> {};

}  // namespace
}  // namespace simdbloom::detail
