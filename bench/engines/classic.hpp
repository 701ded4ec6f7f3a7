// Engines whose filters are one array of bits, and those whose filters are lines of 512 bits.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>

#include "engines/engine.hpp"
#include "engines/split_block.hpp"

namespace simdbloom::bench::engines {

/// An array of bits.
struct BitArray {
    Words<u64> words;
    u64 size;  ///< in bits

    explicit BitArray(u64 least_bits)
        : words((std::max<u64>(1, least_bits) + 63) / 64), size(64 * words.size()) {}
    u64 bytes() const { return words.bytes(); }
    void set(u64 bit) { words[bit / 64] |= u64{1} << bit % 64; }
    bool test(u64 bit) const { return (words[bit / 64] >> bit % 64 & 1) != 0; }
};

/// What each bit of a key is given to, until one says false.
template <class Positions>
void insert_all(BitArray& bits, const Positions& positions) {
    positions([&](u64 bit) {
        bits.set(bit);
        return true;
    });
}
template <class Positions>
bool contains_all(const BitArray& bits, const Positions& positions) {
    bool all = true;
    positions([&](u64 bit) { return all = bits.test(bit); });
    return all;
}

/// ClickHouse (class BloomFilter): k = 3, bit (a + i b + i^2) modulo the size, with
/// a and b two mixes of one CityHash64. A filter of a join has 512 KiB, or up to 4 MiB by the
/// statistics of earlier runs.
struct ClickHouse {
    static constexpr const char* name = "clickhouse";
    static constexpr u64 seed = 42, join_bytes = u64{512} << 10;
    BitArray bits;

    ClickHouse(u64 n_keys, double bits_per_key)
        : bits(static_cast<u64>(static_cast<double>(n_keys) * bits_per_key)) {}
    static u64 hash(u64 key) { return city64(key); }
    auto positions(u64 hash) const {
        return [this, a = city_with_seed(hash, seed),
                b = city_with_seed(hash, 845897321 * seed + 217728422)](auto&& use) {
            for (u64 i = 0; i < 3; ++i)
                if (!use((a + i * b + i * i) % bits.size)) return;
        };
    }
    void insert(u64 hash) { insert_all(bits, positions(hash)); }
    bool contains(u64 hash) const { return contains_all(bits, positions(hash)); }
    Rate rate(u64 n_keys) const;
};

/// Version 2 of Spark's BloomFilter (common/sketch): k = c ln 2, two MurmurHash3 of 32 bits, a and
/// b. Bit i is a (2^31 - 1) + i b in 64 bits, its complement where negative.
struct Spark {
    static constexpr const char* name = "spark:v2";
    BitArray bits;
    unsigned k;

    Spark(u64 n_keys, double bits_per_key)
        : bits(static_cast<u64>(static_cast<double>(n_keys) * bits_per_key)),
          k(std::max(1u, static_cast<unsigned>(std::lround(bits_per_key * std::numbers::ln2)))) {}
    static u64 hash(u64 key) {
        const u32 first = murmur32(key, 0);
        return u64{murmur32(key, first)} << 32 | first;
    }
    auto positions(u64 hash) const {
        return [this, hash](auto&& use) {
            const auto a = static_cast<std::int32_t>(hash),
                       b = static_cast<std::int32_t>(hash >> 32);
            std::int64_t sum = std::int64_t{a} * std::numeric_limits<std::int32_t>::max();
            for (unsigned i = 1; i <= k; ++i) {
                sum += b;
                if (sum < 0) sum = ~sum;
                if (!use(static_cast<u64>(sum) % bits.size)) return;
            }
        };
    }
    void insert(u64 hash) { insert_all(bits, positions(hash)); }
    bool contains(u64 hash) const { return contains_all(bits, positions(hash)); }
    Rate rate(u64 n_keys) const;
};

/// RocksDB's FastLocalBloom (util/bloom_impl.h): lines of 512 bits, chosen by the low 32 bits of
/// the hash; bit i is the high 9 bits of x * 0x9E3779B9^i, with x the high 32 bits.
struct RocksDb {
    static constexpr const char* name = "rocksdb";
    BitArray bits;
    unsigned k;

    RocksDb(u64 n_keys, double bits_per_key)
        : bits(512 * blocks_for(n_keys, bits_per_key, 512)), k(probes(bits_per_key)) {}
    /// The k that RocksDB takes for up to 26 bits a key.
    static unsigned probes(double bits_per_key) {
        constexpr double most[] = {2.080,  3.580,  5.100,  6.640,  8.300,  10.070,
                                   11.720, 14.001, 16.050, 18.300, 22.001, 25.501};
        return 1 + static_cast<unsigned>(std::ranges::lower_bound(most, bits_per_key) - most);
    }
    static u64 hash(u64 key) { return rocksdb_hash(key); }
    auto positions(u64 hash) const {
        const u64 line = (hash & 0xFFFFFFFFu) * (bits.size / 512) >> 32;
        return [this, line, x = static_cast<u32>(hash >> 32)](auto&& use) {
            u32 step = x;
            for (unsigned i = 0; i < k; ++i, step *= 0x9E3779B9u)
                if (!use(512 * line + (step >> 23))) return;
        };
    }
    void insert(u64 hash) { insert_all(bits, positions(hash)); }
    /// All k bits, as RocksDB's code for AVX2 tests them.
    bool contains(u64 hash) const {
        bool all = true;
        positions(hash)([&](u64 bit) {
            all &= bits.test(bit);
            return true;
        });
        return all;
    }
    Rate rate(u64 n_keys) const;
};

}  // namespace simdbloom::bench::engines
