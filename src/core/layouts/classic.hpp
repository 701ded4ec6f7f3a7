// classic and counting: k probes anywhere. Probe i is needed only for the keys that passed the
// probes before it.
//
//   keys -> probe 0 -> queue 1 -> probe 1 -> queue 2 -> .. -> probe 15 and all after it -> found
//              |                     |                             |
//            absent                absent                        absent
//
// Keys are tested 64 at a time. The keys that pass are put side by side into a queue, and go on
// when the queue holds 64 (Polychroniou & Ross 2014 refill lanes for the same reason). No branch
// depends on a bit of the filter, so lines are fetched for many chunks at once. If the batch
// prefetches, it does so when a key enters a queue. Queues keep the order of the keys. Tried:
// bench/pages/tried.md, "Algorithms".
#pragma once

#include "core/kernels/driver.hpp"
#include "core/kernels/one_line.hpp"

namespace simdbloom::detail {
namespace {

/// A filter of bits, or of counters with cell_bits = 4.
template <class O, unsigned cell_bits = 1>
struct Classic {
    static constexpr std::uint32_t few_below = 7, few_inserts_below = 5;
    // With 64 keys, 512 lines are on their way if k = 8: 29.3 ns a key, not 27.5 (256 MiB, Zen 5).
    static constexpr std::size_t insert_chunk = 32;
    using V = typename O::V;
    struct Stage {
        alignas(64) std::uint64_t position[chunk_keys];  // of the first probe
    };

    static void stage(const Target&, V hash, Stage& s, std::size_t i) {
        O::store(s.position + i, hash);
    }
    static std::uint64_t offset_of(const Target& t, std::uint64_t g) {
        return block_index(g, t.blocks) * 8;
    }
    /// The lines of all probes: only inserts need it.
    static void prefetch(const Target& t, const Stage& s, std::size_t i) {
        V position = O::load(s.position + i);
        for (unsigned r = 0; r < t.k; ++r, position = next(position)) prefetch_probe(t, position);
    }
    static std::size_t lookup(const Target t, const Batch b, Output output, void* out) {
        Search search(t, Emitter<O>(output, out));
        return search.run(b);
    }
    static bool test_key(const Target& t, std::uint64_t hash) {
        std::uint64_t g = hash;
        for (unsigned r = 0; r < t.k; ++r, g = classic_next(g)) {
            if ((load_le<std::uint64_t>(t.bits + offset_of(t, g)) & scalar_mask(g)) == 0)
                return false;
        }
        return true;
    }
    // All probes of a vector of keys are computed before the first bit is set: key by key, each
    // would wait for the product before it. Scalar code goes key by key: 7.0 ns, not 11.5 (16 KiB,
    // Zen 5).
    static std::size_t insert(const Target& t, const Stage& s, std::size_t i, std::size_t n) {
        V position = O::load(s.position + i);
        if constexpr (O::lanes == 1) {
            for (unsigned r = 0; r < t.k; ++r, position = next(position))
                set(t.bits + offset_of(t, position), cell_bits == 1 ? mask(position) : position);
            return n;
        }
        struct Probes {
            alignas(64) std::uint64_t offset[O::lanes], mask[O::lanes];
        } probes[max_k];
        for (unsigned r = 0; r < t.k; ++r, position = next(position)) {
            O::store(probes[r].offset, offset_vector(t, position));
            O::store(probes[r].mask, cell_bits == 1 ? mask(position) : position);
        }
        for (unsigned r = 0; r < t.k; ++r)
            for (std::size_t j = 0; j < n; ++j)
                set(t.bits + probes[r].offset[j], probes[r].mask[j]);
        return n;
    }

private:
    static constexpr unsigned max_k = layouts::classic::traits.k_max;
    // Level i makes probe i. The last level makes all probes that are left, each after the one
    // before: with 8 levels, k = 12, all keys present, a key took 23 ns, not 18 (AVX2, 2 MiB, Xeon
    // 167).
    static constexpr unsigned levels = 16;
    static constexpr unsigned all = (1u << O::lanes) - 1;
    static unsigned first_lanes(std::size_t n) { return (1u << n) - 1; }

