// The data caches of the machine.
#pragma once

#include <algorithm>
#include <cstddef>

namespace simdbloom::detail {

/// Bytes of the caches that one core uses; 0 where the machine does not say.
struct Caches {
    std::size_t l1d = 0, l2 = 0, l3 = 0;
    bool operator==(const Caches&) const = default;
};

/// What the operating system says. CPUID can give a virtual machine the whole L3 of the host.
Caches read_caches() noexcept;
/// The same, read once.
inline const Caches& caches() noexcept {
    static const Caches of_first_cpu = read_caches();
    return of_first_cpu;
}

/// The level-2 cache; 1 MiB, as servers have, on a machine that does not say.
inline std::size_t level2_bytes(const Caches& of = caches()) noexcept {
    return of.l2 != 0 ? of.l2 : std::size_t{1} << 20;
}

/// A parallel build of at most so many bytes gives each thread a filter of its own: those of two
/// stay in the level-3 cache, 8 MiB if unknown. A virtual machine may have a small share of a large
/// one: hence the second bound (bench/pages/tried.md, "Builds on two threads").
inline std::size_t merged_up_to(const Caches& of = caches()) noexcept {
    const std::size_t l3 = of.l3 != 0 ? of.l3 : std::size_t{8} << 20;
    return std::min(l3 / 2, 16 * level2_bytes(of));
}

}  // namespace simdbloom::detail
