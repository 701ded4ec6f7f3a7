// What an ISA gets that has no better way.
#pragma once

namespace simdbloom::detail {
namespace {

/// The words of `lanes` strings of less than 32 bytes. A string has the words before its last size
/// % 8 bytes; the tail has these bytes, with zeros behind. A word that a string lacks is undefined.
template <class V>
struct StringWords {
    V word[3], tail;
};

struct OpsDefaults {
    // Capabilities. What each brings, the concept Operations lists.
    static constexpr bool has_masks = false;          // tests that leave a mask: AVX-512
    static constexpr bool has_bit_gather = false;     // bits by their positions: BITALG
    static constexpr bool has_carry_test = false;     // covers() in the carry: AVX2
    static constexpr bool has_half_products = false;  // see halves.hpp: AVX2
    static constexpr bool has_zero_shifts = false;    // 1 << n of any n: 0 from 64 on
    static constexpr bool has_bit_lanes = false;      // one bit of each lane: AVX2
    static constexpr bool has_line_test = false;      // k bits anywhere in a line: AVX2
    static constexpr bool has_missing_bits = false;   // reductions are dear: NEON, SIMD128
    static constexpr bool has_byte_packing = false;   // 64 bytes of 0 or 1 into 64 bits
    static constexpr bool has_mul32_high = false;     // high halves need no swap: NEON, SIMD128
    // The kind of answers that each family of layouts keeps, see answers.hpp.
    template <class Default>
    using SplitAnswers = Default;
    template <class Default>
    using SectorAnswers = Default;
    template <class Default>
    using LineAnswers = Default;
    template <class Default>
    using LaneAnswers = Default;
    template <class Default>
    using CellAnswers = Default;

    // Into L2 and L1. GCC 12 drops calls of a function that only prefetches: hence the statement.
    static void prefetch(const void* p) {
        __builtin_prefetch(p, 0, 2);
        __asm__("");
    }
    static void prefetch_near(const void* p) {
        __builtin_prefetch(p, 0, 3);
        __asm__("");
    }
};

}  // namespace
}  // namespace simdbloom::detail
