// A series that starts small against a filter that was made for all keys, and a crawler's hundred
// million keys in memory.
#include <chrono>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/experiment.hpp"
#include "harness/keys.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

/// The largest resident size since reset_peak().
double peak_mib() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
    throw std::runtime_error("/proc/self/status has no VmHWM");
}

void reset_peak() {
    std::ofstream refs("/proc/self/clear_refs");
    refs << 5;  // proc(5)
    refs.flush();
    if (!refs) throw std::runtime_error("cannot write /proc/self/clear_refs");
}

}  // namespace

int main() {
    constexpr std::uint64_t probes = 2'000'000, all = 100'000'000;
    const auto keys = KeySource::generated(1);
    print_header({"keys", "filters", "bits/key", "of one filter of the right size", "FPR, model",
                  "FPR, measured", "FPR of the one filter", "MiB",
                  "peak of the process beyond its start, MiB", "ns a key in"});
    for (const double growth : {2.0, 4.0}) {
        reset_peak();
        const double before = peak_mib();
        ScalableBloom series({.first_capacity = 1000, .fpr = 0.01, .growth = growth});
        std::printf("| growth %.0f | | | | | | | | | |\n", growth);
        std::uint64_t inserted = 0;
        double seconds = 0;
        for (const std::uint64_t n :
             {1'000u, 10'000u, 100'000u, 1'000'000u, 10'000'000u, 100'000'000u}) {
            const auto start = std::chrono::steady_clock::now();
            for_keys(keys, inserted, n, [&](auto piece) { series.insert(piece); });
            seconds +=
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            inserted = n;
            std::uint64_t found = 0, hits = 0;
            for_keys(keys, 0, n, [&](auto piece) { found += series.count(piece); });
            if (found != n) {
                std::fprintf(stderr, "%llu of %llu keys found\n",
                             static_cast<unsigned long long>(found),
                             static_cast<unsigned long long>(n));
                return 1;
            }
            for_keys(keys, all, all + probes, [&](auto piece) { hits += series.count(piece); });
            const double peak = peak_mib() - before;
            const auto one = detail::size_for_fpr(Layout::parse("blocked512"), n, 0.01, {});
            print_row(
                {text("%llu", static_cast<unsigned long long>(n)),
                 std::to_string(series.filters().size()), text("%.2f", series.bits_per_key()),
                 text("%.2f", 512.0 * static_cast<double>(one.blocks) / static_cast<double>(n)),
                 text("%.3f %%", 100 * series.expected_fpr()),
                 text("%.3f %%", 100.0 * static_cast<double>(hits) / static_cast<double>(probes)),
                 "1 %", text("%.1f", static_cast<double>(series.size_in_bytes()) / (1 << 20)),
                 text("%.1f", peak), text("%.0f", seconds * 1e9 / static_cast<double>(n))});
        }
    }
    print_source("scalable");
}
