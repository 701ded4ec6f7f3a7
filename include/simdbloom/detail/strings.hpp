// Batches of strings, as kernels read them, and their hashes.
#pragma once

#include "simdbloom/detail/little_endian.hpp"
#include "simdbloom/hash.hpp"
#include "simdbloom/isa.hpp"

namespace simdbloom::detail {

// Where the strings of a batch lie: bytes(i) and size(i) of string i, from(first) for those behind.

/// The bytes of string_views: of each an address and a size, in the order of the standard library.
/// They are copied out, because a string_view is not an array of words.
struct StringViews {
    static constexpr std::size_t stride = 2 * sizeof(std::size_t);
    const char* addresses;  ///< of string 0, and every `stride` bytes from there on
    const char* sizes;

    [[gnu::always_inline]] const char* bytes(std::size_t i) const {
        const char* address;
        __builtin_memcpy(&address, addresses + stride * i, sizeof address);
        return address;
    }
    [[gnu::always_inline]] std::uint64_t size(std::size_t i) const {
        std::size_t size;
        __builtin_memcpy(&size, sizes + stride * i, sizeof size);
        return size;
    }
    [[gnu::always_inline]] StringViews from(std::size_t first) const {
        return {addresses + stride * first, sizes + stride * first};
    }
};

/// String i goes from offsets[i] to offsets[i + 1], which is not below it.
template <class Offset>
struct StringOffsets {
    const char* base;
    const Offset* offsets;

    [[gnu::always_inline]] const char* bytes(std::size_t i) const { return base + offsets[i]; }
    [[gnu::always_inline]] std::uint64_t size(std::size_t i) const {
        return static_cast<std::uint64_t>(offsets[i + 1] - offsets[i]);
    }
    [[gnu::always_inline]] StringOffsets from(std::size_t first) const {
        return {base, offsets + first};
    }
};

/// Records of 16 bytes, as of DuckDB: a 32-bit size, then the string, or 4 bytes and its address.
struct SIMDBLOOM_API InlinedStrings {
    const char* records;

    [[gnu::always_inline]] const char* bytes(std::size_t i) const {
        const char* const inlined = records + 16 * i + 4;
        const char* elsewhere;
        __builtin_memcpy(&elsewhere, inlined + 4, sizeof elsewhere);
        return size(i) <= 12 ? inlined : elsewhere;
    }
    [[gnu::always_inline]] std::uint64_t size(std::size_t i) const {
        std::uint32_t size;
        __builtin_memcpy(&size, records + 16 * i, sizeof size);
        return size;
    }
    [[gnu::always_inline]] InlinedStrings from(std::size_t first) const {
        return {records + 16 * first};
    }
};

/// XXH64 with that seed or, where `secret` is not null, SipHash.
struct StringHash {
    std::uint64_t seed;
    const Secret* secret;
};

/// The hash of each of n strings. Throws std::invalid_argument if this machine cannot run the ISA.
template <class Strings>
SIMDBLOOM_API void hash_strings(const Strings& strings, std::size_t n, const StringHash& hash,
                                Isa isa, std::uint64_t* hashes);
SIMDBLOOM_API void hash_strings(std::span<const std::string_view> strings, const StringHash& hash,
                                Isa isa, std::uint64_t* hashes);

/// The same of n strings of any type: view_of(i) gives the string_view of string i.
template <class ViewOf>
void hash_views(std::size_t n, const StringHash& hash, Isa isa, std::uint64_t* hashes,
                const ViewOf& view_of) {
    constexpr std::size_t part = 64;
    std::string_view views[part];
    for (std::size_t first = 0; first < n; first += part) {
        const std::size_t here = n - first < part ? n - first : part;
        for (std::size_t i = 0; i < here; ++i) views[i] = view_of(first + i);
        hash_strings({views, here}, hash, isa, hashes + first);
    }
}

}  // namespace simdbloom::detail
