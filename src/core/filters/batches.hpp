// Batches of keys against the kernels of a filter.
#pragma once

#include "core/dispatch/tuner.hpp"
#include "simdbloom/detail/batch.hpp"

namespace simdbloom::detail {

inline Batch part_of(const Batch& batch, std::size_t first, std::size_t n) noexcept {
    Batch part = batch;
    part.size = n;
    if (batch.narrow != nullptr) part.narrow += first;
    else part.keys += first;
    return part;
}

/// The answers of a batch of n keys, slice by slice: look_up(way, first, n, out) has those of one.
template <class LookUp>
std::size_t answer_in_slices(Tuner tuner, std::size_t n, Output output, void* out,
                             const LookUp& look_up) {
    std::size_t found = 0;
    in_tuned_slices(tuner, n, [&](BatchWay way, std::size_t first, std::size_t here) {
        found += answer_part(output, out, first, found,
                             [&](void* to) { return look_up(way, first, here, to); });
        return true;
    });
    return found;
}

/// kernels.lookup() in the fastest way. `halves`, unless null, are the same kernels of AVX2.
template <class T>
std::size_t tuned_lookup(const KernelsFor<T>& kernels, const KernelsFor<T>* halves, const T& target,
                         const Batch& batch, Output output, void* out) {
    if (target.prefetching.way != Prefetch::tuned)
        return kernels.lookup(target, batch, output, out);
    T with = target;
    const Tuner tuner(target.bits, static_cast<unsigned>(output), &kernels, target.prefetching.size,
                      halves != nullptr);
    return answer_in_slices(tuner, batch.size, output, out,
                            [&](BatchWay way, std::size_t first, std::size_t n, void* to) {
                                with.prefetching.way = prefetch_of(way);
                                return (way == BatchWay::halved ? *halves : kernels)
                                    .lookup(with, part_of(batch, first, n), output, to);
                            });
}

/// kernels.insert() in the fastest way.
template <class T>
std::size_t tuned_insert(const KernelsFor<T>& kernels, const KernelsFor<T>* halves, const T& target,
                         const Batch& batch) {
    if (target.prefetching.way != Prefetch::tuned) return kernels.insert(target, batch);
    T here = target;
    std::size_t inserted = 0;
    in_tuned_slices(
        Tuner(target.bits, insert_call, &kernels, target.prefetching.size, halves != nullptr),
        batch.size, [&](BatchWay way, std::size_t first, std::size_t n) {
            here.prefetching.way = prefetch_of(way);
            const KernelsFor<T>& fastest = way == BatchWay::halved ? *halves : kernels;
            const std::size_t more = fastest.insert(here, part_of(batch, first, n));
            inserted += more;
            return more == n;
        });
    return inserted;
}

/// The answers of words that need no secret. Small batches go key by key.
template <class T>
std::size_t answer_words(const KernelsFor<T>& kernels, const T& target,
                         std::span<const std::uint64_t> words, bool hashed, Output output,
                         void* out, const KernelsFor<T>* halves = nullptr) {
    const std::size_t n = words.size();
    if (n >= kernels.few_below)
        return tuned_lookup(kernels, halves, target, {words.data(), n, hashed}, output, out);
    return write_answers(kernels.few(target, words.data(), n, hashed), n, 0, output, out);
}

/// The answers of any keys, by hashes: apart, so that its 8 KiB are not on the stack of others.
template <class T>
[[gnu::noinline]] std::size_t answer_hashed(const KernelsFor<T>& kernels, const T& target,
                                            const KeyHash& hash, Isa isa, const Keys& keys,
                                            Output output, void* out, const KernelsFor<T>* halves) {
    return answer_pieces(hash, isa, keys, output, out, [&](auto hashes, void* to) {
        return answer_words(kernels, target, hashes, true, output, to, halves);
    });
}

/// Answers as Kernels::lookup does. `out` has room, as check_bitmap and check_positions make sure.
template <class T>
std::size_t answer(const KernelsFor<T>& kernels, const T& target, const KeyHash& hash, Isa isa,
                   const Keys& keys, Output output, void* out,
                   const KernelsFor<T>* halves = nullptr) {
    if (takes_as_words(hash, keys))
        return answer_words(kernels, target, keys.words(), keys.are_hashes(), output, out, halves);
    if (keys.are_narrow() && !hash.keyed()) {
        const std::size_t n = keys.size();
        if (n >= kernels.few_below)
            return tuned_lookup(kernels, halves, target,
                                {nullptr, n, false, keys.narrow(),
                                 keys.form() == Keys::Form::signed32 ? std::uint64_t{1} << 31 : 0},
                                output, out);
        std::uint64_t words[chunk_keys];
        words[0] = 0;  // for GCC, which sees no key
        keys.widen(0, n, words);
        return answer_words(kernels, target, {words, n}, false, output, out);
    }
    return answer_hashed(kernels, target, hash, isa, keys, output, out, halves);
}

/// Inserts as Kernels::insert does.
template <class T>
std::size_t take(const KernelsFor<T>& kernels, const T& target, const KeyHash& hash, Isa isa,
                 const Keys& keys, const KernelsFor<T>* halves = nullptr) {
    return insert_parts(hash, isa, keys, [&](std::span<const std::uint64_t> words, bool hashed) {
        return tuned_insert(kernels, halves, target, {words.data(), words.size(), hashed});
    });
}

}  // namespace simdbloom::detail
