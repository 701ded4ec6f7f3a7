// Counting Bloom filters: counters in place of bits, so that keys can be erased.
#pragma once

#include "simdbloom/detail/erasable.hpp"

namespace simdbloom {

/// Counters of 4 bits (Fan et al. 2000): a key raises k of them by one when it is inserted, lowers
/// them when it is erased, and is found where all are above 0. Layouts counting512 (default: all k
/// in one cache line of 128 counters) and counting (anywhere in one array); default k: the best.
/// The FPR is that of a Bloom filter with a bit for each counter, in a quarter of the space.
///
/// A counter never wraps: one that has reached 15 may have missed raises, so it stays at 15 until
/// clear(). That costs space, never a key: fpr::counter_tail says how rarely it happens,
/// saturated() how often it has. A key of whose k probes two fall on one counter raises it twice
/// and lowers it twice.
///
/// Erasing a key that was never inserted is seen where one of its counters is too low: erase is
/// false then and changes nothing. Where the filter finds the key (at the FPR) it cannot be seen;
/// other keys may be lost for good.
class CountingBloom : public ErasableInterface<CountingBloom> {
public:
    static constexpr unsigned counter_max = 15;

    using ErasableInterface::insert;
    void insert_hash(std::uint64_t hash);
    void insert(std::span<const std::uint64_t> keys) { run_insert(keys, false); }
    void insert_hashes(std::span<const std::uint64_t> hashes) { run_insert(hashes, true); }

    bool contains_hash(std::uint64_t hash) const noexcept;

    /// False, with nothing changed, if the key was never inserted, or erased as often.
    bool erase_hash(std::uint64_t hash) noexcept;

    /// The least of the key's counters: never below how often the key is in, but 15 stands for any
    /// number above, too.
    unsigned count_estimate_hash(std::uint64_t hash) const noexcept;
    unsigned count_estimate(std::uint64_t key) const noexcept {
        return count_estimate_hash(hash_of(key));
    }
    unsigned count_estimate(std::string_view key) const noexcept {
        return count_estimate_hash(hash_of(key));
    }
    template <detail::LossyKey K>
    unsigned count_estimate(K) const = delete;

    /// Counters at 15, which are never lowered again. Reads the whole filter.
    std::uint64_t saturated() const noexcept;

    /// Adds the counters of a filter of the same layout, size and seed, saturating: the counters of
    /// a filter into which the keys of both went. Throws std::invalid_argument naming what differs.
    CountingBloom& operator+=(const CountingBloom& other) {
        add_counters(other);
        return *this;
    }

    static Layout layout_of(const Options& options) {
        return detail::layout_from(options, "counting512", LayoutKind::counting,
                                   LayoutKind::counting512);
    }

private:
    friend class ErasableInterface<CountingBloom>;
    friend struct detail::LoadAccess;
    CountingBloom(const detail::Geometry& geometry, const Options& options)
        : ErasableInterface(geometry, options) {}
};

}  // namespace simdbloom
