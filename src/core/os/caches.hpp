// The data caches of the machine.
#pragma once

#include <cstddef>

namespace simdbloom::detail {

/// Bytes of the caches that one core uses; 0 where the machine does not say.
struct Caches {
    std::size_t l1d = 0, l2 = 0, l3 = 0;
    bool operator==(const Caches&) const = default;
};

/// What a folder such as /sys/devices/system/cpu/cpu0/cache says: `index*/level`, `type` and
/// `size`. A size that is no number, such as a broken one, counts as not said.
Caches read_caches(const char* folder) noexcept;

/// Those of this machine, from the kernel. CPUID is not asked: inside a virtual machine it can give
/// the whole L3 of the host.
const Caches& caches() noexcept;

/// The level-2 cache; 1 MiB on a machine that does not say.
std::size_t level2_bytes(const Caches& of = caches()) noexcept;
/// A parallel build of at most so many bytes gives each thread a filter of its own.
std::size_t merged_up_to(const Caches& of = caches()) noexcept;

}  // namespace simdbloom::detail
