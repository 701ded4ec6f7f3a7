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

/// 0 where the CPU does not have the leaf.
struct Cpuid {
    unsigned a = 0, b = 0, c = 0, d = 0;
    explicit Cpuid(unsigned leaf) { (void)__get_cpuid_count(leaf, 0, &a, &b, &c, &d); }
};

std::uint64_t read_xcr0() {
    std::uint32_t low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return std::uint64_t{high} << 32 | low;
}

}  // namespace

Features read_cpuid() noexcept {
    Features f;
    const Cpuid leaf1(1), leaf7(7);
    if ((leaf1.c & bit_OSXSAVE) != 0) f.xcr0 = read_xcr0();
#define SIMDBLOOM_READ(feature, number, word, bit, saved) \
    f.feature = (leaf##number.word >> bit & 1) != 0 && (f.xcr0 & saved) == saved;
    SIMDBLOOM_EACH_X86_FEATURE(SIMDBLOOM_READ)
#undef SIMDBLOOM_READ
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
#define SIMDBLOOM_READ(feature, ...) f.feature = x.feature != 0;
    SIMDBLOOM_EACH_KNOWN_X86_FEATURE(SIMDBLOOM_READ)
#undef SIMDBLOOM_READ
    f.gfni = ours.gfni;
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
