// The filters that engines ship: all bits of a key in one word, one bit in each word of a block, or
// bits anywhere.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <random>

#include "engines/engine.hpp"
#include "simdbloom/key_hasher.hpp"

namespace simdbloom::bench::engines {

/// Acero's 1,024 masks. All are windows of 57 bits into one random string of bits: mask i begins at
/// bit i. Every window has 4 or 5 bits set. Arrow's C++ library makes these masks with libstdc++.
inline const std::array<u64, 1024>& acero_masks() {
    static const auto all = [] {
        constexpr unsigned width = 57, least = 4, most = 5;
        std::seed_seq seed{0, 0, 0, 0, 0, 0, 0, 0};
        std::mt19937 generator(seed);
        const auto below = [&](u64 n) {
            const u64 high = generator();
            return (high << 32 | generator()) % n;
        };
        std::array<bool, 1024 + width> string{};
        unsigned set = least + static_cast<unsigned>(below(most - least + 1));
        for (unsigned left = set; left > 0;) {
            bool& bit = string[below(width)];
            left -= !bit;
            bit = true;
        }
        for (std::size_t i = width; i < 1024 + width - 1; ++i) {
            const bool leaves = string[i - width];
            if (leaves ? set == least : set == most) string[i] = leaves;
            else string[i] = below(2 * width) < least + most;
            set = set - leaves + string[i];
        }
        std::array<u64, 1024> masks{};
        for (std::size_t m = 0; m < masks.size(); ++m)
            for (unsigned bit = 0; bit < width; ++bit) masks[m] |= u64{string[m + bit]} << bit;
        return masks;
    }();
    return all;
}

/// Arrow Acero (class BlockedBloomFilter):
///
///     hash    | 48 bits: word | 6 bits: rotation | 10 bits: mask |
///
/// The hash join gives it hashes of 32 bits, which leaves 16 for the word.
struct Acero {
    static constexpr const char* name = "acero";
    Words<u64> bits;
    const std::array<u64, 1024>* masks = &acero_masks();

    Acero(u64 n_keys, double bits_per_key) : bits(power_of_two_bits(n_keys, bits_per_key) / 64) {}
    /// Ours: the one of Arrow depends on the type of the column.
    static u64 hash(u64 key) { return KeyHasher{}(key); }
    u64 word(u64 hash) const { return hash >> 16 & (bits.size() - 1); }
    u64 mask(u64 hash) const {
        return std::rotl((*masks)[hash & 1023], static_cast<int>(hash >> 10 & 63));
    }
    void insert(u64 hash) { bits[word(hash)] |= mask(hash); }
    bool contains(u64 hash) const { return (mask(hash) & ~bits[word(hash)]) == 0; }
    Rate rate(u64 n_keys) const;
};

/// DuckDB 1.5 (class BloomFilter):
///
///     hash    | - | 6 bits | - | 6 bits | - | 6 bits | - | 6 bits | 32 bits: word |
///
/// It takes 12 bits a key, rounded up to a power of two, and at most 2^26 words.
struct DuckDb {
    static constexpr const char* name = "duckdb";
    static constexpr u64 most_words = u64{1} << 26;
    Words<u64> bits;

    DuckDb(u64 n_keys, double bits_per_key)
        : bits(std::min(power_of_two_bits(n_keys, bits_per_key) / 64, most_words)) {}
    static u64 hash(u64 key) { return duckdb_hash(key); }
    static u64 mask(u64 hash) {
        return u64{1} << (hash >> 32 & 63) | u64{1} << (hash >> 40 & 63) |
               u64{1} << (hash >> 48 & 63) | u64{1} << (hash >> 56 & 63);
    }
    void insert(u64 hash) { bits[hash & (bits.size() - 1)] |= mask(hash); }
    bool contains(u64 hash) const { return (mask(hash) & ~bits[hash & (bits.size() - 1)]) == 0; }
    Rate rate(u64 n_keys) const { return rate_of("register64:k=4", n_keys, bits.size()); }
};

/// Trino (io.trino.sql.gen.columnar.BloomFilter):
///
///     hash    | - | 6 bits | 6 bits | 6 bits | 21 bits: word |
///
/// It takes 16 to 32 bits a key. From 2^22 words on the word is chosen by bits of the mask too, and
/// the FPR leaves the model.
struct Trino {
    static constexpr const char* name = "trino";
    static constexpr u64 max_bytes = u64{8} << 21;
    Words<u64> bits;

    Trino(u64 n_keys, double bits_per_key)
        : bits(power_of_two_bits(n_keys, bits_per_key, 64) / 64) {}
    static u64 hash(u64 key) { return xxh64(key); }
    static u64 mask(u64 hash) {
        return u64{1} << (hash >> 21 & 63) | u64{1} << (hash >> 27 & 63) |
               u64{1} << (hash >> 33 & 63);
    }
    void insert(u64 hash) { bits[hash & (bits.size() - 1)] |= mask(hash); }
    bool contains(u64 hash) const { return (mask(hash) & ~bits[hash & (bits.size() - 1)]) == 0; }
    Rate rate(u64 n_keys) const { return rate_of("register64:k=3", n_keys, bits.size()); }
};

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
/// bits of x * salts[i]; the salts are Parquet's in ascending order.
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
    Rate rate(u64 n_keys) const { return rate_of("split256", n_keys, bits.size()); }
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

/// ClickHouse (class BloomFilter): k = 3, bit (a + i b + i^2) modulo the size, with
/// a and b two mixes of one CityHash64. A filter of a join has 512 KiB, or up to 4 MiB by the
/// statistics of earlier runs.
struct ClickHouse {
    static constexpr const char* name = "clickhouse";
    static constexpr u64 seed = 42;
    Words<u64> bits;

    ClickHouse(u64 n_keys, double bits_per_key)
        : bits(std::max<u64>(
              1, (static_cast<u64>(static_cast<double>(n_keys) * bits_per_key) + 63) / 64)) {}
    static u64 hash(u64 key) { return city64(key); }
    void insert(u64 hash) {
        for (u64 i = 0; i < 3; ++i) {
            const u64 bit = position(hash, i);
            bits[bit / 64] |= u64{1} << bit % 64;
        }
    }
    bool contains(u64 hash) const {
        for (u64 i = 0; i < 3; ++i)
            if (const u64 bit = position(hash, i); (bits[bit / 64] >> bit % 64 & 1) == 0)
                return false;
        return true;
    }
    Rate rate(u64 n_keys) const { return rate_of("classic:k=3", n_keys, bits.size()); }

private:
    u64 position(u64 hash, u64 i) const {
        const u64 a = city_with_seed(hash, seed),
                  b = city_with_seed(hash, 845897321 * seed + 217728422);
        return (a + i * b + i * i) % (64 * bits.size());
    }
};

template <class... Designs>
struct List {
    /// use.template operator()<Design>() for each.
    template <class Use>
    static void for_each(const Use& use) {
        (use.template operator()<Designs>(), ...);
    }
};
using All = List<Acero, DuckDb, Trino, Velox, ClickHouse, Boost>;

}  // namespace simdbloom::bench::engines
