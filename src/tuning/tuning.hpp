// How filters use their kernels on this machine. Bits and answers never depend on it.
#pragma once

#include <cstddef>

#include "simdbloom/detail/layout_traits.hpp"
#include "simdbloom/isa.hpp"
#include "tuning/caches.hpp"

namespace simdbloom::detail {

/// What has kernels of its own: the layouts in their order, then structures.
enum class Structure : std::size_t { fuse = n_layouts, growing };
inline constexpr std::size_t n_structures = n_layouts + 2;
inline constexpr std::size_t n_isas = 6;

constexpr Structure structure_of(LayoutKind kind) noexcept { return static_cast<Structure>(kind); }

struct Tuning {
    struct Rule {
        /// Filters of more bytes than this are prefetched, a chunk of 64 keys ahead, into the
        /// level-2 cache.
        std::size_t prefetch_above;
    };
    Rule rules[n_isas][n_structures];

    const Rule& of(Isa isa, Structure structure) const noexcept {
        return rules[static_cast<std::size_t>(isa)][static_cast<std::size_t>(structure)];
    }
    /// The rules of a machine that has measured nothing.
    static Tuning of_caches(const Caches& caches) noexcept;
};

/// Those of this machine. They are made at the first call and never change.
const Tuning& tuning() noexcept;

}  // namespace simdbloom::detail
