// The loops that engines run over a batch of hashes, in the shape of their sources: what runs as a
// vector, what is prefetched, what a lookup writes. EngineFilter has one plain loop for all; these
// here are what bench/experiments/engines.cpp measures.
//
// A loop is compiled for the instruction set that its source is compiled for.
#pragma once

#include <array>
#include <cstring>

#include "engines/all.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#define SIMDBLOOM_ENGINE_HAS_AVX2 1
#define SIMDBLOOM_ENGINE_VECTORS [[gnu::target("avx2,bmi2")]]
#define SIMDBLOOM_ENGINE_SSE42 [[gnu::target("sse4.2")]]
#else
#define SIMDBLOOM_ENGINE_VECTORS
#define SIMDBLOOM_ENGINE_SSE42
#endif

namespace simdbloom::bench::engines {

using Hashes = std::span<const u64>;

inline bool runs_avx2() {
    static const bool runs = std::ranges::find(usable_isas(), Isa::avx2) != usable_isas().end();
    return runs;
}

// apache/arrow 515410b, cpp/src/parquet/bloom_filter.cc, lines 462 to 491, and
// bloom_filter_avx2.cc: an insert sets the eight bits one after the other. A lookup is a virtual
// call that reaches the test of a block, by AVX2, through a pointer.

inline bool parquet_block_plain(const u32* block, u32 x) {
    u32 missing = 0;
    for (unsigned i = 0; i < 8; ++i)
        missing |= u32{1} << (x * ParquetCpp::salts[i] >> 27) & ~block[i];
    return missing == 0;
}

#ifdef SIMDBLOOM_ENGINE_HAS_AVX2
/// The eight bits of a key, in the order of the salts.
SIMDBLOOM_ENGINE_VECTORS inline __m256i split_bits_avx2(const std::array<u32, 8>& salts, u32 x) {
    const __m256i s = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(salts.data()));
    const __m256i product = _mm256_mullo_epi32(s, _mm256_set1_epi32(static_cast<int>(x)));
    return _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(product, 27));
}
SIMDBLOOM_ENGINE_VECTORS inline bool split_block_avx2(const u32* block, __m256i bits) {
    return _mm256_testc_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(block)), bits);
}
SIMDBLOOM_ENGINE_VECTORS inline bool parquet_block_avx2(const u32* block, u32 x) {
    return split_block_avx2(block, split_bits_avx2(ParquetCpp::salts, x));
}
#endif

[[gnu::noinline]] inline bool parquet_find(const ParquetCpp& filter, u64 hash) {
    static bool (*const block_test)(const u32*, u32) = [] {
#ifdef SIMDBLOOM_ENGINE_HAS_AVX2
        if (runs_avx2()) return &parquet_block_avx2;
#endif
        return &parquet_block_plain;
    }();
    return block_test(filter.bits.words.data() + 8 * filter.block(hash), static_cast<u32>(hash));
}
/// Writes a bit a hash, the lowest first, and returns how many are found.
inline std::size_t parquet_find(const ParquetCpp& filter, Hashes hashes, std::uint8_t* bitmap) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < hashes.size(); i += 8) {
        unsigned byte = 0;
        for (std::size_t j = i; j < std::min(i + 8, hashes.size()); ++j)
            byte |= static_cast<unsigned>(parquet_find(filter, hashes[j])) << (j - i);
        bitmap[i / 8] = static_cast<std::uint8_t>(byte);
        found += static_cast<std::size_t>(std::popcount(byte));
    }
    return found;
}
SIMDBLOOM_ENGINE_SSE42 inline void parquet_insert(ParquetCpp& filter, Hashes hashes) {
    for (const u64 hash : hashes) filter.insert(hash);
}

/// Lines 380 to 426: the number of blocks after folding for that FPR. It is judged by the mean
/// share of set bits, s, to the power of 8; half the blocks have a share of 1 - (1 - s)^2.
SIMDBLOOM_ENGINE_SSE42 inline u64 parquet_folded_blocks(const ParquetCpp& filter, double fpr) {
    u64 set = 0, blocks = filter.bits.size();
    const auto* const pairs = reinterpret_cast<const std::byte*>(filter.bits.words.data());
    for (u64 i = 0; i < filter.bits.bytes(); i += sizeof(u64)) {
        u64 pair;
        std::memcpy(&pair, pairs + i, sizeof pair);
        set += static_cast<u64>(std::popcount(pair));
    }
    double clear = 1 - static_cast<double>(set) / (256 * static_cast<double>(blocks));
    for (; blocks > 1; blocks /= 2)
        if (clear *= clear; std::pow(1 - clear, 8) > fpr) break;
    return blocks;
}

