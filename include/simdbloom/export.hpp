// What a shared library of simdbloom exports: what stands between SIMDBLOOM_EXPORTS_BEGIN and
// SIMDBLOOM_EXPORTS_END, which is every public name, and what carries SIMDBLOOM_API: of internal
// names that is what inline functions of public headers call, and what the libraries of
// src/adapters call. The kernels are not exported.
//
// SIMDBLOOM_SHARED is defined by CMake, and by pkg-config, where the library is a shared one. The
// names of a static library stay within the program or the shared library that it is linked into.
// On Windows, GNU ld exports every name of a library that marks none.
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
