// The memory that can be had before the system ends processes to get it back.
#pragma once

#include <cstdint>
#include <string>

namespace simdbloom::detail {

/// The bytes that the machine and the control groups of this process say are available now; 2^64 -
/// 1 where nothing says so. Cached files count as available, and so does the machine's free swap.
/// `root` is the folder with proc and sys.
std::uint64_t available_memory(const std::string& root = "");
/// Throws AllocationError if so many bytes are not available. Linux hands out addresses and looks
/// for memory only when they are written. A process that gets no memory then is killed.
void check_available(std::uint64_t bytes);

}  // namespace simdbloom::detail
