// From what a caller asks for to a layout and its size.
#pragma once

#include "simdbloom/layout.hpp"
#include "simdbloom/options.hpp"

namespace simdbloom::detail {

inline constexpr std::uint64_t max_blocks = 0xFFFF'FFFFu;  ///< found by 32 bits of hash

struct Geometry {
    Layout layout;
    std::uint64_t blocks = 0;
    std::uint64_t n_keys = 0;
};

/// The blocks for that many bits per key. Throws as Interface::with_bits_per_key.
SIMDBLOOM_API Geometry size_for_bits(Layout layout, std::size_t n_keys, double bits_per_key,
                                     const Options& options);
/// The fewest blocks whose expected FPR is at most `fpr`, or as many as max_bytes allows. Throws as
/// Interface::for_fpr, and std::length_error if max_bytes is too little for the keys of a table.
SIMDBLOOM_API Geometry size_for_fpr(Layout layout, std::size_t n_keys, double fpr,
                                    const Options& options);
/// Parses options.spec, or `fallback` if empty. Throws std::invalid_argument for two families.
Layout layout_from(const Options& options, std::string_view fallback);

}  // namespace simdbloom::detail
