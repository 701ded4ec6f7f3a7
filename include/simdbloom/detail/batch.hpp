// Batches of keys a piece at a time, and the one place outside the kernels that writes answers.
#pragma once

#include <algorithm>

#include "simdbloom/detail/key_hash.hpp"
#include "simdbloom/detail/little_endian.hpp"
#include "simdbloom/detail/output.hpp"
#include "simdbloom/keys.hpp"

namespace simdbloom::detail {

/// Throw std::length_error that names both sizes if the output is too short.
SIMDBLOOM_API void check_bitmap(std::size_t keys, std::size_t bytes);
SIMDBLOOM_API void check_positions(std::size_t keys, std::size_t room);
/// Throws std::invalid_argument if the output overlaps the keys, which kernels read after writing.
SIMDBLOOM_API void check_apart(std::span<const std::byte> keys, std::span<const std::byte> output);

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

/// The place for the answers from key `first` on. `found` is the number of keys found before.
inline void* output_from(void* out, Output output, std::size_t first, std::size_t found) noexcept {
    if (output == Output::bitmap) return static_cast<std::uint8_t*>(out) + first / 8;
    if (output == Output::select) return static_cast<std::uint32_t*>(out) + found;
    return nullptr;
}

/// Makes `found` positions at `to` count from key `first` on, and returns how many they are.
inline std::size_t number_from(std::size_t first, Output output, void* to, std::size_t found) {
    if (output == Output::select && first != 0)
        for (std::size_t i = 0; i < found; ++i)
            static_cast<std::uint32_t*>(to)[i] += static_cast<std::uint32_t>(first);
    return found;
}

/// Writes the answers of the part of a batch from key `first` on, behind the `found` keys found
/// before, and returns how many keys of it were found. answer(out) writes those of the part alone.
template <class Answer>
std::size_t answer_part(Output output, void* out, std::size_t first, std::size_t found,
                        const Answer& answer) {
    void* const to = output_from(out, output, first, found);
    return number_from(first, output, to, answer(to));
}

/// The answers of a batch; answer(hashes, out) writes those of a piece, as for answer_part.
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

/// Writes the answers of n <= 64 keys as a kernel would, and returns how many were found. Bit i of
/// `hits` says whether key i is found; the bits from n on are 0.
inline std::size_t write_answers(std::uint64_t hits, std::size_t n, std::size_t first,
                                 Output output, void* out) noexcept {
    if (output == Output::bitmap)
        for (std::size_t i = 0; i < n; i += 8)
            static_cast<std::uint8_t*>(out)[i / 8] = static_cast<std::uint8_t>(hits >> i);
    if (output == Output::select) {
        auto* to = static_cast<std::uint32_t*>(out);
        for (std::uint64_t left = hits; left != 0; left &= left - 1)
            *to++ = static_cast<std::uint32_t>(first) +
                    static_cast<std::uint32_t>(std::countr_zero(left));
    }
    return static_cast<std::size_t>(std::popcount(hits));
}

/// Writes the answers of n keys, 64 at a time. hits(first, n) has bit i set if first + i is found.
template <class Hits>
std::size_t answer_by_hits(std::size_t keys, Output output, void* out, const Hits& hits) {
    std::size_t found = 0;
    for (std::size_t first = 0; first < keys; first += 64) {
        const std::size_t n = std::min<std::size_t>(64, keys - first);
        found +=
            write_answers(hits(first, n), n, first, output, output_from(out, output, first, found));
    }
    return found;
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

}  // namespace simdbloom::detail
