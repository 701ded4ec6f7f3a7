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
    constexpr std::size_t line = 64;
    const LayoutTraits& traits = layout.traits();
    const bool may = traits.anywhere || traits.zones * traits.word_bits >= 8 * line;
    const char* const forced = std::getenv("SIMDBLOOM_ISA");
    if (!may || kernels(isa).vector_bytes != line || (forced != nullptr && *forced != '\0'))
        return nullptr;
    const auto isas = usable_isas();
    const auto half = std::ranges::find_if(
        isas, [](Isa other) { return kernels(other).vector_bytes == line / 2; });
    return half == isas.end() ? nullptr : &kernels_of(*half, layout);
}

}  // namespace simdbloom::detail
