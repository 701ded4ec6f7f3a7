// The only place that includes cpu_features; with SIMDBLOOM_BY_CPUID, CPUID alone is read. Both
// account for what the operating system saves (XCR0). usable() asks that once more, where tests can
// go through all its states.
#include "core/dispatch/features.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#ifndef SIMDBLOOM_BY_CPUID
#include "cpuinfo_x86.h"
#endif
#endif

namespace simdbloom::cpu {

#if defined(__x86_64__)
namespace {

std::uint64_t read_xcr0() {
    std::uint32_t low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return std::uint64_t{high} << 32 | low;
}

}  // namespace

Features read_cpuid() noexcept {
    Features f;
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0) return f;
    f.sse3 = (c & bit_SSE3) != 0;
    f.ssse3 = (c & bit_SSSE3) != 0;
    f.sse4_1 = (c & bit_SSE4_1) != 0;
    f.sse4_2 = (c & bit_SSE4_2) != 0;
    f.popcnt = (c & bit_POPCNT) != 0;
    if ((c & bit_OSXSAVE) != 0) f.xcr0 = read_xcr0();
    const bool avx = (f.xcr0 & saves_avx) == saves_avx,
               avx512 = (f.xcr0 & saves_avx512) == saves_avx512;
    f.avx = avx && (c & bit_AVX) != 0;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return f;
    f.avx2 = avx && (b & bit_AVX2) != 0;
    f.bmi1 = (b & bit_BMI) != 0;
    f.bmi2 = (b & bit_BMI2) != 0;
    f.avx512f = avx512 && (b & bit_AVX512F) != 0;
    f.avx512cd = avx512 && (b & bit_AVX512CD) != 0;
    f.avx512dq = avx512 && (b & bit_AVX512DQ) != 0;
    f.avx512bw = avx512 && (b & bit_AVX512BW) != 0;
    f.avx512vl = avx512 && (b & bit_AVX512VL) != 0;
    f.avx512ifma = avx512 && (b & bit_AVX512IFMA) != 0;
    f.avx512vbmi = avx512 && (c & bit_AVX512VBMI) != 0;
    f.avx512vbmi2 = avx512 && (c & bit_AVX512VBMI2) != 0;
    f.avx512bitalg = avx512 && (c & bit_AVX512BITALG) != 0;
    return f;
}
#endif

namespace {

Features read_features() {
#if defined(__x86_64__)
    const Features ours = read_cpuid();
#ifndef SIMDBLOOM_BY_CPUID
    Features f;
    const auto x = cpu_features::GetX86Info().features;
#define SIMDBLOOM_READ(feature) f.feature = x.feature != 0;
    SIMDBLOOM_EACH_X86_FEATURE(SIMDBLOOM_READ)
#undef SIMDBLOOM_READ
    // Without XGETBV cpu_features reads /proc/cpuinfo, which under qemu is about the host's CPU.
    f.sse3 = f.sse3 && ours.sse3;
    f.ssse3 = f.ssse3 && ours.ssse3;
    f.sse4_1 = f.sse4_1 && ours.sse4_1;
    f.sse4_2 = f.sse4_2 && ours.sse4_2;
    f.xcr0 = ours.xcr0;
    return f;
#else
    return ours;
#endif
#else
    Features f;
#if defined(__aarch64__)
    f.neon = true;  // part of the AArch64 baseline
#elif defined(__wasm__)
    f.simd128 = true;  // an engine without SIMD128 refuses the whole module
#endif
    return f;
#endif
}

}  // namespace

const Features& detect() {
    static const Features features = read_features();
    return features;
}

}  // namespace simdbloom::cpu
