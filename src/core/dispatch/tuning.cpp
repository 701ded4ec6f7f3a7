#include "core/dispatch/tuning.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "core/dispatch/kernels_of.hpp"

namespace simdbloom::detail {
namespace {

// On a machine that does not say how large its caches are: the level-2 cache that servers have, and
// a small level-3 cache.
std::size_t l3_of(const Caches& of) { return of.l3 != 0 ? of.l3 : std::size_t{8} << 20; }

}  // namespace

std::size_t level2_bytes(const Caches& of) noexcept {
    return of.l2 != 0 ? of.l2 : std::size_t{1} << 20;
}

// The filters of two threads stay in the level-3 cache. A virtual machine may have a small share of
// a large one: hence the second bound (bench/pages/tried.md, "Builds on two threads").
std::size_t merged_up_to(const Caches& of) noexcept {
    return std::min(l3_of(of) / 2, 16 * level2_bytes(of));
}

const Kernels* halved_kernels(Isa isa, const Layout& layout) {
    const LayoutTraits& traits = traits_of(layout.kind);
    const bool loads_lines =
        traits.block_bits == 512 && !traits.is_table() && layout.kind != LayoutKind::zoned512;
    const auto usable = usable_isas();
    if (!loads_lines || isa <= Isa::avx2 || std::ranges::count(usable, Isa::avx2) == 0)
        return nullptr;
    const char* const forced = std::getenv("SIMDBLOOM_ISA");
    return forced != nullptr && *forced != '\0' ? nullptr : &kernels_of(Isa::avx2, layout);
}

}  // namespace simdbloom::detail
