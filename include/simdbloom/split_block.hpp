// The split block Bloom filter of Parquet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "simdbloom/detail/little_endian.hpp"
#include "simdbloom/export.hpp"
#include "simdbloom/filter.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// Blocks of 8 words of 32 bits. A key sets one bit in each word (parquet-format, BloomFilter.md;
/// Apple 2021). With hashes from XXH64, seed 0, the bits are byte for byte those of the Parquet
/// specification.
class SplitBlockBloom : public Interface<SplitBlockBloom, FilterBase>,
                        public SetOperations<SplitBlockBloom> {
public:
    void insert_hash(std::uint64_t hash) {
        std::uint32_t words[8];
        std::byte* p = block_at(detail::block_index(hash, blocks_));
        std::memcpy(words, p, sizeof words);
        for (unsigned i = 0; i < 8; ++i) words[i] |= detail::little_endian(mask(hash, i));
        // Not first: GCC 12 makes no vectors of the masks behind a branch.
        check_takes_keys();
        std::memcpy(p, words, sizeof words);
    }
    // This function is compiled with the flags of the including file. As with any inline function,
    // a program that compiles some files for AVX2 must not run them, nor functions that they share
    // with other files, on a machine without AVX2.
    [[gnu::always_inline]] bool contains_hash(std::uint64_t hash) const noexcept {
#if defined(__AVX2__)
        const __m256i salts = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(detail::salts));
        const __m256i x = _mm256_set1_epi32(static_cast<int>(hash));
        const __m256i bits = _mm256_sllv_epi32(_mm256_set1_epi32(1),
                                               _mm256_srli_epi32(_mm256_mullo_epi32(x, salts), 27));
        return _mm256_testc_si256(
                   _mm256_load_si256(reinterpret_cast<const __m256i*>(block_of<32>(hash))), bits) !=
               0;
#else
        std::uint32_t words[8], missing = 0;
        std::memcpy(words, block_of<32>(hash), sizeof words);
        [&]<unsigned... i>(std::integer_sequence<unsigned, i...>) {  // unrolled, even at -O2
            ((missing |= mask(hash, i) & ~detail::little_endian(words[i])), ...);
        }
        (std::make_integer_sequence<unsigned, 8>());
        return missing == 0;
#endif
    }

    static Layout layout_of(const Options& options) {
        return detail::layout_from(options, "split256", detail::Family::split_block);
    }

private:
    friend Interface;
    friend SetOperations;
    friend struct detail::LoadAccess;
    SplitBlockBloom(const detail::Geometry& geometry, const Options& options)
        : Interface(geometry, options) {}

    static std::uint32_t mask(std::uint64_t hash, unsigned i) noexcept {
        return 1u << (detail::bit_position<LayoutKind::split256>(static_cast<std::uint32_t>(hash),
                                                                 i, 8, 0) &
                      31u);
    }
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
