// split256 and sector512: one bit in each word of a block; one block a vector (or several vectors a block).
#pragma once

#include "kernels/one_line.hpp"

namespace simdbloom::detail {
namespace {

template <class O>
struct Split256 : OneLine<O> {
    using typename OneLine<O>::V;
    using V32 = typename O::V32;
    using Stage = LineStage;
    static constexpr std::size_t parts = 8 / O::lanes32;

    static void stage_vector(const Target& t, V hash, Stage& s, std::size_t i) {
        O::store(s.offset + i, block_index_vector<O>(hash, t.blocks) << 5);
        O::store(s.pattern + i, hash);
    }
    static V32 mask(std::uint64_t pattern, std::size_t part) {
        const V32 x = O::broadcast32(static_cast<std::uint32_t>(pattern));
        return O::bit32((x * O::load32(salt_lanes.lane + part * O::lanes32)) >> 27);
    }
    static std::byte* words(const Target& t, const Stage& s, std::size_t i, std::size_t part) {
        return t.bits + s.offset[i] + 4 * O::lanes32 * part;
    }
    static std::uint64_t probe(const Target& t, const Stage& s, std::size_t n) {
        std::uint64_t hits = 0;
        for (std::size_t i = 0; i < n; ++i) {
            bool hit = true;
            for (std::size_t part = 0; part < parts; ++part)
                hit &= O::covers32(O::load32(words(t, s, i, part)), mask(s.pattern[i], part));
            hits |= std::uint64_t{hit} << i;
        }
        return hits;
    }
    static std::size_t insert(const Target& t, const Stage& s, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t part = 0; part < parts; ++part) {
                std::byte* w = words(t, s, i, part);
                O::store32(w, O::load32(w) | mask(s.pattern[i], part));
            }
        return n;
    }
    static std::uint64_t touch(const Target& t, const Stage& s, std::size_t n) { return touch_blocks<O, 32>(t, s, n); }
};

template <class O>
struct Sector512 : OneLine<O> {
    using typename OneLine<O>::V;
    using Stage = LineStage;
    static constexpr std::size_t parts = 8 / O::lanes;

    static void stage_vector(const Target& t, V hash, Stage& s, std::size_t i) {
        O::store(s.offset + i, block_index_vector<O>(hash, t.blocks) << 6);
        O::store(s.pattern + i, spread_vector<O>(hash));
    }
    static V mask(std::uint64_t pattern, std::size_t part) {
        static constexpr std::uint64_t shifts[8] = {16, 22, 28, 34, 40, 46, 52, 58};
        return O::bit(O::shift_right(O::broadcast(pattern), O::load(shifts + part * O::lanes)));
    }
    static std::byte* words(const Target& t, const Stage& s, std::size_t i, std::size_t part) {
        return t.bits + s.offset[i] + 8 * O::lanes * part;
    }
    static std::uint64_t probe(const Target& t, const Stage& s, std::size_t n) {
        std::uint64_t hits = 0;
        for (std::size_t i = 0; i < n; ++i) {
            bool hit = true;
            for (std::size_t part = 0; part < parts; ++part)
                hit &= O::covers(O::load_block(words(t, s, i, part)), mask(s.pattern[i], part));
            hits |= std::uint64_t{hit} << i;
        }
        return hits;
    }
    static std::size_t insert(const Target& t, const Stage& s, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t part = 0; part < parts; ++part) {
                std::byte* w = words(t, s, i, part);
                O::store_block(w, O::load_block(w) | mask(s.pattern[i], part));
            }
        return n;
    }
    static std::uint64_t touch(const Target& t, const Stage& s, std::size_t n) { return touch_blocks<O, 64>(t, s, n); }
};

}  // namespace
}  // namespace simdbloom::detail
