#include "dispatch/kernels_of.hpp"

#include "dispatch/features.hpp"

namespace simdbloom::detail {
namespace {

const KernelTable& compiled(Isa isa) {
    switch (isa) {
#if defined(__x86_64__)
        case Isa::sse42:
            return sse42_kernels;
        case Isa::avx2:
            return avx2_kernels;
        case Isa::avx512:
            return avx512_kernels;
        case Isa::avx512bitalg:
            return avx512bitalg_kernels;
#elif defined(__aarch64__)
        case Isa::neon:
            return neon_kernels;
#endif
        default:
            return scalar_kernels;
    }
}

}  // namespace

const KernelTable& table_of(Isa isa) {
    return compiled(cpu::select(cpu::detect(), to_string(isa)));
}

const Kernels& kernels_of(Isa isa, const Layout& layout) {
    const auto& table = table_of(isa);
    switch (layout.kind) {
        case LayoutKind::classic:
            return table.classic;
        case LayoutKind::register32:
            return table.register32[layout.k - 1];
        case LayoutKind::register64:
            return table.register64[layout.k - 1];
        case LayoutKind::split256:
            return table.split256;
        case LayoutKind::sector512:
            return table.sector512;
        case LayoutKind::zoned512:
            return layout.groups == 2 ? table.zoned2[layout.k / 2 - 1]
                                      : table.zoned4[layout.k / 4 - 1];
        case LayoutKind::blocked512:
            return table.blocked512;
        case LayoutKind::cuckoo8:
            return table.cuckoo8;
        case LayoutKind::cuckoo12:
            return table.cuckoo12;
        case LayoutKind::cuckoo16:
            return table.cuckoo16;
        case LayoutKind::counting:
            return table.counting;
        case LayoutKind::counting512:
            return table.counting512;
        case LayoutKind::dleft12:
            return table.dleft12;
        case LayoutKind::dleft14:
            return table.dleft14;
        case LayoutKind::dleft16:
            break;
    }
    return table.dleft16;
}

const Kernels& growing_kernels_of(Isa isa, unsigned slot_bits) {
    const auto& table = table_of(isa);
    return slot_bits == 12 ? table.growing12 : slot_bits == 16 ? table.growing16 : table.growing20;
}

}  // namespace simdbloom::detail
