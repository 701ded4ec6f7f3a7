// classic: k probes anywhere. Each round tests one probe of the keys still alive and keeps the survivors
// side by side, so that vectors stay full although half of the negative keys drop out at every probe.
// (Polychroniou & Ross 2014 refill lanes for the same reason.)
#pragma once

#include "kernels/driver.hpp"

namespace simdbloom::detail {
namespace {

template <class O>
struct Classic {
    using V = typename O::V;
    struct Stage {
        alignas(64) std::uint64_t position[chunk_keys + O::lanes];  // g of layout.hpp, advanced round by round
        alignas(64) std::uint64_t step[chunk_keys + O::lanes];
    };

    static void stage_address(const Target&, V hash, Stage& s, std::size_t i) { O::store(s.position + i, hash); }
    static void stage_vector(const Target& t, V hash, Stage& s, std::size_t i) {
        stage_address(t, hash, s, i);
        const V y = O::mul32(hash, O::broadcast(classic_multiplier));
        O::store(s.step + i, O::swap_halves(y) ^ (hash >> 32));
    }
    static std::uint64_t offset_of(const Target& t, std::uint64_t g) { return block_index(g, t.blocks) * 8; }
    static void prefetch(const Target& t, const Stage& s, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) O::prefetch(t.bits + offset_of(t, s.position[i]));
    }
    static std::uint64_t probe(const Target& t, const Stage& s, std::size_t n) {
        std::uint64_t g[chunk_keys + O::lanes], step[chunk_keys + O::lanes];
        std::uint8_t key[chunk_keys + O::lanes];
        for (std::size_t i = 0; i < n; ++i) key[i] = static_cast<std::uint8_t>(i);
        const std::uint64_t *from_g = s.position, *from_step = s.step;
        std::size_t alive = n;
        for (unsigned round = 0; round < t.k && alive != 0; ++round) {
            std::size_t kept = 0;
            for (std::size_t i = 0; i < alive; i += O::lanes) {
                const V position = O::load(from_g + i), stride = O::load(from_step + i);
                const V words = O::gather64(t.bits, block_index_vector<O>(position, t.blocks) << 3);
                unsigned hit = O::nonzero_lanes(words & O::bit(position));
                if (alive - i < O::lanes) hit &= (1u << (alive - i)) - 1;
                std::uint64_t next[O::lanes], strides[O::lanes];
                O::store(next, position + stride);
                O::store(strides, stride);
                for (; hit != 0; hit &= hit - 1) {
                    const auto lane = static_cast<unsigned>(__builtin_ctz(hit));
                    g[kept] = next[lane];
                    step[kept] = strides[lane];
                    key[kept++] = key[i + lane];
                }
            }
            // Lanes behind the survivors are loaded and masked off: keep them valid addresses.
            for (std::size_t i = kept; i < kept + O::lanes; ++i) g[i] = step[i] = 0;
            from_g = g;
            from_step = step;
            alive = kept;
        }
        std::uint64_t hits = 0;
        for (std::size_t i = 0; i < alive; ++i) hits |= std::uint64_t{1} << key[i];
        return hits;
    }
    static std::size_t insert(const Target& t, const Stage& s, std::size_t n) {
        // All lines of the chunk are asked for before the first is written.
        if (t.lookahead != 0)
            for (std::size_t i = 0; i < n; ++i)
                for (unsigned j = 1; j < t.k; ++j) O::prefetch(t.bits + offset_of(t, s.position[i] + j * s.step[i]));
        for (std::size_t i = 0; i < n; ++i) {
            std::uint64_t g = s.position[i];
            for (unsigned j = 0; j < t.k; ++j, g += s.step[i]) {
                std::uint64_t w;
                __builtin_memcpy(&w, t.bits + offset_of(t, g), 8);
                w |= std::uint64_t{1} << (g & 63);
                __builtin_memcpy(t.bits + offset_of(t, g), &w, 8);
            }
        }
        return n;
    }
    // The first probe's word: the least a negative lookup must load.
    static std::uint64_t touch(const Target& t, const Stage& s, std::size_t n) {
        V sum = O::broadcast(0);
        for (std::size_t i = 0; i < n; i += O::lanes)
            sum = sum ^ O::gather64(t.bits, block_index_vector<O>(O::load(s.position + i), t.blocks) << 3);
        std::uint64_t lanes[O::lanes];
        O::store(lanes, sum);
        return lanes[0];
    }
};

}  // namespace
}  // namespace simdbloom::detail
