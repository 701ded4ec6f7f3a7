// zoned512 and blocked512: words picked within a cache line; one key a 64-bit lane.
#pragma once

#include "kernels/one_line.hpp"

namespace simdbloom::detail {
namespace {

template <class O>
inline std::uint64_t touch_first_words(const Target& t, const LineStage& s, std::size_t n) {
    auto sum = O::broadcast(0);
    for (std::size_t i = 0; i < n; i += O::lanes) sum = sum ^ O::gather64(t.bits, O::load(s.offset + i));
    std::uint64_t lanes[O::lanes];
    O::store(lanes, sum);
    return lanes[0];
}

inline void set_bits(std::byte* word, std::uint64_t mask) {
    std::uint64_t w;
    __builtin_memcpy(&w, word, 8);
    w |= mask;
    __builtin_memcpy(word, &w, 8);
}

template <class O, unsigned groups, unsigned k_per_group>
struct Zoned512 : OneLine<O> {
    using typename OneLine<O>::V;
    using Stage = LineStage;
    static constexpr unsigned group_words = 8 / groups, index_bits = groups == 2 ? 2 : 1;

    static void stage_address(const Target& t, V hash, Stage& s, std::size_t i) {
        O::store(s.offset + i, block_offset_vector<O>(hash, t.blocks, 6));
    }
    static void stage_vector(const Target& t, V hash, Stage& s, std::size_t i) {
        stage_address(t, hash, s, i);
        O::store(s.pattern + i, spread_vector<O>(hash));
    }
    static std::uint64_t probe(const Target& t, const Stage& s, std::size_t n) {
        std::uint64_t hits = 0;
        for (std::size_t i = 0; i < n; i += O::lanes) {
            const V p = O::load(s.pattern + i), block = O::load(s.offset + i);
            unsigned hit = ~0u;
            for (unsigned g = 0; g < groups; ++g)
                hit &= O::covered_lanes(O::gather64(t.bits, block + word_offset(p, g)), mask(p, g));
            hits |= std::uint64_t{hit} << i;
        }
        return hits;
    }
    static std::size_t insert(const Target& t, const Stage& s, std::size_t n) {
        for (std::size_t i = 0; i < n; i += O::lanes) {
            const V p = O::load(s.pattern + i), block = O::load(s.offset + i);
            for (unsigned g = 0; g < groups; ++g) {
                std::uint64_t offsets[O::lanes], masks[O::lanes];
                O::store(offsets, block + word_offset(p, g));
                O::store(masks, mask(p, g));
                for (std::size_t j = 0; j < O::lanes && i + j < n; ++j) set_bits(t.bits + offsets[j], masks[j]);
            }
        }
        return n;
    }
    static std::uint64_t touch(const Target& t, const Stage& s, std::size_t n) { return touch_first_words<O>(t, s, n); }

private:
    static V word_offset(V p, unsigned g) {
        const V word = (p >> static_cast<int>(64 - index_bits * (g + 1))) & O::broadcast(group_words - 1);
        return (word << 3) + O::broadcast(8 * group_words * g);
    }
    static V mask(V p, unsigned g) {
        V m = O::broadcast(0);
        for (unsigned j = 0; j < k_per_group; ++j)
            m = m | O::bit(p >> static_cast<int>(64 - 4 - 6 * (g * k_per_group + j + 1)));
        return m;
    }
};

template <class O>
struct Blocked512 : OneLine<O> {
    using typename OneLine<O>::V;
    using Stage = LineStage;

    static void stage_address(const Target& t, V hash, Stage& s, std::size_t i) {
        O::store(s.offset + i, block_offset_vector<O>(hash, t.blocks, 6));
    }
    static void stage_vector(const Target& t, V hash, Stage& s, std::size_t i) {
        stage_address(t, hash, s, i);
        O::store(s.pattern + i, hash);
    }
    static std::uint64_t probe(const Target& t, const Stage& s, std::size_t n) {
        if constexpr (O::keeps_misses) {
            alignas(64) std::uint16_t misses[chunk_keys];
            for_each_padded<1>(n, [&](std::size_t i) { O::miss_words_anywhere(misses + i, t.bits + s.offset[i], s.pattern[i], salt_lanes.lane, t.k); });
            return O::hits_of(misses);
        }
        std::uint64_t hits = 0;
        for (std::size_t i = 0; i < n; i += O::lanes) {
            const V x = O::load(s.pattern + i), block = O::load(s.offset + i);
            unsigned hit = ~0u;
            for (unsigned j = 0; j < t.k && hit != 0; ++j) {
                const V position = position_of(x, j);
                hit &= O::covered_lanes(O::gather64(t.bits, block + word_offset(position)), O::bit(position));
            }
            hits |= std::uint64_t{hit} << i;
        }
        return hits;
    }
    static std::size_t insert(const Target& t, const Stage& s, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i)
            for (unsigned j = 0; j < t.k; ++j) {
                const std::uint32_t position = (static_cast<std::uint32_t>(s.pattern[i]) * salt_lanes.lane[j]) >> 23;
                set_bits(t.bits + s.offset[i] + position / 64 * 8, std::uint64_t{1} << (position % 64));
            }
        return n;
    }
    static std::uint64_t touch(const Target& t, const Stage& s, std::size_t n) { return touch_first_words<O>(t, s, n); }

private:
    // 9 bits: the top of the low half of x * salt.
    static V position_of(V x, unsigned j) { return (O::mul32(x, O::broadcast(salt_lanes.lane[j])) >> 23) & O::broadcast(511); }
    static V word_offset(V position) { return (position >> 6) << 3; }
};

}  // namespace
}  // namespace simdbloom::detail
