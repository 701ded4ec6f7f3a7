// From an ISA and a layout to its kernels.
#pragma once

#include "core/kernels/table.hpp"
#include "simdbloom/isa.hpp"
#include "simdbloom/layout.hpp"

namespace simdbloom::detail {

/// All kernels of an ISA. Throws std::invalid_argument if this machine cannot run it.
const KernelTable& table_of(Isa isa);

/// The kernels of a layout with k set. Throws std::invalid_argument if this machine cannot run the
/// ISA.
const Kernels& kernels_of(Isa isa, const Layout& layout);

/// The kernels of a growing cuckoo table with slots of 12, 16 or 20 bits.
const Kernels& growing_kernels_of(Isa isa, unsigned slot_bits);

}  // namespace simdbloom::detail
