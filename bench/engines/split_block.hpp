// Engines whose filters are split blocks: words of 32 bits, and one bit of a key in each.
#pragma once

#include <array>
#include <cmath>

#include "engines/engine.hpp"
#include "simdbloom/hash.hpp"

namespace simdbloom::bench::engines {

/// Blocks of so many 32-bit words. bit(i) is the bit of a key in word i. Compilers make vectors of
/// these loops where they do not unroll them: 1.0 in place of 3.1 ns for 8 words with AVX2.
template <unsigned width>
struct SplitBlocks {
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

/// Bit i is the high five bits of x * salts[i], with x the low 32 bits of the hash.
template <std::size_t width>
auto salted(const std::array<u32, width>& salts, u64 hash) {
    return [&salts, x = static_cast<u32>(hash)](unsigned i) { return x * salts[i] >> 27; };
}

inline u64 blocks_for(u64 n_keys, double bits_per_key, unsigned block_bits) {
    const double blocks = std::ceil(static_cast<double>(n_keys) * bits_per_key / block_bits);
    return std::max<u64>(1, static_cast<u64>(blocks));
}

/// Parquet's salts, in Parquet's order.
inline constexpr std::array<u32, 8> parquet_salts{0x47B6137Bu, 0x44974D91u, 0x8824AD5Bu,
                                                  0xA2B7289Du, 0x705495C7u, 0x2DF1424Bu,
                                                  0x9EFC4947u, 0x5C6BFB31u};

/// Velox (class SplitBlockBloomFilter): a block is as wide as a register, 8 words
/// with AVX2, 4 with SSE and NEON. The salts are Parquet's in ascending order, and of them each
/// other one where there are 4.
///
///     hash    | 32 bits: block | 32 bits: x |
template <unsigned width>
struct Velox {
    static constexpr const char* name = width == 8 ? "velox:w=8" : "velox:w=4";
    static constexpr std::array<u32, width> salts = [] {
        constexpr u32 sorted[] = {0x2DF1424Bu, 0x44974D91u, 0x47B6137Bu, 0x5C6BFB31u,
                                  0x705495C7u, 0x8824AD5Bu, 0x9EFC4947u, 0xA2B7289Du};
        std::array<u32, width> some{};
        for (unsigned i = 0; i < width; ++i) some[i] = sorted[8 / width * i];
        return some;
    }();
    SplitBlocks<width> bits;

    Velox(u64 n_keys, double bits_per_key) : bits(blocks_for(n_keys, bits_per_key, 32 * width)) {}
    /// Ours: Velox is given hashes.
    static u64 hash(u64 key) { return KeyHasher{}(key); }
    u64 block(u64 hash) const { return (hash >> 32) * bits.size() >> 32; }
    void insert(u64 hash) { bits.insert(block(hash), salted(salts, hash)); }
    bool contains(u64 hash) const { return bits.contains(block(hash), salted(salts, hash)); }
    Rate rate(u64 n_keys) const;
};

/// Impala (class BloomFilter) and Kudu (class BlockBloomFilter): a hash of 32
/// bits is x, and the low bits of its rehash are the block. A power of two of blocks.
struct Impala {
    static constexpr const char* name = "impala";
    SplitBlocks<8> bits;

    Impala(u64 n_keys, double bits_per_key) : bits(power_of_two_bits(n_keys, bits_per_key) / 256) {}
    static u64 hash(u64 key) { return fast_hash32(key); }
    u64 block(u64 hash) const {
        const u64 rehashed = (hash & 0xFFFFFFFFu) * 0x7850F11EC6D14889u + 0x6773610597CA4C63u;
        return rehashed >> 32 & (bits.size() - 1);
    }
    void insert(u64 hash) { bits.insert(block(hash), salted(parquet_salts, hash)); }
    bool contains(u64 hash) const {
        return bits.contains(block(hash), salted(parquet_salts, hash));
    }
    Rate rate(u64 n_keys) const;
};

/// Boost.Bloom's fast_multiblock32<8> (boost/bloom/detail/fast_multiblock32_*.hpp). The block is
/// the high word of hash * blocks. Five bits of h = hash * multiplier are the bit in a word: with
/// AVX2 and NEON in words 2j and 2j + 1 the highest of both halves of h << 5j; with SSE2 bits 23 to
/// 27 of eight other windows.
///
///     h    | word 1 | word 3 | word 5 | word 7 | - | word 0 | word 2 | word 4 | word 6 | - |
enum class BoostForm { avx2, sse2 };
template <BoostForm form>
struct Boost {
    static constexpr const char* name = form == BoostForm::avx2 ? "boost" : "boost:sse2";
    SplitBlocks<8> bits;

