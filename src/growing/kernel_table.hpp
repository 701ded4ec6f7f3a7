// The kernels of a growing cuckoo table.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/kernels/table.hpp"

namespace simdbloom::detail {

/// A growing table, as kernels see it (growing/slots.hpp).
struct GrowingTarget {
    std::byte* bits;
    std::uint64_t roots;
    std::uint64_t seed;  ///< the seed of the hash, already offset
    std::uint32_t growths;
    Prefetching prefetching;
};

struct GrowingKernels {
    KernelsFor<GrowingTarget> of12, of16, of20;  ///< by the bits of a slot
};
SIMDBLOOM_DECLARE_KERNELS(GrowingKernels, growing_kernels)

}  // namespace simdbloom::detail
