// A layout: how a key's bits lie in a block, as a small value with a name.
#pragma once

#include <string>

#include "simdbloom/detail/layouts/list.hpp"
#include "simdbloom/export.hpp"

namespace simdbloom::detail {
struct LayoutTraits;
}

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// A layout with its parameters. k = 0: the sizing takes the best k by the exact model.
struct Layout {
    LayoutKind kind = LayoutKind::split256;  ///< its name
    unsigned k = 8;      ///< bits that a key sets, or counters that it raises; 0 for tables
    unsigned zones = 0;  ///< z of zoned512

    friend bool operator==(const Layout&, const Layout&) = default;  ///< the same spec

    /// Reads a spec such as "zoned512:z=4,k=8". Throws std::invalid_argument that says why.
    static Layout parse(std::string_view spec);
    /// The layout as text. parse(spec()) gives the same layout.
    std::string spec() const;

    const detail::LayoutTraits& traits() const noexcept;  ///< of its kind; for the library
    bool is_bloom() const noexcept;                       ///< consists of bits, which can be ORed
    bool is_cuckoo() const noexcept;                      ///< cuckoo8, cuckoo12, cuckoo16
    bool is_counting() const noexcept;                    ///< counting, counting512
    bool is_dleft() const noexcept;                       ///< dleft12, dleft14, dleft16
    bool is_table() const noexcept;  ///< stores fingerprints in buckets, and so can be full
    /// The bits of the unit that a hash addresses: a block, a cuckoo bucket, four d-left buckets
    /// with one number, or a 64-bit word of `classic` and `counting`.
    unsigned block_bits() const noexcept;
    /// The bits of a cuckoo fingerprint or a d-left remainder; 0 for layouts with a k.
    unsigned fingerprint_bits() const noexcept;
    /// How many fingerprints a block of a table has room for; 0 for other layouts.
    unsigned cells_per_block() const noexcept;
    /// The share of that room to which a table is made to be filled; 0 for other layouts.
    double design_load() const noexcept;
    /// The bits per key at that load; 0 for layouts that are never full.
    double least_bits_per_key() const noexcept;
    /// Values of k.
    struct KRange {
        unsigned min;   ///< the least
        unsigned max;   ///< the greatest
        unsigned step;  ///< every step-th from min to max
    };
    KRange k_range() const noexcept;  ///< the values of k that this layout can take

    /// How a key's cells (bits or counters) lie in a block: in one word of each zone.
    struct Pattern {
        unsigned zones;           ///< of a block
        unsigned words_per_zone;  ///< words of 64 bits, or of 32
        unsigned cells_per_word;  ///< bits or counters
        unsigned cells_per_key;   ///< in each word that the key takes
    };
    Pattern pattern() const noexcept;  ///< not for tables
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
