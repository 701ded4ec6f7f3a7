#include "core/dispatch/tuning.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "core/dispatch/features.hpp"

namespace simdbloom::detail {
namespace {

// Of a machine that does not say how large its caches are: the usual level-2 cache of a server, and
// a small level-3 cache.
std::size_t l2_of(const Caches& of) { return of.l2 != 0 ? of.l2 : std::size_t{1} << 20; }
std::size_t l3_of(const Caches& of) { return of.l3 != 0 ? of.l3 : std::size_t{8} << 20; }

}  // namespace

// A filter that outgrows the level-2 cache is prefetched, although a level-3 cache may hold it: the
// neighbours of a shared machine fill that cache too.
std::size_t prefetch_above(const Caches& of) noexcept { return l2_of(of); }

// The filters of two threads stay in the level-3 cache. A virtual machine may have a small share of
// a large one: hence the second bound (bench/pages/tried.md, "Builds on two threads").
std::size_t merged_up_to(const Caches& of) noexcept {
    return std::min(l3_of(of) / 2, 16 * l2_of(of));
}

std::size_t halves_above(LayoutKind kind, const Caches& of) noexcept {
    const LayoutTraits& traits = traits_of(kind);
    const bool loads_lines =
        traits.block_bits == 512 && !traits.is_table() && kind != LayoutKind::zoned512;
    return loads_lines ? l3_of(of) : SIZE_MAX;
}

Isa isa_for(LayoutKind kind, std::size_t bytes) {
    const Isa isa = default_isa();
    const bool has_avx512 = isa == Isa::avx512 || isa == Isa::avx512bitalg;
    if (!has_avx512 || bytes <= halves_above(kind) || !cpu::halves_lines()) return isa;
    const char* const forced = std::getenv("SIMDBLOOM_ISA");
    return forced != nullptr && *forced != '\0' ? isa : Isa::avx2;
}

}  // namespace simdbloom::detail