// apache/arrow 515410b, cpp/src/arrow/acero/bloom_filter.cc, lines 119 to 219, and
// bloom_filter_avx2.cc: up to 256 KiB eight hashes at a time, by gathers of words and masks; above,
// one hash at a time, with the word of the sixteenth hash behind prefetched. Inserts make four
// masks at a time.

/// The string of bits whose 57 from bit m on are mask m.
struct AceroMaskBytes {
    static constexpr std::size_t gathered = 8;
    std::array<std::uint8_t, 128 + gathered> bytes{};
    AceroMaskBytes() {
        for (std::size_t m = 0; m < 1024; ++m)
            for (unsigned bit = 0; bit < 57; ++bit)
                if (acero_masks()[m] >> bit & 1)
                    bytes[(m + bit) / 8] |= static_cast<std::uint8_t>(1u << (m + bit) % 8);
    }
};
inline const AceroMaskBytes acero_mask_bytes;

inline u64 acero_mask(u64 hash) {
    u64 window;
    std::memcpy(&window, &acero_mask_bytes.bytes[(hash & 1023) / 8], sizeof window);
    return std::rotl(window >> (hash & 7) & ((u64{1} << 57) - 1),
                     static_cast<int>(hash >> 10 & 63));
}
inline bool acero_find(const Acero& filter, u64 hash) {
    const u64 mask = acero_mask(hash);
    return (filter.bits[filter.word(hash)] & mask) == mask;
}

#ifdef SIMDBLOOM_ENGINE_HAS_AVX2
SIMDBLOOM_ENGINE_VECTORS inline __m256i acero_masks_avx2(__m256i hash) {
    const auto* const bytes = reinterpret_cast<const long long*>(acero_mask_bytes.bytes.data());
    const __m256i number = _mm256_and_si256(hash, _mm256_set1_epi64x(1023));
    __m256i mask = _mm256_i64gather_epi64(bytes, _mm256_srli_epi64(number, 3), 1);
    mask = _mm256_srlv_epi64(mask, _mm256_and_si256(number, _mm256_set1_epi64x(7)));
    mask = _mm256_and_si256(mask, _mm256_set1_epi64x((1ll << 57) - 1));
    const __m256i turn = _mm256_and_si256(_mm256_srli_epi64(hash, 10), _mm256_set1_epi64x(63));
    const __m256i back = _mm256_sub_epi64(_mm256_set1_epi64x(64), turn);
    return _mm256_or_si256(_mm256_sllv_epi64(mask, turn), _mm256_srlv_epi64(mask, back));
}
SIMDBLOOM_ENGINE_VECTORS inline __m256i acero_words_avx2(const Acero& filter, __m256i hash) {
    return _mm256_and_si256(_mm256_srli_epi64(hash, 16),
                            _mm256_set1_epi64x(static_cast<long long>(filter.bits.size() - 1)));
}
/// A bit for each of four hashes.
SIMDBLOOM_ENGINE_VECTORS inline unsigned acero_find_four(const Acero& filter, const u64* hashes) {
    const __m256i hash = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(hashes));
    const __m256i mask = acero_masks_avx2(hash);
    const __m256i word = _mm256_i64gather_epi64(
        reinterpret_cast<const long long*>(filter.bits.data()), acero_words_avx2(filter, hash), 8);
    const __m256i found = _mm256_cmpeq_epi64(_mm256_and_si256(word, mask), mask);
    return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(found)));
}
/// The first hashes, eight at a time; returns how many.
SIMDBLOOM_ENGINE_VECTORS inline std::size_t acero_find_avx2(const Acero& filter, Hashes hashes,
                                                            std::uint8_t* bitmap) {
    const std::size_t bytes = hashes.size() / 8;
    for (std::size_t i = 0; i < bytes; ++i) {
        const u64* const at = hashes.data() + 8 * i;
        bitmap[i] = static_cast<std::uint8_t>(acero_find_four(filter, at) |
                                              acero_find_four(filter, at + 4) << 4);
    }
    return 8 * bytes;
}
SIMDBLOOM_ENGINE_VECTORS inline std::size_t acero_insert_avx2(Acero& filter, Hashes hashes) {
    const std::size_t n = hashes.size() / 4 * 4;
    for (std::size_t i = 0; i < n; i += 4) {
        const __m256i hash =
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(hashes.data() + i));
        alignas(32) std::array<u64, 4> masks, words;
        _mm256_store_si256(reinterpret_cast<__m256i*>(masks.data()), acero_masks_avx2(hash));
        _mm256_store_si256(reinterpret_cast<__m256i*>(words.data()),
                           acero_words_avx2(filter, hash));
        for (unsigned j = 0; j < 4; ++j) filter.bits[words[j]] |= masks[j];
    }
    return n;
}
#endif

