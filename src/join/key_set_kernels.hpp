// Lookups in a join's build side without a hash: in a list of a few keys, and in a bitmap over
// their range.
//
//   list     key == k0 ? key == k1 ? ..          every key of the list with a vector of keys
//   bitmap   ((key ^ flip) >> shift) - first     the cell of a key: one load, one bit
//
// Limits: a list takes time in proportion to its keys. A bitmap takes memory in proportion to the
// range of the keys.
#pragma once

#include "core/kernels/extension.hpp"
#include "join/key_set_table.hpp"

namespace simdbloom::detail {
namespace {

/// Calls test(keys) for vectors of keys and writes the results: bit i tells whether lane i's key is
/// found. Before that, calls ahead(keys, n) for the keys of the next chunk.
template <class O, class Ahead, class Test>
inline std::size_t answer_vectors(const std::uint64_t* keys, std::size_t n, Output output,
                                  void* out, const Ahead& ahead, const Test& test) {
    std::size_t found = 0;
    for (std::size_t first = 0; first < n; first += chunk_keys, keys += chunk_keys) {
        const std::size_t left = n - first, here = left < chunk_keys ? left : chunk_keys;
        if (here == chunk_keys) prefetch_keys<O>(keys);
        if (left > here) ahead(keys + here, left - here < chunk_keys ? left - here : chunk_keys);
        std::uint64_t hits = 0;
        std::size_t i = 0;
#pragma GCC unroll 1
        for (; i + O::lanes <= here; i += O::lanes)
            hits |= std::uint64_t{test(O::load(keys + i))} << i;
        if (i < here) hits |= std::uint64_t{test(O::load_first(keys + i, here - i))} << i;
        if (here < chunk_keys) hits &= (std::uint64_t{1} << here) - 1;
        write_hits<O>(hits, first, here, output, out, found);
        found += static_cast<std::size_t>(__builtin_popcountll(hits));
    }
    return found;
}

template <class O>
SIMDBLOOM_KERNEL std::size_t lookup_in_list(const KeySetTarget& t, const std::uint64_t* keys,
                                            std::size_t n, Output output, void* out) {
    const auto* const list = static_cast<const std::uint64_t*>(t.bits);
    const std::uint64_t size = t.size;
    const auto nothing = [](const std::uint64_t*, std::size_t) {};
    return answer_vectors<O>(keys, n, output, out, nothing, [&](typename O::V v) -> unsigned {
        auto any = v == O::broadcast(list[0]);
#pragma GCC unroll 1
        for (std::uint64_t k = 1; k < size; ++k) any = any | (v == O::broadcast(list[k]));
        return O::nonzero_lanes(O::ones(any));
    });
}

/// The cells of a vector of keys.
template <class O>
class Cells {
public:
    using V = typename O::V;
    explicit Cells(const KeySetTarget& t)
        : flip_(O::broadcast(t.flip)),
          shift_(O::broadcast(t.shift)),
          first_(O::broadcast(t.first)),
          size_(O::broadcast(t.size)) {}
    /// Counted from the first cell of the set.
    V of(V keys) const { return O::shift_right(keys ^ flip_, shift_) - first_; }
    /// The lanes whose cell is below the size, at most 2^63: only there cell - size is negative and
    /// cell is not.
    unsigned inside(V cell) const {
        const V high = O::broadcast(std::uint64_t{1} << 63);
        return O::nonzero_lanes((cell - size_) & (cell ^ high) & high);
    }

private:
    const V flip_, shift_, first_, size_;
};

template <class O>
SIMDBLOOM_KERNEL std::size_t lookup_in_bitmap(const KeySetTarget& t, const std::uint64_t* keys,
                                              std::size_t n, Output output, void* out) {
    const Cells<O> cells(t);
    const auto* const bits = static_cast<const std::byte*>(t.bits);
    const std::uint64_t flip = t.flip, first = t.first, size = t.size;
    const std::uint32_t shift = t.shift;
    // From 16 MiB on a key takes 2.0 ns instead of 2.8 (Zen 5, 32 MiB of level 3); within the
    // level-2 cache, 0.2 more.
    const auto ahead = [&](const std::uint64_t* next, std::size_t more) {
        if (t.prefetching.way == Prefetch::none) return;
        for (std::size_t i = 0; i < more; ++i) {
            const std::uint64_t cell = ((next[i] ^ flip) >> shift) - first;
            if (cell < size) O::prefetch(bits + cell / 8);
        }
    };
    return answer_vectors<O>(keys, n, output, out, ahead, [&](typename O::V v) -> unsigned {
        const auto cell = cells.of(v);
        const unsigned inside = cells.inside(cell);
        if (inside == 0) return 0;
        const auto words = O::gather64(bits, (cell >> 6) << 3, inside);
        return O::nonzero_lanes(O::shift_right(words, cell & O::broadcast(63)) & O::broadcast(1));
    });
}

template <class O>
SIMDBLOOM_KERNEL bool any_key_inside(const KeySetTarget& t, const std::uint64_t* keys,
                                     std::size_t n) {
    const Cells<O> cells(t);
    std::size_t i = 0;
#pragma GCC unroll 1
    for (; i + O::lanes <= n; i += O::lanes)
        if (cells.inside(cells.of(O::load(keys + i))) != 0) return true;
    if (i == n) return false;
    const unsigned lanes = (1u << (n - i)) - 1;
    return (cells.inside(cells.of(O::load_first(keys + i, n - i))) & lanes) != 0;
}

template <class O>
constexpr KeySetKernels make_kernels() {
    return {&lookup_in_list<O>, &lookup_in_bitmap<O>, &any_key_inside<O>};
}

}  // namespace
}  // namespace simdbloom::detail
