#include "core/dispatch/kernels_of.hpp"

#include <algorithm>
#include <cstdlib>

namespace simdbloom::detail {

SIMDBLOOM_SELECT_KERNELS(kernels)

const Kernels& kernels_of(Isa isa, const Layout& layout) {
    const auto kind = static_cast<std::size_t>(layout.kind);
    return kernels(isa).of[kind][variant_of(layout.kind, layout.k, layout.zones)];
}

const Kernels* halved_kernels(Isa isa, const Layout& layout) {
    const bool loads_lines = layout.traits().zones * layout.traits().word_bits >= 512;
    if (!(loads_lines || layout.traits().anywhere) || isa <= Isa::avx2 ||
        std::ranges::count(usable_isas(), Isa::avx2) == 0)
        return nullptr;
    const char* const forced = std::getenv("SIMDBLOOM_ISA");
    return forced != nullptr && *forced != '\0' ? nullptr : &kernels_of(Isa::avx2, layout);
}

}  // namespace simdbloom::detail
