// What differs between compilers. Undefined again at the end of the file.
#pragma once

#if defined(__x86_64__) || (defined(_M_X64) && !defined(_M_ARM64EC))
#define SIMDBLOOM_CORE_X86
#elif defined(__aarch64__) && defined(__GNUC__)
#define SIMDBLOOM_CORE_NEON
#endif
// The name of this file, whatever it is. In quotes it is looked for beside itself first.
#if defined(__FILE_NAME__)
#define SIMDBLOOM_CORE_SELF __FILE_NAME__
#elif __has_include(__FILE__)
#define SIMDBLOOM_CORE_SELF __FILE__
#else
#define SIMDBLOOM_CORE_SELF "simdbloom_core.h"  // GCC before 12, without an absolute path
#endif
#define SIMDBLOOM_CORE_PASTE_(a, b) a##b
#define SIMDBLOOM_CORE_PASTE(a, b) SIMDBLOOM_CORE_PASTE_(a, b)
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#define SIMDBLOOM_CORE_ASM false
#define SIMDBLOOM_INLINE __forceinline constexpr
#define __asm__(...)
#define __builtin_memcpy std::memcpy
#define __builtin_popcount(x) static_cast<int>(__popcnt(x))
#define __builtin_popcountll(x) static_cast<int>(__popcnt64(x))
#define __builtin_ctz(x) static_cast<int>(_tzcnt_u32(x))
#define __builtin_ctzll(x) static_cast<int>(_tzcnt_u64(x))
#define __builtin_prefetch(p, ...) _mm_prefetch(reinterpret_cast<const char*>(p), _MM_HINT_T1)
#else
#define SIMDBLOOM_CORE_ASM true
#define SIMDBLOOM_INLINE [[gnu::always_inline]] constexpr
#endif
#define SIMDBLOOM_CORE_PRAGMA_(...) _Pragma(#__VA_ARGS__)
#define SIMDBLOOM_CORE_PRAGMA(...) SIMDBLOOM_CORE_PRAGMA_(__VA_ARGS__)
