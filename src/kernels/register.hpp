// register32, register64: all k bits in one word; one key a 64-bit lane.
#pragma once

#include "kernels/one_line.hpp"

namespace simdbloom::detail {
namespace {

template <class O, unsigned word_bits, unsigned k>
struct RegisterLayout : OneLine<O> {
    using typename OneLine<O>::V;
    using Stage = LineStage;
    static_assert(word_bits == 32 || word_bits == 64);
    static constexpr unsigned field = word_bits == 64 ? 6 : 5;
    static constexpr bool direct = k <= (word_bits == 64 ? register64_direct_k : register32_direct_k);

    // The pattern staged is the mask itself.
    static void stage_address(const Target& t, V hash, Stage& s, std::size_t i) {
        O::store(s.offset + i, block_offset_vector<O>(hash, t.blocks, word_bits == 64 ? 3 : 2));
    }
    static void stage_vector(const Target& t, V hash, Stage& s, std::size_t i) {
        stage_address(t, hash, s, i);
        O::store(s.pattern + i, mask(hash));
    }
    static V gather(const Target& t, V offset) { return word_bits == 64 ? O::gather64(t.bits, offset) : O::gather32(t.bits, offset); }
    static V words(const Target& t, const Stage& s, std::size_t i) { return gather(t, O::load(s.offset + i)); }
    // Straight from hash to answer pays with eight lanes: 1.06 against 1.09 ns in L1, 2.3 against 2.7 in L3 (register64,
    // k = 4, AVX-512); with four it costs 1.94 against 1.80 and 8 against 4.4.
    static unsigned probe_vector(const Target& t, V hash)
        requires(O::lanes == 8)
    {
        return O::covered_lanes(gather(t, block_offset_vector<O>(hash, t.blocks, word_bits == 64 ? 3 : 2)), mask(hash));
    }
    static std::uint64_t probe(const Target& t, const Stage& s, std::size_t n) {
        std::uint64_t hits = 0;
        for (std::size_t i = 0; i < n; i += O::lanes)
            hits |= std::uint64_t{O::covered_lanes(words(t, s, i), O::load(s.pattern + i))} << i;
        return hits;
    }
    static std::size_t insert(const Target& t, const Stage& s, std::size_t n) {
        using Word = std::conditional_t<word_bits == 64, std::uint64_t, std::uint32_t>;
        for (std::size_t i = 0; i < n; ++i) {
            Word word;
            __builtin_memcpy(&word, t.bits + s.offset[i], sizeof word);
            word |= static_cast<Word>(s.pattern[i]);
            __builtin_memcpy(t.bits + s.offset[i], &word, sizeof word);
        }
        return n;
    }
    static std::uint64_t touch(const Target& t, const Stage& s, std::size_t n) {
        V sum = O::broadcast(0);
        for (std::size_t i = 0; i < n; i += O::lanes) sum = sum ^ words(t, s, i);
        std::uint64_t lanes[O::lanes];
        O::store(lanes, sum);
        return lanes[0];
    }

private:
    static V mask(V hash) {
        const V p = direct ? hash : spread_vector<O>(hash);
        V m = bit(p, 0);
        for (unsigned i = 1; i < k; ++i) m = m | bit(p, i);
        return m;
    }
    static V bit(V p, unsigned i) {
        const V shifted = p >> static_cast<int>(direct ? field * i : 64 - field - field * i);
        return O::bit(word_bits == 64 ? shifted : shifted & O::broadcast(31));
    }
};

}  // namespace
}  // namespace simdbloom::detail
