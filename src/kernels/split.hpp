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

    static void stage_address(const Target& t, V hash, Stage& s, std::size_t i) {
        O::store(s.offset + i, block_offset_vector<O>(hash, t.blocks, 5));
    }
    static void stage_vector(const Target& t, V hash, Stage& s, std::size_t i) {
        stage_address(t, hash, s, i);
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
        if constexpr (O::keeps_misses) {
            alignas(64) std::uint8_t misses[chunk_keys];
            const auto pair = [&](std::size_t i) {
                O::miss_bytes_of_pair(misses + i, t.bits + s.offset[i], t.bits + s.offset[i + 1], s.pattern[i], s.pattern[i + 1], salt_lanes.lane);
            };
            for_each_padded<2>(n, pair);
            return O::hits_of(misses);
        }
        return hits_by_key<O>(n, [&](std::size_t i) {
            bool hit = true;
            for (std::size_t part = 0; part < parts; ++part)
                hit &= O::covers32(O::load32(words(t, s, i, part)), mask(s.pattern[i], part));
            return hit;
        });
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

    static void stage_address(const Target& t, V hash, Stage& s, std::size_t i) {
        O::store(s.offset + i, block_offset_vector<O>(hash, t.blocks, 6));
    }
    static void stage_vector(const Target& t, V hash, Stage& s, std::size_t i) {
        stage_address(t, hash, s, i);
        O::store(s.pattern + i, spread_vector<O>(hash) & O::broadcast(0x3F3F3F3F3F3F3F3Fu));
    }
    static V mask(std::uint64_t pattern, std::size_t part) {
        return O::bit_below_64(O::byte_of_part(pattern, part));
    }
    static std::byte* words(const Target& t, const Stage& s, std::size_t i, std::size_t part) {
        return t.bits + s.offset[i] + 8 * O::lanes * part;
    }
    static std::uint64_t probe(const Target& t, const Stage& s, std::size_t n) {
        if constexpr (O::keeps_misses) {
            alignas(64) std::uint8_t misses[chunk_keys];
            for_each_padded<1>(n, [&](std::size_t i) { O::miss_byte(misses + i, t.bits + s.offset[i], mask(s.pattern[i], 0)); });
            return O::hits_of(misses);
        }
        return hits_by_key<O>(n, [&](std::size_t i) {
            bool hit = true;
            for (std::size_t part = 0; part < parts; ++part)
                hit &= O::covers(O::load_block(words(t, s, i, part)), mask(s.pattern[i], part));
            return hit;
        });
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
