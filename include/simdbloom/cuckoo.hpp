// The bucketed cuckoo filter.
#pragma once

#include "simdbloom/detail/erasable.hpp"

namespace simdbloom {

/// Buckets of four fingerprints of 8, 12 (default) or 16 bits; a key's fingerprint lies in one of
/// two buckets (Fan et al. 2014). Any number of buckets: the other bucket is (H(tag) - bucket) mod
/// buckets, its own inverse. Made for a load of at most 0.95.
///
/// Duplicates are stored; at most 8 copies of a key (or of keys that share tag and buckets) fit.
/// Erasing a key that was never inserted may remove the fingerprint of another key.
class CuckooFilter : public TableInterface<CuckooFilter> {
public:
    static constexpr unsigned slots_per_bucket = 4;
    static constexpr double max_design_load = 0.95;

    /// False when no place was found within 2000 evictions; the table is then as it was before the
    /// call.
    bool try_insert_hash(std::uint64_t hash);
    bool contains_hash(std::uint64_t hash) const noexcept;
    /// Removes one copy; false if the key is not found.
    bool erase_hash(std::uint64_t hash) noexcept;

    /// Fingerprints held.
    std::uint64_t stored() const noexcept { return stored_; }

    static Layout layout_of(const Options& options) {
        return detail::layout_from(options, "cuckoo12", LayoutKind::cuckoo8, LayoutKind::cuckoo16);
    }

private:
    friend class ErasableInterface<CuckooFilter>;
    friend class TableInterface<CuckooFilter>;
    friend struct detail::LoadAccess;
    CuckooFilter(const detail::Geometry& geometry, const Options& options)
        : TableInterface(geometry, options) {}

    std::size_t went_in(std::size_t keys) noexcept {
        stored_ += keys;
        return keys;
    }
};

}  // namespace simdbloom
