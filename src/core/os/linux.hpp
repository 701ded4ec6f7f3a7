// What tests ask of the readers of Linux's files.
#pragma once

#include <cstdint>
#include <string>

#include "core/os/memory.hpp"

namespace simdbloom::detail {

/// What the machine and the control groups of this process say; `root` has proc and sys.
std::uint64_t available_memory_in(const std::string& root);
/// What a folder such as /sys/devices/system/cpu/cpu0/cache says: `index*/level`, `type` and
/// `size`. A size that is no number, such as a broken one, counts as not said.
Caches caches_in(const char* folder) noexcept;

}  // namespace simdbloom::detail
