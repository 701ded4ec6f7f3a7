// Instantiates every kernel for one ISA.
#pragma once

#include <cstddef>
#include <utility>

#include "core/layouts/blocked512.hpp"
#include "core/layouts/classic.hpp"
#include "core/layouts/cuckoo.hpp"
#include "core/layouts/dleft.hpp"
#include "core/kernels/fuse.hpp"
#include "core/kernels/growing.hpp"
#include "core/kernels/key_sets.hpp"
#include "core/layouts/register_blocked.hpp"
#include "core/layouts/sector512.hpp"
#include "core/layouts/split.hpp"
#include "core/kernels/strings.hpp"
#include "core/layouts/zoned512.hpp"

namespace simdbloom::detail {
namespace {

template <class O, LayoutKind kind>
constexpr void set_variants(Kernels (&of)[max_variants]) {
    [&]<unsigned... v>(std::integer_sequence<unsigned, v...>) {
        ((of[v] = kernels_of<O, typename KernelOf<O, kind, v>::type>()), ...);
    }
    (std::make_integer_sequence<unsigned, traits_of(kind).variants>());
}

template <class O>
constexpr KernelTable make_table() {
    KernelTable t{};
    [&]<std::size_t... kind>(std::index_sequence<kind...>) {
        (set_variants<O, static_cast<LayoutKind>(kind)>(t.of[kind]), ...);
    }
    (std::make_index_sequence<n_layouts>());
    [&]<std::size_t... i>(std::index_sequence<i...>) {
        ((t.fuse3[i] = map_kernels_of<O, Fuse<O, 3, static_cast<SlotLoad>(i)>>()), ...);
        ((t.fuse4[i] = map_kernels_of<O, Fuse<O, 4, static_cast<SlotLoad>(i)>>()), ...);
    }
    (std::make_index_sequence<4>());
    t.growing12 = kernels_of<O, Growing<O, 12>>();
    t.growing16 = kernels_of<O, Growing<O, 16>>();
    t.growing20 = kernels_of<O, Growing<O, 20>>();
    t.xxh64 = string_kernels_of<O, Xxh64Lanes<O>>();
    t.siphash = string_kernels_of<O, SipLanes<O>>();
    t.key_sets = key_set_kernels_of<O>();
    return t;
}

}  // namespace
}  // namespace simdbloom::detail
