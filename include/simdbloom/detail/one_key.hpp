// One key at a time: the tests and inserts of split256 and of the register layouts, inlined and
// compiled with the flags of the including file.
//
// A program may compile some files for AVX2 and others not. A linker keeps one of the inline
// functions of a name, and must not take that of the one file for the other. So the instructions
// are part of the name: whatever uses them is a template over one of the types below. The default
// of a public call is FileCode, what the including file is compiled for. Functions of this library
// that are not themselves such templates take BaseCode, which is the same in every file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "simdbloom/detail/layout_traits.hpp"
#include "simdbloom/detail/little_endian.hpp"

namespace simdbloom::detail {

struct PlainCode {};     ///< no instructions of a certain CPU
struct Sse2Code {};      ///< what every x86-64 has
struct Avx2Code {};      ///< AVX2
struct Avx2Bmi2Code {};  ///< AVX2 and BMI2

#if defined(__x86_64__)
using BaseCode = Sse2Code;
#else
using BaseCode = PlainCode;
#endif
#if defined(__x86_64__) && defined(__AVX2__) && defined(__BMI2__)
using FileCode = Avx2Bmi2Code;
#elif defined(__x86_64__) && defined(__AVX2__)
using FileCode = Avx2Code;
#else
using FileCode = BaseCode;
#endif

template <class Code>
struct OneKey;

// 2^i. One load takes the place of a shift by a variable count, which goes through register cl and
// takes three steps on many CPUs.
struct BitMasks {
    std::uint64_t of[64];
};
constexpr BitMasks bit_masks_below_64() {
    BitMasks masks{};
    for (unsigned i = 0; i < 64; ++i) masks.of[i] = std::uint64_t{1} << i;
    return masks;
}
inline constexpr BitMasks bit_masks = bit_masks_below_64();

template <>
struct OneKey<PlainCode> {
    static std::uint64_t block_index(std::uint64_t hash, std::uint64_t blocks) noexcept {
        return detail::block_index(hash, blocks);
    }

    /// Whether the block of split256 has all bits of pattern x.
    static bool split_covers(const std::byte* block, std::uint32_t x) noexcept {
        std::uint32_t words[8], missing = 0;
        std::memcpy(words, block, sizeof words);
        for (unsigned i = 0; i < 8; ++i) missing |= split_bit(x, i) & ~little_endian(words[i]);
        return missing == 0;
    }
    static void split_set(std::byte* block, std::uint32_t x) noexcept {
        std::uint32_t words[8];
        std::memcpy(words, block, sizeof words);
        for (unsigned i = 0; i < 8; ++i) words[i] |= little_endian(split_bit(x, i));
        std::memcpy(block, words, sizeof words);
    }

