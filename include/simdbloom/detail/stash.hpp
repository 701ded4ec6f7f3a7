// The few keys of a table that have no place in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simdbloom/detail/moved.hpp"
#include "simdbloom/detail/scatter.hpp"

namespace simdbloom::detail {

/// Whole hashes, each as often as it was inserted, in an open-addressed array that is at most half
/// full.
class Stash {
public:
    bool empty() const noexcept { return held_ == 0; }
    std::size_t size() const noexcept { return held_; }
    /// Bytes of the array, and what they would be with one hash more.
    std::size_t bytes() const noexcept { return slots_.size() * sizeof(std::uint64_t); }
    std::size_t bytes_with_one_more() const noexcept {
        return size_for(held_ + 1) * sizeof(std::uint64_t);
    }

    bool contains(std::uint64_t hash) const noexcept;
    /// Slots that a look for this hash goes over.
    std::size_t probes(std::uint64_t hash) const noexcept;
    unsigned copies(std::uint64_t hash) const noexcept;
    /// Either goes in, or nothing has changed and std::bad_alloc is thrown, or for the first one
    /// std::system_error where the operating system has no random bits.
    void insert(std::uint64_t hash);
    /// Removes one copy; false if there is none.
    bool erase(std::uint64_t hash) noexcept;
    /// All of them, ascending.
    std::vector<std::uint64_t> sorted() const;
    void clear() noexcept;

private:
    std::size_t size_for(std::size_t held) const noexcept;
    std::size_t home(std::uint64_t hash) const noexcept;
    std::size_t slot_of(std::uint64_t hash) const noexcept;
    void put(std::uint64_t hash) noexcept;

    Taken<std::vector<std::uint64_t>> slots_;  // 0: empty; a power of two of them, or none
    Taken<std::size_t> held_, zeros_;          // hashes that are 0 are only counted
    Scatter scatter_;
};

}  // namespace simdbloom::detail
