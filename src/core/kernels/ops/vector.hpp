// What ISAs share whose lanes are xsimd's batches. Each adds shifts, gathers and lane masks.
#pragma once

#include <cstdint>
#include <xsimd/xsimd.hpp>

#include "core/kernels/ops/lanes.hpp"

namespace simdbloom::detail {
namespace {

/// Arch32 is the architecture whose 32-bit batches hold a 256-bit block, or a part of it.
template <class A, class Arch32 = A>
struct VectorOps : LaneOps<xsimd::batch<std::uint64_t, A>, xsimd::batch<std::uint32_t, Arch32>> {
    using V = xsimd::batch<std::uint64_t, A>;
    using V32 = xsimd::batch<std::uint32_t, Arch32>;
    /// 1 in the lanes for which a comparison holds, else 0.
    static V ones(typename V::batch_bool_type holds) { return xsimd::select(holds, V(1), V(0)); }
};

}  // namespace
}  // namespace simdbloom::detail
