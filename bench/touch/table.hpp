// `touch` of every layout on one ISA.
#pragma once

#include <cstdint>

#include "core/kernels/table.hpp"

namespace simdbloom::detail {

/// [LayoutKind][variant_of(..)]
struct TouchTable {
    std::uint64_t (*of[n_layouts][max_variants])(const Target&, Batch);
};

#define SIMDBLOOM_EXTERN(isa) extern const TouchTable isa##_touch;
SIMDBLOOM_EACH_ISA(SIMDBLOOM_EXTERN)
#undef SIMDBLOOM_EXTERN

}  // namespace simdbloom::detail