    static V next(V position) {
        return O::mul32(position, O::broadcast(classic_multiplier)) + (position >> 32);
    }
    static void set(std::byte* word, std::uint64_t bits) {
        if constexpr (cell_bits == 4) raise_counter(word, counting_bit(bits));
        else set_bits(word, bits);
    }
    static V offset_vector(const Target& t, V position) {
        return block_offset_vector<O>(position, t.blocks, 3);
    }
    static void prefetch_probe(const Target& t, V position) {
        alignas(64) std::uint64_t offset[O::lanes];
        O::store(offset, offset_vector(t, position));
        for (std::size_t j = 0; j < O::lanes; ++j) O::prefetch(t.bits + offset[j]);
    }

    static std::uint64_t scalar_mask(std::uint64_t g) {
        return cell_bits == 1 ? std::uint64_t{1} << (g & 63) : std::uint64_t{15} << counting_bit(g);
    }
    static V mask(V position) {
        if constexpr (cell_bits == 1) return O::bit(position);
        else return O::shift_left(O::broadcast(15), (position << 2) & O::broadcast(60));
    }

    /// Those of the lanes in `alive` whose bit or counter is set. Dead lanes load nothing.
    static unsigned test(const Target& t, V position, unsigned alive) {
        const V words = O::gather64(t.bits, offset_vector(t, position), alive);
        if constexpr (O::has_bit_lanes && cell_bits == 1) return O::bit_lanes(words, position);
        else return O::nonzero_lanes(words & mask(position));
    }

    /// A ring of keys on their way: the position of the next probe, and the number in the batch.
    struct Queue {
        static constexpr std::size_t room =
            2 * chunk_keys;  // at most 63 keys wait when 64 more come
        alignas(64) std::uint64_t position[room + O::lanes];
        alignas(64) std::uint64_t key[room + O::lanes];
        std::size_t first = 0, last = 0, prefetched = 0;

        std::size_t size() const { return last - first; }
        V positions() const { return O::load(position + first % room); }
        V keys() const { return O::load(key + first % room); }
        /// Returns the new `last`: in memory, it would wait for each store before it.
        [[nodiscard]] std::size_t append(std::size_t end, V passed, V numbers, unsigned which) {
            const std::size_t at = end % room;
            O::compress(position + at, passed, which);
            O::compress(key + at, numbers, which);
            if (at + O::lanes > room) {
                O::store(position, O::load(position + room));
                O::store(key, O::load(key + room));
            }
            return end + static_cast<unsigned>(__builtin_popcount(which));
        }
    };

    struct Search {
        const Target t;
        Emitter<O> emit;
        const bool prefetches = t.prefetching.way != Prefetch::none;
        const unsigned last_level = (t.k < levels ? t.k : levels) - 1;
        Queue queues[levels - 1];
        std::uint32_t ready = 0;  ///< bit i: the queue of level i has 64 keys

        Search(const Target& target, const Emitter<O>& emitter) : t(target), emit(emitter) {}

        std::size_t run(const Batch& b) {
            const HashSource<O> hashes(t.seed, b);
            KeySource<O, true> keys_from(b);
            Stage stages[2];
            const auto stage_chunk = [&](std::size_t first) {
                std::uint64_t* const position = stages[first / chunk_keys & 1].position;
                const std::uint64_t* const p = keys_from(first, chunk_keys);
                for (std::size_t i = 0; i < chunk_keys; i += O::lanes) {
                    O::store(position + i, hashes(p + i));
                    if (prefetches) prefetch_probe(t, O::load(position + i));
                }
            };
            std::size_t at = 0;
            if (b.size >= chunk_keys) stage_chunk(0);
            for (; at + chunk_keys <= b.size; at += chunk_keys) {
                if (at + 2 * chunk_keys <= b.size) stage_chunk(at + chunk_keys);
                pass_chunk(0, stages[at / chunk_keys & 1].position,
                           [&](std::size_t i) { return numbers_from<O>(at + i); });
                flow(1);
            }
            const std::uint64_t* p = keys_from(at, b.size - at);
            for (; at + O::lanes <= b.size; p += O::lanes, at += O::lanes)
                pass(0, hashes(p), numbers_from<O>(at), all);
            if (at < b.size)
                pass(0, hashes.padded(p, b.size - at), numbers_from<O>(at),
                     first_lanes(b.size - at));
            finish();
            return emit.end(b.size);
        }

