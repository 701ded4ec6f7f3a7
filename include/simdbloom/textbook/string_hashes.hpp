// The string hashes of the textbooks, as Hashers: for comparison, for filters that must agree with
// another program's, and as a warning. The one to take is BytesHasher (XXH64).
//
// All of them have 64 bits of state. The seed is xored into the first state, so seed 0 gives the
// published function. Their bits are not well mixed: the filters of this library take the block
// from the high 32 bits and the pattern from the low ones, and need WithKeyHasher<H> in place of H.
// Two seeds are not two functions either: for Bkdr, Djb2 and Sdbm the hashes of a key under two
// seeds differ by an amount that depends only on the length of the key. bench/pages/hashing.md
// shows what both cost.
#pragma once

#include "simdbloom/export.hpp"
#include "simdbloom/hash.hpp"
#include "simdbloom/key_hasher.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// XXH64, with which the library hashes strings and bytes.
struct BytesHasher {
    /// The hash of a key.
    std::uint64_t operator()(std::string_view key, std::uint64_t seed) const noexcept {
        return hash_bytes(key, seed);
    }
    /// The hash of bytes.
    std::uint64_t operator()(std::span<const std::byte> key, std::uint64_t seed) const noexcept {
        return hash_bytes(key, seed);
    }
};

namespace detail {

/// h = h * factor + byte for each byte.
template <std::uint64_t factor, std::uint64_t begin>
struct PolynomialHash {
    /// The hash of a key.
    constexpr std::uint64_t operator()(std::string_view key,
                                       std::uint64_t seed = 0) const noexcept {
        std::uint64_t h = begin ^ seed;
        for (const char c : key) h = h * factor + static_cast<unsigned char>(c);
        return h;
    }
};

}  // namespace detail

/// Fowler, Noll and Vo: 64 bits of FNV-1a (draft-eastlake-fnv, section 5).
struct Fnv1a {
    /// The hash of a key.
    constexpr std::uint64_t operator()(std::string_view key,
                                       std::uint64_t seed = 0) const noexcept {
        std::uint64_t h = 0xCBF29CE484222325u ^ seed;
        for (const char c : key) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
        return h;
    }
};

/// h * 131 + c: the hash of Kernighan and Ritchie (The C Programming Language, 2nd edition,
/// section 6.6, with 31 there) with the factor that it is known by.
struct Bkdr : detail::PolynomialHash<131, 0> {};

/// h * 33 + c from 5381: Bernstein, comp.lang.c.
struct Djb2 : detail::PolynomialHash<33, 5381> {};

/// h * 65599 + c: the sdbm database library.
struct Sdbm : detail::PolynomialHash<65599, 0> {};

/// H followed by KeyHasher. KeyHasher is a bijection: two keys collide if and only if they collide
/// under H.
template <class H>
struct WithKeyHasher {
    H hash{};  ///< the function that is made even
    /// The hash of a key.
    constexpr std::uint64_t operator()(std::string_view key, std::uint64_t seed = 0) const {
        return KeyHasher{}(hash(key, seed));
    }
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
