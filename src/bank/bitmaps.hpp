// What both banks do with batches and bitmaps.
#pragma once

#include <bit>
#include <vector>

#include "bank/kernel_table.hpp"
#include "core/extension.hpp"

namespace simdbloom::detail {

/// Calls use(first, hashes) for pieces of a batch, which are hashes where they lie or are hashed.
template <class Bank, class Use>
void for_each_hash_of_bank(const Bank& bank, const Keys& keys, const Use& use) {
    if (keys.are_hashes()) return use(std::size_t{0}, keys.words());
    for_each_hash(bank.key_hash(), bank.isa(), keys, [&](auto first, auto hashes) {
        use(first, hashes);
        return true;
    });
}

/// Calls use(word, bit of it) for each bit that is set, from word 0 on. Most words of a bitmap are
/// 0. The others are found 64 at a time, so that a word of zeros costs no branch.
template <class Use>
void for_each_bit(const BankKernels& kernels, std::span<const std::uint8_t> bitmap,
                  const Use& use) {
    const auto* const bytes = std::as_bytes(bitmap).data();
    const std::size_t words = bitmap.size() / 8;
    for (std::size_t first = 0; first < words; first += 64) {
        std::uint64_t some =
            kernels.nonzero(bytes + 8 * first, std::min<std::size_t>(64, words - first));
        for (; some != 0; some &= some - 1) {
            const std::size_t w = first + static_cast<unsigned>(std::countr_zero(some));
            for (auto word = load_le<std::uint64_t>(bytes + 8 * w); word != 0; word &= word - 1)
                use(w, static_cast<unsigned>(std::countr_zero(word)));
        }
    }
    for (std::size_t i = 64 * words; i < 8 * bitmap.size(); ++i)
        if ((bitmap[i / 8] >> i % 8 & 1) != 0) use(words, static_cast<unsigned>(i % 64));
}

/// Throws std::length_error where bitmaps of so many bytes a key have no room.
inline void check_bitmaps(const Keys& keys, std::size_t bytes, std::span<std::uint8_t> bitmaps) {
    if (bytes != 0 && bitmaps.size() / bytes < keys.size())
        throw length_error("bitmaps of ", bitmaps.size(), " bytes are too short for ", keys.size(),
                           " keys of ", bytes, " bytes each");
    check_apart(keys.memory(), std::as_bytes(bitmaps));
}

inline void check_counts(const Keys& keys, std::size_t sets, std::span<std::uint64_t> counts) {
    if (counts.size() < sets)
        throw length_error("room for ", counts.size(), " counts is too short for ", sets, " sets");
    check_apart(keys.memory(), std::as_bytes(counts));
}

/// select_sets of a bank.
template <class Bank>
std::vector<std::uint32_t> sets_with(const Bank& bank, const Keys& keys, std::size_t least) {
    std::vector<std::uint64_t> counts(bank.sets());
    bank.count_per_set(keys, counts);
    std::vector<std::uint32_t> sets;
    for (std::size_t s = 0; s < counts.size(); ++s)
        if (counts[s] >= least) sets.push_back(static_cast<std::uint32_t>(s));
    return sets;
}

[[noreturn]] inline void throw_no_set(std::size_t set, std::size_t sets) {
    throw std::out_of_range(to_text("simdbloom: set ", set, " of a bank of ", sets, " sets"));
}

}  // namespace simdbloom::detail
