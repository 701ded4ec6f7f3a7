// How much of itself a heavy test runs, and what it reports: a sample in the ordinary run,
// everything in `tests/run --nightly`.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/kernels/table.hpp"
#include "simdbloom/isa.hpp"

namespace simdbloom::test {

inline bool nightly() {
    static const bool on = [] {
        const char* value = std::getenv("SIMDBLOOM_NIGHTLY");
        return value != nullptr && std::strcmp(value, "") != 0 && std::strcmp(value, "0") != 0;
    }();
    return on;
}

#if defined(SIMDBLOOM_SANITIZED) || defined(SIMDBLOOM_EMULATED)
inline constexpr bool slow_build = true;
#else
inline constexpr bool slow_build = false;
#endif

/// `slow` where a step costs ten times as much: under sanitizers and emulators.
template <class T>
T scaled(T slow, T ordinary, T at_night) {
    return nightly() ? at_night : slow_build ? slow : ordinary;
}

/// The suite runs once more under a forced ISA: tests that go over the ISAs themselves would only
/// repeat themselves.
inline bool forced_isa() { return default_isa() != usable_isas().back(); }
#define SIMDBLOOM_SKIP_IF_FORCED() \
    if (::simdbloom::test::forced_isa()) GTEST_SKIP() << "does not depend on the default ISA"

/// What the heavy tests have done, for the summary of a nightly run.
struct Tally {
    std::atomic<std::uint64_t> patterns{0}, inserted{0}, probes{0}, differences{0};
};
inline Tally tally;

class Stopwatch {
public:
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// A line of progress, in a nightly run.
[[gnu::format(printf, 1, 2)]] inline void progress(const char* format, ...) {
    if (!nightly()) return;
    std::va_list arguments;
    va_start(arguments, format);
    std::vprintf(format, arguments);
    va_end(arguments);
    std::putchar('\n');
    std::fflush(stdout);
}

}  // namespace simdbloom::test
