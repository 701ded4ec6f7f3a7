// Instruction-set tiers a kernel table is compiled for, and the choice between them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace simdbloom {

/// One tier of kernels. Tiers are named by feature, not by CPU; bits and answers are the same on
/// all. avx512 is F, CD, DQ, BW and VL (Skylake-X on); avx512bitalg adds VBMI and BITALG (Ice Lake
/// and Zen 4 on).
enum class Isa : std::uint8_t { scalar, sse42, avx2, avx512, avx512bitalg, neon };

/// "scalar", "sse42", "avx2", "avx512", "avx512bitalg" or "neon".
std::string_view to_string(Isa isa) noexcept;

/// The tier of that name. Throws std::invalid_argument naming `text` and the known names.
Isa parse_isa(std::string_view text);

/// The tiers compiled into this library that this CPU and operating system can run, slowest first.
std::span<const Isa> usable_isas();

/// The tier a filter gets when Options::isa is empty: SIMDBLOOM_ISA if that is set and not empty,
/// else the last of usable_isas(). Throws std::invalid_argument when the variable names an unknown
/// tier or one this machine cannot run.
Isa default_isa();

}  // namespace simdbloom
