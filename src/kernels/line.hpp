// zoned512, blocked512 and counting512: words that are picked within a cache line. One key takes
// one 64-bit lane.
#pragma once

#include "kernels/one_line.hpp"

namespace simdbloom::detail {
namespace {

inline void set_bits(std::byte* word, std::uint64_t mask) {
    store_le(word, load_le<std::uint64_t>(word) | mask);
}

template <class O, unsigned groups, unsigned k_per_group>
struct Zoned512 : OneLine<O> {
    static constexpr std::uint32_t few_below = 9;
    using typename OneLine<O>::V;
    using Stage = LineStage;
    using Answers = typename O::template LaneAnswers<LaneBits>;
    static constexpr std::size_t prefetch_above =
        O::fetches_bits ? late_prefetch<O> : early_prefetch;
    template <class P>
    using Over = Zoned512<P, groups, k_per_group>;
    static constexpr unsigned group_words = 8 / groups, index_bits = groups == 2 ? 2 : 1;

    static void stage_address(const Target& t, V hash, Stage& s, std::size_t i) {
        O::store(s.offset + i, block_offset_vector<O>(hash, t.blocks, 6));
    }
    static void stage(const Target& t, V hash, Stage& s, std::size_t i) {
        stage_address(t, hash, s, i);
        O::store(s.pattern + i, spread_vector<O>(hash));
    }
    static void test(const Target& t, const Stage& s, std::size_t at, Answers& answers,
                     std::size_t i) {
        const V p = O::load(s.pattern + at), block = O::load(s.offset + at);
        if constexpr (O::fetches_bits) {
            std::uint64_t hit = ~std::uint64_t{0};
            for (unsigned g = 0; g < groups; ++g)
                hit &=
                    O::fetch_bits(O::gather64(t.bits, block + word_offset(p, g)), positions(p, g));
            answers.set(i, hit);
        } else {
            unsigned hit = ~0u;
            for (unsigned g = 0; g < groups; ++g)
                hit &= O::covered_lanes(O::gather64(t.bits, block + word_offset(p, g)), mask(p, g));
            answers.set(i, hit);
        }
    }
    static std::size_t insert(const Target& t, const Stage& s, std::size_t i, std::size_t n) {
        const V p = O::load(s.pattern + i), block = O::load(s.offset + i);
        for (unsigned g = 0; g < groups; ++g) {
            std::uint64_t offsets[O::lanes], masks[O::lanes];
            O::store(offsets, block + word_offset(p, g));
            O::store(masks, mask(p, g));
            for (std::size_t j = 0; j < n; ++j) set_bits(t.bits + offsets[j], masks[j]);
        }
        return n;
    }
    static void touch(const Target& t, const Stage& s, std::size_t i, Loads<O>& to) {
        touch_words<O>(t, s, i, to);
    }

private:
    static V word_offset(V p, unsigned g) {
        const V word =
            (p >> static_cast<int>(64 - index_bits * (g + 1))) & O::broadcast(group_words - 1);
        return (word << 3) + O::broadcast(8 * group_words * g);
    }
    static V mask(V p, unsigned g) {
        V m = O::broadcast(0);
        for (unsigned j = 0; j < k_per_group; ++j)
            m = m | O::bit(p >> static_cast<int>(first_bit(g, j)));
        return m;
    }
    static constexpr unsigned first_bit(unsigned g, unsigned j) {
        return 64 - 4 - 6 * (g * k_per_group + j + 1);
    }
    // Byte j is the position of bit j. Bytes from k_per_group on repeat the first.
    static V positions(V p, unsigned g) requires(O::fetches_bits) {
        std::uint64_t shifts = 0;
        for (unsigned j = 0; j < 8; ++j)
            shifts |= std::uint64_t{first_bit(g, j < k_per_group ? j : 0)} << (8 * j);
        return O::bytes_at_bits(p, shifts);
    }
};

/// A filter of bits, or of counters with cell_bits = 4. bit_position counts bits in both cases; the
/// position of a counter is that of its lowest bit.
template <class O, unsigned cell_bits = 1>
struct Blocked512 : OneLine<O> {
    static constexpr std::uint32_t few_below = 4;
    template <class P>
    using Over = Blocked512<P, cell_bits>;
    using typename OneLine<O>::V;
    using Stage = LineStage;
    using Answers = typename O::template LineAnswers<
        std::conditional_t<O::covers_lines, KeyAnswers<O>, LaneBits>>;
    static constexpr std::size_t prefetch_above = early_prefetch;

    static void stage_address(const Target& t, V hash, Stage& s, std::size_t i) {
        O::store(s.offset + i, block_offset_vector<O>(hash, t.blocks, 6));
    }
    static void stage(const Target& t, V hash, Stage& s, std::size_t i) {
        stage_address(t, hash, s, i);
        O::store(s.pattern + i, hash);
    }
    static void test(const Target& t, const Stage& s, std::size_t at, Answers& answers,
                     std::size_t i) {
        if constexpr (O::keeps_misses) {
            for (std::size_t j = 0; j < O::lanes; ++j)
                O::template test_anywhere<cell_bits>(answers, i + j, t.bits + s.offset[at + j],
                                                     s.pattern[at + j], salt_lanes.lane, t.k);
        } else if constexpr (O::covers_lines) {
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
    static void touch(const Target& t, const Stage& s, std::size_t i, Loads<O>& to) {
        touch_words<O>(t, s, i, to);
    }

private:
    static void set_key(const Target& t, std::byte* block, std::uint64_t x) {
        if constexpr (cell_bits == 4) {
            for (unsigned j = 0; j < t.k; ++j)
                raise_counter(block, (static_cast<std::uint32_t>(x) * salt_lanes.lane[j]) >> 23);
        } else if constexpr (O::keeps_misses) {
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

template <class O, unsigned variant>
struct KernelOf<O, LayoutKind::zoned512, variant> {
    static constexpr unsigned groups = variant < 4 ? 2 : 4;
    using type = Zoned512<O, groups, variant % 4 + 1>;
    static_assert(variant_of(LayoutKind::zoned512, groups*(variant % 4 + 1), groups) == variant);
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
