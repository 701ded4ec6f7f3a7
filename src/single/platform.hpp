// What the implementation needs of the system.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <utility>
#include <vector>
#if defined(SIMDBLOOM_CORE_X86)
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#else
#include <immintrin.h>
#endif
#if !defined(_MSC_VER)
#include <cpuid.h>
#include <x86intrin.h>
#endif
#elif defined(SIMDBLOOM_CORE_NEON)
#include <arm_neon.h>
#else
#include <chrono>
#endif
#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#include <unistd.h>
#endif
