// Batches of keys: the one loop that takes them piece by piece, and the one place outside the
// kernels that writes answers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "simdbloom/detail/little_endian.hpp"
#include "simdbloom/detail/output.hpp"
#include "simdbloom/export.hpp"

namespace simdbloom::detail {

/// Throw std::length_error that names both sizes if the output is too short.
SIMDBLOOM_API void check_bitmap(std::size_t keys, std::size_t bytes);
SIMDBLOOM_API void check_positions(std::size_t keys, std::size_t room);
/// Throws std::invalid_argument if the output overlaps the keys: kernels read keys after they have
/// written answers of keys before them.
SIMDBLOOM_API void check_apart(std::span<const std::byte> keys, std::span<const std::byte> output);

/// words[i] = from[i] for n numbers. In the library, whose flags make vectors of the loop.
SIMDBLOOM_API void widen(const std::uint32_t* from, std::size_t n, std::uint64_t* words) noexcept;
SIMDBLOOM_API void widen(const std::int32_t* from, std::size_t n, std::uint64_t* words) noexcept;

/// The keys of a piece: 8 KiB of hashes. The number is a multiple of 64, so that the bitmap of a
/// piece begins on a byte and only the last piece has a tail.
inline constexpr std::size_t piece_keys = 1024;

/// Calls use(first, n) for the pieces of a batch in order, until it returns false.
template <class Use>
void for_each_piece(std::size_t keys, const Use& use) {
    for (std::size_t first = 0; first < keys; first += piece_keys)
        if (!use(first, std::min(piece_keys, keys - first))) return;
}

/// A batch of 64-bit integers that stay where they are: keys, or hashes of keys.
struct Words {
    std::span<const std::uint64_t> all;
    bool hashed;

    std::size_t size() const noexcept { return all.size(); }
    std::span<const std::byte> memory() const noexcept { return std::as_bytes(all); }
    /// Calls use(first, words) until it returns false.
    template <class Use>
    void for_each(const Use& use) const {
        use(std::size_t{0}, all);
    }
};

/// The same, a piece at a time.
struct WordPieces : Words {
    template <class Use>
    void for_each(const Use& use) const {
        for_each_piece(size(), [&](std::size_t first, std::size_t n) {
            return use(first, all.subspan(first, n));
        });
    }
};

/// A batch that becomes 64-bit integers, keys or hashes, a piece at a time: fill(first, n, words).
template <class Fill>
struct WordSource {
    std::size_t keys;
    bool hashed;
    Fill fill;

    std::size_t size() const noexcept { return keys; }
    template <class Use>
    void for_each(const Use& use) const {
        alignas(64) std::uint64_t words[piece_keys];
        for_each_piece(keys, [&](std::size_t first, std::size_t n) {
            fill(first, n, words);
            return use(first, std::span<const std::uint64_t>(words, n));
        });
    }
};
template <class Fill>
WordSource(std::size_t, bool, Fill) -> WordSource<Fill>;

/// Keys of 32 bits, unsigned or signed: those of 64 bits with the same value. The kernels of a
/// layout take them as they are; elsewhere they are widened a piece at a time.
struct NarrowKeys {
    static constexpr bool hashed = false;
    const std::uint32_t* keys;
    std::size_t n;
    bool is_signed;

    std::size_t size() const noexcept { return n; }
    std::span<const std::byte> memory() const noexcept { return std::as_bytes(std::span(keys, n)); }
    void widen(std::size_t first, std::size_t count, std::uint64_t* words) const noexcept {
        if (is_signed)
            detail::widen(reinterpret_cast<const std::int32_t*>(keys) + first, count, words);
        else detail::widen(keys + first, count, words);
    }
    template <class Use>
    void for_each(const Use& use) const {
        WordSource{n, hashed,
                   [this](std::size_t first, std::size_t count, std::uint64_t* words) {
                       widen(first, count, words);
                   }}
            .for_each(use);
    }
};

/// The place for the answers from key `first` on. `found` is the number of keys found before.
inline void* output_from(void* out, Output output, std::size_t first, std::size_t found) noexcept {
    if (output == Output::bitmap) return static_cast<std::uint8_t*>(out) + first / 8;
    if (output == Output::select) return static_cast<std::uint32_t*>(out) + found;
    return nullptr;
}

/// Writes the answers of a batch, made of the answers of its parts. answer(words, out) writes those
/// of a part as if there were no other, and returns how many keys were found.
template <class Batch, class Answer>
std::size_t answer_batch(const Batch& batch, Output output, void* out, const Answer& answer) {
    std::size_t found = 0;
    batch.for_each([&](std::size_t first, std::span<const std::uint64_t> words) {
        void* const to = output_from(out, output, first, found);
        const std::size_t here = answer(words, to);
        if (output == Output::select && first != 0)
            for (std::size_t i = 0; i < here; ++i)
                static_cast<std::uint32_t*>(to)[i] += static_cast<std::uint32_t>(first);
        found += here;
        return true;
    });
    return found;
}

/// Calls insert(words) for the parts of a batch in order, until a part is not taken whole. Returns
/// how many keys were taken.
template <class Batch, class Insert>
std::size_t insert_batch(const Batch& batch, const Insert& insert) {
    std::size_t taken = 0;
    batch.for_each([&](std::size_t, std::span<const std::uint64_t> words) {
        const std::size_t here = insert(words);
        taken += here;
        return here == words.size();
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

/// Writes the answers of n keys, 64 at a time. hits(first, n) has bit i set if key first + i is
/// found.
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
    /// The hits of the n <= 64 keys from `first` on, a multiple of 64, as answer_by_hits asks for
    /// them.
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
