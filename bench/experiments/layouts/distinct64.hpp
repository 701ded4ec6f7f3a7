// distinct64: k different bits of a 64-bit word, where register64 may take a bit twice. A table has
// 1024 choices of k different positions, which a key turns by 0 to 63.
//
//   low 32 bits of the hash   [ .. 16 not used .. | 6: turned by | 10: which choice ]
#pragma once

#include "kernels/register_blocked.hpp"

namespace simdbloom::bench {

/// [k]: eight bytes a choice, of which byte j is position j. From k on they repeat the first.
extern std::byte distinct_positions[9][8 * 1024];

namespace {

template <class O, unsigned k>
struct Distinct64 : detail::OneLine<O, 8> {
    using V = typename O::V;
    using Stage = detail::LineStage;
    using Answers = typename O::template LaneAnswers<detail::LaneBits>;
    using detail::OneLine<O, 8>::stage_address;

    static void stage(const detail::Target& t, V hash, Stage& s, std::size_t i) {
        stage_address(t, hash, s, i);
        O::store(s.pattern + i, O::fetches_bits ? positions(hash) : mask(hash));
    }
    static void stage_insert(const detail::Target& t, V hash, Stage& s, std::size_t i) {
        stage_address(t, hash, s, i);
        O::store(s.pattern + i, mask(hash));
    }
    static void test(const detail::Target& t, const Stage& s, std::size_t at, Answers& answers,
                     std::size_t i) {
        const V words = O::gather64(t.bits, O::load(s.offset + at)),
                pattern = O::load(s.pattern + at);
        if constexpr (O::fetches_bits) answers.set(i, O::fetch_bits(words, pattern));
        else answers.set(i, O::covered_lanes(words, pattern));
    }
    static std::size_t insert(const detail::Target& t, const Stage& s, std::size_t i,
                              std::size_t n) {
        for (std::size_t j = i; j < i + n; ++j)
            detail::set_bits(t.bits + s.offset[j], s.pattern[j]);
        return n;
    }

private:
    /// Byte j is the position of bit j; its high two bits mean nothing.
    static V positions(V hash) {
        const V choice = O::gather64(distinct_positions[k], (hash & O::broadcast(1023)) << 3);
        const V turn = O::mul32((hash >> 10) & O::broadcast(63), O::broadcast(0x01010101u));
        return choice + (turn | (turn << 32));
    }
    static V mask(V hash) {
        const V p = positions(hash);
        V m = O::bit(p);
        for (unsigned j = 1; j < k; ++j) m = m | O::bit(p >> static_cast<int>(8 * j));
        return m;
    }
};

}  // namespace
}  // namespace simdbloom::bench
