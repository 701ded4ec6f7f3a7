// A layout: how a key's bits lie in a block, as a small value with a name.
#pragma once

#include <string>
#include <string_view>

#include "simdbloom/detail/layouts/traits.hpp"
#include "simdbloom/export.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// A layout with its parameters. k = 0 means that k is not chosen yet: the sizing takes the best k
/// by the exact model.
struct Layout {
    LayoutKind kind = LayoutKind::split256;
    unsigned k = 8;      ///< bits that a key sets, or counters that it raises; 0 for tables
    unsigned zones = 0;  ///< z of zoned512

    friend bool operator==(const Layout&, const Layout&) = default;

    /// Reads a spec such as "register64:k=5" or "zoned512:z=4,k=8". Throws std::invalid_argument
    /// that names the spec and what is wrong with it.
    static Layout parse(std::string_view spec);
    /// The layout as text. parse(spec()) gives the same layout.
    std::string spec() const;

    const detail::LayoutTraits& traits() const noexcept;
    /// Whether it consists of bits, which can be ORed.
    bool is_bloom() const noexcept { return !is_table() && !is_counting(); }
    bool is_cuckoo() const noexcept { return traits().family == detail::Family::cuckoo; }
    bool is_counting() const noexcept { return traits().family == detail::Family::counting; }
    bool is_dleft() const noexcept { return traits().family == detail::Family::dleft; }
    /// Whether it stores fingerprints in buckets, and so can be full.
    bool is_table() const noexcept { return traits().is_table(); }
    /// The bits of the unit that a hash addresses: a block, a cuckoo bucket, four d-left buckets
    /// with one number, or a 64-bit word of `classic` and `counting`.
    unsigned block_bits() const noexcept { return traits().block_bits; }
    /// The bits of a cuckoo fingerprint or a d-left remainder; 0 for layouts with a k.
    unsigned fingerprint_bits() const noexcept { return traits().fingerprint_bits; }
    /// For tables: the number of fingerprints that a block has room for, and the share of that room
    /// that tables are made to be filled to. 0 for other layouts.
    unsigned cells_per_block() const noexcept { return is_cuckoo() ? 4 : is_dleft() ? 32 : 0; }
    double design_load() const noexcept { return is_cuckoo() ? 0.95 : is_dleft() ? 0.75 : 0; }
    /// The bits per key at that load; 0 for layouts that are never full.
    double least_bits_per_key() const noexcept {
        return is_table() ? block_bits() / (cells_per_block() * design_load()) : 0;
    }
    /// The values of k that this layout can take: every `step`-th from `min` to `max`.
    struct KRange {
        unsigned min, max, step;
    };
    KRange k_range() const noexcept {
        const detail::LayoutTraits& t = traits();
        return t.k_step != 0 ? KRange{t.k_min, t.k_max, t.k_step} : KRange{zones, t.k_max, zones};
    }

    /// How a key's cells lie in a block, see detail::LayoutTraits. Not for tables.
    struct Pattern {
        unsigned zones, words_per_zone, cells_per_word,
            cells_per_key;  ///< the last: in each word it takes
    };
    Pattern pattern() const noexcept {
        const detail::LayoutTraits& t = traits();
        const unsigned n_zones = t.zones != 0 ? t.zones : zones;
        return {n_zones, t.block_bits / t.word_bits / n_zones, t.word_bits / t.cell_bits(),
                k / n_zones};
    }
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
