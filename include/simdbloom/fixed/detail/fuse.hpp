// Where a hash leads in a fuse graph: the definition, bit by bit, of the slots and checks of a
// BloomierMap.
//
// A fuse graph (Dietzfelbinger & Walzer 2019; Graf & Lemire 2022) has slots in a row. A key is an
// edge of 3 or 4 slots that lie near each other. Keys are peeled from both ends of the row inwards,
// which works up to a higher load than with slots anywhere.
//
//   slots  | 0 1 2 ..   s | s+1   ..   s+W | s+1+W ..  s+2W | ..         m-1 |
//                       ^        ^                 ^
//   key           first slot   second,           third,
//                 of `starts`  in the window     in the next window
//                              behind it         of W = 2^window_log slots
//
// The segments of Graf & Lemire have fixed borders. Windows that begin behind the key's first slot
// allow any number of slots, at a load that is 0.3 % lower. Whole segments cost half a segment on
// average.
#pragma once

#include "simdbloom/hash.hpp"

namespace simdbloom::detail {

struct FuseGraph {
    unsigned arity = 3;       ///< slots of a key: 3 or 4
    unsigned window_log = 0;  ///< at most 18
    std::uint64_t starts = 1;

    constexpr std::uint64_t window() const noexcept { return std::uint64_t{1} << window_log; }
    constexpr std::uint64_t slots() const noexcept { return starts + ((arity - 1) << window_log); }
    friend bool operator==(const FuseGraph&, const FuseGraph&) = default;
};

inline constexpr unsigned fuse_max_window_log = 18;

/// The graph for that many keys; src/fixed/fuse.cpp has the rule. Throws std::length_error
/// beyond 2^32 - 1 slots.
FuseGraph fuse_graph(std::uint64_t n_keys, unsigned arity);

inline constexpr std::uint64_t fuse_multiplier = 0x9E3779B1u;
inline constexpr std::uint64_t fuse_check_multiplier = 0xC2B2AE3Du;

/// What hashes are XORed with in the graph of that attempt. Attempts count from 1.
[[gnu::always_inline]] constexpr std::uint64_t fuse_seed(std::uint64_t attempt) noexcept {
    return attempt * seed_offset;
}

struct FusePlace {
    std::uint64_t slot[4];  ///< ascending; the first `arity` count
    std::uint32_t check;
};

/// The kernels compute this same function a vector at a time. The first multiplication makes a
/// graph unlike that of any other seed. The second one makes the check a function of all bits, also
/// of those bits of `high` on which no slot depends. Bits 16 to 47 of its product are uniform to
/// one part in 50,000; the top bits are not.
[[gnu::always_inline]] constexpr FusePlace fuse_place(std::uint64_t hash, std::uint64_t seed,
                                                      const FuseGraph& graph) noexcept {
    const std::uint64_t p = (hash ^ seed) * fuse_multiplier, high = p >> 32, g = p ^ high;
    const std::uint64_t q = (g & 0xFFFFFFFFu) * fuse_check_multiplier;
    const std::uint64_t mask = graph.window() - 1, start = (high * graph.starts) >> 32,
                        behind = start + 1;
    return {{start, behind + (g & mask), behind + graph.window() + (g >> 18 & mask),
             behind + 2 * graph.window() + (q >> 36 & mask)},
            static_cast<std::uint32_t>(q >> 16 ^ high)};
}

}  // namespace simdbloom::detail
