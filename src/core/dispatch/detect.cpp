// The only place that includes cpu_features. Its x86 flags are signed one-bit fields, in which true
// is -1. They already account for what the operating system saves (XCR0). usable() asks that once
// more, where tests can go through all its states.
#include "core/dispatch/features.hpp"

#if defined(__x86_64__)
#include <cpuid.h>

#include "cpuinfo_x86.h"
#endif

namespace simdbloom::cpu {
namespace {

#if defined(__x86_64__)
std::uint64_t read_xcr0() {
    std::uint32_t low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return std::uint64_t{high} << 32 | low;
}
#endif

Features read_features() {
    Features f;
#if defined(__x86_64__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0) return f;
    const auto x = cpu_features::GetX86Info().features;
#define SIMDBLOOM_READ(feature) f.feature = x.feature != 0;
    SIMDBLOOM_EACH_X86_FEATURE(SIMDBLOOM_READ)
#undef SIMDBLOOM_READ
    // Without XGETBV cpu_features reads the SSE flags from /proc/cpuinfo, which may be about
    // another CPU (under qemu, the host's).
    f.sse3 = f.sse3 && (c & bit_SSE3) != 0;
    f.ssse3 = f.ssse3 && (c & bit_SSSE3) != 0;
    f.sse4_1 = f.sse4_1 && (c & bit_SSE4_1) != 0;
    f.sse4_2 = f.sse4_2 && (c & bit_SSE4_2) != 0;
    if ((c & bit_OSXSAVE) != 0) f.xcr0 = read_xcr0();
#elif defined(__aarch64__)
    f.neon = true;  // part of the AArch64 baseline
#elif defined(__wasm__)
    f.simd128 = true;  // an engine without SIMD128 refuses the whole module
#endif
    return f;
}

}  // namespace

const Features& detect() {
    static const Features features = read_features();
    return features;
}

}  // namespace simdbloom::cpu
