// The kernels of LevelDB's built-in filter.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/kernels/extension.hpp"

namespace simdbloom::detail {

struct LevelDbTarget {
    const std::byte* bits;
    std::uint64_t count;       ///< the number of bits, at least 64
    std::uint64_t reciprocal;  ///< floor(2^32 / count)
    unsigned k;
};

struct LevelDbKernels {
    /// As KernelsFor::lookup.
    std::size_t (*lookup)(const LevelDbTarget&, Batch, Output, void* out);
};
SIMDBLOOM_DECLARE_KERNELS(LevelDbKernels, leveldb_kernels)

}  // namespace simdbloom::detail
