// The bucketed cuckoo filter.
#pragma once

#include "simdbloom/filter.hpp"

namespace simdbloom {

/// Buckets of four fingerprints of 8, 12 (default) or 16 bits; a key's fingerprint lies in one of two
/// buckets (Fan et al. 2014). Any number of buckets: the other bucket is (H(tag) - bucket) mod buckets, its
/// own inverse. Made for a load of at most 0.95.
///
/// Duplicates are stored; at most 8 copies of a key (or of keys that share tag and buckets) fit.
/// Erasing a key that was never inserted may remove the fingerprint of another key.
class CuckooFilter : public FilterInterface<CuckooFilter> {
public:
    static constexpr unsigned slots_per_bucket = 4;
    static constexpr double max_design_load = 0.95;

    static CuckooFilter with_bits_per_key(std::size_t n_keys, double bits_per_key, Options options = {}) {
        return CuckooFilter(detail::size_for_bits(layout_of(options), n_keys, bits_per_key, options), options);
    }
    static CuckooFilter for_fpr(std::size_t n_keys, double fpr, Options options = {}) {
        return CuckooFilter(detail::size_for_fpr(layout_of(options), n_keys, fpr, options), options);
    }

    /// False when no place was found within 2000 evictions; the table is then as it was before the call.
    bool try_insert_hash(std::uint64_t hash) noexcept;
    bool try_insert(std::uint64_t key) noexcept { return try_insert_hash(hash_of(key)); }
    bool try_insert(std::string_view key) noexcept { return try_insert_hash(hash_of(key)); }
    /// Inserts in order and returns how many went in; the first that found no place ends it.
    std::size_t try_insert(std::span<const std::uint64_t> keys) { return insert_counted(keys, false); }
    std::size_t try_insert_hashes(std::span<const std::uint64_t> hashes) { return insert_counted(hashes, true); }

    /// These throw std::length_error naming the load reached when the table is full; keys before stay in.
    using FilterInterface::insert;
    void insert_hash(std::uint64_t hash) {
        if (!try_insert_hash(hash)) throw_full(0, 1);
    }
    void insert(std::span<const std::uint64_t> keys) { insert_all(keys, false); }
    void insert_hashes(std::span<const std::uint64_t> hashes) { insert_all(hashes, true); }

    bool contains_hash(std::uint64_t hash) const noexcept;

    /// Removes one copy; false if the key is not found.
    bool erase_hash(std::uint64_t hash) noexcept;
    bool erase(std::uint64_t key) noexcept { return erase_hash(hash_of(key)); }
    bool erase(std::string_view key) noexcept { return erase_hash(hash_of(key)); }

    /// Fingerprints held, and their share of all slots.
    std::uint64_t stored() const noexcept { return stored_; }
    double load() const noexcept { return static_cast<double>(stored_) / (slots_per_bucket * static_cast<double>(blocks_)); }

    static Layout layout_of(const Options& options) {
        return detail::layout_from(options, "cuckoo12", LayoutKind::cuckoo8, LayoutKind::cuckoo16);
    }

private:
    friend struct detail::LoadAccess;
    CuckooFilter(const detail::Geometry& geometry, const Options& options) : FilterInterface(geometry, options) {}

    std::size_t insert_counted(std::span<const std::uint64_t> keys, bool hashed);
    void insert_all(std::span<const std::uint64_t> keys, bool hashed);
    [[noreturn]] void throw_full(std::size_t inserted, std::size_t wanted) const;
};

}  // namespace simdbloom
