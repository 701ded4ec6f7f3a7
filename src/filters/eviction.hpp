// The choices of an eviction walk in cuckoo tables.
#pragma once

#include <cstdint>

namespace simdbloom::detail {

/// xorshift64: deterministic, so that a table built from the same keys has the same bytes
/// everywhere.
inline std::uint64_t next_random(std::uint64_t& x) noexcept {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return x;
}

}  // namespace simdbloom::detail
