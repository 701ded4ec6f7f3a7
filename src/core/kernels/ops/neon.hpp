// AArch64 Advanced SIMD: two 64-bit lanes.
#pragma once

#include <arm_neon.h>

#include <cstring>

#include "core/kernels/ops/vector.hpp"

namespace simdbloom::detail {
namespace {

template <>
struct Ops<xsimd::neon64> : VectorOps<xsimd::neon64> {
    static V widen(const std::uint32_t* p) { return vmovl_u32(vld1_u32(p)); }
    static V mul32(V a, V b) { return vmull_u32(vmovn_u64(a), vmovn_u64(b)); }
    static constexpr bool has_mul32_high = true;
    static V mul32_high(V a, V b) { return vmull_u32(vshrn_n_u64(a, 32), vmovn_u64(b)); }
    template <std::uint64_t c>
    static V mul(V a) {
        // One multiplication for both products of the high half; a single one is there already.
        constexpr auto low = static_cast<std::uint32_t>(c),
                       high = static_cast<std::uint32_t>(c >> 32);
        const uint32x4_t products = vmulq_u32(vreinterpretq_u32_u64(a), factors(high, low));
        const uint64x2_t upper =
            high == 0 ? vreinterpretq_u64_u32(products) : vshlq_n_u64(vpaddlq_u32(products), 32);
        return vmlal_u32(upper, vmovn_u64(a), vdup_n_u32(low));
    }
    static V high_rotated(V a) {
        const uint64x2_t control =
            vcombine_u64(vcreate_u64(rotated_high[0]), vcreate_u64(rotated_high[1]));
        return vreinterpretq_u64_u8(
            vqtbl1q_u8(vreinterpretq_u8_u64(a), vreinterpretq_u8_u64(control)));
    }
    static V swap_halves(V a) {
        return vreinterpretq_u64_u32(vrev64q_u32(vreinterpretq_u32_u64(a)));
    }
    static V bit(V n) { return bit_below_64(vandq_u64(n, vdupq_n_u64(63))); }
    static V bit_below_64(V n) { return shift_left(vdupq_n_u64(1), n); }
    static V shift_left(V v, V count) { return vshlq_u64(v, vreinterpretq_s64_u64(count)); }
    static V byte_of_part(std::uint64_t pattern, std::size_t part) {
        // Indices beyond the table read as zero.
        const uint64x2_t control = vcombine_u64(vcreate_u64(~std::uint64_t{0xFF} | (2 * part)),
                                                vcreate_u64(~std::uint64_t{0xFF} | (2 * part + 1)));
        return vreinterpretq_u64_u8(
            vqtbl1q_u8(vreinterpretq_u8_u64(vdupq_n_u64(pattern)), vreinterpretq_u8_u64(control)));
    }
    static V gather64(const std::byte* base, V offset, unsigned wanted = 3) {
        std::uint64_t lo = 0, hi = 0;
        if ((wanted & 1) != 0) std::memcpy(&lo, base + vgetq_lane_u64(offset, 0), 8);
        if ((wanted & 2) != 0) std::memcpy(&hi, base + vgetq_lane_u64(offset, 1), 8);
        return vcombine_u64(vcreate_u64(lo), vcreate_u64(hi));
    }
    static V gather32(const std::byte* base, V offset) {
        std::uint32_t lo, hi;
        std::memcpy(&lo, base + vgetq_lane_u64(offset, 0), 4);
        std::memcpy(&hi, base + vgetq_lane_u64(offset, 1), 4);
        return vcombine_u64(vcreate_u64(lo), vcreate_u64(hi));
    }
    static V shift_right(V v, V count) {
        return vshlq_u64(v, vnegq_s64(vreinterpretq_s64_u64(count)));
    }
    static unsigned covered_lanes(V words, V mask) {
        return lane_mask(vceqq_u64(vandq_u64(words, mask), mask));
    }
    static unsigned nonzero_lanes(V a) { return lane_mask(vtstq_u64(a, a)); }

    template <unsigned r>
    static V equal_cells(const std::byte* bucket, std::uint32_t remainder) {
        const uint8x16_t bytes = vld1q_u8(reinterpret_cast<const std::uint8_t*>(bucket));
        uint16x8_t cells = vreinterpretq_u16_u8(bytes);
        if constexpr (r == 12) {
            const uint8x16_t pairs = {0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8, 9, 10, 10, 11};
            const int16x8_t up = {4, 0, 4, 0, 4, 0, 4, 0};
            cells = vshrq_n_u16(vshlq_u16(vreinterpretq_u16_u8(vqtbl1q_u8(bytes, pairs)), up), 4);
        } else if constexpr (r == 14) {
            cells = vshrq_n_u16(cells, 2);
        }
        return vreinterpretq_u64_u16(
            vceqq_u16(cells, vdupq_n_u16(static_cast<std::uint16_t>(remainder))));
    }

    static V32 bit32(V32 n) { return vshlq_u32(vdupq_n_u32(1), vreinterpretq_s32_u32(n)); }
    /// What several vectors lack is joined: the reduction of one to a bool is dear.
    static constexpr bool has_missing_bits = true;
    static V missing(V block, V mask) { return vbicq_u64(mask, block); }
    static V32 missing(V32 block, V32 mask) { return vbicq_u32(mask, block); }
    static bool none(V bits) { return none(V32(vreinterpretq_u32_u64(bits))); }
    static bool none(V32 bits) {
        return vgetq_lane_u64(vreinterpretq_u64_u32(vpmaxq_u32(bits, bits)), 0) == 0;
    }

    // Packs 64 bytes of 0 or 1 into 64 bits: each goes to its place in a byte; eight are added.
    static constexpr bool has_byte_packing = true;
    static std::uint64_t pack_bytes(const std::uint8_t* bytes) {
        const int8x16_t places = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};
        const auto placed = [&](int i) { return vshlq_u8(vld1q_u8(bytes + 16 * i), places); };
        const uint8x16_t of_four =
            vpaddq_u8(vpaddq_u8(placed(0), placed(1)), vpaddq_u8(placed(2), placed(3)));
        return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(of_four, of_four)), 0);
    }

private:
    // The factors of the two halves of each lane.
    static uint32x4_t factors(std::uint32_t low, std::uint32_t high) {
        return vreinterpretq_u32_u64(vdupq_n_u64(std::uint64_t{high} << 32 | low));
    }
    static unsigned lane_mask(uint64x2_t v) {
        return static_cast<unsigned>((vgetq_lane_u64(v, 0) & 1) | (vgetq_lane_u64(v, 1) & 2));
    }
};

using neon_ops = Ops<xsimd::neon64>;

}  // namespace
}  // namespace simdbloom::detail
