// The d-left counting filter.
#pragma once

#include "simdbloom/filter.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// Fingerprints with counters in four subtables of buckets of 8 cells (Bonomi et al. 2006).
///
/// A key is hashed to a bucket number and a remainder of 12, 14 (default, as in the paper) or 16
/// bits. For each subtable a permutation of number and remainder leads to one bucket there. The key
/// goes into the least loaded of the four, the leftmost if several are equal. Keys with the same
/// fingerprint share a cell and its 2-bit counter, so erasing removes exactly what inserting added.
/// The table is made for a load of at most 0.75, at which no bucket needs a ninth cell.
///
/// A counter that has reached 3 stays at 3 until clear(). Erasing a key that was never inserted
/// returns false where no cell has its fingerprint, else, at the FPR, it erases another key's.
class DLeftCounting final : public Interface<DLeftCounting, FilterBase> {
public:
    static constexpr std::string_view own_layout = "dleft14";  ///< the default layout
    using Interface::Interface;

    static constexpr unsigned subtables = 4;         ///< a key has a bucket in each
    static constexpr unsigned cells_per_bucket = 8;  ///< fingerprints of a bucket
    static constexpr unsigned counter_max = 3;       ///< the highest value of a counter

    /// Returns false and changes nothing if the four buckets are full and lack the fingerprint.
    bool try_insert_hash(std::uint64_t hash);
    bool contains_hash(std::uint64_t hash) const noexcept;  ///< whether the key of a hash is found
    /// Returns false and changes nothing if the key is not in, or was erased as often as inserted.
    bool erase_hash(std::uint64_t hash) noexcept;

    /// The key's counter, or 0: at least the number of times that the key is in; 3 is 3 or more.
    unsigned count_estimate_hash(std::uint64_t hash) const noexcept;
    /// The same of a key.
    template <detail::Key K>
    unsigned count_estimate(const K& key) const noexcept {
        return count_estimate_hash(hash_of(detail::plain_key(key)));
    }

    /// The number of cells in use: of distinct fingerprints. Reads all, as load() and saturated().
    std::uint64_t stored() const noexcept;
    double load() const noexcept { return load_of(stored()); }  ///< cells in use over all cells
    std::uint64_t saturated() const noexcept;  ///< cells whose counter is 3, and stays

    double estimated_fpr() const override;
    Cardinality estimate_keys() const override;

    // For the library's own code.
    std::string refusal(const Keys&) const { return full_with(stored()); }
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