inline void acero_find(const Acero& filter, Hashes hashes, std::uint8_t* bitmap) {
    constexpr std::size_t ahead = 16, prefetched_bytes = 256 << 10;
    const bool prefetches = filter.bits.bytes() > prefetched_bytes;
    std::size_t done = 0;
#ifdef SIMDBLOOM_ENGINE_HAS_AVX2
    if (!prefetches && runs_avx2()) done = acero_find_avx2(filter, hashes, bitmap);
#endif
    u64 word = 0;
    for (std::size_t i = done; i < hashes.size(); ++i) {
        if (prefetches && i + ahead < hashes.size())
            __builtin_prefetch(filter.bits.data() + filter.word(hashes[i + ahead]));
        word |= u64{acero_find(filter, hashes[i])} << (i - done) % 64;
        const bool full = (i - done) % 64 == 63, last = i + 1 == hashes.size();
        if (!full && !last) continue;
        const std::size_t first = i - (i - done) % 64;
        std::memcpy(bitmap + first / 8, &word, (i - first) / 8 + 1);
        word = 0;
    }
}
inline void acero_insert(Acero& filter, Hashes hashes) {
    std::size_t done = 0;
#ifdef SIMDBLOOM_ENGINE_HAS_AVX2
    if (runs_avx2()) done = acero_insert_avx2(filter, hashes);
#endif
    for (const u64 hash : hashes.subspan(done)) filter.bits[filter.word(hash)] |= acero_mask(hash);
}

// 044a04a of duckdb/duckdb/src/planner/filter/table_filter_bloom_function.cpp, lines 53 to 124: the
// number of a hash is written always, and counted if it is found; all threads insert into one
// filter, by atomic ORs. Compiled for any x86-64.

/// Writes the numbers of the hashes found, and returns how many they are.
inline std::size_t duckdb_lookup(const DuckDb& filter, Hashes hashes, u32* selection) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        const u64 mask = DuckDb::mask(hashes[i]);
        const u64 word = __atomic_load_n(
            filter.bits.data() + (hashes[i] & (filter.bits.size() - 1)), __ATOMIC_RELAXED);
        selection[found] = static_cast<u32>(i);
        found += (word & mask) == mask;
    }
    return found;
}
inline void duckdb_insert(DuckDb& filter, Hashes hashes) {
    for (const u64 hash : hashes)
        __atomic_fetch_or(filter.bits.data() + (hash & (filter.bits.size() - 1)),
                          DuckDb::mask(hash), __ATOMIC_RELAXED);
}

// facebookincubator/velox 4d16851, velox/exec/HashProbe.cpp, lines 36 to 50 and 459 to 525,
// velox/type/Filter.h, lines 1294 to 1371, velox/common/base/SplitBlockBloomFilter.h: a value is
// hashed and its block tested before the next value; a row that is not found loses its bit. Values
// go in one at a time. All of Velox is compiled for AVX2.

/// Clears the bits of the rows whose values are not found, and returns how many are.
SIMDBLOOM_ENGINE_VECTORS inline std::size_t velox_apply(const Velox& filter,
                                                        std::span<const u64> values, u64* rows) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const u64 hash = wang_hash(values[i]);
#ifdef SIMDBLOOM_ENGINE_HAS_AVX2
        const bool passes = split_block_avx2(filter.bits.words.data() + 8 * filter.block(hash),
                                             split_bits_avx2(Velox::salts, static_cast<u32>(hash)));
#else
        const bool passes = filter.contains(hash);
