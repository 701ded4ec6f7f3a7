// The names of the instruction sets that kernels are compiled for; isa.hpp has their functions.
#pragma once

#include <cstdint>

#include "simdbloom/export.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// An instruction set, named by its features and not by a CPU. Bits and answers are the same on
/// all. avx512 has F, CD, DQ, BW and VL (Skylake-X and later). avx512bitalg adds VBMI, VBMI2,
/// BITALG and GFNI (Ice Lake, Zen 4 and later). simd128 is that of WebAssembly.
enum class Isa : std::uint8_t { scalar, sse42, avx2, avx512, avx512bitalg, neon, simd128 };

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
