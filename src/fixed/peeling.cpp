#include "fixed/peeling.hpp"

#include <array>
#include <utility>

namespace simdbloom::detail {
namespace {

// From this number of hashes on, the cells of all slots (16 bytes each) exceed a level-2 cache.
// Hashes are then added in the order of their first slots, so that only a few windows of cells are
// in use at a time.
constexpr std::size_t sort_from = std::size_t{1} << 17;

}  // namespace

void Peeling::add(const FuseGraph& graph, std::uint64_t seed, std::span<const std::uint64_t> hashes,
                  std::span<const std::uint32_t> values) {
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        const FusePlace place = fuse_place(hashes[i], seed, graph);
        const std::uint32_t value = values.empty() ? 0 : values[i];
        for (unsigned r = 0; r < graph.arity; ++r) {
            Cell& cell = cells_[place.slot[r]];
            cell.hash ^= hashes[i];
            cell.value ^= value;
            ++cell.hashes;
        }
    }
}

void Peeling::sort_by_start(const FuseGraph& graph, std::uint64_t seed,
                            std::span<const std::uint64_t> hashes,
                            std::span<const std::uint32_t> values) {
    constexpr std::size_t parts = 1024;
    const auto part_of = [&](std::uint64_t hash) {
        return static_cast<std::size_t>(fuse_place(hash, seed, graph).slot[0] * parts /
                                        graph.starts);
    };
    std::array<std::size_t, parts> next{};
    for (const std::uint64_t hash : hashes) ++next[part_of(hash)];
    std::size_t before = 0;
    for (std::size_t& n : next) before += std::exchange(n, before);
    sorted_hashes_.resize(hashes.size());
    sorted_values_.resize(values.size());
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        const std::size_t to = next[part_of(hashes[i])]++;
        sorted_hashes_[to] = hashes[i];
        if (!values.empty()) sorted_values_[to] = values[i];
    }
}

bool Peeling::peel(const FuseGraph& graph, std::uint64_t seed,
                   std::span<const std::uint64_t> hashes, std::span<const std::uint32_t> values) {
    cells_.assign(graph.slots(), Cell{});
    if (hashes.size() >= sort_from) {
        sort_by_start(graph, seed, hashes, values);
        add(graph, seed, sorted_hashes_, sorted_values_);
    } else {
        add(graph, seed, hashes, values);
    }

    // The slots with one hash. Slots from `at` on are still to be visited. Slots before `done` have
    // had their hash peeled.
    order_.clear();
    for (std::size_t slot = 0; slot < cells_.size(); ++slot)
        if (cells_[slot].hashes == 1) order_.push_back(static_cast<std::uint32_t>(slot));
    std::size_t done = 0;
    for (std::size_t at = 0; at < order_.size(); ++at) {
        Cell& alone = cells_[order_[at]];
        if (alone.hashes != 1) continue;
        const Cell peeled = alone;
        const std::uint32_t slot = order_[at];
        order_[done++] = slot;
        alone.hashes = 0;
        const FusePlace place = fuse_place(peeled.hash, seed, graph);
        for (unsigned r = 0; r < graph.arity; ++r) {
            if (place.slot[r] == slot) continue;
            Cell& cell = cells_[place.slot[r]];
            cell.hash ^= peeled.hash;
            cell.value ^= peeled.value;
            if (--cell.hashes == 1) order_.push_back(static_cast<std::uint32_t>(place.slot[r]));
        }
    }
    order_.resize(done);
    return done == hashes.size();
}

}  // namespace simdbloom::detail
