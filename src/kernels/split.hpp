// split256, split512 and sector512: one bit in each word of a block. A vector holds one block, or a
// block takes several vectors.
#pragma once

#include "kernels/one_line.hpp"

namespace simdbloom::detail {
namespace {

/// One bit in each of 8 or 16 words of 32 bits.
template <class O, std::size_t words>
struct Split : OneLine<O> {
    static constexpr std::uint32_t few_below = 24;
    using typename OneLine<O>::V;
    using V32 = typename O::V32;
    using Stage = LineStage;
    static constexpr std::size_t bytes = 4 * words, parts = words / O::lanes32;
    static_assert(words == 8 || words == 16);
    using Answers = typename std::conditional_t<
        words == 8, std::type_identity<typename O::template SplitAnswers<KeyAnswers<O>>>,
        std::type_identity<typename O::template LineAnswers<KeyAnswers<O>>>>::type;

    static void stage_address(const Target& t, V hash, Stage& s, std::size_t i) {
        O::store(s.offset + i, block_offset_vector<O>(hash, t.blocks, words == 8 ? 5 : 6));
    }
    static void stage(const Target& t, V hash, Stage& s, std::size_t i) {
        stage_address(t, hash, s, i);
        O::store(s.pattern + i, hash);
    }
    static void test(const Target& t, const Stage& s, std::size_t at, Answers& answers,
                     std::size_t i) {
        if constexpr (O::keeps_misses && words == 16) {
            for (std::size_t j = 0; j < O::lanes; ++j)
                O::test_split_line(answers, i + j, t.bits + s.offset[at + j], s.pattern[at + j],
                                   salt_lanes.lane);
        } else if constexpr (O::keeps_misses) {
            for (std::size_t j = 0; j < O::lanes; j += 2)
                O::test_split_pair(answers, i + j, t.bits + s.offset[at + j],
                                   t.bits + s.offset[at + j + 1], s.pattern[at + j],
                                   s.pattern[at + j + 1], salt_lanes.lane);
        } else {
            for (std::size_t j = 0; j < O::lanes; ++j)
                answers.set(i + j, covers(t.bits + s.offset[at + j], s.pattern[at + j]));
        }
    }
    static bool test_key(const Target& t, std::uint64_t hash) {
        return covers(t.bits + block_index(hash, t.blocks) * bytes, hash);
    }
    static std::size_t insert(const Target& t, const Stage& s, std::size_t i, std::size_t n) {
        for (std::size_t j = i; j < i + n; ++j)
            for (std::size_t part = 0; part < parts; ++part) {
                std::byte* w = part_of(t, s, j, part);
                O::store_block32(w, O::load_block32(w) | mask(s.pattern[j], part));
            }
        return n;
    }
    static void touch(const Target& t, const Stage& s, std::size_t i, Loads<O>& to) {
        touch_blocks<O, bytes>(t, s, i, to);
    }

private:
    static bool covers(const std::byte* block, std::uint64_t pattern) {
        bool hit = true;
        for (std::size_t part = 0; part < parts; ++part)
            hit &= O::covers32(O::load_block32(block + 4 * O::lanes32 * part), mask(pattern, part));
        return hit;
    }
    static V32 mask(std::uint64_t pattern, std::size_t part) {
        const V32 x = O::broadcast32(static_cast<std::uint32_t>(pattern));
        return O::bit32((x * O::load32(salt_lanes.lane + part * O::lanes32)) >> 27);
    }
    static std::byte* part_of(const Target& t, const Stage& s, std::size_t i, std::size_t part) {
        return t.bits + s.offset[i] + 4 * O::lanes32 * part;
    }
};

template <class O>
struct Sector512 : OneLine<O> {
    static constexpr std::uint32_t few_below = 18;
    using typename OneLine<O>::V;
    using Stage = LineStage;
    static constexpr std::size_t parts = 8 / O::lanes;
    using Answers = typename O::template SectorAnswers<KeyAnswers<O>>;

    static void stage_address(const Target& t, V hash, Stage& s, std::size_t i) {
        O::store(s.offset + i, block_offset_vector<O>(hash, t.blocks, 6));
    }
    static void stage(const Target& t, V hash, Stage& s, std::size_t i) {
        stage_address(t, hash, s, i);
        O::store(s.pattern + i, O::low_six_bits_of_bytes(spread_vector<O>(hash)));
    }
    static void test(const Target& t, const Stage& s, std::size_t at, Answers& answers,
                     std::size_t i) {
        for (std::size_t j = 0; j < O::lanes; ++j) {
            if constexpr (O::keeps_misses)
                O::test_sectors(answers, i + j, t.bits + s.offset[at + j], s.pattern[at + j]);
            else answers.set(i + j, covers(t.bits + s.offset[at + j], s.pattern[at + j]));
        }
    }
    static bool test_key(const Target& t, std::uint64_t hash) {
        return covers(t.bits + block_index(hash, t.blocks) * 64,
                      Ops<ScalarArch>::low_six_bits_of_bytes(spread_vector<Ops<ScalarArch>>(hash)));
    }
    static std::size_t insert(const Target& t, const Stage& s, std::size_t i, std::size_t n) {
        for (std::size_t j = i; j < i + n; ++j)
            for (std::size_t part = 0; part < parts; ++part) {
                std::byte* w = words(t, s, j, part);
                O::store_block(w, O::load_block(w) | mask(s.pattern[j], part));
            }
        return n;
    }
    static void touch(const Target& t, const Stage& s, std::size_t i, Loads<O>& to) {
        touch_blocks<O, 64>(t, s, i, to);
    }

private:
    static bool covers(const std::byte* block, std::uint64_t pattern) {
        bool hit = true;
        for (std::size_t part = 0; part < parts; ++part)
            hit &= O::covers(O::load_block(block + 8 * O::lanes * part), mask(pattern, part));
        return hit;
    }
    static V mask(std::uint64_t pattern, std::size_t part) {
        return O::bit_below_64(O::byte_of_part(pattern, part));
    }
    static std::byte* words(const Target& t, const Stage& s, std::size_t i, std::size_t part) {
        return t.bits + s.offset[i] + 8 * O::lanes * part;
    }
};

template <class O>
struct KernelOf<O, LayoutKind::split256, 0> {
    using type = Split<O, 8>;
};
template <class O>
struct KernelOf<O, LayoutKind::split512, 0> {
    using type = Split<O, 16>;
};
template <class O>
struct KernelOf<O, LayoutKind::sector512, 0> {
    using type = Sector512<O>;
};

}  // namespace
}  // namespace simdbloom::detail
