// What both banks do with batches and bitmaps.
#pragma once

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/filters/interface.hpp"

namespace simdbloom::detail {

/// Calls use(first, hashes) for pieces of a batch, which are hashes where they lie or are hashed.
template <class Bank, class Use>
void for_each_hash_of_bank(const Bank& bank, const Keys& keys, const Use& use) {
    if (keys.are_hashes()) use(std::size_t{0}, keys.words());
    else for_each_hash(bank, keys, use);
}

/// Calls use(set) for the sets of one bitmap.
template <class Use>
void for_each_set(std::span<const std::uint8_t> bitmap, const Use& use) {
    for (std::size_t at = 0; at < bitmap.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bitmap.data() + at, std::min<std::size_t>(8, bitmap.size() - at));
        std::uint32_t sets[64];
        const std::size_t n = write_answers(little_endian(word), 64, 8 * at, Output::select, sets);
        for (std::size_t i = 0; i < n; ++i) use(sets[i]);
    }
}

/// Throws std::length_error where bitmaps of so many bytes a key have no room.
inline void check_bitmaps(const Keys& keys, std::size_t bytes, std::span<std::uint8_t> bitmaps) {
    if (bytes != 0 && bitmaps.size() / bytes < keys.size())
        throw std::length_error("simdbloom: bitmaps of " + std::to_string(bitmaps.size()) +
                                " bytes are too short for " + std::to_string(keys.size()) +
                                " keys of " + std::to_string(bytes) + " bytes each");
    check_apart(keys.memory(), std::as_bytes(bitmaps));
}

inline void check_counts(const Keys& keys, std::size_t sets, std::span<std::uint64_t> counts) {
    if (counts.size() < sets)
        throw std::length_error("simdbloom: room for " + std::to_string(counts.size()) +
                                " counts is too short for " + std::to_string(sets) + " sets");
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
    throw std::out_of_range("simdbloom: set " + std::to_string(set) + " of a bank of " +
                            std::to_string(sets) + " sets");
}

}  // namespace simdbloom::detail