        /// Makes the probe of one level for 64 keys, all before the first store into a queue, for
        /// whose address later loads would wait: 1.3 times the time (Xeon 167, AVX2, 2 MiB).
        template <class NumbersAt>
        void pass_chunk(unsigned level, const std::uint64_t* position,
                        const NumbersAt& numbers_at) {
            unsigned alive[chunk_keys];
            // Scalar code branches: 3.9 ns key by key, 6.5 this way (16 KiB).
            if constexpr (O::lanes > 1)
                for (std::size_t i = 0; i < chunk_keys; i += O::lanes)
                    alive[i] = test(t, O::load(position + i), all);
            if (O::lanes == 1 || level == last_level) {
                for (std::size_t i = 0; i < chunk_keys; i += O::lanes) {
                    const V v = O::load(position + i);
                    go_on(level, v, numbers_at(i), O::lanes == 1 ? test(t, v, all) : alive[i]);
                }
            } else {
                Queue& q = queues[level];
                std::size_t end = q.last;
                for (std::size_t i = 0; i < chunk_keys; i += O::lanes)
                    end = q.append(end, next(O::load(position + i)), numbers_at(i), alive[i]);
                q.last = end;
            }
            note_size(level + 1);
            if (prefetches && level != last_level) prefetch(queues[level]);
        }
        /// The same for one vector of keys.
        void pass(unsigned level, V position, V keys, unsigned alive) {
            go_on(level, position, keys, test(t, position, alive));
            note_size(level + 1);
        }
        /// A key that passed goes to the next level's queue, or out after the last probe.
        void go_on(unsigned level, V position, V keys, unsigned alive) {
            if (level != last_level) {
                Queue& q = queues[level];
                q.last = q.append(q.last, next(position), keys, alive);
                return;
            }
            for (unsigned r = level + 1; r < t.k && alive != 0; ++r) {
                position = next(position);
                alive = test(t, position, alive);
            }
            emit(keys, alive);
        }
        /// The lines of the keys that came to the queue, up to its last whole vector.
        void prefetch(Queue& q) {
            for (; q.prefetched + O::lanes <= q.last; q.prefetched += O::lanes)
                prefetch_probe(t, O::load(q.position + q.prefetched % Queue::room));
        }

        void note_size(unsigned level) {
            if (level <= last_level)
                ready |= std::uint32_t{queues[level - 1].size() >= chunk_keys} << level;
        }
        /// Takes 64 keys from each queue that has them, from the last to that of `least`: no load
        /// waits for a test. Half of the chunks of absent keys end at the first branch: where the
        /// size of each queue was read, a key took 2.05 ns, not 1.82 (Xeon 167, AVX-512, 256 KiB).
        void flow(unsigned least) {
            const std::uint32_t todo = ready >> least << least;
            if (todo == 0) return;
            ready ^= todo;
            for (unsigned level = last_level; level >= least; --level) {
                if ((todo >> level & 1) == 0) continue;
                Queue& q = queues[level - 1];
                const std::size_t first = q.first % Queue::room;
                pass_chunk(level, q.position + first,
                           [&](std::size_t i) { return O::load(q.key + first + i); });
                q.first += chunk_keys;
            }
        }
        /// Empties the queues. Each flow() leaves room in the next queue for a vector of keys.
        void finish() {
            for (unsigned level = 1; level <= last_level; ++level) {
                flow(level + 1);
                Queue& q = queues[level - 1];
                for (; q.size() >= O::lanes; q.first += O::lanes) {
                    pass(level, q.positions(), q.keys(), all);
                    flow(level + 1);
                }
                if (q.size() != 0) pass(level, q.positions(), q.keys(), first_lanes(q.size()));
            }
        }
    };
};

template <class O, LayoutKind kind>
requires(traits_of(kind).anywhere) struct KernelOf<O, kind, 0>
    : std::type_identity<Classic<O, traits_of(kind).cell_bits()>> {
};

}  // namespace
}  // namespace simdbloom::detail