    /// Whether the word at p of a register layout has all bits of pattern x. `wide` says that words
    /// have 64 bits.
    static bool word_covers(const std::byte* p, std::uint32_t x, unsigned k, bool wide) noexcept {
        if (wide) return (mask<6>(x, k) & ~load_le<std::uint64_t>(p)) == 0;
        return (mask<5>(x, k) & ~std::uint64_t{load_le<std::uint32_t>(p)}) == 0;
    }
    static void word_set(std::byte* p, std::uint32_t x, unsigned k, bool wide) noexcept {
        if (wide) store_le(p, load_le<std::uint64_t>(p) | mask<6>(x, k));
        else store_le(p, load_le<std::uint32_t>(p) | static_cast<std::uint32_t>(mask<5>(x, k)));
    }

protected:
    static std::uint32_t split_bit(std::uint32_t x, unsigned i) noexcept {
        return 1u << (bit_position<LayoutKind::split256>(x, i, 8, 0) & 31u);
    }

private:
    /// The k bits of pattern x, whose positions have `field` bits.
    template <unsigned field>
    static std::uint64_t mask(std::uint32_t x, unsigned k) noexcept {
        const std::uint64_t p = k <= direct_k(field) ? x : spread(x) >> (64 - field * k);
        const auto bit = [p](unsigned i) {
            return bit_masks.of[p >> (field * i) & ((1u << field) - 1)];
        };
        // One jump, which the CPU predicts: k is the same for all keys of a filter. A loop takes
        // 1.2 times as long.
        std::uint64_t m = bit(0);
        switch (k) {
            case 8:
                m |= bit(7);
                [[fallthrough]];
            case 7:
                m |= bit(6);
                [[fallthrough]];
            case 6:
                m |= bit(5);
                [[fallthrough]];
            case 5:
                m |= bit(4);
                [[fallthrough]];
            case 4:
                m |= bit(3);
                [[fallthrough]];
            case 3:
                m |= bit(2);
                [[fallthrough]];
            case 2:
                m |= bit(1);
                [[fallthrough]];
            default:
                return m;
        }
    }

protected:
    static constexpr unsigned direct_k(unsigned field) noexcept {
        return field == 6 ? register64_direct_k : register32_direct_k;
    }
};

#if defined(__x86_64__)
template <>
struct OneKey<Sse2Code> : OneKey<PlainCode> {
    static bool split_covers(const std::byte* block, std::uint32_t x) noexcept {
        const auto* const words = reinterpret_cast<const __m128i*>(block);
        const __m128i missing =
            _mm_or_si128(_mm_andnot_si128(load(words), split_bits(x, salts)),
                         _mm_andnot_si128(load(words + 1), split_bits(x, salts + 4)));
        return _mm_movemask_epi8(_mm_cmpeq_epi32(missing, _mm_setzero_si128())) == 0xFFFF;
    }
    static void split_set(std::byte* block, std::uint32_t x) noexcept {
        auto* const words = reinterpret_cast<__m128i*>(block);
        for (unsigned half = 0; half < 2; ++half) {
            const __m128i bits = swap_middle(split_bits(x, salts + 4 * half));
            _mm_store_si128(words + half, _mm_or_si128(_mm_load_si128(words + half), bits));
        }
    }

private:
    // SSE2 multiplies words 0 and 2 of a vector. So bits are made in the order of words 0, 2, 1, 3.
    static __m128i swap_middle(__m128i v) noexcept {
        return _mm_shuffle_epi32(v, _MM_SHUFFLE(3, 1, 2, 0));
    }
    static __m128i load(const __m128i* words) noexcept {
        return swap_middle(_mm_load_si128(words));
    }
    /// The bits of four words, 2^(product >> 27) each. 2^n is made through the exponent of a float;
    /// n = 31 overflows to exactly 0x80000000.
    static __m128i split_bits(std::uint32_t x, const std::uint32_t* salts4) noexcept {
        const __m128i pattern = _mm_set1_epi32(static_cast<int>(x));
        const auto product = [&](std::uint32_t low, std::uint32_t high) {
            return _mm_castsi128_ps(_mm_mul_epu32(
                pattern, _mm_set_epi32(0, static_cast<int>(high), 0, static_cast<int>(low))));
        };
        const __m128i products = _mm_castps_si128(_mm_shuffle_ps(
            product(salts4[0], salts4[2]), product(salts4[1], salts4[3]), _MM_SHUFFLE(2, 0, 2, 0)));
        const __m128i exponent =
            _mm_and_si128(_mm_srli_epi32(products, 4), _mm_set1_epi32(31 << 23));
        return _mm_cvttps_epi32(
            _mm_castsi128_ps(_mm_add_epi32(exponent, _mm_set1_epi32(127 << 23))));
    }
};
#endif

#if defined(__x86_64__) && defined(__AVX2__)
template <class Code>
struct OneKeyAvx2 : OneKey<PlainCode> {
    static bool split_covers(const std::byte* block, std::uint32_t x) noexcept {
        return _mm256_testc_si256(load(block), split_bits(x)) != 0;
    }
    static void split_set(std::byte* block, std::uint32_t x) noexcept {
        _mm256_store_si256(reinterpret_cast<__m256i*>(block),
                           _mm256_or_si256(load(block), split_bits(x)));
    }

    // Eight lanes of 32 bits look at one bit each. The upper half of a word of 32 bits, which lies
    // behind it, is loaded and not looked at.
    static bool word_covers(const std::byte* p, std::uint32_t x, unsigned k, bool wide) noexcept {
        const __m256i position = positions(fields_of(k, wide), x);
        const __m256 words = _mm256_castsi256_ps(
            _mm256_set1_epi64x(static_cast<long long>(load_le<std::uint64_t>(p))));
        // The sixth bit of a position says in which half of the word the bit is.
        const __m256i halves =
            _mm256_castps_si256(_mm256_permutevar_ps(words, _mm256_srli_epi32(position, 5)));
        return _mm256_testc_si256(
                   halves, _mm256_sllv_epi32(_mm256_set1_epi32(1),
                                             _mm256_and_si256(position, _mm256_set1_epi32(31)))) !=
               0;
    }

