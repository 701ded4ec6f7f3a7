// What the choice of an ISA depends on. The choice itself is a pure function.
#pragma once

#include <optional>
#include <stdexcept>
#include <vector>

#include "simdbloom/isa.hpp"

namespace simdbloom::cpu {

// DO(feature) for each x86 feature that a tier needs, by the name that cpu_features gives it.
// clang-format off
#define SIMDBLOOM_EACH_X86_FEATURE(DO)                                  \
    DO(sse3) DO(ssse3) DO(sse4_1) DO(sse4_2) DO(popcnt)                 \
    DO(avx) DO(avx2) DO(bmi1) DO(bmi2)                                  \
    DO(avx512f) DO(avx512cd) DO(avx512dq) DO(avx512bw) DO(avx512vl)     \
    DO(avx512ifma) DO(avx512vbmi) DO(avx512vbmi2) DO(avx512bitalg)
// clang-format on

/// What CPU and operating system offer, as far as a tier may need it.
struct Features {
#define SIMDBLOOM_MEMBER(feature) bool feature = false;
    SIMDBLOOM_EACH_X86_FEATURE(SIMDBLOOM_MEMBER)
#undef SIMDBLOOM_MEMBER
    bool neon = false, simd128 = false;
    std::uint64_t xcr0 = 0;  ///< what the operating system saves; 0 where XGETBV is not to be used
    bool operator==(const Features&) const = default;
};

/// Bits of xcr0. SSE2 needs none: it is as old as the operating systems.
inline constexpr std::uint64_t saves_avx = 0x06, saves_avx512 = 0xE6;

/// The features of this machine, by cpu_features or by CPUID. They are asked for once.
const Features& detect();
#if defined(__x86_64__)
Features read_cpuid() noexcept;
#endif

/// The tiers that these features allow, slowest first; each is compiled with no other flags.
std::vector<Isa> usable(const Features& features);

/// Thrown for an ISA that is unknown, or that this machine cannot run.
struct SIMDBLOOM_API WrongIsa : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

/// Throws WrongIsa if this machine cannot run the ISA.
SIMDBLOOM_API void check_runs(Isa isa);

/// The best of usable(features), or the one named, unless the name is empty. Throws WrongIsa.
Isa select(const Features& features, std::optional<std::string_view> override_name);

}  // namespace simdbloom::cpu
