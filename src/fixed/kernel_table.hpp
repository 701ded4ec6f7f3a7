// The kernels of a BloomierMap.
#pragma once

#include "core/kernels/extension.hpp"

namespace simdbloom::detail {

/// A BloomierMap, as kernels see it (simdbloom/fixed/detail/fuse.hpp).
struct FuseTarget {
    std::byte* bits;
    std::uint64_t starts;
    std::uint64_t seed;        ///< the seed of the hash, already offset
    std::uint64_t graph_seed;  ///< fuse_seed() of the graph
    std::uint32_t window;
    std::uint8_t slot_bits, value_bits, check_bits;
    Prefetching prefetching;
};

/// How slots are loaded: 32 or 64 bits at a time, at a byte or at any bit.
enum class SlotLoad : std::uint8_t { bytes32, bits32, bytes64, bits64 };

struct MapKernels {
    KernelsFor<FuseTarget> probe;  ///< probe.insert is null
    /// Writes n values and, unless `bitmap` is null, ceil(n/8) bytes. Returns the number of keys
    /// found.
    std::size_t (*values)(const FuseTarget&, Batch, std::uint32_t* values, std::uint8_t* bitmap);
};

struct FuseKernels {
    MapKernels of3[4], of4[4];  ///< [SlotLoad], for keys of 3 and of 4 slots
};
SIMDBLOOM_DECLARE_KERNELS(FuseKernels, fuse_kernels)

}  // namespace simdbloom::detail
