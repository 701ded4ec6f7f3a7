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
