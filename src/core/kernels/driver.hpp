// The way of a batch:
//
//   keys -> hashes -> addresses and patterns ("staging") -> pattern tests -> answers
//
// Keys are staged in chunks of 64 into a small buffer on the stack, so that hashing runs a vector
// at a time whatever the layout does afterwards. A layout L<O> over the operations O of one ISA
// works on vectors of O::lanes keys; the concept KernelLayout says what it must have.
#pragma once

#include "core/kernels/answers.hpp"
#include "core/kernels/hash.hpp"
#include "core/kernels/kernel_layout.hpp"
#include "core/kernels/ops/operations.hpp"
#include "core/kernels/ops/scalar.hpp"
#include "core/kernels/table.hpp"

namespace simdbloom::detail {
namespace {

/// Begins to load the keys of a later chunk into the level-1 cache. ns a key of `split256` without
/// and with it (Zen 5): 128 KiB of keys 1.3 and 0.47, 1 MiB 1.6 and 0.67, 8 MiB 1.9 and 0.85; keys
/// in L1 0.381 and 0.384. From 3 to 8 KiB ahead is the same; 1 KiB, or into L2, gains a third less.
template <class O, class T>
inline void prefetch_keys(const T* chunk) {
    constexpr std::size_t ahead = 4096, line = 64;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < chunk_keys * sizeof(T); i += line)
        O::prefetch_near(reinterpret_cast<const char*>(chunk) + ahead + i);
}

/// Writes n narrow keys of a batch, from number `first` on, as numbers of 64 bits.
template <class O>
inline void widen(const Batch& b, std::size_t first, std::size_t n, std::uint64_t* to) {
    const std::uint32_t* const from = b.narrow + first;
    // (x ^ 2^31) - 2^31 is the number of 64 bits where x is a signed one of 32.
    const auto sign = O::broadcast(b.sign);
    const std::size_t whole = n / O::lanes * O::lanes;
#pragma GCC unroll 1
    for (std::size_t i = 0; i < whole; i += O::lanes)
        O::store(to + i, (O::widen(from + i) ^ sign) - sign);
#pragma GCC unroll 1
    for (std::size_t i = whole; i < n; ++i) to[i] = (from[i] ^ b.sign) - b.sign;
}

/// The keys of a batch as numbers of 64 bits, a chunk at a time. A chunk is widened as a whole: a
/// branch for each vector made lookups of keys of 64 bits slower by up to 8 %.
template <class O, bool takes_narrow>
class KeySource {
public:
    explicit KeySource(const Batch& b) : batch_(b) {}
    /// The n <= chunk_keys keys from number `first` on (inserts: half as many) until the next call.
    const std::uint64_t* operator()(std::size_t first, std::size_t n) {
        if constexpr (takes_narrow)
            if (batch_.narrow != nullptr) {
                if (n >= chunk_keys / 2) prefetch_keys<O>(batch_.narrow + first);
                widen<O>(batch_, first, n, wide_);
                return wide_;
            }
        if (n >= chunk_keys / 2) prefetch_keys<O>(batch_.keys + first);
        return batch_.keys + first;
    }

private:
    const Batch batch_;
    alignas(64) std::uint64_t wide_[takes_narrow ? chunk_keys : 1];
};

/// The hashes of the O::lanes keys from p on, which are hashes already if `of_hashes`.
template <class O, bool of_hashes = false>
class HashSource {
public:
    using V = typename O::V;
    HashSource(std::uint64_t seed, const Batch& b)
        : folded_seed_(fold_seed<O>(seed)), hashed_(of_hashes || b.hashed) {}
    Hashes<O> operator()(const std::uint64_t* p) const { return second(first(p)); }
    /// The hashes of the n < O::lanes keys from p on. Nobody asks for the answers of other lanes.
    Hashes<O> padded(const std::uint64_t* p, std::size_t n) const {
        return second(first(Hashes<O>(O::load_first(p, n))));
    }

