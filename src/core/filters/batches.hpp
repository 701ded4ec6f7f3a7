// Batches of keys against the kernels of a filter: whole as words, else hashed a piece at a time.
#pragma once

#include "core/dispatch/tuner.hpp"
#include "simdbloom/detail/batch.hpp"
#include "simdbloom/detail/key_hash.hpp"
#include "simdbloom/detail/little_endian.hpp"

namespace simdbloom::detail {

/// Whether kernels take the keys as they are: hashes, or words that they hash with the seed.
inline bool takes_as_words(const KeyHash& hash, const Keys& keys) noexcept {
    return keys.are_hashes() || (keys.are_words() && !hash.keyed());
}

/// The keys of a piece: 8 KiB of hashes. A multiple of 64: only the bitmap of the last has a tail.
inline constexpr std::size_t piece_keys = 1024;

/// Calls use(first, n) for the pieces of a batch in order, until it returns false.
template <class Use>
void for_each_piece(std::size_t keys, const Use& use) {
    for (std::size_t first = 0; first < keys; first += piece_keys)
        if (!use(first, std::min(piece_keys, keys - first))) return;
}

/// Calls use(first, hashes) for the hashes of these pieces.
template <class Use>
void for_each_hash(const KeyHash& hash, Isa isa, const Keys& keys, const Use& use) {
    alignas(64) std::uint64_t hashes[piece_keys];
    for_each_piece(keys.size(), [&](std::size_t first, std::size_t n) {
        hash.hash(keys, isa, first, n, hashes);
        return use(first, std::span<const std::uint64_t>(hashes, n));
    });
}

/// Answers one part of a batch and returns how many of its keys were found. The part begins at key
/// `first`; the parts before it found `found` keys. answer(out) numbers the keys of the part from 0
/// and returns how many were found.
template <class Answer>
std::size_t answer_part(Output output, void* out, std::size_t first, std::size_t found,
                        const Answer& answer) {
    void* to = nullptr;
    if (output == Output::bitmap) to = static_cast<std::uint8_t*>(out) + first / 8;
    if (output == Output::select) to = static_cast<std::uint32_t*>(out) + found;
    const std::size_t here = answer(to);
    if (output == Output::select && first != 0)
        for (std::size_t i = 0; i < here; ++i)
            static_cast<std::uint32_t*>(to)[i] += static_cast<std::uint32_t>(first);
    return here;
}

/// Writes the answers of a batch and returns how many keys were found. answer(hashes, out) writes
/// the answers of one piece and returns how many keys of the piece were found.
template <class Answer>
std::size_t answer_pieces(const KeyHash& hash, Isa isa, const Keys& keys, Output output, void* out,
                          const Answer& answer) {
    std::size_t found = 0;
    for_each_hash(hash, isa, keys, [&](std::size_t first, auto hashes) {
        found +=
            answer_part(output, out, first, found, [&](void* to) { return answer(hashes, to); });
        return true;
    });
    return found;
}

/// Calls insert(words, hashed) for the parts of a batch in order, until a part is not taken whole,
/// and returns how many keys were taken. A part: all keys as words, or the hashes of a piece.
template <class Insert>
std::size_t insert_parts(const KeyHash& hash, Isa isa, const Keys& keys, const Insert& insert) {
    if (takes_as_words(hash, keys)) return insert(keys.words(), keys.are_hashes());
    std::size_t taken = 0;
    for_each_hash(hash, isa, keys, [&](std::size_t, auto hashes) {
        const std::size_t here = insert(hashes, true);
        taken += here;
        return here == hashes.size();
    });
    return taken;
}

/// The bitmap of one piece.
class PieceBitmap {
public:
    std::span<std::uint8_t> bytes() noexcept {
        return {reinterpret_cast<std::uint8_t*>(words_), sizeof words_};
    }
    /// The hits of the n <= 64 keys from `first` on, a multiple of 64, for answer_by_hits.
    std::uint64_t hits(std::size_t first, std::size_t n) const noexcept {
        return little_endian(words_[first / 64]) & ~std::uint64_t{0} >> (64 - n);
    }
    void operator|=(const PieceBitmap& other) noexcept {
        for (std::size_t i = 0; i < piece_keys / 64; ++i) words_[i] |= other.words_[i];
    }

private:
    std::uint64_t words_[piece_keys / 64] = {};
};

inline Batch part_of(Batch batch, const Tuner& slice) noexcept {
    batch.size = slice.keys();
    if (batch.narrow != nullptr) batch.narrow += slice.first();
    else batch.keys += slice.first();
    return batch;
}

/// As answer_pieces, for n keys in slices; look_up(target, slice, out) answers one slice.
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

/// Answers words that need no secret, in the fastest way; small batches go key by key.
/// `halves`, unless null, are kernels that load a line in two halves.
template <class T>
std::size_t tuned_lookup(const KernelsFor<T>& kernels, const KernelsFor<T>* halves, const T& target,
                         const Batch& batch, Output output, void* out) {
    if (batch.size < kernels.few_below)
        return write_answers(kernels.few(target, batch.keys, batch.size, batch.hashed), batch.size,
                             0, 0, output, out);
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

/// Answers any keys by their hashes: apart, so that its 8 KiB are not on the stack of others.
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
