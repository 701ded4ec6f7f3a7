// Engines whose filters are split blocks: words of 32 bits, and one bit of a key in each.
#pragma once

#include <array>
#include <cmath>

#include "engines/engine.hpp"
#include "simdbloom/hash.hpp"
#include "simdbloom/key_hasher.hpp"

namespace simdbloom::bench::engines {

/// Blocks of 8 32-bit words. bit(i) is the bit of a key in word i. Compilers make vectors of these
/// loops where they do not unroll them: 1.0 in place of 3.1 ns with AVX2.
struct SplitBlocks {
    static constexpr unsigned width = 8;
    Words<u32> words;

    explicit SplitBlocks(u64 blocks) : words(width * blocks) {}
    u64 size() const { return words.size() / width; }
    u64 bytes() const { return words.bytes(); }
    template <class Bit>
    void insert(u64 block, const Bit& bit) {
        u32* const at = words.data() + width * block;
#pragma GCC unroll 1
        for (unsigned i = 0; i < width; ++i) at[i] |= u32{1} << bit(i);
    }
    template <class Bit>
    bool contains(u64 block, const Bit& bit) const {
        const u32* const at = words.data() + width * block;
        u32 missing = 0;
#pragma GCC unroll 1
        for (unsigned i = 0; i < width; ++i) missing |= u32{1} << bit(i) & ~at[i];
        return missing == 0;
    }
};

inline u64 blocks_for(u64 n_keys, double bits_per_key, unsigned block_bits) {
    const double blocks = std::ceil(static_cast<double>(n_keys) * bits_per_key / block_bits);
    return std::max<u64>(1, static_cast<u64>(blocks));
}

/// Velox (class SplitBlockBloomFilter) with AVX2, where a block is 8 words. Bit i is the high five
/// bits of x * salts[i]. The salts are Parquet's in ascending order.
///
///     hash    | 32 bits: block | 32 bits: x |
struct Velox {
    static constexpr const char* name = "velox";
    static constexpr std::array<u32, 8> salts{0x2DF1424Bu, 0x44974D91u, 0x47B6137Bu, 0x5C6BFB31u,
                                              0x705495C7u, 0x8824AD5Bu, 0x9EFC4947u, 0xA2B7289Du};
    SplitBlocks bits;

    Velox(u64 n_keys, double bits_per_key) : bits(blocks_for(n_keys, bits_per_key, 256)) {}
    /// Ours: Velox is given hashes.
    static u64 hash(u64 key) { return KeyHasher{}(key); }
    u64 block(u64 hash) const { return (hash >> 32) * bits.size() >> 32; }
    static auto bit(u64 hash) {
        return [x = static_cast<u32>(hash)](unsigned i) { return x * salts[i] >> 27; };
    }
    void insert(u64 hash) { bits.insert(block(hash), bit(hash)); }
    bool contains(u64 hash) const { return bits.contains(block(hash), bit(hash)); }
    Rate rate(u64 n_keys) const;
};

/// Boost.Bloom's fast_multiblock32<8> (boost/bloom/detail/fast_multiblock32_*.hpp) with AVX2 or
/// NEON. The block is the high word of hash * blocks. Five bits of h = hash * multiplier are the
/// bit in a word: in words 2j and 2j + 1 the highest of both halves of h << 5j.
///
///     h    | word 1 | word 3 | word 5 | word 7 | - | word 0 | word 2 | word 4 | word 6 | - |
struct Boost {
    static constexpr const char* name = "boost";
    SplitBlocks bits;

    Boost(u64 n_keys, double bits_per_key) : bits(blocks_for(n_keys, bits_per_key, 256)) {}
    static u64 hash(u64 key) { return boost_hash(key); }
    u64 block(u64 hash) const { return high_product(hash | 1, bits.size()); }
    static auto bit(u64 hash) {
        return [h = (hash | 1) * 0xF1357AEA2E62A9C5u](unsigned i) {
            return static_cast<u32>(h << 5 * (i / 2) >> 32 * (i % 2)) >> 27;
        };
    }
    void insert(u64 hash) { bits.insert(block(hash), bit(hash)); }
    bool contains(u64 hash) const { return bits.contains(block(hash), bit(hash)); }
    Rate rate(u64 n_keys) const;
};

}  // namespace simdbloom::bench::engines
