// Makes GCC or clang, with the flags of every ISA, take the branches of simdbloom_core.h that are
// MSVC's: without GCC's attributes, builtins and assembler. What MSVC says of the rest of the
// language it does not show.
#include <cpuid.h>
#include <immintrin.h>
#include <x86intrin.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

inline void msvc_cpuid(int (&of)[4], int leaf, int part) {
    unsigned r[4];
    __cpuid_count(leaf, part, r[0], r[1], r[2], r[3]);
    std::memcpy(of, r, sizeof of);
}
#undef __cpuid
#define __cpuid(of, leaf) msvc_cpuid(of, leaf, 0)
#define __cpuidex(of, leaf, part) msvc_cpuid(of, leaf, part)
#define __forceinline inline __attribute__((always_inline))
#undef __GNUC__
#undef __clang__
#undef __x86_64__
#undef __unix__
#undef __BYTE_ORDER__
#undef __OPTIMIZE__
#undef __FILE_NAME__
#define _MSC_VER 1930
#define _M_X64 100
