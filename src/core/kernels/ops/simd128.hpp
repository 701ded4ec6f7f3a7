// SIMD128 of WebAssembly: two 64-bit lanes.
#pragma once

#include <wasm_simd128.h>

#include "core/kernels/ops/lanes.hpp"

namespace simdbloom::detail {
namespace {

struct Simd128Arch {};

/// What the kernels use of xsimd::batch, which 8.1 does not have for WebAssembly.
template <class T>
struct Lanes {
    using value_type = T;
    static constexpr std::size_t size = 16 / sizeof(T);
    typedef T Vector [[gnu::vector_size(16)]];
    v128_t v;

    Lanes() = default;
    Lanes(v128_t from) : v(from) {}
    explicit Lanes(T x) : v(of(Vector{} + x)) {}
    operator v128_t() const { return v; }
    static Lanes load_unaligned(const T* p) { return wasm_v128_load(p); }
    void store_unaligned(T* p) const { wasm_v128_store(p, v); }

    friend Lanes operator+(Lanes a, Lanes b) { return of(a.lanes() + b.lanes()); }
    friend Lanes operator-(Lanes a, Lanes b) { return of(a.lanes() - b.lanes()); }
    friend Lanes operator*(Lanes a, Lanes b) { return of(a.lanes() * b.lanes()); }
    friend Lanes operator&(Lanes a, Lanes b) { return a.v & b.v; }
    friend Lanes operator|(Lanes a, Lanes b) { return a.v | b.v; }
    friend Lanes operator^(Lanes a, Lanes b) { return a.v ^ b.v; }
    friend Lanes operator<<(Lanes a, int n) { return of(a.lanes() << static_cast<T>(n)); }
    friend Lanes operator>>(Lanes a, int n) { return of(a.lanes() >> static_cast<T>(n)); }
    /// All bits of the lanes that are equal.
    friend Lanes operator==(Lanes a, Lanes b) { return v128_t(a.lanes() == b.lanes()); }

private:
    static v128_t of(Vector lanes) { return v128_t(lanes); }
    Vector lanes() const { return Vector(v); }
};

template <>
struct Ops<Simd128Arch> : LaneOps<Lanes<std::uint64_t>, Lanes<std::uint32_t>> {
    static V ones(V holds) { return holds & V(1); }
    static V widen(const std::uint32_t* p) { return wasm_u64x2_load32x2(p); }
    static V mul32(V a, V b) {
        return wasm_u64x2_extmul_low_u32x4(wasm_i32x4_shuffle(a, a, 0, 2, 0, 2),
                                           wasm_i32x4_shuffle(b, b, 0, 2, 0, 2));
    }
    static constexpr bool has_mul32_high = true;
    static V mul32_high(V a, V b) {
        return wasm_u64x2_extmul_low_u32x4(wasm_i32x4_shuffle(a, a, 1, 3, 1, 3),
                                           wasm_i32x4_shuffle(b, b, 0, 2, 0, 2));
    }
    template <std::uint64_t c>
    static V mul(V a) {
        return wasm_i64x2_mul(a, V(c));
    }
    static V high_rotated(V a) {
        return wasm_i8x16_shuffle(a, V(std::uint64_t{0}), 7, 4, 5, 6, 16, 16, 16, 16, 15, 12, 13,
                                  14, 16, 16, 16, 16);
    }
    static V swap_halves(V a) { return wasm_i32x4_shuffle(a, a, 1, 0, 3, 2); }