    Boost(u64 n_keys, double bits_per_key) : bits(blocks_for(n_keys, bits_per_key, 256)) {}
    static u64 hash(u64 key) { return boost_hash(key); }
    u64 block(u64 hash) const { return high_product(hash | 1, bits.size()); }
    static auto bit(u64 hash) {
        return [h = (hash | 1) * 0xF1357AEA2E62A9C5u](unsigned i) {
            if constexpr (form == BoostForm::avx2)
                return static_cast<u32>(h << 5 * (i / 2) >> 32 * (i % 2)) >> 27;
            // Words 0 to 3 take the 128 bits of h and h << 5, words 4 to 7 the same 16 bits lower.
            const u64 low = i < 4 ? h : h << 16, high = i < 4 ? h << 5 : h << 21 | h >> 48;
            return static_cast<u32>((i % 4 < 2 ? low : high) >> 32 * (i % 2)) >> 23 & 31;
        };
    }
    void insert(u64 hash) { bits.insert(block(hash), bit(hash)); }
    bool contains(u64 hash) const { return bits.contains(block(hash), bit(hash)); }
    Rate rate(u64 n_keys) const;
};

/// cuCollections' sectorised policy (arrow_filter_policy, parametric_filter_policy of 8 words of 32
/// bits and 8 bits a key): Parquet's filter, of the XXH64 of the key.
struct CucoSectorised {
    static constexpr const char* name = "cuco:sectorised";
    SplitBlocks<8> bits;

    CucoSectorised(u64 n_keys, double bits_per_key) : bits(blocks_for(n_keys, bits_per_key, 256)) {}
    static u64 hash(u64 key) { return xxh64(key); }
    u64 block(u64 hash) const { return (hash >> 32) * bits.size() >> 32; }
    void insert(u64 hash) { bits.insert(block(hash), salted(parquet_salts, hash)); }
    bool contains(u64 hash) const {
        return bits.contains(block(hash), salted(parquet_salts, hash));
    }
    Rate rate(u64 n_keys) const;
};

/// cuCollections' default policy (default_filter_policy): the block is the hash modulo the number
/// of blocks, and the pattern is made of the low bits of the same hash. Where that number is a
/// power of two, the block says what the first bits of the pattern are.
template <class Word, unsigned width, unsigned k>
struct CucoDefault {
    static constexpr const char* name = width == 1 ? "cuco:default:w=1" : "cuco:default:w=8";
    static constexpr unsigned word_bits = 8 * sizeof(Word), step = std::bit_width(word_bits - 1);
    static_assert(k % width == 0 && k * step <= 64);
    Words<Word> bits;

    CucoDefault(u64 n_keys, double bits_per_key)
        : bits(width * blocks_for(n_keys, bits_per_key, word_bits * width)) {}
    static u64 hash(u64 key) { return xxh64(key); }
    u64 first_word(u64 hash) const { return hash % (bits.size() / width) * width; }
    static Word pattern(u64 hash, unsigned word) {
        Word pattern = 0;
        for (unsigned i = word * (k / width); i < (word + 1) * (k / width); ++i)
            pattern |= Word{1} << (hash >> step * i & (word_bits - 1));
        return pattern;
    }
    void insert(u64 hash) {
        Word* const block = bits.data() + first_word(hash);
        for (unsigned i = 0; i < width; ++i) block[i] |= pattern(hash, i);
    }
    bool contains(u64 hash) const {
        const Word* const block = bits.data() + first_word(hash);
        Word missing = 0;
        for (unsigned i = 0; i < width; ++i) missing |= pattern(hash, i) & ~block[i];
        return missing == 0;
    }
    /// Of independent blocks and patterns, which the design does not have.
    Rate rate(u64 n_keys) const;
};

}  // namespace simdbloom::bench::engines
