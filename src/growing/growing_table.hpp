// Operations on the slots of a growing cuckoo table, one key at a time. growing/slots.hpp
// defines the slots.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "growing/slots.hpp"

namespace simdbloom::detail {

/// The number of slots with each number of movable bits.
using GrowingLengths = std::array<std::uint64_t, growing_max_movable_bits + 1>;

/// work.operator()<slot_bits>() for 12, 16 or 20.
template <class Work>
auto with_growing_slots(unsigned slot_bits, Work work) {
    switch (slot_bits) {
        case 12:
            return work.template operator()<12>();
        case 16:
            return work.template operator()<16>();
        default:
            return work.template operator()<20>();
    }
}

/// The roots for that many keys. Throws std::invalid_argument for zero keys, std::length_error for
/// more than 2^32 - 1 roots.
std::uint64_t growing_roots_for(std::size_t first_keys);

GrowingPlace growing_place(std::uint64_t hash, unsigned slot_bits, std::uint64_t roots,
                           unsigned growths) noexcept;
bool growing_contains(const std::byte* bits, unsigned slot_bits,
                      const GrowingPlace& place) noexcept;
/// The number of matching slots in the two buckets.
unsigned growing_copies(const std::byte* bits, unsigned slot_bits,
                        const GrowingPlace& place) noexcept;
/// Empties the matching slot with the most movable bits and returns their number, or -1 if none
/// matches.
int growing_erase(std::byte* bits, unsigned slot_bits, const GrowingPlace& place) noexcept;
/// Splits bucket b of `from` into 2b and 2b + 1 of `to`, which is empty.
void growing_double(const std::byte* from, std::uint64_t buckets, std::byte* to,
                    unsigned slot_bits) noexcept;
/// Counts the slots. Returns false if a slot holds an invalid entry.
bool growing_lengths(const std::byte* bits, std::uint64_t buckets, unsigned slot_bits,
                     GrowingLengths& lengths) noexcept;

}  // namespace simdbloom::detail
