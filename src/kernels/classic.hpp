// classic: k probes anywhere. All keys of a chunk take the first two probes a vector at a time; the survivors are
// then put side by side once, so that the remaining probes run on full vectors (Polychroniou & Ross 2014 refill
// lanes for the same reason). Moving survivors together after every probe instead took 5.3 ns a key against 8.4 with
// scalar moves and 4.1 to 4.7 this way (16 and 256 KiB, AVX-512): each round waited for the stores of the one before.
#pragma once

#include "kernels/driver.hpp"

namespace simdbloom::detail {
namespace {

template <class O>
struct Classic {
    using V = typename O::V;
    struct Answers {};
    static constexpr bool prefetches_early = true;
    struct Stage {
        alignas(64) std::uint64_t position[chunk_keys + O::lanes];  // g of layout.hpp, advanced round by round
        alignas(64) std::uint64_t step[chunk_keys + O::lanes];
    };

    static void stage_address(const Target&, V hash, Stage& s, std::size_t i) { O::store(s.position + i, hash); }
    static void stage(const Target& t, V hash, Stage& s, std::size_t i) {
        stage_address(t, hash, s, i);
        const V y = O::mul32(hash, O::broadcast(classic_multiplier));
        O::store(s.step + i, O::swap_halves(y) ^ (hash >> 32));
    }
    static std::uint64_t offset_of(const Target& t, std::uint64_t g) { return block_index(g, t.blocks) * 8; }
    static void prefetch(const Target& t, const Stage& s, std::size_t i) {
        for (std::size_t j = i; j < i + O::lanes; ++j) O::prefetch(t.bits + offset_of(t, s.position[j]));
    }
    static std::uint64_t test_chunk(const Target& t, const Stage& s, std::size_t n) {
        alignas(64) std::uint64_t g[chunk_keys + O::lanes], step[chunk_keys + O::lanes], key[chunk_keys + O::lanes];
        std::size_t alive = 0;
        for (std::size_t i = 0; i < n; i += O::lanes) {
            V position = O::load(s.position + i);
            const V stride = O::load(s.step + i);
            unsigned hit = n - i < O::lanes ? (1u << (n - i)) - 1 : (1u << O::lanes) - 1;
            for (unsigned round = 0; round < first_rounds && round < t.k; ++round, position = position + stride) hit = test(t, position, hit);
            O::compress(g + alive, position, hit);
            O::compress(step + alive, stride, hit);
            O::compress(key + alive, O::load(numbers.number) + O::broadcast(i), hit);
            alive += static_cast<std::size_t>(__builtin_popcount(hit));
        }
        std::uint64_t hits = 0;
        for (std::size_t i = 0; i < alive; i += O::lanes) {
            V position = O::load(g + i);
            const V stride = O::load(step + i);
            unsigned hit = alive - i < O::lanes ? (1u << (alive - i)) - 1 : (1u << O::lanes) - 1;
            for (unsigned round = first_rounds; round < t.k && hit != 0; ++round, position = position + stride) hit = test(t, position, hit);
            for (; hit != 0; hit &= hit - 1) hits |= std::uint64_t{1} << key[i + static_cast<unsigned>(__builtin_ctz(hit))];
        }
        return hits;
    }
    static std::size_t insert(const Target& t, const Stage& s, std::size_t i, std::size_t n) {
        // All lines of the vector are asked for before the first is written.
        if (t.bytes > early_prefetch)
            for (std::size_t j = i; j < i + n; ++j)
                for (unsigned r = 1; r < t.k; ++r) O::prefetch(t.bits + offset_of(t, s.position[j] + r * s.step[j]));
        for (std::size_t j = i; j < i + n; ++j) {
            std::uint64_t g = s.position[j];
            for (unsigned r = 0; r < t.k; ++r, g += s.step[j]) {
                std::uint64_t w;
                __builtin_memcpy(&w, t.bits + offset_of(t, g), 8);
                w |= std::uint64_t{1} << (g & 63);
                __builtin_memcpy(t.bits + offset_of(t, g), &w, 8);
            }
        }
        return n;
    }
    // The first probe's word: the least a negative lookup must load.
    static void touch(const Target& t, const Stage& s, std::size_t i, Loads<O>& to) {
        auto& sum = to.sum[i / O::lanes % 4];
        sum = sum ^ O::gather64(t.bits, block_offset_vector<O>(O::load(s.position + i), t.blocks, 3));
    }

private:
    // After two probes a quarter of the strangers is left.
    static constexpr unsigned first_rounds = 2;
    struct Numbers {
        std::uint64_t number[O::lanes] = {};
        constexpr Numbers() {
            for (std::size_t i = 0; i < O::lanes; ++i) number[i] = i;
        }
    };
    alignas(64) static constexpr Numbers numbers{};

    /// Of the lanes in `alive`, those whose bit is set. Dead lanes load nothing: their lines would cost bandwidth.
    static unsigned test(const Target& t, V position, unsigned alive) {
        const V words = O::gather64(t.bits, block_offset_vector<O>(position, t.blocks, 3), alive);
        return O::nonzero_lanes(words & O::bit(position)) & alive;
    }
};

}  // namespace
}  // namespace simdbloom::detail
