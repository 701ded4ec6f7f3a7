// The d-left counting filter.
#pragma once

#include "simdbloom/detail/erasable.hpp"

namespace simdbloom {

/// Fingerprints with counters in four subtables of buckets of 8 cells (Bonomi et al. 2006). A key
/// is hashed to a bucket number and a remainder of 12, 14 (default, the paper's) or 16 bits; a
/// permutation of both for each subtable leads to one bucket there, and the key goes into the least
/// loaded of the four, the leftmost of several. Keys of one fingerprint share a cell and its 2-bit
/// counter, in whichever subtable the first of them was put, so erasing takes away what inserting
/// brought. Made for a load of at most 0.75, the paper's: at that the share of buckets that would
/// have to hold a ninth is nil (fpr::dleft_share).
///
/// A counter that has reached 3 may have missed raises and stays there: such a key is found until
/// clear(). Erasing a key that was never inserted is false where no cell has its fingerprint; where
/// one has (at the FPR), it removes another key's.
class DLeftCounting : public TableInterface<DLeftCounting> {
public:
    static constexpr unsigned subtables = 4, cells_per_bucket = 8, counter_max = 3;

    /// False, with nothing changed, when the four buckets are full and no cell has the fingerprint.
    bool try_insert_hash(std::uint64_t hash);
    bool contains_hash(std::uint64_t hash) const noexcept;
    /// False, with nothing changed, if the key was never inserted, or erased as often.
    bool erase_hash(std::uint64_t hash) noexcept;

    /// The key's counter, or 0: never below how often the key is in, but 3 stands for any number
    /// above, too.
    unsigned count_estimate_hash(std::uint64_t hash) const noexcept;
    unsigned count_estimate(std::uint64_t key) const noexcept {
        return count_estimate_hash(hash_of(key));
    }
    unsigned count_estimate(std::string_view key) const noexcept {
        return count_estimate_hash(hash_of(key));
    }
    template <detail::LossyKey K>
    unsigned count_estimate(K) const = delete;

    /// Cells in use: distinct fingerprints held. Reads the whole filter, as do load() and
    /// saturated().
    std::uint64_t stored() const noexcept;
    /// Cells whose counter is 3 and never lowered again.
    std::uint64_t saturated() const noexcept;

    static Layout layout_of(const Options& options) {
        return detail::layout_from(options, "dleft14", LayoutKind::dleft12, LayoutKind::dleft16);
    }

private:
    friend class ErasableInterface<DLeftCounting>;
    friend class TableInterface<DLeftCounting>;
    friend struct detail::LoadAccess;
    DLeftCounting(const detail::Geometry& geometry, const Options& options)
        : TableInterface(geometry, options) {}

    static std::size_t went_in(std::size_t keys) noexcept { return keys; }
};

}  // namespace simdbloom