#endif
        if (passes) ++found;
        else rows[i / 64] &= ~(u64{1} << i % 64);
    }
    return found;
}
SIMDBLOOM_ENGINE_VECTORS inline void velox_insert(Velox& filter, std::span<const u64> values) {
    for (const u64 value : values) {
        const u64 hash = wang_hash(value);
#ifdef SIMDBLOOM_ENGINE_HAS_AVX2
        auto* const block =
            reinterpret_cast<__m256i*>(filter.bits.words.data() + 8 * filter.block(hash));
        _mm256_storeu_si256(block,
                            _mm256_or_si256(_mm256_loadu_si256(block),
                                            split_bits_avx2(Velox::salts, static_cast<u32>(hash))));
#else
        filter.insert(hash);
#endif
    }
}
/// What a batch needs in place of that: all hashes first.
SIMDBLOOM_ENGINE_VECTORS inline void velox_hash(std::span<const u64> values, u64* hashes) {
    for (std::size_t i = 0; i < values.size(); ++i) hashes[i] = wang_hash(values[i]);
}

// ClickHouse/ClickHouse/src/Interpreters/BloomFilter.cpp (the version of June 2026, behind pull
// request 100201) and ../Processors/QueryPlan/RuntimeFilterLookup.cpp at 07114e9: 1,024 values
// become pairs of hashes, two calls of CityHash64WithSeed a value; then up to three bits a value
// are tested, with a branch behind each, and a byte is written. The remainder of a division by the
// size is taken by a multiplication.

/// x % divisor for a divisor above 1, by Granlund and Montgomery's multiplication.
class Remainder {
public:
    explicit Remainder(u64 divisor)
        : divisor_(divisor), shift_(static_cast<unsigned>(std::bit_width(divisor - 1)) - 1) {
        __extension__ using u128 = unsigned __int128;
        const u128 above = (u128{2} << shift_) - divisor;
        factor_ = static_cast<u64>((above << 64) / divisor) + 1;
    }
    u64 operator()(u64 x) const {
        const u64 high = high_product(x, factor_);
        return x - ((((x - high) >> 1) + high) >> shift_) * divisor_;
    }

private:
    u64 divisor_, factor_;
    unsigned shift_;
};

struct ClickHousePair {
    u64 first, second;
};
/// In another library there: a call for each hash.
[[gnu::noinline]] inline u64 clickhouse_hash(u64 value, u64 seed) {
    return city_with_seed(city64(value), seed);
}
inline ClickHousePair clickhouse_pair(u64 value) {
    return {clickhouse_hash(value, ClickHouse::seed),
            clickhouse_hash(value, 845897321 * ClickHouse::seed + 217728422)};
}

struct ClickHouseLoops {
    ClickHouse& filter;
    Remainder of_size{64 * filter.bits.size()};

    bool contains(const ClickHousePair& pair) const {
        u64 sum = pair.first;
        for (u64 i = 0; i < 3; ++i, sum += pair.second)
            if (const u64 bit = of_size(sum + i * i); (filter.bits[bit / 64] >> bit % 64 & 1) == 0)
                return false;
        return true;
    }
    /// Writes 0 or 1 a pair, and returns how many are found.
    std::size_t find(std::span<const ClickHousePair> pairs, std::uint8_t* mask) const {
        std::size_t found = 0;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const bool is_found = contains(pairs[i]);
            mask[i] = is_found;
            found += is_found;
        }
        return found;
    }
    void insert(std::span<const ClickHousePair> pairs) {
        for (const ClickHousePair& pair : pairs) {
            u64 sum = pair.first;
            for (u64 i = 0; i < 3; ++i, sum += pair.second) {
                const u64 bit = of_size(sum + i * i);
                filter.bits[bit / 64] |= u64{1} << bit % 64;
            }
        }
    }
};

/// A byte of 0 or 1 for each bit of a bitmap: each of eight copies of a byte keeps one bit, which
/// then becomes its lowest. For machines whose lowest byte comes first.
inline void bytes_of_bits(const std::uint8_t* bitmap, std::size_t n, std::uint8_t* mask) {
    constexpr u64 ones = 0x0101010101010101u;
    for (std::size_t i = 0; i < n; i += 8) {
        const u64 kept = bitmap[i / 8] * ones & 0x8040201008040201u;
        const u64 bytes = (kept + 127 * ones) >> 7 & ones;
        std::memcpy(mask + i, &bytes, std::min<std::size_t>(8, n - i));
    }
}

}  // namespace simdbloom::bench::engines
