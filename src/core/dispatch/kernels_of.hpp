// From an ISA and a layout to its kernels.
#pragma once

#include "core/dispatch/features.hpp"
#include "core/kernels/table.hpp"
#include "simdbloom/isa.hpp"
#include "simdbloom/layout.hpp"

namespace simdbloom::detail {

/// The kernels of a layout with k set. Throws as cpu::check_runs.
const Kernels& kernels_of(Isa isa, const Layout& layout);

/// The kernels of an ISA whose vectors are half a line, for an ISA whose vectors are whole lines.
/// Some CPUs take less time with them: for layouts that load whole lines (Zen 4: 1.6 times as
/// fast), and for inserts of layouts that write to k lines (Xeon 167, classic of 64 MiB: 34 ns, not
/// 42). Null for other layouts and ISAs, and where the environment names an ISA.
const Kernels* halved_kernels(Isa isa, const Layout& layout);

// name(isa): throws std::invalid_argument if this machine cannot run the ISA.
#define SIMDBLOOM_SELECT_KERNELS(name)             \
    const name##_table& name(Isa isa) {            \
        cpu::check_runs(isa);                      \
        SIMDBLOOM_EACH_ISA(SIMDBLOOM_IF_ISA, name) \
        return scalar_##name;                      \
    }
#define SIMDBLOOM_IF_ISA(of, name) \
    if (isa == Isa::of) return of##_##name;

}  // namespace simdbloom::detail
