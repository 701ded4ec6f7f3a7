// The clock by which batches are timed.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#elif !defined(__aarch64__) && !defined(__wasm__)
#include <chrono>
#endif

namespace simdbloom::detail {

/// Some clock of the CPU: its unit and its rate do not matter. WebAssembly has none.
inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__) || defined(_M_X64)
    return __rdtsc();
#elif defined(__aarch64__)
    std::uint64_t t;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
    return t;
#elif defined(__wasm__)
    return 0;
#else
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

}  // namespace simdbloom::detail
