// Cache misses a key: from hardware counters where the system gives them, else from cachegrind.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "harness/machine.hpp"

namespace simdbloom::bench {

struct Misses {
    double l1, last_level;
};

/// Counts L1d read misses and last-level misses of this thread around `work` with perf_event_open;
/// nothing where the system does not offer both events.
std::optional<Misses> hardware_misses(const std::function<void()>& work, double keys);

/// Runs `probe_program SPEC N BITS PROBES` under cachegrind with the AVX2 path (scalar where there
/// is none) and returns the misses of the lookup kernel alone, a key. Nothing if valgrind is not
/// installed or fails.
std::optional<Misses> cachegrind_misses(const std::string& probe_program, const std::string& spec,
                                        std::uint64_t n_keys, double bits_per_key,
                                        const Machine& machine, const std::string& work_folder);

/// The ISA that cachegrind runs: it knows AVX2 but not AVX-512.
std::string cachegrind_isa();
/// The caches simulated, as passed to cachegrind.
std::string simulated_caches(const Machine& machine);

}  // namespace simdbloom::bench
