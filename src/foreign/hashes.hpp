// The hash functions of other systems, written from their published descriptions and tested against
// published values (tests/foreign/foreign_hashes_test.cpp).
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "simdbloom/detail/little_endian.hpp"

namespace simdbloom::foreign {

struct Hash128 {
    std::uint64_t low, high;
};
/// MurmurHash3_x64_128 with seed 0 (Guava, bits-and-blooms). `one_more` appends a byte 1 to the
/// key.
Hash128 murmur128(std::string_view key, bool one_more = false) noexcept;

/// Spark's MurmurHash3 of 32 bits (Murmur3_x86_32.hashUnsafeBytes): each byte behind the last whole
/// word is a signed word of its own; MurmurHash3 packs the rest into one word. Eight bytes hash as
/// hashLong does.
std::uint32_t spark_murmur32(std::string_view key, std::uint32_t seed) noexcept;

/// FastHash of Kudu and Impala, folded to 32 bits. Inlined: eight bytes take 1 ns less.
[[gnu::always_inline]] inline std::uint32_t fast_hash32(std::string_view key,
                                                        std::uint32_t seed) noexcept {
    constexpr std::uint64_t multiplier = 0x880355F21E6D1965u;
    const auto mix = [](std::uint64_t h) {
        h = (h ^ h >> 23) * 0x2127599BF4325C37u;
        return h ^ h >> 47;
    };
    std::uint64_t h = seed ^ key.size() * multiplier;
    std::size_t at = 0;
    for (; at + 8 <= key.size(); at += 8)
        h = (h ^ mix(detail::load_le<std::uint64_t>(key.data() + at))) * multiplier;
    if (at < key.size()) {
        char tail[8] = {};
        std::memcpy(tail, key.data() + at, key.size() - at);
        h = (h ^ mix(detail::load_le<std::uint64_t>(tail))) * multiplier;
    }
    h = mix(h);
    return static_cast<std::uint32_t>(h - (h >> 32));
}

/// RocksDB's Hash with LevelDB's seed: LevelDB's hash with signed bytes behind the last whole word.
std::uint32_t rocksdb_hash32(std::string_view key) noexcept;
/// RocksDB's GetSliceHash64: XXH3 before its release (xxHash 0.7.2), seed 0. The empty key has a
/// special value.
std::uint64_t rocksdb_hash64(std::string_view key) noexcept;

}  // namespace simdbloom::foreign
