#include "harness/clock.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>

#include "harness/passes.hpp"
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

MemorySpeed memory_speed() {
    constexpr std::uint64_t bytes = 256 << 20, huge_page = 2 << 20, visits = 4 << 20;
    void* const mapped = mmap(nullptr, bytes + huge_page, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return {};
    const auto start = reinterpret_cast<std::uintptr_t>(mapped);
    auto* const words =
        reinterpret_cast<std::uint64_t*>((start + huge_page - 1) / huge_page * huge_page);
    madvise(words, bytes, MADV_HUGEPAGE);
    for (std::uint64_t i = 0; i < bytes / 8; ++i) words[i] = i;

    // Sums keep the loads; their value does not matter.
    std::uint64_t sum = 0;
    const auto best_of = [](const auto& pass) {
        double least = 1e9;
        for (int i = 0; i < 3; ++i) least = std::min(least, cpu_seconds_of(pass));
        return least;
    };
    const auto at_random = [&](const auto& visit) {
        return best_of([&] {
            std::uint64_t place = 1;  // of a linear congruential generator (Knuth, MMIX)
            for (std::uint64_t i = 0; i < visits; ++i) {
                place = place * 6364136223846793005u + 1442695040888963407u;
                visit(words[(place >> 32) % (bytes / 64) * 8]);
            }
            keep(sum);
        });
    };
    MemorySpeed speed{.bytes = bytes};
    speed.sequential_gb_per_second = bytes / 1e9 / best_of([&] {
                                         for (std::uint64_t i = 0; i < bytes / 8; ++i)
                                             sum += words[i];
                                         keep(sum);
                                     });
    speed.random_lines_per_second = visits / at_random([&](std::uint64_t word) { sum += word; });
    speed.random_updates_per_second = visits / at_random([](std::uint64_t& word) { word ^= 1; });
    munmap(mapped, bytes + huge_page);
    return speed;
}

}  // namespace simdbloom::bench
