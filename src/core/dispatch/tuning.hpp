// How filters use their kernels on this machine, by its caches. Bits and answers never depend on
// it.
#pragma once

#include <cstddef>

#include "core/kernels/table.hpp"
#include "core/os/caches.hpp"
#include "simdbloom/isa.hpp"
#include "simdbloom/layout.hpp"

namespace simdbloom::detail {

/// The level-2 cache; 1 MiB on a machine that does not say.
std::size_t level2_bytes(const Caches& of = caches()) noexcept;
/// A parallel build of at most so many bytes gives each thread a filter of its own.
std::size_t merged_up_to(const Caches& of = caches()) noexcept;
/// The kernels of AVX2, for layouts that load whole lines and an ISA with AVX-512: some CPUs load a
/// line from memory faster in two halves (1.6 times on Zen 4). Null for others, and where the
/// environment names the ISA.
const Kernels* halved_kernels(Isa isa, const Layout& layout);

}  // namespace simdbloom::detail
