// ClickHouse, whose filters are one array of bits.
#pragma once

#include "engines/engine.hpp"

namespace simdbloom::bench::engines {

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

}  // namespace simdbloom::bench::engines
