// A layout: how a key's bits lie in a block, as a small value with a name.
#pragma once

#include <string>
#include <string_view>

#include "simdbloom/detail/layout_traits.hpp"

namespace simdbloom {

/// A layout with its parameters. `k` 0 means: not chosen yet, the sizing takes the best by the
/// exact model.
struct Layout {
    LayoutKind kind = LayoutKind::split256;
    unsigned k = 8;       ///< bits a key sets or counters it raises; 0 for tables of fingerprints
    unsigned groups = 0;  ///< z of zoned512

    friend bool operator==(const Layout&, const Layout&) = default;

    /// Reads a spec such as "register64:k=5" or "zoned512:z=4,k=8". Throws std::invalid_argument
    /// naming the spec and what is wrong with it.
    static Layout parse(std::string_view spec);
    /// The spec; parse(spec()) gives the same layout.
    std::string spec() const;

    const detail::LayoutTraits& traits() const noexcept { return detail::traits_of(kind); }
    /// Of bits that can be ORed.
    bool is_bloom() const noexcept { return !is_table() && !is_counting(); }
    bool is_cuckoo() const noexcept { return traits().family == detail::Family::cuckoo; }
    bool is_counting() const noexcept { return traits().family == detail::Family::counting; }
    bool is_dleft() const noexcept { return traits().family == detail::Family::dleft; }
    /// Stores fingerprints in buckets, and can be full.
    bool is_table() const noexcept { return traits().is_table(); }
    /// Bits of the unit one hash addresses: a block, a cuckoo bucket, the four d-left buckets of
    /// one number, or a 64-bit word of `classic` and `counting`.
    unsigned block_bits() const noexcept { return traits().block_bits; }
    /// Of a cuckoo fingerprint, or a d-left remainder; 0 for layouts with a k.
    unsigned fingerprint_bits() const noexcept { return traits().fingerprint_bits; }
    /// Of tables: fingerprints a block has room for, and the share of that room they are made to be
    /// filled to. Else 0.
    unsigned cells_per_block() const noexcept { return is_cuckoo() ? 4 : is_dleft() ? 32 : 0; }
    double design_load() const noexcept { return is_cuckoo() ? 0.95 : is_dleft() ? 0.75 : 0; }
    /// The bits per key at that load; 0 for layouts that are never full.
    double least_bits_per_key() const noexcept {
        return is_table() ? block_bits() / (cells_per_block() * design_load()) : 0;
    }
    /// The values of k this layout can take: every `step`-th from `min` to `max`.
    struct KRange {
        unsigned min, max, step;
    };
    KRange k_range() const noexcept {
        const detail::LayoutTraits& t = traits();
        return t.k_step != 0 ? KRange{t.k_min, t.k_max, t.k_step} : KRange{groups, t.k_max, groups};
    }

    /// How a key's cells lie in a block, see LayoutTraits; not of tables.
    struct Pattern {
        unsigned zones, words_per_zone, cells_per_word, cells_per_key;  ///< the last: of a word
    };
    Pattern pattern() const noexcept {
        const detail::LayoutTraits& t = traits();
        const unsigned zones = t.zones != 0 ? t.zones : groups;
        return {zones, t.block_bits / t.word_bits / zones, t.word_bits / t.cell_bits(), k / zones};
    }
};

}  // namespace simdbloom
