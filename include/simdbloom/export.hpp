// A shared library exports the public names, which stand between SIMDBLOOM_EXPORTS_BEGIN and
// SIMDBLOOM_EXPORTS_END, and the internal names that inline functions and src/adapters call, which
// carry SIMDBLOOM_API. CMake and pkg-config define SIMDBLOOM_SHARED for it. The names of a static
// library stay within what it is linked into. On Windows, GNU ld exports all if none is marked.
#pragma once

#if __cplusplus < 202002L
#error "simdbloom needs C++20: compile with -std=c++20"
#include "simdbloom needs C++20"  // A file that is not there: the compiler says no more.
#endif

#if defined(SIMDBLOOM_SHARED) && !defined(_WIN32)
#define SIMDBLOOM_API [[gnu::visibility("default")]]
#define SIMDBLOOM_EXPORTS_BEGIN _Pragma("GCC visibility push(default)")
#define SIMDBLOOM_EXPORTS_END _Pragma("GCC visibility pop")
#else
#define SIMDBLOOM_API
#define SIMDBLOOM_EXPORTS_BEGIN
#define SIMDBLOOM_EXPORTS_END
#endif
