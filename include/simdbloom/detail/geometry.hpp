// A layout and its size.
#pragma once

#include "simdbloom/layout.hpp"
#include "simdbloom/options.hpp"

namespace simdbloom::detail {

/// A block is found by 32 bits of hash.
inline constexpr std::uint64_t max_blocks = 0xFFFF'FFFFu;

/// A layout and its size: what the sizing functions return.
struct Geometry {
    Layout layout;
    std::uint64_t blocks = 0;
    std::uint64_t n_keys = 0;
};

/// The blocks for that many bits per key. Throws std::invalid_argument for zero keys, for bits per
/// key that are not positive and finite, and for too few bits for a cuckoo table; std::length_error
/// beyond 2^32 - 1 blocks or options.max_bytes.
SIMDBLOOM_API Geometry size_for_bits(Layout layout, std::size_t n_keys, double bits_per_key,
                                     const Options& options);
/// The fewest blocks whose exact expected FPR is at most `fpr`, or as many as max_bytes allows.
/// Throws std::invalid_argument for zero keys or an FPR outside [fpr::least, 1), which is [1e-12,
/// 1); std::length_error beyond 2^32 - 1 blocks, or if max_bytes is too little for the keys of a
/// table.
SIMDBLOOM_API Geometry size_for_fpr(Layout layout, std::size_t n_keys, double fpr,
                                    const Options& options);
/// Parses options.spec, or `fallback` if it is empty. Throws std::invalid_argument if the two are
/// not of one family.
Layout layout_from(const Options& options, std::string_view fallback);

}  // namespace simdbloom::detail
