// Batches of keys against the kernels of a filter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/kernels/table.hpp"
#include "simdbloom/detail/batch.hpp"
#include "simdbloom/keys.hpp"

namespace simdbloom::detail {

/// The answers of words that need no secret. Small batches go key by key.
template <class T>
std::size_t answer_words(const KernelsFor<T>& kernels, const T& target,
                         std::span<const std::uint64_t> words, bool hashed, Output output,
                         void* out) {
    const std::size_t n = words.size();
    if (n >= kernels.few_below)
        return kernels.lookup(target, {words.data(), n, hashed}, output, out);
    return write_answers(kernels.few(target, words.data(), n, hashed), n, 0, output, out);
}

/// The answers of any keys, a piece of hashes at a time. Apart, so that its 8 KiB are not on the
/// stack of the others.
template <class T>
[[gnu::noinline]] std::size_t answer_hashed(const KernelsFor<T>& kernels, const T& target,
                                            const KeyHash& hash, Isa isa, const Keys& keys,
                                            Output output, void* out) {
    return answer_pieces(hash, isa, keys, output, out, [&](auto hashes, void* to) {
        return answer_words(kernels, target, hashes, true, output, to);
    });
}

/// Answers as Kernels::lookup does. `out` has room, as check_bitmap and check_positions make sure.
template <class T>
std::size_t answer(const KernelsFor<T>& kernels, const T& target, const KeyHash& hash, Isa isa,
                   const Keys& keys, Output output, void* out) {
    if (takes_as_words(hash, keys))
        return answer_words(kernels, target, keys.words(), keys.are_hashes(), output, out);
    if (keys.are_narrow() && !hash.keyed()) {
        const std::size_t n = keys.size();
        if (n >= kernels.few_below)
            return kernels.lookup(
                target,
                {nullptr, n, false, keys.narrow(),
                 keys.form() == Keys::Form::signed32 ? std::uint64_t{1} << 31 : 0},
                output, out);
        std::uint64_t words[chunk_keys];
        words[0] = 0;  // for GCC, which sees no key
        keys.widen(0, n, words);
        return answer_words(kernels, target, {words, n}, false, output, out);
    }
    return answer_hashed(kernels, target, hash, isa, keys, output, out);
}

/// Inserts as Kernels::insert does.
template <class T>
std::size_t take(const KernelsFor<T>& kernels, const T& target, const KeyHash& hash, Isa isa,
                 const Keys& keys) {
    return insert_parts(hash, isa, keys, [&](std::span<const std::uint64_t> words, bool hashed) {
        return kernels.insert(target, {words.data(), words.size(), hashed});
    });
}

}  // namespace simdbloom::detail
