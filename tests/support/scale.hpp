// How much of itself a heavy test runs: a sample in the ordinary run, everything in
// `tests/run --nightly`.
#pragma once

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

}  // namespace simdbloom::test
