// Engines whose filters are split blocks: words of 32 bits, and one bit of a key in each.
#pragma once

#include <array>
#include <bit>
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

/// The bits that parquet-cpp and Velox give n keys for that FPR, before they round: the formula
/// takes it that all blocks get the same number of keys.
inline double split_block_bits(u64 n_keys, double fpr) {
    return -8 * static_cast<double>(n_keys) / std::log1p(-std::pow(fpr, 1 / 8.0));
}

/// Split blocks where bit i is the high five bits of x * salts[i], for the salts of Engine.
///
///     hash    | 32 bits: block | 32 bits: x |
template <class Engine>
struct SaltedBlocks {
    SplitBlocks bits;

    SaltedBlocks(u64 n_keys, double bits_per_key) : bits(blocks_for(n_keys, bits_per_key, 256)) {}
    /// Ours: these engines are given hashes.
    static u64 hash(u64 key) { return KeyHasher{}(key); }
    u64 block(u64 hash) const { return (hash >> 32) * bits.size() >> 32; }
    static auto bit(u64 hash) {
        return [x = static_cast<u32>(hash)](unsigned i) { return x * Engine::salts[i] >> 27; };
    }
    void insert(u64 hash) { bits.insert(block(hash), bit(hash)); }
    bool contains(u64 hash) const { return bits.contains(block(hash), bit(hash)); }
    Rate rate(u64 n_keys) const { return rate_of("split256", n_keys, bits.size()); }
};

/// Velox (class SplitBlockBloomFilter) with AVX2, where a block is 8 words. The salts are Parquet's
/// in ascending order.
struct Velox : SaltedBlocks<Velox> {
    static constexpr const char* name = "velox";
    static constexpr std::array<u32, 8> salts{0x2DF1424Bu, 0x44974D91u, 0x47B6137Bu, 0x5C6BFB31u,
                                              0x705495C7u, 0x8824AD5Bu, 0x9EFC4947u, 0xA2B7289Du};
    using SaltedBlocks::SaltedBlocks;
};

/// parquet-cpp (class BlockSplitBloomFilter), whose bits are those of the format. Its number of
/// blocks is a power of two from 1 to 2^22.
struct ParquetCpp : SaltedBlocks<ParquetCpp> {
    static constexpr const char* name = "parquet-cpp";
    static constexpr std::array<u32, 8> salts{0x47B6137Bu, 0x44974D91u, 0x8824AD5Bu, 0xA2B7289Du,
                                              0x705495C7u, 0x2DF1424Bu, 0x9EFC4947u, 0x5C6BFB31u};
    static constexpr u64 most_blocks = u64{1} << 22;
    using SaltedBlocks::SaltedBlocks;

    static ParquetCpp with_blocks(u64 blocks) { return {blocks, 256}; }
    static u64 blocks_for_fpr(u64 n_keys, double fpr) {
        const auto bits = static_cast<u64>(split_block_bits(n_keys, fpr));
        return std::min(most_blocks, std::bit_ceil(std::max<u64>(256, bits)) / 256);
    }
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
    Rate rate(u64 n_keys) const { return rate_of("split256", n_keys, bits.size()); }
};

}  // namespace simdbloom::bench::engines