    // The hash in two parts: second(first(p)).
    Hashes<O> first(const std::uint64_t* p) const { return first(Hashes<O>(O::load(p))); }
    Hashes<O> second(const Hashes<O>& v) const {
        return hashed_ ? v : HashesOf<O>::second_product(v);
    }

private:
    Hashes<O> first(const Hashes<O>& v) const {
        return hashed_ ? v : mix_first<O>(v, folded_seed_);
    }

    V folded_seed_;
    bool hashed_;
};

/// The same, vector after vector, with three vectors in the making. A hash is a chain of some 40
/// cycles, in which it would hold places of the scheduler that the tests of other keys wait for. ns
/// a key without and with (16 KiB): split256 AVX-512 1.13/0.95, AVX2 1.46/1.39;
/// sector512 1.05/0.90, 1.82/1.73; register64 0.69/0.62, 1.52/1.33.
template <class O, bool of_hashes, bool at_once = of_hashes || O::lanes == 1>
class HashPipeline {
public:
    static constexpr std::size_t n_ahead = 3 * O::lanes;  ///< keys in the making
    /// Begins with the n_ahead keys from p on.
    HashPipeline(const HashSource<O, of_hashes>& hashes, const std::uint64_t* p)
        : hashes_(hashes),
          after_second_(hashes.second(hashes.first(p))),
          waiting_(hashes.first(p + O::lanes)),
          after_first_(hashes.first(p + 2 * O::lanes)) {}
    /// The keys of a chunk, from p on, come next.
    void take(const std::uint64_t* p) { ahead_ = p; }

