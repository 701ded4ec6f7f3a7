// Peeling of fuse graphs: the order in which slots can be given what their keys ask for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simdbloom/detail/fuse.hpp"

namespace simdbloom::detail {

/// A graph of hashes, each with a value, and what is left of it. Hashes are peeled where they are
/// alone in a slot; that slot is the last of theirs to be filled. All arrays are kept for the next
/// attempt.
class Peeling {
public:
    /// Whether every hash was peeled. `values` is empty or as long as `hashes`. The hashes are
    /// distinct, or none of the graphs can be peeled.
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
    /// XOR of the hashes and of the values in a slot: those of the last one, when one is left. They
    /// stay when it is peeled.
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
