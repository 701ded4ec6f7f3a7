// The clock of the core that runs this, without hardware counters.
#pragma once

namespace simdbloom::bench {

/// GHz, from a chain of 64-bit multiplications that wait for each other: 3 cycles each on the
/// x86-64 cores of the last 15 years. 0 on other machines, whose cores differ. Takes 0.2 ms.
double clock_ghz();

}  // namespace simdbloom::bench
