// What the implementation needs of the system.
#pragma once

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
#if defined(_MSC_VER)
#include <intrin.h>
#else
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

namespace simdbloom_core {
inline namespace NAMESPACE {
namespace detail {
// Of <algorithm>, which takes a tenth of a second to compile; and windows.h may define min and max.
template <class T>
constexpr T clamp(T x, T low, T high) {
    return x < low ? low : high < x ? high : x;
}
template <class At, class Less>
void sort(At first, At last, const Less& less) {
    for (At end = first; end != last; ++end)
        for (At at = end; at != first && less(*at, *(at - 1)); --at) std::swap(*at, *(at - 1));
}
}  // namespace detail
}  // namespace NAMESPACE
}  // namespace simdbloom_core
