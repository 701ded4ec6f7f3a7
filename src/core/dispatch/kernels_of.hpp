// From an ISA and a layout to its kernels.
#pragma once

#include "core/dispatch/features.hpp"
#include "core/kernels/table.hpp"
#include "simdbloom/isa.hpp"
#include "simdbloom/layout.hpp"

namespace simdbloom::detail {

/// The kernels of a layout with k set. Throws std::invalid_argument if this machine cannot run the
/// ISA.
const Kernels& kernels_of(Isa isa, const Layout& layout);

/// The kernels of AVX2, for layouts that load whole lines and an ISA with AVX-512: some CPUs load a
/// line from memory faster in two halves (1.6 times on Zen 4). Null for others, and where the
/// environment names the ISA.
const Kernels* halved_kernels(Isa isa, const Layout& layout);

// See SIMDBLOOM_DECLARE_KERNELS. The function throws std::invalid_argument if this machine cannot
// run the ISA.
#define SIMDBLOOM_SELECT_KERNELS(name)             \
    const name##_table& name(Isa isa) {            \
        cpu::check_runs(isa);                      \
        SIMDBLOOM_EACH_ISA(SIMDBLOOM_IF_ISA, name) \
        return scalar_##name;                      \
    }
#define SIMDBLOOM_IF_ISA(of, name) \
    if (isa == Isa::of) return of##_##name;

}  // namespace simdbloom::detail
