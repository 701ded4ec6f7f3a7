// What combines filters of bits, without the type of the filter.
#pragma once

#include <cstring>

#include "simdbloom/detail/errors.hpp"
#include "simdbloom/detail/geometry.hpp"
#include "simdbloom/detail/set_operations.hpp"

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

/// A filter of no keys with a `parts`-th of the size, which throws unless `parts` divides it.
template <class F>
F empty_copy(const F& from, std::uint64_t parts = 1) {
    from.check_takes_keys();
    if (parts == 0 || from.blocks() % parts != 0)
        throw argument_error(from.blocks(), " blocks cannot be folded by a factor of ", parts);
    Options options;
    options.isa = from.isa();
    options.seed = from.seed();
    options.hashing = from.hashing();
    options.secret = from.secret();
    options.key_kind = from.key_kind();
    return F({from.layout(), from.blocks() / parts, from.n_keys()}, options);
}

inline constexpr auto in_either = [](auto a, auto b) { return a | b; };
inline constexpr auto in_both = [](auto a, auto b) { return a & b; };

}  // namespace simdbloom::detail
