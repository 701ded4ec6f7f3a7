// How filters use their kernels on this machine, by its caches. Bits and answers never depend on
// it.
#pragma once

#include <cstddef>

#include "core/os/caches.hpp"
#include "simdbloom/detail/layout_traits.hpp"
#include "simdbloom/isa.hpp"

namespace simdbloom::detail {

/// Filters of more bytes than this are prefetched into the level-2 cache, a chunk of 64 keys ahead.
std::size_t prefetch_above(const Caches& of = caches()) noexcept;
/// A parallel build of at most so many bytes gives each thread a filter of its own.
std::size_t merged_up_to(const Caches& of = caches()) noexcept;
/// Filters of more bytes than this take AVX2 on a CPU that halves 512-bit loads
/// (cpu::halves_lines). SIZE_MAX for layouts that load no whole lines.
std::size_t halves_above(LayoutKind kind, const Caches& of = caches()) noexcept;

/// The instruction set of a filter whose options name none. Throws as default_isa() does.
Isa isa_for(LayoutKind kind, std::size_t bytes);

}  // namespace simdbloom::detail
