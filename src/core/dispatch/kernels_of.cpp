#include "core/dispatch/kernels_of.hpp"

namespace simdbloom::detail {

SIMDBLOOM_SELECT_KERNELS(kernels)

const Kernels& kernels_of(Isa isa, const Layout& layout) {
    const auto kind = static_cast<std::size_t>(layout.kind);
    return kernels(isa).of[kind][variant_of(layout.kind, layout.k, layout.zones)];
}

}  // namespace simdbloom::detail
