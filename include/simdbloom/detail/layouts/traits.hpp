// What a layout says of itself, and what several layouts share.
//
// A 64-bit hash h chooses the block (h >> 32) * blocks >> 32. Its low 32 bits, x, choose the
// pattern. Words are little-endian on every machine: bit b of a block is bit b % 8 of its byte b
// / 8. This code is scalar and simple: single keys use it, and tests compare kernels with it.
#pragma once

#include <string_view>

#include "simdbloom/detail/layouts/list.hpp"

namespace simdbloom::detail {

/// The types of filters: each has the layouts of one family.
enum class Family : std::uint8_t {
    classic,           ///< ClassicBloom
    register_blocked,  ///< RegisterBlockedBloom
    split_block,       ///< SplitBlockBloom
    cache_line,        ///< CacheLineBloom
    cuckoo,            ///< CuckooFilter
    counting,          ///< CountingBloom
    dleft,             ///< DLeftCounting
};

/// What is known of a layout before its parameters are. Bloom and counting filters set cells: bits,
/// or counters of 4 bits. A block has `zones` of equal size, and a zone has words. A key takes one
/// word of each zone and sets k / zones cells of it.
///
///     block   word word word word | word word word word     two zones of 4 words each
///     key           ^^            |                ^^       k / 2 cells of each of two words
struct LayoutCells {
    unsigned k_min = 0, k_max = 0, k_step = 1;  ///< k_step 0: the zones; k_max 0: a table
    unsigned zones = 1;                         ///< 0: the parameter z, 2 or 4
    unsigned word_bits = 0;
    bool anywhere = false;          ///< each probe goes to a block of its own
    unsigned variants = 1;          ///< the number of values of k and z with kernels of their own
    unsigned fingerprint_bits = 0;  ///< of tables
};
struct LayoutTraits : LayoutCells {
    constexpr LayoutTraits(Family of, std::uint8_t code, unsigned bits, LayoutCells cells)
        : LayoutCells(cells), family(of), format_code(code), block_bits(bits) {}

    Family family;
    std::uint8_t format_code;  ///< its number in saved filters, for ever
    unsigned block_bits;       ///< of the unit that a hash addresses
    LayoutKind kind{};         ///< kind and name are set by the list
    std::string_view name{};

    constexpr bool is_table() const noexcept {
        return family == Family::cuckoo || family == Family::dleft;
    }
    constexpr unsigned cell_bits() const noexcept { return family == Family::counting ? 4 : 1; }
    constexpr bool fixed_k() const noexcept { return k_min == k_max; }
};

SIMDBLOOM_INLINE std::uint64_t block_index(std::uint64_t hash, std::uint64_t blocks) noexcept {
    return ((hash >> 32) * blocks) >> 32;
}

}  // namespace simdbloom::detail
