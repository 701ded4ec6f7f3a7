#include "harness/clock.hpp"

#include <algorithm>
#include <cstdint>

#include "harness/subject.hpp"

namespace simdbloom::bench {

double clock_ghz() {
#ifdef __x86_64__
    constexpr int multiplications = 32'768, latency = 3;
    double least = 1;
    // The fastest of eight: an interrupt makes a chain longer, nothing makes it shorter.
    for (int chain = 0; chain < 8; ++chain) {
        std::uint64_t product = 3;
        const std::uint64_t factor = 5;
        least =
            std::min(least, cpu_seconds_of([&] {
                         for (int i = 0; i < multiplications; i += 4)
                             asm volatile("imul %1, %0\n\timul %1, %0\n\timul %1, %0\n\timul %1, %0"
                                          : "+r"(product)
                                          : "r"(factor));
                     }));
    }
    return multiplications * latency / least / 1e9;
#else
    return 0;
#endif
}

}  // namespace simdbloom::bench
