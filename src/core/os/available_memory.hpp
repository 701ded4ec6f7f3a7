// The memory that can be had before the system ends processes to get it back.
#pragma once

#include <cstdint>

namespace simdbloom::detail {

/// The bytes that the system says are available now; 2^64 - 1 where it does not say. Cached files
/// count as available, and so does free swap.
std::uint64_t available_memory();
/// Throws AllocationError if so many bytes are not available. Linux hands out addresses and looks
/// for memory only when they are written. A process that gets no memory then is killed.
void check_available(std::uint64_t bytes);

}  // namespace simdbloom::detail
