// The kernels of key sets: a join's build side without a hash.
#pragma once

#include "core/kernels/extension.hpp"

namespace simdbloom::detail {

/// A set of keys without false positives of a hash (join/key_sets.hpp). A key's place in the order
/// is key ^ flip, its cell is place >> shift.
struct KeySetTarget {
    const void* bits = nullptr;  ///< a list: std::uint64_t keys. A bitmap: words of 64 cells,
                                 ///< little-endian, with bit `first` as their lowest
    std::uint64_t first = 0;     ///< the lowest cell
    std::uint64_t size = 0;      ///< of a list the keys, else the cells, at most 2^63
    std::uint64_t flip = 0;
    std::uint32_t shift = 0;
    Prefetching prefetching{};  ///< of a bitmap, as in Target
};
struct KeySetKernels {
    /// As KernelsFor::lookup.
    using Lookup = std::size_t(const KeySetTarget&, const std::uint64_t* keys, std::size_t n,
                               Output, void* out);
    Lookup *list, *bitmap;
    /// Whether one of the keys lies in the cells. Stops at the first.
    bool (*any_inside)(const KeySetTarget&, const std::uint64_t* keys, std::size_t n);
};
SIMDBLOOM_DECLARE_KERNELS(KeySetKernels, key_set_kernels)

}  // namespace simdbloom::detail
