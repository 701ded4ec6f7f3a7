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

/// The answers of words that need no secret, in the fastest way; small batches go key by key.
/// `halves`, unless null, are the same kernels of AVX2.
template <class T>
std::size_t tuned_lookup(const KernelsFor<T>& kernels, const KernelsFor<T>* halves, const T& target,
                         const Batch& batch, Output output, void* out) {
    if (batch.size < kernels.few_below)
        return write_answers(kernels.few(target, batch.keys, batch.size, batch.hashed), batch.size,
                             0, output, out);
    if (target.prefetching.way != Prefetch::tuned)
        return kernels.lookup(target, batch, output, out);
    T with = target;
    std::size_t found = 0;
    for (Tuner slice(target.bits, static_cast<unsigned>(output), &kernels, target.prefetching,
                     halves != nullptr);
         slice.next(batch.size);) {
        with.prefetching.way = prefetch_of(slice.way());
        const KernelsFor<T>& fastest = slice.way() == BatchWay::halved ? *halves : kernels;
        void* const to = output_from(out, output, slice.first(), found);
        found += number_from(
            slice.first(), output, to,
            fastest.lookup(with, part_of(batch, slice.first(), slice.keys()), output, to));
    }
    return found;
}

/// kernels.insert() in the fastest way.
template <class T>
std::size_t tuned_insert(const KernelsFor<T>& kernels,
                         const std::type_identity_t<KernelsFor<T>>* halves, const T& target,
                         const Batch& batch) {
    if (target.prefetching.way != Prefetch::tuned) return kernels.insert(target, batch);
    T with = target;
    std::size_t inserted = 0;
    for (Tuner slice(target.bits, insert_call, &kernels, target.prefetching, halves != nullptr);
         slice.next(batch.size);) {
        with.prefetching.way = prefetch_of(slice.way());
        const KernelsFor<T>& fastest = slice.way() == BatchWay::halved ? *halves : kernels;
        const std::size_t here = fastest.insert(with, part_of(batch, slice.first(), slice.keys()));
        inserted += here;
        if (here != slice.keys()) break;
    }
    return inserted;
}

/// The answers of any keys, by hashes: apart, so that its 8 KiB are not on the stack of others.
template <class T>
[[gnu::noinline]] std::size_t answer_hashed(const KernelsFor<T>& kernels, const T& target,
                                            const KeyHash& hash, Isa isa, const Keys& keys,
                                            Output output, void* out, const KernelsFor<T>* halves) {
    return answer_pieces(hash, isa, keys, output, out, [&](auto hashes, void* to) {
        return tuned_lookup(kernels, halves, target, {hashes.data(), hashes.size(), true}, output,
                            to);
    });
}

/// Answers as Kernels::lookup does. `out` has room, as check_bitmap and check_positions make sure.
template <class T>
std::size_t answer(const KernelsFor<T>& kernels, const T& target, const KeyHash& hash, Isa isa,
                   const Keys& keys, Output output, void* out,
                   const KernelsFor<T>* halves = nullptr) {
    const std::size_t n = keys.size();
    if (takes_as_words(hash, keys))
        return tuned_lookup(kernels, halves, target, {keys.words().data(), n, keys.are_hashes()},
                            output, out);
    if (keys.are_narrow() && !hash.keyed()) {
        std::uint64_t words[chunk_keys];
        Batch batch{nullptr, n, false};
        if (n < kernels.few_below) {
            words[0] = 0;  // for GCC, which sees no key
            keys.widen(0, n, words);
            batch.keys = words;
        } else {
            batch.narrow = keys.narrow();
            batch.sign = keys.form() == Keys::Form::signed32 ? std::uint64_t{1} << 31 : 0;
        }
        return tuned_lookup(kernels, halves, target, batch, output, out);
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