    Hashes<O> next() {
        const Hashes<O> done = after_second_;
        after_second_ = hashes_.second(waiting_);
        waiting_ = after_first_;
        after_first_ = hashes_.first(ahead_);
        ahead_ += O::lanes;
        return done;
    }

private:
    const HashSource<O, of_hashes> hashes_;
    Hashes<O> after_second_, waiting_, after_first_;
    const std::uint64_t* ahead_ = nullptr;
};

// One lane has no vectors to wait for, and hashes are not made.
template <class O, bool of_hashes>
class HashPipeline<O, of_hashes, true> {
public:
    static constexpr std::size_t n_ahead = 0;
    HashPipeline(const HashSource<O, of_hashes>& hashes, const std::uint64_t* p)
        : hashes_(hashes), at_(p) {}
    void take(const std::uint64_t* p) { at_ = p; }
    Hashes<O> next() { return hashes_((at_ += O::lanes) - O::lanes); }

private:
    const HashSource<O, of_hashes> hashes_;
    const std::uint64_t* at_;
};

// Unrolling the eight vectors of a chunk saves 3 to 8 % of a lookup on AVX-512, elsewhere nothing.
template <class O, class Visit>
constexpr bool unrolls = SIMDBLOOM_UNROLLS&& O::lanes == 8 && Visit::only_reads;

template <class L>
using InsertChunk = decltype(L::insert_chunk);

/// Takes the batch through `visit`, chunk by chunk in order:
///   visit.stage(hashes, stage, i)      for each vector
///   visit.vector(stage, at, i, n)      for each vector of n keys
///   visit.end(first, n)                for each chunk; returns false to stop
///
/// While the vectors of chunk n are tested, those of chunk n+1 are staged and their lines are
/// prefetched. With eight vectors a chunk:
///
///   step                0    1    2    3   ..   7   end
///   stage     of n+1   v0   v1   v2   v3   ..  v7
///   prefetch  of n+1        v0   v1   v2   ..  v6   v7
///   test      of n     v0   v1   v2   v3   ..  v7   answers of chunk n
///
/// That keeps more loads in flight (bench/pages/tried.md, "Staging and testing in step"). What is
/// behind the last whole chunk, and fewer than two chunks, are staged first and tested then.
template <class O, class L, bool of_hashes = false, std::size_t chunk = chunk_keys, class Visit>
inline void for_each_chunk(const TargetOf<L> t, const Batch b, Visit& visit) {
    typename L::Stage stages[2];
    const HashSource<O, of_hashes> hashes(t.seed, b);
    KeySource<O, Visit::takes_narrow> keys_from(b);
    std::size_t first = 0;
    bool staged = false;

    if (b.size >= 2 * chunk) {
        const auto prefetch = [&](const typename L::Stage& stage, std::size_t i) {
            if (t.prefetching.way != Prefetch::none) L::prefetch(t, stage, i);
        };
        const std::uint64_t* const keys = keys_from(0, chunk);
#pragma GCC unroll 1
        for (std::size_t i = 0; i < chunk; i += O::lanes) {
            visit.stage(hashes(keys + i), stages[0], i);
            prefetch(stages[0], i);
        }
        staged = true;
        using Pipeline = HashPipeline<O, of_hashes>;
        Pipeline pipeline(hashes, keys_from(chunk, Pipeline::n_ahead));
        std::uint64_t last[chunk] = {};  // behind them nobody asks for a hash
        for (; first + 2 * chunk <= b.size; first += chunk) {
            const std::size_t ahead = first + chunk + Pipeline::n_ahead;
            const std::size_t left = b.size - ahead < chunk ? b.size - ahead : chunk;
            const std::uint64_t* const from = keys_from(ahead, left);
            for (std::size_t i = 0; left < chunk && i < left; ++i) last[i] = from[i];
            pipeline.take(left < chunk ? last : from);
            const auto& now = stages[first / chunk & 1];
            auto& next = stages[~(first / chunk) & 1];
            const auto step = [&](std::size_t i) {
                visit.stage(pipeline.next(), next, i);
                // The vector before, because its addresses have left the store buffer.
                if (i > 0) prefetch(next, i - O::lanes);
                visit.vector(now, i, i, O::lanes);
            };
            if constexpr (unrolls<O, Visit>) {
#pragma GCC unroll 8
                for (std::size_t i = 0; i < chunk; i += O::lanes) step(i);
            } else {
#pragma GCC unroll 1
                for (std::size_t i = 0; i < chunk; i += O::lanes) step(i);
            }
            prefetch(next, chunk - O::lanes);
            if (!visit.end(first, chunk)) return;
        }
    }

    for (; first < b.size; first += chunk) {
        auto& stage = stages[first / chunk & 1];
        const std::size_t n = b.size - first < chunk ? b.size - first : chunk;
        const std::uint64_t* const keys = staged ? nullptr : keys_from(first, n);
        if (O::lanes == 1 && !staged) {
#pragma GCC unroll 1
            for (std::size_t i = 0; i < n; ++i) {
                visit.stage(hashes(keys + i), stage, 0);
                visit.vector(stage, 0, i, 1);
            }
        } else {
            std::size_t i = 0;
            if (!staged) {
#pragma GCC unroll 1
                for (; i + O::lanes <= n; i += O::lanes) visit.stage(hashes(keys + i), stage, i);
                if (i < n) visit.stage(hashes.padded(keys + i, n - i), stage, i);
            }
#pragma GCC unroll 1
            for (i = 0; i < n; i += O::lanes)
                visit.vector(stage, i, i, n - i < O::lanes ? n - i : O::lanes);
        }
        staged = false;
        if (!visit.end(first, n)) return;
    }
}

/// Hashes have a loop of their own where that pays.
template <class O, class L, class Visit>
inline void take_all(const TargetOf<L>& t, const Batch& b, Visit& visit) {
    if constexpr (O::has_half_products || has<TestHashes, L>)
        if (b.hashed) return for_each_chunk<O, L, true>(t, b, visit);
    for_each_chunk<O, L>(t, b, visit);
}

template <class O, class L>
struct Lookup {
    static constexpr bool only_reads = true, takes_narrow = true;
    const TargetOf<L> t;  // a copy: stores of answers, which are bytes, cannot change it
    const Output output;
    void* const out;
    std::size_t found = 0;
    typename L::Answers answers;

    Lookup(const TargetOf<L>& target, Output kind, void* to) : t(target), output(kind), out(to) {}

