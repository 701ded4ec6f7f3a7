// What the choice of an ISA depends on. The choice itself is a pure function.
#pragma once

#include <optional>
#include <stdexcept>
#include <vector>

#include "simdbloom/isa.hpp"

namespace simdbloom::cpu {

/// Bits of xcr0. SSE2 needs none: it is as old as the operating systems.
inline constexpr std::uint64_t saves_avx = 0x06, saves_avx512 = 0xE6;

// DO(feature, leaf, register, bit, saved) for each x86 feature that a tier needs: its name in
// cpu_features, where CPUID has it, and the bits of xcr0 without which it counts as missing.
// cpu_features 0.7 does not know the last one: detect.cpp asks CPUID.
// clang-format off
#define SIMDBLOOM_EACH_KNOWN_X86_FEATURE(DO)                                                \
    DO(sse3, 1, c, 0, 0)    DO(ssse3, 1, c, 9, 0)                                           \
    DO(sse4_1, 1, c, 19, 0) DO(sse4_2, 1, c, 20, 0) DO(popcnt, 1, c, 23, 0)                 \
    DO(avx, 1, c, 28, saves_avx)            DO(avx2, 7, b, 5, saves_avx)                    \
    DO(bmi1, 7, b, 3, 0)                    DO(bmi2, 7, b, 8, 0)                            \
    DO(avx512f, 7, b, 16, saves_avx512)     DO(avx512cd, 7, b, 28, saves_avx512)            \
    DO(avx512dq, 7, b, 17, saves_avx512)    DO(avx512bw, 7, b, 30, saves_avx512)            \
    DO(avx512vl, 7, b, 31, saves_avx512)    DO(avx512ifma, 7, b, 21, saves_avx512)          \
    DO(avx512vbmi, 7, c, 1, saves_avx512)   DO(avx512vbmi2, 7, c, 6, saves_avx512)          \
    DO(avx512bitalg, 7, c, 12, saves_avx512)
#define SIMDBLOOM_EACH_X86_FEATURE(DO) SIMDBLOOM_EACH_KNOWN_X86_FEATURE(DO) DO(gfni, 7, c, 8, 0)
// clang-format on

/// What CPU and operating system offer, as far as a tier may need it.
struct Features {
#define SIMDBLOOM_MEMBER(feature, ...) bool feature = false;
    SIMDBLOOM_EACH_X86_FEATURE(SIMDBLOOM_MEMBER)
#undef SIMDBLOOM_MEMBER
    bool neon = false, simd128 = false;
    std::uint64_t xcr0 = 0;  ///< what the operating system saves; 0 where XGETBV is not to be used
    bool operator==(const Features&) const = default;
};

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