    static void word_set(std::byte* p, std::uint32_t x, unsigned k, bool wide) noexcept {
        const __m256i position = positions(fields_of(k, wide), x), one = _mm256_set1_epi64x(1);
        const __m256i even = _mm256_and_si256(position, _mm256_set1_epi64x(0xFFFFFFFF)),
                      odd = _mm256_srli_epi64(position, 32);
        const __m256i four =
            _mm256_or_si256(_mm256_sllv_epi64(one, even), _mm256_sllv_epi64(one, odd));
        const __m128i two =
            _mm_or_si128(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));
        const auto mask = static_cast<std::uint64_t>(
            _mm_cvtsi128_si64(_mm_or_si128(two, _mm_unpackhi_epi64(two, two))));
        if (wide) store_le(p, load_le<std::uint64_t>(p) | mask);
        else store_le(p, load_le<std::uint32_t>(p) | static_cast<std::uint32_t>(mask));
    }

private:
    /// Where the positions of the probes lie in a pattern, for lanes of 32 bits: two bytes of the
    /// pattern, shifted to the right. Lanes beyond k repeat the first probe.
    struct alignas(128) Fields {
        std::uint8_t bytes[32] = {};
        std::uint32_t shifts[8] = {}, mask = 0;
        bool direct = false;
        constexpr Fields() = default;
        constexpr Fields(bool wide, unsigned k)
            : mask(wide ? 63 : 31), direct(k <= direct_k(wide ? 6 : 5)) {
            for (unsigned lane = 0; lane < 8; ++lane) {
                const unsigned field = wide ? 6 : 5, i = lane < k ? lane : 0;
                const unsigned first = direct ? field * i : 64 - field * (i + 1);
                const unsigned byte = first / 8 < 6 ? first / 8 : 6;
                for (unsigned j = 0; j < 4; ++j)
                    bytes[4 * lane + j] = static_cast<std::uint8_t>(j < 2 ? byte + j : 0x80);
                shifts[lane] = first - 8 * byte;
            }
        }
    };
    struct FieldsTable {
        Fields of[32];
        constexpr FieldsTable() : of() {
            for (unsigned k = 1; k <= 8; ++k)
                of[k] = Fields(false, k), of[16 + k] = Fields(true, k);
        }
    };
    static const FieldsTable fields_table;
    static const Fields& fields_of(unsigned k, bool wide) noexcept {
        return fields_table.of[k + (wide ? 16u : 0u)];
    }

    static __m256i positions(const Fields& fields, std::uint32_t x) noexcept {
        const std::uint64_t pattern = fields.direct ? x : spread(x);
        const __m256i words =
            _mm256_shuffle_epi8(_mm256_set1_epi64x(static_cast<long long>(pattern)),
                                _mm256_load_si256(reinterpret_cast<const __m256i*>(fields.bytes)));
        return _mm256_and_si256(
            _mm256_srlv_epi32(words,
                              _mm256_load_si256(reinterpret_cast<const __m256i*>(fields.shifts))),
            _mm256_set1_epi32(static_cast<int>(fields.mask)));
    }
    static __m256i load(const std::byte* block) noexcept {
        return _mm256_load_si256(reinterpret_cast<const __m256i*>(block));
    }
    static __m256i split_bits(std::uint32_t x) noexcept {
        const __m256i product =
            _mm256_mullo_epi32(_mm256_set1_epi32(static_cast<int>(x)),
                               _mm256_loadu_si256(reinterpret_cast<const __m256i*>(salts)));
        return _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(product, 27));
    }
};
template <class Code>
constexpr typename OneKeyAvx2<Code>::FieldsTable OneKeyAvx2<Code>::fields_table{};

template <>
struct OneKey<Avx2Code> : OneKeyAvx2<Avx2Code> {};
#endif

#if defined(__x86_64__) && defined(__AVX2__) && defined(__BMI2__)
template <>
struct OneKey<Avx2Bmi2Code> : OneKeyAvx2<Avx2Bmi2Code> {
    /// The same index as the upper half of a product of 64 and 64 bits: one shift less a key, where
    /// a loop keeps the second factor.
    static std::uint64_t block_index(std::uint64_t hash, std::uint64_t blocks) noexcept {
        unsigned long long index;
        (void)_mulx_u64(hash >> 32, blocks << 32, &index);
        return index;
    }
};
#endif

}  // namespace simdbloom::detail
