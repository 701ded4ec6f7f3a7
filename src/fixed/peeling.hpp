// Peeling of fuse graphs: finds an order in which the slots can be filled.
#pragma once

#include <span>
#include <vector>

#include "simdbloom/fixed/detail/fuse.hpp"

namespace simdbloom::detail {

/// A graph of hashes with values. A hash is peeled when it is alone in one of its slots; that slot
/// is the last of its slots to be filled. The arrays are reused by the next attempt.
class Peeling {
public:
    /// Returns whether every hash was peeled, which needs distinct hashes. `values` is empty or as
    /// long as `hashes`.
    bool peel(const FuseGraph& graph, std::uint64_t seed, std::span<const std::uint64_t> hashes,
              std::span<const std::uint32_t> values);

    /// After a success: calls use(slot, hash, value) for every hash, in the order of filling.
    template <class Use>
    void for_each_filled(const Use& use) const {
        for (auto slot = order_.rbegin(); slot != order_.rend(); ++slot)
            use(*slot, cells_[*slot].hash, cells_[*slot].value);
    }

private:
    /// The XOR of the hashes and of the values in a slot. With one hash left, they are that hash
    /// and its value, and stay when it is peeled.
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
