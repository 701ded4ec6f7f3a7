// Keys of build sides, and the join filters that a builder chooses for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "simdbloom/join/join.hpp"

namespace simdbloom::test {

/// n keys, `step` apart.
inline std::vector<std::uint64_t> sequence(std::uint64_t first, std::size_t n,
                                           std::uint64_t step = 1) {
    std::vector<std::uint64_t> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = first + step * i;
    return keys;
}

/// At 12 bits a key.
inline JoinFilter chosen(const std::vector<std::uint64_t>& keys, const Options& options = {},
                         std::size_t n_keys = 0, bool hashed = false,
                         const std::string& spec = "auto") {
    JoinBuilder builder(spec, n_keys, 12, options);
    builder.insert({keys, hashed});
    return std::move(builder).finish();
}

}  // namespace simdbloom::test
