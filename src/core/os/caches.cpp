#include "core/os/caches.hpp"

#include <algorithm>

namespace simdbloom::detail {

const Caches& caches() noexcept {
    static const Caches of_first_cpu = read_caches();
    return of_first_cpu;
}

// Where nothing is said: the level-2 cache that servers have, and a small level-3 cache.
std::size_t level2_bytes(const Caches& of) noexcept {
    return of.l2 != 0 ? of.l2 : std::size_t{1} << 20;
}

// The filters of two threads stay in the level-3 cache. A virtual machine may have a small share of
// a large one: hence the second bound (bench/pages/tried.md, "Builds on two threads").
std::size_t merged_up_to(const Caches& of) noexcept {
    const std::size_t l3 = of.l3 != 0 ? of.l3 : std::size_t{8} << 20;
    return std::min(l3 / 2, 16 * level2_bytes(of));
}

}  // namespace simdbloom::detail
