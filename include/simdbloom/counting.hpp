// Counting Bloom filters: counters in place of bits, so that keys can be erased.
#pragma once

#include "simdbloom/filter.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// Counters of 4 bits (Fan et al. 2000). Inserting a key raises k of them by one, erasing the key
/// lowers them, and the key is found where all k are above 0. Layouts: counting512 (default), with
/// all k in one cache line of 128 counters, and counting, with the k anywhere in one array. Default
/// k: the best. The FPR is that of a Bloom filter with one bit for each counter, which takes a
/// quarter of the space.
///
/// A counter that has reached 15 may have missed raises, so it stays at 15 until clear(), which
/// costs space and never a key. fpr::counter_tail says how rarely it happens, saturated() how often
/// it has. Where two of a key's k probes fall on one counter, the key raises it twice.
///
/// Erasing a key that was never inserted returns false and changes nothing where one of its
/// counters is too low. Where the filter finds that key, at the FPR, other keys may be lost.
class CountingBloom final : public Interface<CountingBloom, FilterBase> {
public:
    static constexpr std::string_view own_layout = "counting512";  ///< the default layout
    using Interface::Interface;

    static constexpr unsigned counter_max = 15;  ///< the highest value of a counter

    void insert_hash(std::uint64_t hash);                   ///< inserts the key of a hash
    bool contains_hash(std::uint64_t hash) const noexcept;  ///< whether the key of a hash is found

    /// Returns false and changes nothing if the key is not in, or was erased as often as inserted.
    bool erase_hash(std::uint64_t hash) noexcept;

    /// The smallest of the key's counters: at least how often the key is in; 15 is 15 or more.
    unsigned count_estimate_hash(std::uint64_t hash) const noexcept;
    /// The same of a key.
    template <detail::Key K>
    unsigned count_estimate(const K& key) const noexcept {
        return count_estimate_hash(hash_of(detail::plain_key(key)));
    }

    /// The number of counters at 15, which are never lowered again. Reads the whole filter.
    std::uint64_t saturated() const noexcept;

    /// Adds the counters of a filter of the same layout, size and seed, and saturates, as if the
    /// keys of both had gone in. Throws std::invalid_argument that names what differs.
    CountingBloom& operator+=(const CountingBloom& other);
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
