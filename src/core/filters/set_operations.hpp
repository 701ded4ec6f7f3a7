// Operations that combine filters of bits with each other and with themselves, without the type of
// the filter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "simdbloom/detail/geometry.hpp"
#include "simdbloom/filter.hpp"
#include "simdbloom/options.hpp"

namespace simdbloom::detail {

/// into = operation(into, from), word by word. `operation` is bitwise, so the order of bytes in a
/// word does not matter. `bytes` is a multiple of 4, as the blocks of all Bloom layouts are.
template <class Operation>
void combine(std::byte* into, const std::byte* from, std::size_t bytes,
             Operation operation) noexcept {
    const auto words = [&]<class Word>(std::size_t at, Word) {
        for (; at + sizeof(Word) <= bytes; at += sizeof(Word)) {
            Word a, b;
            std::memcpy(&a, into + at, sizeof a);
            std::memcpy(&b, from + at, sizeof b);
            a = operation(a, b);
            std::memcpy(into + at, &a, sizeof a);
        }
        return at;
    };
    words(words(0, std::uint64_t{}), std::uint32_t{});
}

/// Throws std::invalid_argument naming what differs: layout, size, hash, seed or key.
void check_alike(const FilterBase& a, const FilterBase& b);
void unite(FilterBase& into, const FilterBase& from);
void intersect(FilterBase& into, const FilterBase& with);
void set_all_bits(FilterBase& filter);
/// The size of the filter when every `parts` adjacent blocks become one. Throws
/// std::invalid_argument if `parts` does not divide the number of blocks.
Geometry folded_geometry(const FilterBase& filter, std::uint64_t parts);
/// ORs the blocks of `whole` into the empty filter `to`, which is a fraction of its size.
void fold(FilterBase& to, const FilterBase& whole) noexcept;
Options options_of_a_copy(const FilterBase& filter);
std::uint64_t smallest_part(const FilterBase& filter) noexcept;

}  // namespace simdbloom::detail
