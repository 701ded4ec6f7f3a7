// Engines whose filters are a power of two of 64-bit words. All bits of a key lie in one of them.
#pragma once

#include <array>
#include <random>

#include "engines/engine.hpp"
#include "simdbloom/hash.hpp"
#include "simdbloom/key_hasher.hpp"

namespace simdbloom::bench::engines {

/// 1,024 masks of 57 bits, of which 4 or 5 are set. They lie in one string of bits, each one bit
/// further than the one before. Made as Arrow's C++ library makes them with libstdc++.
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

}  // namespace simdbloom::bench::engines
