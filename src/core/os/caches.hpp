// The data caches of the machine.
#pragma once

#include <cstddef>

namespace simdbloom::detail {

/// Bytes of the caches that one core uses; 0 where the machine does not say.
struct Caches {
    std::size_t l1d = 0, l2 = 0, l3 = 0;
    bool operator==(const Caches&) const = default;
};

/// What the operating system says. CPUID is not asked: inside a virtual machine it can give the
/// whole L3 of the host.
Caches read_caches() noexcept;
/// The same, read once.
const Caches& caches() noexcept;

/// The level-2 cache; 1 MiB on a machine that does not say.
std::size_t level2_bytes(const Caches& of = caches()) noexcept;
/// A parallel build of at most so many bytes gives each thread a filter of its own.
std::size_t merged_up_to(const Caches& of = caches()) noexcept;

}  // namespace simdbloom::detail
