// The bucketed cuckoo filter.
#pragma once

#include "simdbloom/detail/cuckoo_key.hpp"
#include "simdbloom/filter.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// Buckets of four fingerprints of 8, 12 (default) or 16 bits. The fingerprint (tag) of a key lies
/// in one of two buckets (Fan et al. 2014). Any number of buckets is possible: the other bucket is
/// (H(tag) - bucket) mod buckets, a function that is its own inverse. The table is made for a load
/// of at most 0.95.
///
/// Copies of a key are stored. At most 8 copies of a key fit, or of keys with the same tag and
/// buckets. Erasing a key that was never inserted may remove the fingerprint of another key.
class CuckooFilter final : public Interface<CuckooFilter, FilterBase> {
public:
    static constexpr std::string_view own_layout = "cuckoo12";  ///< the default layout

    static constexpr unsigned slots_per_bucket = 4;  ///< fingerprints of a bucket
    static constexpr double max_design_load = 0.95;  ///< what with_bits_per_key plans at most

    /// Returns false, with the table as it was, when 2000 evictions found no place.
    bool try_insert_hash(std::uint64_t hash);
    /// Whether the key of a hash is found.
    [[gnu::always_inline]] bool contains_hash(std::uint64_t hash) const noexcept {
        return with_width([&]<unsigned bits>() __attribute__((always_inline)) {
            return detail::cuckoo_covers<bits>(bits_.data(), factor_, hash);
        });
    }
    /// What contains(key) calls.
    [[gnu::always_inline]] bool contains_key(std::uint64_t key) const noexcept {
        if (keyed()) return contains_hash(keyed_hash_of(key));
        const std::uint64_t mixed = detail::mix_first<true>(key, seed_);
        return with_width([&]<unsigned bits>() __attribute__((always_inline)) {
            return detail::cuckoo_contains<bits>(bits_.data(), factor_, mixed);
        });
    }
    /// Removes one copy. Returns false if the key is not found.
    bool erase_hash(std::uint64_t hash) noexcept;

    std::uint64_t stored() const noexcept { return stored_; }   ///< fingerprints in the table
    double load() const noexcept { return load_of(stored()); }  ///< slots in use over all slots

    double estimated_fpr() const override;
    Cardinality estimate_keys() const override;

    // For the library's own code.
    CuckooFilter(const detail::Geometry& geometry, const Options& options)
        : Interface(geometry, options) {}
    CuckooFilter(const detail::Geometry& geometry, const Options& options, detail::Storage bits);
    std::size_t take(const Keys& keys);
    std::string refusal(const Keys&) const { return full_with(stored()); }

private:
    /// `use.operator()<bits>()` with the bits of a fingerprint.
    template <class Result = bool, class Use>
    [[gnu::always_inline]] Result with_width(const Use& use) const noexcept {
        if (layout_.kind == LayoutKind::cuckoo12) return use.template operator()<12>();
        if (layout_.kind == LayoutKind::cuckoo8) return use.template operator()<8>();
        return use.template operator()<16>();
    }
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
