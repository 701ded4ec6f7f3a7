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
#if defined(__GNUC__) || defined(__clang__)
#define SIMDBLOOM_CORE_HAS_ASM true
#define SIMDBLOOM_CORE_ASM __asm__
#define SIMDBLOOM_CORE_PREFETCH __builtin_prefetch
#define SIMDBLOOM_INLINE [[gnu::always_inline]] constexpr
#else  // MSVC
#pragma warning(push, 3)
#pragma warning(disable : 4068)  // pragmas of GCC
#define SIMDBLOOM_CORE_HAS_ASM false
#define SIMDBLOOM_CORE_ASM(...)
#if defined(SIMDBLOOM_CORE_X86)
#define SIMDBLOOM_CORE_PREFETCH(p, write, locality) \
    _mm_prefetch(static_cast<const char*>(p), locality == 3 ? _MM_HINT_T0 : _MM_HINT_T1)
#else
#define SIMDBLOOM_CORE_PREFETCH(p, write, locality) static_cast<void>(p)
#endif
#define SIMDBLOOM_INLINE __forceinline constexpr
#endif
#define SIMDBLOOM_CORE_PRAGMA_(...) _Pragma(#__VA_ARGS__)
#define SIMDBLOOM_CORE_PRAGMA(...) SIMDBLOOM_CORE_PRAGMA_(__VA_ARGS__)