    void stage(const Hashes<O>& hashes, typename L::Stage& s, std::size_t i) {
        L::stage(t, hashes, s, i);
    }
    void vector(const typename L::Stage& s, std::size_t at, std::size_t i, std::size_t) {
        L::test(t, s, at, answers, i);
    }
    bool end(std::size_t first, std::size_t n) {
        std::uint64_t hits = answers.hits();
        if (n < chunk_keys) hits &= (std::uint64_t{1} << n) - 1;
        write_hits<O>(hits, first, n, output, out, found);
        found += static_cast<std::size_t>(__builtin_popcountll(hits));
        return true;
    }
};

template <class O, class L>
struct Insert {
    static constexpr bool only_reads = false, takes_narrow = false;
    const TargetOf<L> t;
    std::size_t inserted = 0;
    bool full = false;

    void stage(const Hashes<O>& hashes, typename L::Stage& s, std::size_t i) {
        if constexpr (has<StageInsert, L>) L::stage_insert(t, hashes, s, i);
        else L::stage(t, hashes, s, i);
    }
    void vector(const typename L::Stage& s, std::size_t at, std::size_t, std::size_t n) {
        if (full) return;
        const std::size_t done = L::insert(t, s, at, n);
        inserted += done;
        full = done < n;
    }
    bool end(std::size_t, std::size_t) { return !full; }
};

template <class O, class L>
SIMDBLOOM_KERNEL std::size_t lookup(const TargetOf<L>& t, Batch b, Output output, void* out) {
    if constexpr (has<OwnLookup, L>) {
        return L::lookup(t, b, output, out);
    } else {
        Lookup<O, L> visit(t, output, out);
        take_all<O, L>(t, b, visit);
        return visit.found;
    }
}

template <class O, class L>
SIMDBLOOM_KERNEL std::size_t insert(const TargetOf<L>& t, Batch b) {
    Insert<O, L> visit{t};
    if constexpr (has<InsertChunk, L>) for_each_chunk<O, L, false, L::insert_chunk>(t, b, visit);
    else take_all<O, L>(t, b, visit);
    return visit.inserted;
}

/// Answers key by key in general registers, except for layouts that test a block at once. A call of
/// lookup takes 45 (AVX2) to 60 ns (AVX-512) for up to eight keys, because vectors wait for their
/// own stores; a call of `few` 8 ns and 2 to 15 ns for each key. L::few_below is the number of keys
/// at which the two take the same time (16 KiB), L::few_inserts_below that of inserts.
template <class O, class L>
SIMDBLOOM_KERNEL std::uint64_t few(const TargetOf<L>& t, const std::uint64_t* keys, std::size_t n,
                                   bool hashed) {
    const TargetOf<L> target = t;
    const std::uint64_t folded_seed = fold_seed<Ops<ScalarArch>>(t.seed);
    std::uint64_t hits = 0;
#pragma GCC unroll 1
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t hash =
            hashed ? keys[i] : mix_vector<Ops<ScalarArch>>(keys[i], folded_seed);
        std::uint64_t hit;
        if constexpr (has<TestKey, L>) {
            hit = L::test_key(target, hash);
        } else {
            using Scalar = typename L::template Over<Ops<ScalarArch>>;
            typename Scalar::Stage stage;
            typename Scalar::Answers answer;
            Scalar::stage(target, hash, stage, 0);
            Scalar::test(target, stage, 0, answer, 0);
            hit = answer.hits();
        }
        hits |= hit << i;
    }
    return hits;
}

template <class L>
constexpr std::uint32_t few_inserts_below() {
    if constexpr (has<FewInsertsBelow, L>) return L::few_inserts_below;
    else return L::few_below;
}

template <Operations O, KernelLayout<O> L>
constexpr KernelsFor<TargetOf<L>> kernels_of() {
    return {&lookup<O, L>, &few<O, L>, L::few_below, few_inserts_below<L>(), &insert<O, L>};
}

}  // namespace
}  // namespace simdbloom::detail
