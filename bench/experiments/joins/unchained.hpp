// A hash table whose directory has tags: unchained, after Birler, Schmidt, Fent, Neumann (DaMoN
// 2024). Duplicates of a key are kept.
//
//   directory   [ end of the slot's rows : 48 | tag : 16 ]    a power of two, at least one a row
//   rows        key, value; those of a slot side by side
//
// A tag is a Bloom filter of 16 bits over the keys of its slot, with four bits a key. It comes with
// the entry that a lookup loads anyway, so most absent keys cost that one line.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "simdbloom/hash.hpp"

namespace simdbloom::bench {

class Unchained {
public:
    struct Row {
        std::uint64_t key, value;
    };
    static constexpr std::size_t vector_rows = 2048;

    /// The value of key i is i. Two passes over the keys, without the partitioning of the paper.
    explicit Unchained(std::span<const std::uint64_t> keys)
        : shift_(64 -
                 static_cast<unsigned>(std::bit_width(std::max<std::size_t>(keys.size(), 2) - 1))),
          directory_((std::size_t{1} << (64 - shift_)) + 1),
          rows_(keys.size()) {
        // Entry s + 1 counts the rows of slot s, then says where the next of them goes.
        for (const std::uint64_t key : keys) {
            const std::uint64_t hash = hash_key(key);
            std::uint64_t& entry = directory_[(hash >> shift_) + 1];
            entry = (entry + one_row) | tag_of(hash);
        }
        std::uint64_t sum = 0;
        for (std::uint64_t& entry : directory_) {
            const std::uint64_t count = entry / one_row;
            entry = sum * one_row | entry % one_row;
            sum += count;
        }
        for (std::size_t i = 0; i < keys.size(); ++i) {
            std::uint64_t& entry = directory_[(hash_key(keys[i]) >> shift_) + 1];
            rows_[entry / one_row] = {keys[i], i};
            entry += one_row;
        }
    }

    /// match(i, value) for each row of the table that has key i of at most vector_rows keys. With
    /// `tags` a slot is left alone whose tag says that the key is absent.
    template <bool tags = true, class Match>
    void probe(std::span<const std::uint64_t> keys, const Match& match) const {
        probe_rows<tags>(
            keys.size(), [](std::size_t i) { return static_cast<std::uint32_t>(i); }, keys.data(),
            match);
    }
    /// The same for the keys of those numbers.
    template <bool tags = true, class Match>
    void probe(const std::uint64_t* keys, std::span<const std::uint32_t> numbers,
               const Match& match) const {
        probe_rows<tags>(
            numbers.size(), [&](std::size_t i) { return numbers[i]; }, keys, match);
    }
    std::size_t size_in_bytes() const {
        return directory_.size() * sizeof(std::uint64_t) + rows_.size() * sizeof(Row);
    }

private:
    static constexpr std::uint64_t one_row = 1 << 16;

    /// Masks of four different bits out of 16.
    inline static const std::array<std::uint16_t, 2048> masks_ = [] {
        std::array<std::uint16_t, 2048> all{};
        std::mt19937_64 random(16);
        for (auto& mask : all)
            while (std::popcount(mask) < 4)
                mask = static_cast<std::uint16_t>(mask | 1u << (random() & 15));
        return all;
    }();
    static std::uint64_t tag_of(std::uint64_t hash) { return masks_[hash >> 16 & 2047]; }

    template <bool tags, class Number, class Match>
    void probe_rows(std::size_t n, const Number& number, const std::uint64_t* keys,
                    const Match& match) const {
        std::array<std::uint64_t, vector_rows> hashes, first, last;
        std::array<std::uint32_t, vector_rows> which;
        for (std::size_t i = 0; i < n; ++i) {
            hashes[i] = hash_key(keys[number(i)]);
            __builtin_prefetch(&directory_[hashes[i] >> shift_]);
        }
        std::size_t left = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint64_t* const entry = &directory_[hashes[i] >> shift_];
            which[left] = number(i);
            first[left] = entry[0] / one_row;
            last[left] = entry[1] / one_row;
            const std::uint64_t tag = tags ? tag_of(hashes[i]) : 0;
            left += first[left] != last[left] && (entry[1] & tag) == tag;
        }
        for (std::size_t i = 0; i < left; ++i) __builtin_prefetch(&rows_[first[i]]);
        for (std::size_t i = 0; i < left; ++i)
            for (std::uint64_t r = first[i]; r < last[i]; ++r)
                if (rows_[r].key == keys[which[i]]) match(which[i], rows_[r].value);
    }

    unsigned shift_;
    std::vector<std::uint64_t> directory_;
    std::vector<Row> rows_;
};

}  // namespace simdbloom::bench
