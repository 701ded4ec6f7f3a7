// Which sets have a key, without false positives: a hash table from keys to lists of sets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "simdbloom/hash.hpp"

namespace simdbloom::bench {

/// Keys that are in the same sets share their list. A list is a shorter one and one more set. No
/// key may be 2^64 - 1.
class ExactIndex {
public:
    /// With open addressing, 70 % full.
    explicit ExactIndex(std::span<const std::vector<std::uint64_t>> sets) {
        // A 64th of the keys says how many are distinct.
        std::vector<std::uint64_t> some;
        for (const auto& keys : sets)
            for (const auto key : keys)
                if (hash_key(key, seed) % 64 == 0) some.push_back(key);
        std::ranges::sort(some);
        const auto repeated = std::ranges::unique(some);
        const std::size_t slots = (some.size() - repeated.size() + 64) * 64 * 10 / 7;
        keys_.assign(slots, none);
        lists_.assign(slots, 0);
        for (std::uint32_t set = 0; set < sets.size(); ++set) insert(set, sets[set]);
        longer_.clear();
    }

    /// counts[s] = how many of the keys are in set s.
    void count_per_set(std::span<const std::uint64_t> keys, std::span<std::uint64_t> counts) const {
        std::ranges::fill(counts, 0);
        for (const auto key : keys) {
            __builtin_prefetch(&keys_[first_slot(key)]);
            __builtin_prefetch(&lists_[first_slot(key)]);
        }
        for (const auto key : keys)
            for (auto list = lists_[slot_of(key)]; list != 0; list = all_lists_[list].shorter)
                ++counts[all_lists_[list].set];
    }
    std::size_t bytes() const {
        return keys_.size() * (sizeof(keys_[0]) + sizeof(lists_[0])) +
               all_lists_.size() * sizeof(all_lists_[0]);
    }

private:
    static constexpr std::uint64_t none = ~std::uint64_t{0}, seed = 11;

    /// List 0 is empty.
    struct List {
        std::uint32_t shorter, set;
    };

    std::size_t first_slot(std::uint64_t key) const {
        return static_cast<std::size_t>(
            static_cast<unsigned __int128>(hash_key(key, seed)) * keys_.size() >> 64);
    }
    std::size_t slot_of(std::uint64_t key) const {
        std::size_t slot = first_slot(key);
        while (keys_[slot] != key && keys_[slot] != none)
            slot = slot + 1 == keys_.size() ? 0 : slot + 1;
        return slot;
    }
    void insert(std::uint32_t set, std::span<const std::uint64_t> keys) {
        constexpr std::size_t ahead = 16;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const std::size_t next = first_slot(keys[std::min(i + ahead, keys.size() - 1)]);
            __builtin_prefetch(&keys_[next]);
            __builtin_prefetch(&lists_[next]);
            const std::size_t slot = slot_of(keys[i]);
            keys_[slot] = keys[i];
            auto& list = lists_[slot];
            if (list != 0 && all_lists_[list].set == set) continue;
            const auto [longer, is_new] = longer_.try_emplace(
                std::uint64_t{list} << 32 | set, static_cast<std::uint32_t>(all_lists_.size()));
            if (is_new) all_lists_.push_back({list, set});
            list = longer->second;
        }
    }

    std::vector<std::uint64_t> keys_;
    std::vector<std::uint32_t> lists_;
    std::vector<List> all_lists_{{0, 0}};
    std::unordered_map<std::uint64_t, std::uint32_t> longer_;  // by the shorter list and the set
};

}  // namespace simdbloom::bench
