// What the layouts have in common whose blocks lie within one cache line.
#pragma once

#include "kernels/driver.hpp"

namespace simdbloom::detail {
namespace {

/// Stage of one byte offset and one pattern a key.
struct LineStage {
    alignas(64) std::uint64_t offset[chunk_keys];
    alignas(64) std::uint64_t pattern[chunk_keys];
};

template <class O>
struct OneLine {
    using V = typename O::V;
    using Stage = LineStage;

    static void prefetch(const Target& t, const Stage& s, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) O::prefetch(t.bits + s.offset[i]);
    }
};

/// Calls test(i) for i = 0, step, 2 step ... below n, in straight code for a full chunk. Up to a vector of padding
/// behind n is staged too, so a last pair may be half padding.
template <std::size_t step, class F>
inline void for_each_padded(std::size_t n, F test) {
    if (n == chunk_keys) {
#pragma GCC unroll 8
        for (std::size_t i = 0; i < chunk_keys; i += step) test(i);
    } else {
        for (std::size_t i = 0; i < n; i += step) test(i);
    }
}

/// Bit i of the result: test(i). Where the ISA can pack bytes into bits, each answer is stored as one byte (a flag
/// goes to memory in one instruction) and 64 of them are packed at once.
template <class O, class F>
inline std::uint64_t hits_by_key(std::size_t n, F test) {
    if constexpr (O::packs_bytes) {
        alignas(64) std::uint8_t bytes[chunk_keys];
        for_each_padded<1>(n, [&](std::size_t i) { bytes[i] = test(i); });
        return O::pack_bytes(bytes);
    } else {
        std::uint64_t hits = 0;
        for (std::size_t i = 0; i < n; ++i) hits |= std::uint64_t{test(i)} << i;
        return hits;
    }
}

/// The block's 256 or 512 bits through vectors of 64-bit lanes, loaded and summed.
template <class O, std::size_t bytes>
inline std::uint64_t touch_blocks(const Target& t, const LineStage& s, std::size_t n) {
    if constexpr (bytes == 8 * O::lanes || bytes > 8 * O::lanes) {
        typename O::V sum = O::broadcast(0);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t r = 0; r < bytes / (8 * O::lanes); ++r)
                sum = sum ^ O::load_block(t.bits + s.offset[i] + 8 * O::lanes * r);
        std::uint64_t lanes[O::lanes];
        O::store(lanes, sum);
        return lanes[0];
    } else {
        auto sum = O::broadcast32(0);
        for (std::size_t i = 0; i < n; ++i) sum = sum ^ O::load32(t.bits + s.offset[i]);
        std::uint32_t lanes[O::lanes32];
        O::store32(lanes, sum);
        return lanes[0];
    }
}

}  // namespace
}  // namespace simdbloom::detail
