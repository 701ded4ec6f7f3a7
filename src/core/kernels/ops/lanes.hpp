// What ISAs share: the defaults of what an ISA may do better, and, over a class of lanes V with the
// names of xsimd's batches, loads, stores, broadcasts and the products that the hash needs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simdbloom::detail {
namespace {

template <class A>
struct Ops;

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
    static constexpr bool has_bit_products = false;   // products of matrices of bits: GFNI
    static constexpr bool has_carry_test = false;     // covers() in the carry: AVX2
    static constexpr bool has_half_products = false;  // see Halves: AVX2
    static constexpr bool has_zero_shifts = false;    // shift_left by any count: 0 from 64 on
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

template <class Batch64, class Batch32>
struct LaneOps : OpsDefaults {
    using V = Batch64;
    using V32 = Batch32;
    static constexpr std::size_t lanes = V::size;
    static constexpr std::size_t lanes32 = V32::size;

    static V load(const std::uint64_t* p) { return V::load_unaligned(p); }
    /// Loads the n < lanes numbers from p on; the other lanes are 0. Nothing behind them is read.
    static V load_first(const std::uint64_t* p, std::size_t n) {
        std::uint64_t all[lanes] = {};
        for (std::size_t i = 0; i < lanes; ++i)
            if (i < n) all[i] = p[i];
        return load(all);
    }
    static void store(std::uint64_t* p, V v) { v.store_unaligned(p); }
    static V32 load32(const std::uint32_t* p) { return V32::load_unaligned(p); }
    static V broadcast(std::uint64_t x) { return V(x); }
    template <class Lanes>
    static Lanes load_block(const void* p) {
        return Lanes::load_unaligned(static_cast<const typename Lanes::value_type*>(p));
    }
    template <class Lanes>
    static void store_block(void* p, Lanes v) {
        v.store_unaligned(static_cast<typename Lanes::value_type*>(p));
    }
    static V32 broadcast32(std::uint32_t x) { return V32(x); }

    static V xor3(V a, V b, V c) { return a ^ b ^ c; }
    static V low_six_bits_of_bytes(V v) { return v & V(std::uint64_t{0x3F3F3F3F3F3F3F3Fu}); }

    // Of ISAs with two lanes. The lanes behind those of `keep` are undefined.
    static void compress(std::uint64_t* to, V v, unsigned keep) {
        std::uint64_t both[lanes];
        store(both, v);
        to[0] = both[0];
        to[keep & 1] = both[1];
    }

protected:
    /// The bytes that high_rotated takes from two lanes, for byte shuffles. An index of 80 gives 0.
    static constexpr std::uint64_t rotated_high[2] = {0x8080808006050407u, 0x808080800E0D0C0Fu};

    // The 64-bit product with c. Shuffles, unlike shifts, do not wait for the multiplier's port.
    template <class O, std::uint64_t c>
    static V mul_from_mul32(V a) {
        const V high = O::swap_halves(a), c_low(c & 0xFFFFFFFFu), c_high(c >> 32);
        V upper = O::mul32(high, c_low);
        if constexpr (c >> 32 != 0) upper = O::mul32(a, c_high) + upper;
        return O::mul32(a, c_low) + (upper << 32);
    }
};

}  // namespace
}  // namespace simdbloom::detail
