// The way of a batch: keys -> hashes -> addresses and patterns ("staging") -> pattern tests -> answers.
//
// Keys are staged in chunks of 64 into a small buffer on the stack, so that hashing runs a vector at a
// time whatever the layout does afterwards, and so that the chunk `lookahead` chunks on can be prefetched
// while this one is tested. A layout L<O> over the operations O of one ISA provides:
//   struct Stage                                     arrays for one chunk
//   stage_vector(target, hashes, stage, i)           stages keys i .. i + O::lanes
//   stage_address(target, hashes, stage, i)          the same for touch: addresses only
//   prefetch(target, stage, n)
//   u64 probe(target, stage, n)                      bit i set: key i found; bits from n on are ignored
//   size_t insert(target, stage, n)                  how many went in
//   u64 touch(target, stage, n)
// and, if it gains from it, probe_vector(target, hashes): the lanes found, without a stage.
#pragma once

#include "kernels/hash.hpp"
#include "kernels/select.hpp"
#include "kernels/table.hpp"

namespace simdbloom::detail {
namespace {

template <class O>
inline typename O::V hashes_at(const std::uint64_t* keys, bool hashed, typename O::V seed) {
    const auto v = O::load(keys);
    return hashed ? v : mix_vector<O>(v, seed);
}

/// Calls use(hashes, i) for each vector of hashes of n <= 64 keys, i the number of its first key. The last one is padded
/// with a key that is worked on and never answered for.
template <class O, class F>
inline void for_each_vector(const Target& t, const Batch& b, std::size_t first, std::size_t n, F&& use) {
    const auto seed = O::broadcast(t.seed);
    const std::uint64_t* keys = b.keys + first;
    std::size_t i = 0;
    if (n == chunk_keys) {
        for (; i < chunk_keys; i += O::lanes) use(hashes_at<O>(keys + i, b.hashed, seed), i);
        return;
    }
    for (; i + O::lanes <= n; i += O::lanes) use(hashes_at<O>(keys + i, b.hashed, seed), i);
    if (i < n) {
        std::uint64_t padded[O::lanes] = {};
        for (std::size_t j = 0; i + j < n; ++j) padded[j] = keys[i + j];
        use(hashes_at<O>(padded, b.hashed, seed), i);
    }
}

template <bool only_address, class O, class L>
inline void stage_chunk(const Target& t, const Batch& b, std::size_t first, std::size_t n, typename L::Stage& to) {
    for_each_vector<O>(t, b, first, n, [&](typename O::V hashes, std::size_t i) {
        if constexpr (only_address) L::stage_address(t, hashes, to, i);
        else L::stage_vector(t, hashes, to, i);
    });
}

/// Calls consume(first, n, stage) for each chunk in order, staged and prefetched `lookahead` chunks before.
/// consume returns false to stop.
template <class O, class L, bool only_address = false, class F>
inline void for_each_chunk(const Target& t, const Batch& b, F&& consume) {
    typename L::Stage ring[max_lookahead + 1];
    const std::size_t ahead = t.lookahead;
    const auto size_at = [&](std::size_t first) { return b.size - first < chunk_keys ? b.size - first : chunk_keys; };
    if (ahead == 0) {
        for (std::size_t first = 0; first < b.size; first += chunk_keys) {
            const std::size_t n = size_at(first);
            stage_chunk<only_address, O, L>(t, b, first, n, ring[0]);
            if (!consume(first, n, ring[0])) return;
        }
        return;
    }
    const auto stage_ahead = [&](std::size_t first) {
        if (first >= b.size) return;
        auto& stage = ring[first / chunk_keys % (max_lookahead + 1)];
        const std::size_t n = size_at(first);
        stage_chunk<only_address, O, L>(t, b, first, n, stage);
        L::prefetch(t, stage, n);
    };
    for (std::size_t c = 0; c < ahead; ++c) stage_ahead(c * chunk_keys);
    for (std::size_t first = 0; first < b.size; first += chunk_keys) {
        stage_ahead(first + ahead * chunk_keys);
        if (!consume(first, size_at(first), ring[first / chunk_keys % (max_lookahead + 1)])) return;
    }
}

template <class O, class L>
std::size_t lookup(const Target& t, Batch b, Output output, void* out) {
    std::size_t found = 0;
    const auto answer = [&](std::size_t first, std::size_t n, std::uint64_t hits) {
        if (n < chunk_keys) hits &= (std::uint64_t{1} << n) - 1;
        if (output == Output::bitmap) {
            auto* bytes = static_cast<std::uint8_t*>(out) + first / 8;
            if (n == chunk_keys) {
                __builtin_memcpy(bytes, &hits, 8);
            } else {
                for (std::size_t i = 0; i * 8 < n; ++i) bytes[i] = static_cast<std::uint8_t>(hits >> (8 * i));
            }
        } else if (output == Output::select) {
            write_positions<O>(hits, static_cast<std::uint32_t>(first), static_cast<std::uint32_t*>(out) + found);
        }
        found += static_cast<std::size_t>(__builtin_popcountll(hits));
    };
    if constexpr (requires(typename O::V hashes) { L::probe_vector(t, hashes); }) {
        if (t.lookahead == 0) {  // nothing to prefetch: straight from the hash to the answer
            for (std::size_t first = 0; first < b.size; first += chunk_keys) {
                const std::size_t n = b.size - first < chunk_keys ? b.size - first : chunk_keys;
                std::uint64_t hits = 0;
                for_each_vector<O>(t, b, first, n, [&](typename O::V hashes, std::size_t i) { hits |= std::uint64_t{L::probe_vector(t, hashes)} << i; });
                answer(first, n, hits);
            }
            return found;
        }
    }
    for_each_chunk<O, L>(t, b, [&](std::size_t first, std::size_t n, const typename L::Stage& stage) {
        answer(first, n, L::probe(t, stage, n));
        return true;
    });
    return found;
}

template <class O, class L>
std::size_t insert(const Target& t, Batch b) {
    std::size_t inserted = 0;
    for_each_chunk<O, L>(t, b, [&](std::size_t, std::size_t n, const typename L::Stage& stage) {
        const std::size_t done = L::insert(t, stage, n);
        inserted += done;
        return done == n;
    });
    return inserted;
}

template <class O, class L>
std::uint64_t touch(const Target& t, Batch b) {
    std::uint64_t sum = 0;
    for_each_chunk<O, L, true>(t, b, [&](std::size_t, std::size_t n, const typename L::Stage& stage) {
        sum += L::touch(t, stage, n);
        return true;
    });
    return sum;
}

template <class O, class L>
constexpr Kernels kernels_of() {
    return {&lookup<O, L>, &insert<O, L>, &touch<O, L>};
}

}  // namespace
}  // namespace simdbloom::detail
