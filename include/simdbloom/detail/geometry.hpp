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
/// The fewest blocks, from `least` to `limit`, for which good(blocks) holds, as it then does for
/// all above; 0 if it holds for none.
template <class Good>
std::uint64_t fewest_blocks(std::uint64_t least, std::uint64_t limit, const Good& good) {
    std::uint64_t enough = least;
    while (!good(enough)) {
        if (enough == limit) return 0;
        least = enough + 1;
        enough = enough > limit / 2 ? limit : enough * 2;
    }
    while (least < enough) {
        const std::uint64_t middle = least + (enough - least) / 2;
        if (good(middle)) enough = middle;
        else least = middle + 1;
    }
    return enough;
}
/// Parses options.spec, or `fallback` if empty. Throws std::invalid_argument for two families.
Layout layout_from(const Options& options, std::string_view fallback);

}  // namespace simdbloom::detail
