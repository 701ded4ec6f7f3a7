// Removes duplicates among many keys.
#pragma once

#include <cstdint>
#include <vector>

namespace simdbloom::detail {

/// The distinct keys of all pieces, which have n keys, in any order. Needs 16 bytes a key
/// meanwhile.
std::vector<std::uint64_t> distinct_of(const std::vector<std::vector<std::uint64_t>>& pieces,
                                       std::uint64_t n);

}  // namespace simdbloom::detail
