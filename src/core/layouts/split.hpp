// The kernels of split256 and split512 (simdbloom/detail/layouts/split.hpp; split256 is in the
// Parquet specification's BloomFilter.md).
//
// Every word has its own lane, so a test is four instructions a vector: multiply by the salts,
// shift to the five highest bits, make bits of them, and test. A block of 256 bits is one vector of
// AVX2, half of one of AVX-512, two of SSE4.2 and NEON, and eight words of scalar code. AVX-512
// tests two keys in one vector (Ops::test_split_eight).
//
// Limits: k is the number of words. At 12 bits a key, the FPR of split256 is 1.3 times that of k
// bits anywhere in a line. Measured: bench/pages/results.md; tried: bench/pages/tried.md,
// "Probing".
#pragma once

#include <type_traits>

#include "core/kernels/one_line.hpp"

namespace simdbloom::detail {
namespace {

/// One bit in each of 8 or 16 words of 32 bits.
template <class O, std::size_t words>
struct Split : WordByWord<Split<O, words>, O, 4 * words, typename O::V32> {
    static constexpr std::uint32_t few_below = 24, few_inserts_below = 16;
    using Base = WordByWord<Split<O, words>, O, 4 * words, typename O::V32>;
    using Base::stage_address, Base::part_of, Base::covers;
    using V32 = typename O::V32;
    using Stage = LineStage;
    static_assert(words == 8 || words == 16);
    static constexpr bool by_carry = O::has_carry_test && Base::parts == 1;
    using Answers = std::conditional_t<
        words == 8,
        typename O::template SplitAnswers<std::conditional_t<by_carry, LaneBits, KeyAnswers<O>>>,
        typename O::template LineAnswers<KeyAnswers<O>>>;

    static void stage(const Target& t, const Hashes<O>& hash, Stage& s, std::size_t i) {
        stage_address(t, hash, s, i);
        O::store(s.pattern + i, low_halves(hash));
    }
    static void test(const Target& t, const Stage& s, std::size_t at, Answers& answers,
                     std::size_t i) {
        if constexpr (O::has_masks && words == 16) {
            for (std::size_t j = 0; j < O::lanes; ++j)
                O::test_split_line(answers, i + j, t.bits + s.offset[at + j], s.pattern[at + j],
                                   salt_lanes.lane);
        } else if constexpr (O::has_masks) {
            O::test_split_eight(answers, i, t.bits, s.offset + at, s.pattern + at, salt_lanes.lane);
        } else if constexpr (by_carry) {
            std::uint64_t hits = 0;
            for (std::size_t j = O::lanes; j-- > 0;)
                hits = O::append_covers(hits, part_of(t.bits + s.offset[at + j], 0),
                                        mask(s.pattern[at + j], 0));
            answers.set(i, static_cast<unsigned>(hits));
        } else {
            for (std::size_t j = 0; j < O::lanes; ++j)
                answers.set(i + j, covers(t.bits + s.offset[at + j], s.pattern[at + j]));
        }
    }
    static bool test_key(const Target& t, std::uint64_t hash) {
        return covers(t.bits + block_index(hash, t.blocks) * 4 * words, hash);
    }
    // AVX-512 takes 0.36 ns a key, and 0.39 in a loop that may hash too (16 KiB, Zen 5).
    static constexpr bool tests_hashes = words == 8;
    static V32 mask(std::uint64_t pattern, std::size_t part) {
        const V32 x = O::broadcast32(static_cast<std::uint32_t>(pattern));
        return O::bit32((x * O::load32(salt_lanes.lane + part * O::lanes32)) >> 27);
    }
};

template <class O>
struct KernelOf<O, LayoutKind::split256, 0> : std::type_identity<Split<O, 8>> {};
template <class O>
struct KernelOf<O, LayoutKind::split512, 0> : std::type_identity<Split<O, 16>> {};

}  // namespace
}  // namespace simdbloom::detail
