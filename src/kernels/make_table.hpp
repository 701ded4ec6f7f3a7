// Instantiates every kernel for one ISA.
#pragma once

#include <utility>

#include "kernels/classic.hpp"
#include "kernels/cuckoo.hpp"
#include "kernels/dleft.hpp"
#include "kernels/fuse.hpp"
#include "kernels/growing.hpp"
#include "kernels/leveldb.hpp"
#include "kernels/line.hpp"
#include "kernels/register.hpp"
#include "kernels/split.hpp"

namespace simdbloom::detail {
namespace {

template <class O>
constexpr KernelTable make_table() {
    KernelTable t{};
    t.classic = kernels_of<O, Classic<O>>();
    [&]<unsigned... i>(std::integer_sequence<unsigned, i...>) {
        ((t.register32[i] = kernels_of<O, RegisterLayout<O, 32, i + 1>>()), ...);
        ((t.register64[i] = kernels_of<O, RegisterLayout<O, 64, i + 1>>()), ...);
    }
    (std::make_integer_sequence<unsigned, register_max_k>());
    t.split256 = kernels_of<O, Split256<O>>();
    t.sector512 = kernels_of<O, Sector512<O>>();
    [&]<unsigned... i>(std::integer_sequence<unsigned, i...>) {
        ((t.zoned2[i] = kernels_of<O, Zoned512<O, 2, i + 1>>()), ...);
    }
    (std::make_integer_sequence<unsigned, zoned_max_k_per_group>());
    [&]<unsigned... i>(std::integer_sequence<unsigned, i...>) {
        ((t.zoned4[i] = kernels_of<O, Zoned512<O, 4, i + 1>>()), ...);
    }
    (std::make_integer_sequence<unsigned, zoned_max_k_per_group / 2>());
    t.blocked512 = kernels_of<O, Blocked512<O>>();
    t.cuckoo8 = kernels_of<O, Cuckoo<O, 8>>();
    t.cuckoo12 = kernels_of<O, Cuckoo<O, 12>>();
    t.cuckoo16 = kernels_of<O, Cuckoo<O, 16>>();
    [&]<std::size_t... i>(std::index_sequence<i...>) {
        ((t.fuse3[i] = map_kernels_of<O, Fuse<O, 3, static_cast<SlotLoad>(i)>>()), ...);
        ((t.fuse4[i] = map_kernels_of<O, Fuse<O, 4, static_cast<SlotLoad>(i)>>()), ...);
    }
    (std::make_index_sequence<4>());
    t.growing12 = kernels_of<O, Growing<O, 12>>();
    t.growing16 = kernels_of<O, Growing<O, 16>>();
    t.growing20 = kernels_of<O, Growing<O, 20>>();
    t.counting = kernels_of<O, Classic<O, 4>>();
    t.counting512 = kernels_of<O, Blocked512<O, 4>>();
    t.dleft12 = kernels_of<O, DLeft<O, 12>>();
    t.dleft14 = kernels_of<O, DLeft<O, 14>>();
    t.dleft16 = kernels_of<O, DLeft<O, 16>>();
    t.leveldb = &leveldb_lookup<O>;
    return t;
}

}  // namespace
}  // namespace simdbloom::detail
