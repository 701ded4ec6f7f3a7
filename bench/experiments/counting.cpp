// The FPR table of Summary Cache with counters, and how often counters overflow.
#include <cmath>
#include <numbers>
#include <vector>

#include "experiments/experiment.hpp"
#include "harness/keys.hpp"
#include "harness/published_fpr.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

struct Published {
    double counters_per_key;
    unsigned k;
    double fpr;
};
constexpr Published table[] = {
    {8, 1, 0.118},   {8, 2, 0.0489},   {8, 3, 0.0306},   {8, 4, 0.024},    {8, 5, 0.0217},
    {8, 6, 0.0216},  {8, 7, 0.0229},   {10, 1, 0.0952},  {10, 2, 0.0329},  {10, 3, 0.0174},
    {10, 4, 0.0118}, {10, 5, 0.00943}, {10, 6, 0.00844}, {10, 7, 0.00819}, {12, 8, 0.00314}};

std::string percent(double x) { return text("%.3g %%", 100 * x); }

CountingBloom filled(const std::string& spec, std::uint64_t n, double counters_per_key,
                     std::uint64_t seed) {
    AnyFilter filter = make_filter(spec, n, 4 * counters_per_key, {.seed = seed});
    fill(filter, KeySource::generated(1), n);
    return std::move(*filter.get_if<CountingBloom>());
}

double measured_fpr(const CountingBloom& filter, std::uint64_t n, std::uint64_t probes) {
    std::vector<std::uint64_t> keys(probes);
    KeySource::generated(1).fill(n, keys.data(), keys.size());
    return static_cast<double>(filter.count(keys)) / static_cast<double>(probes);
}

void false_positives() {
    constexpr std::uint64_t n = 1'000'000, probes = 5'000'000;
    print_header({"counters/key", "k", "published", "`counting`, exact model", "measured",
                  "`counting512`, exact model", "measured"});
    for (const auto& row : table) {
        std::vector<std::string> cells{text("%.0f", row.counters_per_key), std::to_string(row.k),
                                       percent(row.fpr)};
        for (const char* layout : {"counting", "counting512"}) {
            const auto filter = filled(std::string(layout) + ":k=" + std::to_string(row.k), n,
                                       row.counters_per_key, 1);
            cells.push_back(percent(filter.expected_fpr()));
            cells.push_back(percent(measured_fpr(filter, n, probes)));
        }
        print_row(cells);
    }
}

void overflow() {
    constexpr std::uint64_t n = 1'000'000;
    std::printf(
        "\nThe chance of a counter to be raised 16 times or more, and that of any counter of a "
        "filter of a million keys (at most), both with the k of least FPR:\n\n");
    print_header({"counters/key", "bound of Fan et al., a filter", "`counting`, k", "a counter",
                  "a filter", "`counting512`, k", "a counter", "a filter"});
    for (const double c : {8.0, 10.0, 12.0, 16.0, 20.0}) {
        std::vector<std::string> cells{text("%.0f", c),
                                       text("%.2g", published::counting_overflow_bound(c * n))};
        for (const char* layout : {"counting", "counting512"}) {
            const auto filter = make_filter(layout, n, 4 * c);
            const double one =
                fpr::counter_tail(filter.base().layout(), n, filter.base().blocks(), 16);
            cells.insert(cells.end(), {std::to_string(filter.base().layout().k), text("%.3g", one),
                                       text("%.2g", one * c * n)});
        }
        print_row(cells);
    }
    std::printf(
        "\nIn the limit of k = m / n ln 2 and many counters: %.4g a counter; the bound: %.4g.\n",
        fpr::counter_tail(std::numbers::ln2 * 1e12, 1e12, 16),
        published::counting_overflow_bound(1));
}

void stuck_counters() {
    constexpr std::uint64_t counters = 5'120'000;
    std::printf(
        "\nFilters far too full, so that there is something to count: shares of counters at 15, "
        "%llu counters, k = 8, mean of 10 seeds:\n\n",
        static_cast<unsigned long long>(counters));
    print_header({"raises a counter", "`counting`, exact model", "measured",
                  "`counting512`, exact model", "measured"});
    for (const double raises : {2.0, 4.0, 6.0, 10.0}) {
        const auto n = static_cast<std::uint64_t>(counters * raises / 8);
        std::vector<std::string> cells{text("%.0f", raises)};
        for (const char* spec : {"counting:k=8", "counting512:k=8"}) {
            double stuck = 0, model = 0;
            for (std::uint64_t seed = 1; seed <= 10; ++seed) {
                const auto filter = filled(spec, n, counters / static_cast<double>(n), seed);
                stuck += static_cast<double>(filter.saturated()) /
                         (2 * static_cast<double>(filter.size_in_bytes())) / 10;
                model = fpr::counter_tail(filter.layout(), n, filter.blocks(), 15);
            }
            cells.insert(cells.end(), {text("%.3g", model), text("%.3g", stuck)});
        }
        print_row(cells);
    }
}

}  // namespace

int main() {
    false_positives();
    overflow();
    stuck_counters();
    print_source("counting");
}
