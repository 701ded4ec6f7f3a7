// Peeling of fuse graphs: finds the order in which slots can be given the values that their keys
// ask for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simdbloom/detail/fuse.hpp"

namespace simdbloom::detail {

/// A graph of hashes, each with a value, and what is left of it while it is peeled. A hash is
/// peeled when it is alone in one of its slots; that slot is the last of its slots to be filled.
/// The arrays are kept for the next attempt.
class Peeling {
public:
    /// Returns whether every hash was peeled. `values` is empty or as long as `hashes`. The hashes
    /// must be distinct, or no graph can be peeled.
    bool peel(const FuseGraph& graph, std::uint64_t seed, std::span<const std::uint64_t> hashes,
              std::span<const std::uint32_t> values);

    /// After a success: use(slot, hash, value) for every hash, in the order in which slots are to
    /// be filled.
    template <class Use>
    void for_each_filled(const Use& use) const {
        for (auto slot = order_.rbegin(); slot != order_.rend(); ++slot)
            use(*slot, cells_[*slot].hash, cells_[*slot].value);
    }

private:
    /// The XOR of the hashes and of the values in a slot. When one hash is left, these are its hash
    /// and value, and they stay when it is peeled.
    struct Cell {
        std::uint64_t hash;
        std::uint32_t value;
        std::uint32_t hashes;
    };
    void add(const FuseGraph& graph, std::uint64_t seed, std::span<const std::uint64_t> hashes,
             std::span<const std::uint32_t> values);
    void sort_by_start(const FuseGraph& graph, std::uint64_t seed,
                       std::span<const std::uint64_t> hashes,
                       std::span<const std::uint32_t> values);

    std::vector<Cell> cells_;
    std::vector<std::uint32_t> order_;
    std::vector<std::uint64_t> sorted_hashes_;
    std::vector<std::uint32_t> sorted_values_;
};

}  // namespace simdbloom::detail
