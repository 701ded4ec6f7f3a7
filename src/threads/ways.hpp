// How threads fill a Bloom filter together. The bits always equal those of insert(keys).
#pragma once

#include "core/extension.hpp"
#include "simdbloom/filter.hpp"
#include "simdbloom/keys.hpp"

namespace simdbloom::detail {

enum class Way : std::uint8_t {
    serial,   ///< one thread inserts
    atomic,   ///< every thread sets the bits of its keys with relaxed atomic ORs
    halves,   ///< each of two threads hashes all keys and inserts into its half of the blocks
    regions,  ///< every thread sorts its keys into regions, to which threads write in turns. T <=
              ///< 256 threads take T * T * 33 KiB of memory
    merged,   ///< every thread but one fills its own filter; these are ORed at the end
};

/// A parallel build of at most so many bytes gives each thread a filter of its own: those of two
/// stay in the level-3 cache, 8 MiB if unknown. A virtual machine may have a small share of a large
/// one: hence the second bound (bench/pages/tried.md, "Builds on two threads").
inline std::size_t merged_up_to(const Caches& of = caches()) noexcept {
    const std::size_t l3 = of.l3 != 0 ? of.l3 : std::size_t{8} << 20;
    return std::min(l3 / 2, 16 * level2_bytes(of));
}

/// The fastest way (bench/pages/tried.md, "Builds on two threads").
Way best_way(const FilterBase& filter, std::size_t keys, unsigned threads);
/// Not Way::halves and Way::regions for `classic`, whose keys have bits in all blocks.
void fill(FilterBase& filter, const Keys& keys, unsigned threads, Way way);

}  // namespace simdbloom::detail
