// The distinct ones of many keys.
#pragma once

#include <cstdint>
#include <vector>

namespace simdbloom::detail {

/// Each of the n keys of all pieces once, in no promised order. Takes 16 bytes a key for a moment.
std::vector<std::uint64_t> distinct_of(const std::vector<std::vector<std::uint64_t>>& pieces,
                                       std::uint64_t n);

}  // namespace simdbloom::detail
