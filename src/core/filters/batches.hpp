// Batches of keys against the kernels of a filter.
#pragma once

#include "core/dispatch/tuner.hpp"
#include "simdbloom/detail/batch.hpp"

namespace simdbloom::detail {

inline Batch part_of(Batch batch, const Tuner& slice) noexcept {
    batch.size = slice.keys();
    if (batch.narrow != nullptr) batch.narrow += slice.first();
    else batch.keys += slice.first();
    return batch;
}

/// The answers of n keys; look_up(target, slice, out) writes those of a slice.
template <class T, class LookUp>
[[gnu::always_inline]] inline std::size_t answer_slices(const T& target, const void* kernels,
                                                        bool may_halve, std::size_t n,
                                                        Output output, void* out,
                                                        const LookUp& look_up) {
    std::size_t found = 0;
    in_slices(target, static_cast<unsigned>(output), kernels, may_halve, n,
              [&](const T& with, const Tuner& slice) {
                  found += answer_part(output, out, slice.first(), found,
                                       [&](void* to) { return look_up(with, slice, to); });
                  return true;
              });
    return found;
}

/// The answers of words that need no secret, in the fastest way; small batches go key by key.
/// `halves`, unless null, are kernels that load a line in two halves.
template <class T>
std::size_t tuned_lookup(const KernelsFor<T>& kernels, const KernelsFor<T>* halves, const T& target,
                         const Batch& batch, Output output, void* out) {
    if (batch.size < kernels.few_below)
        return write_answers(kernels.few(target, batch.keys, batch.size, batch.hashed), batch.size,
                             0, output, out);
    if (target.prefetching.way != Prefetch::tuned)
        return kernels.lookup(target, batch, output, out);
    return answer_slices(target, &kernels, halves != nullptr, batch.size, output, out,
                         [&](const T& with, const Tuner& slice, void* to) {
                             const auto& fastest =
                                 slice.way() == BatchWay::halved ? *halves : kernels;
                             return fastest.lookup(with, part_of(batch, slice), output, to);
                         });
}

/// kernels.insert() in the fastest way.
template <class T>
std::size_t tuned_insert(const KernelsFor<T>& kernels,
                         const std::type_identity_t<KernelsFor<T>>* halves, const T& target,
                         const Batch& batch) {
    if (target.prefetching.way != Prefetch::tuned) return kernels.insert(target, batch);
    std::size_t inserted = 0;
    in_slices(target, insert_call, &kernels, halves != nullptr, batch.size,
              [&](const T& with, const Tuner& slice) {
                  const auto& fastest = slice.way() == BatchWay::halved ? *halves : kernels;
                  const std::size_t here = fastest.insert(with, part_of(batch, slice));
                  inserted += here;
                  return here == slice.keys();
              });
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
