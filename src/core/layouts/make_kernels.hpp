// The table of all kernels of the core, for one ISA.
#pragma once

#include <utility>

#include "core/kernels/strings.hpp"
#include "core/layouts/list.hpp"

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
constexpr KernelTable make_kernels() {
    KernelTable t{};
    [&]<std::size_t... kind>(std::index_sequence<kind...>) {
        (set_variants<O, static_cast<LayoutKind>(kind)>(t.of[kind]), ...);
    }
    (std::make_index_sequence<n_layouts>());
    t.mix = &mix_batch<O>;
    t.siphash = &siphash_batch<O>;
    t.xxh64 = string_kernels_of<O, Xxh64Lanes<O>>();
    t.sip_strings = string_kernels_of<O, SipLanes<O>>();
    t.vector_bytes = 8 * O::lanes;
    return t;
}

}  // namespace
}  // namespace simdbloom::detail
