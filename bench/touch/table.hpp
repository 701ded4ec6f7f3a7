// `touch` of every layout on one ISA.
#pragma once

#include <cstdint>

#include "core/kernels/extension.hpp"

namespace simdbloom::detail {

/// [LayoutKind][variant_of(..)]
struct TouchTable {
    std::uint64_t (*of[n_layouts][max_variants])(const Target&, Batch);
};

SIMDBLOOM_DECLARE_KERNELS(TouchTable, touch_kernels)

}  // namespace simdbloom::detail