    // There is no shift by a count of each lane. Byte i of a lane has the bit n if n - 8 i is below
    // 8: it is looked up in a table of the eight bits, in which all else is 0.
    static V bit(V n) { return bit_below_64(n & V(std::uint64_t{63})); }
    static V bit_below_64(V n) {
        const v128_t in_each_byte =
            wasm_i8x16_shuffle(n, n, 0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8);
        return bit_in_byte(wasm_i8x16_sub(
            in_each_byte,
            wasm_u8x16_make(0, 8, 16, 24, 32, 40, 48, 56, 0, 8, 16, 24, 32, 40, 48, 56)));
    }
    static V32 bit32(V32 n) {
        const v128_t in_each_byte =
            wasm_i8x16_shuffle(n, n, 0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12);
        return bit_in_byte(wasm_i8x16_sub(
            in_each_byte, wasm_u8x16_make(0, 8, 16, 24, 0, 8, 16, 24, 0, 8, 16, 24, 0, 8, 16, 24)));
    }
    static V shift_left(V v, V count) {
        return wasm_u64x2_make(lane<0>(v) << lane<0>(count), lane<1>(v) << lane<1>(count));
    }
    static V shift_right(V v, V count) {
        return wasm_u64x2_make(lane<0>(v) >> lane<0>(count), lane<1>(v) >> lane<1>(count));
    }
    static V byte_of_part(std::uint64_t pattern, std::size_t part) {
        // Indices beyond the vector read as zero.
        return wasm_i8x16_swizzle(V(pattern),
                                  wasm_u64x2_make(~std::uint64_t{0xFF} | (2 * part),
                                                  ~std::uint64_t{0xFF} | (2 * part + 1)));
    }
    static V gather64(const std::byte* base, V offset) {
        return wasm_v128_load64_lane(base + lane<1>(offset),
                                     wasm_v128_load64_zero(base + lane<0>(offset)), 1);
    }
    static V gather64(const std::byte* base, V offset, unsigned wanted) {
        v128_t v = wasm_i64x2_const_splat(0);
        if ((wanted & 1) != 0) v = wasm_v128_load64_lane(base + lane<0>(offset), v, 0);
        if ((wanted & 2) != 0) v = wasm_v128_load64_lane(base + lane<1>(offset), v, 1);
        return v;
    }
    static V gather32(const std::byte* base, V offset) {
        return wasm_v128_load32_lane(base + lane<1>(offset),
                                     wasm_v128_load32_zero(base + lane<0>(offset)), 2);
    }
    static unsigned covered_lanes(V words, V mask) { return lane_mask((words & mask) == mask); }
    static unsigned nonzero_lanes(V a) {
        return lane_mask(wasm_i64x2_ne(a, wasm_i64x2_const_splat(0)));
    }

    template <unsigned r>
    static V equal_cells(const std::byte* bucket, std::uint32_t remainder) {
        v128_t cells = wasm_v128_load(bucket);
        if constexpr (r == 12) {
            cells =
                wasm_i8x16_shuffle(cells, cells, 0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8, 9, 10, 10, 11);
            cells = wasm_u16x8_shr(wasm_i16x8_mul(cells, wasm_i32x4_const_splat(0x10010)), 4);
        } else if constexpr (r == 14) {
            cells = wasm_u16x8_shr(cells, 2);
        }
        return wasm_i16x8_eq(cells, wasm_i16x8_splat(static_cast<std::int16_t>(remainder)));
    }

    static constexpr bool has_missing_bits = true;
    static V missing(V block, V mask) { return wasm_v128_andnot(mask, block); }
    static V32 missing(V32 block, V32 mask) { return wasm_v128_andnot(mask, block); }
    static bool none(v128_t bits) { return !wasm_v128_any_true(bits); }

    static constexpr bool has_byte_packing = true;
    static std::uint64_t pack_bytes(const std::uint8_t* bytes) {
        std::uint64_t hits = 0;
        for (int i = 0; i < 4; ++i)
            hits |=
                std::uint64_t{wasm_i8x16_bitmask(wasm_i8x16_neg(wasm_v128_load(bytes + 16 * i)))}
                << (16 * i);
        return hits;
    }

private:
    template <int number>
    static std::uint64_t lane(V v) {
        return static_cast<std::uint64_t>(wasm_i64x2_extract_lane(v, number));
    }
    static unsigned lane_mask(V v) { return static_cast<unsigned>(wasm_i64x2_bitmask(v)); }
    static v128_t bit_in_byte(v128_t n) {
        return wasm_i8x16_swizzle(
            wasm_u8x16_const(1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0), n);
    }
};

using simd128_ops = Ops<Simd128Arch>;

}  // namespace
}  // namespace simdbloom::detail
