// The few keys of a table that found no place in it.
#pragma once

#include <vector>

#include "simdbloom/detail/moved.hpp"
#include "simdbloom/hash.hpp"

namespace simdbloom::detail {

/// A multiset of whole hashes, in an open-addressed array that is at most half full.
class Stash {
public:
    bool empty() const noexcept { return held_ == 0; }
    std::size_t size() const noexcept { return held_; }
    /// The bytes of the array: now, and with one hash more.
    std::size_t bytes() const noexcept { return slots_.size() * sizeof(std::uint64_t); }
    std::size_t bytes_with_one_more() const noexcept {
        return size_for(held_ + 1) * sizeof(std::uint64_t);
    }
    /// Of a stash that holds `held` hashes and never held more.
    static std::uint64_t bytes_for(std::uint64_t held) noexcept;
    /// Makes room for `held` hashes, so that inserts up to there allocate nothing. Throws as
    /// insert.
    void reserve(std::size_t held);

    bool contains(std::uint64_t hash) const noexcept;
    /// The number of slots that a lookup of this hash looks at.
    std::size_t probes(std::uint64_t hash) const noexcept;
    unsigned copies(std::uint64_t hash) const noexcept;
    /// Inserts one copy. If it throws, nothing has changed. Throws std::bad_alloc, and for the
    /// first hash std::system_error if the operating system has no random bits.
    void insert(std::uint64_t hash);
    /// Removes one copy. Returns false if there is none.
    bool erase(std::uint64_t hash) noexcept;
    /// All hashes, ascending.
    std::vector<std::uint64_t> sorted() const;
    void clear() noexcept;

private:
    std::size_t size_for(std::size_t held) const noexcept;
    std::size_t home(std::uint64_t hash) const noexcept;
    std::size_t slot_of(std::uint64_t hash) const noexcept;
    void put(std::uint64_t hash) noexcept;

    ZeroedByMove<std::vector<std::uint64_t>> slots_;  // 0: empty; a power of two of them, or none
    ZeroedByMove<std::size_t> held_, zeros_;          // hashes that are 0 are only counted
    // Drawn for each stash: who chooses the hashes cannot choose where they go. A product with one
    // odd number drawn at random is not enough. With 4,096 hashes that are equally far apart, in
    // 8,192 slots, a search looked at more than 4 slots under one draw in twenty, and at 1,654
    // under the worst of 20,000 draws. Random hashes take 1.5.
    Secret secret_{};
};

}  // namespace simdbloom::detail
