#include "core/dispatch/kernels_of.hpp"

#include "core/dispatch/tiers.hpp"

namespace simdbloom::detail {

const KernelTable& table_of(Isa isa) { return cpu::kernels_of(isa); }

const Kernels& kernels_of(Isa isa, const Layout& layout) {
    const auto kind = static_cast<std::size_t>(layout.kind);
    return table_of(isa).of[kind][variant_of(layout.kind, layout.k, layout.groups)];
}

const Kernels& growing_kernels_of(Isa isa, unsigned slot_bits) {
    const auto& table = table_of(isa);
    return slot_bits == 12 ? table.growing12 : slot_bits == 16 ? table.growing16 : table.growing20;
}

}  // namespace simdbloom::detail
