// Operations on the slots of a growing cuckoo table, one key at a time. growing/slots.hpp
// defines the slots.
#pragma once

#include <array>

#include "growing/slots.hpp"

namespace simdbloom::detail {

/// The number of slots with each number of movable bits.
using GrowingLengths = std::array<std::uint64_t, growing_max_movable_bits + 1>;

/// The roots for that many keys. Throws std::invalid_argument for zero keys, std::length_error for
/// more than 2^32 - 1 roots.
std::uint64_t growing_roots_for(std::size_t first_keys);

struct GrowingOperations {
    GrowingPlace (*place)(std::uint64_t hash, std::uint64_t roots, unsigned growths) noexcept;
    bool (*insert)(const GrowingTarget&, const GrowingPlace& place) noexcept;
    bool (*contains)(const std::byte* bits, const GrowingPlace& place) noexcept;
    /// The number of matching slots in the two buckets.
    unsigned (*copies)(const std::byte* bits, const GrowingPlace& place) noexcept;
    /// Empties the matching slot with the most movable bits and returns their number, or -1 if none
    /// matches.
    int (*erase)(std::byte* bits, const GrowingPlace& place) noexcept;
    /// Splits bucket b of `from` into 2b and 2b + 1 of `to`, which is empty.
    void (*split)(const std::byte* from, std::uint64_t buckets, std::byte* to) noexcept;
    /// Counts the slots. Returns false if a slot holds an invalid entry.
    bool (*lengths)(const std::byte* bits, std::uint64_t buckets, GrowingLengths& to) noexcept;
};
/// Of slots of 12, 16 or 20 bits.
const GrowingOperations& growing_operations(unsigned slot_bits) noexcept;

}  // namespace simdbloom::detail
