// The hash functions that engines give to their filters, for one key of eight bytes. Written from
// the published descriptions; tests/bench/bench_engines_test.cpp holds them against published
// values.
#pragma once

#include <bit>
#include <cstdint>

namespace simdbloom::bench::engines {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// The high 64 bits of the product.
constexpr u64 high_product(u64 a, u64 b) {
    __extension__ using u128 = unsigned __int128;
    return static_cast<u64>(static_cast<u128>(a) * b >> 64);
}

/// XXH64 with seed 0: Trino.
constexpr u64 xxh64(u64 key) {
    constexpr u64 p1 = 0x9E3779B185EBCA87u, p2 = 0xC2B2AE3D27D4EB4Fu, p3 = 0x165667B19E3779F9u,
                  p4 = 0x85EBCA77C2B2AE63u, p5 = 0x27D4EB2F165667C5u;
    u64 h = (p5 + sizeof key) ^ std::rotl(key * p2, 31) * p1;
    h = std::rotl(h, 27) * p1 + p4;
    h = (h ^ h >> 33) * p2;
    h = (h ^ h >> 29) * p3;
    return h ^ h >> 32;
}

/// `hash(key)` of DuckDB's SQL, for BIGINT.
constexpr u64 duckdb_hash(u64 x) {
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    return x ^ x >> 32;
}

/// CityHash64 in version 1.0.2, the one of ClickHouse, and its mixer of two words.
constexpr u64 city_mix(u64 low, u64 high) {
    constexpr u64 multiplier = 0x9DDFEA08EB382D69u;
    u64 a = (low ^ high) * multiplier;
    a ^= a >> 47;
    u64 b = (high ^ a) * multiplier;
    b ^= b >> 47;
    return b * multiplier;
}
constexpr u64 city64(u64 key) { return city_mix(8 + ((key & 0xFFFFFFFFu) << 3), key >> 32); }
/// CityHash64WithSeed of the key whose city64 is `hash`.
constexpr u64 city_with_seed(u64 hash, u64 seed) {
    return city_mix(hash - 0x9AE16A3B2F90404Fu, seed);
}

/// Boost.Bloom's mixer of a boost::hash, which gives integers as they are.
constexpr u64 boost_hash(u64 key) {
    return high_product(key, 0x9E3779B97F4A7C15u) ^ key * 0x9E3779B97F4A7C15u;
}

}  // namespace simdbloom::bench::engines
