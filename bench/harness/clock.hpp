// How fast the core that runs this and its memory are, by plain loops without hardware counters.
#pragma once

#include <cstdint>

namespace simdbloom::bench {

/// GHz, from a chain of 64-bit multiplications that wait for each other: 3 cycles each on the
/// x86-64 cores of the last 15 years. 0 on other machines, whose cores differ. Takes 0.2 ms.
double clock_ghz();

/// What one thread gets from memory, the best of three passes: a ceiling that knows no filter.
struct MemorySpeed {
    std::uint64_t bytes = 0;  ///< of the array, in pages of 2 MiB if the system gives them
    double sequential_gb_per_second = 0;
    double random_lines_per_second = 0;    ///< loads that do not wait for each other
    double random_updates_per_second = 0;  ///< the same with a store: 10^9 of them are one GUPS
};
/// Of an array of 256 MiB; takes half a second. Zeros if there is no such memory.
MemorySpeed memory_speed();

}  // namespace simdbloom::bench
