// Builders that nobody tells how many keys come: the FPR of their filters beside the one asked for,
// over six decades of keys.
#include <chrono>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "experiments/experiment.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

constexpr std::size_t probes = 100'000'000, batch = 1 << 16;

struct Built {
    JoinFilter filter;
    double seconds;
};

/// Rows come in batches. `copies` says how many of a hundred keys come twice.
Built build(const std::string& spec, double fpr, std::size_t n, unsigned copies,
            const Options& options, std::size_t kept) {
    JoinBuilder builder = JoinBuilder::for_fpr(spec, fpr, options);
    if (kept != 0) builder.keep_at_most(kept);
    const auto keys = KeySource::generated(1);
    std::vector<std::uint64_t> rows(std::min(n, batch));
    double seconds = 0;
    const auto timed = [&](const auto& work) {
        const auto start = std::chrono::steady_clock::now();
        work();
        seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    const auto take = [&](std::size_t of) {
        for (std::size_t first = 0; first < of; first += batch) {
            const std::size_t here = std::min(batch, of - first);
            keys.fill(first, rows.data(), here);
            timed([&] { builder.insert({std::span(rows).first(here)}); });
        }
    };
    take(n);
    take(n / 100 * copies);
    std::optional<JoinFilter> filter;
    timed([&] { filter = std::move(builder).finish(); });
    for (std::size_t first = 0; first < n; first += batch) {
        const std::size_t here = std::min(batch, n - first);
        keys.fill(first, rows.data(), here);
        if (filter->count({std::span(rows).first(here)}) != here)
            throw std::runtime_error(spec + " lost keys");
    }
    return {std::move(*filter), seconds};
}

std::uint64_t found(const JoinFilter& filter) {
    const auto strangers = KeySource::generated(1);
    std::vector<std::uint64_t> some(batch);
    std::uint64_t hits = 0;
    for (std::size_t first = 0; first < probes; first += batch) {
        const std::size_t here = std::min(batch, probes - first);
        strangers.fill((std::uint64_t{1} << 40) + first, some.data(), here);
        hits += filter.count({std::span(some).first(here)});
    }
    return hits;
}

void print(const char* name, std::size_t n, double fpr, const Built& built) {
    const double hits = static_cast<double>(found(built.filter)),
                 measured = hits / static_cast<double>(probes);
    const auto [low, high] = fpr::wilson(hits, static_cast<double>(probes), 1.96);
    const AnyFilter& filter = *built.filter.filter();
    print_row({text("10^%.0f", std::log10(static_cast<double>(n))), name, filter.spec(),
               text("%.4g", static_cast<double>(filter.size_in_bytes()) / 1024),
               // A folded filter was made for other keys.
               filter.expected_fpr() < 2 * fpr ? text("%.4f %%", 100 * filter.expected_fpr()) : "",
               text("%.4f %%", 100 * filter.estimated_fpr()),
               text("%.4f (%.4f - %.4f) %%", 100 * measured, 100 * low, 100 * high),
               text("%.3f", measured / fpr),
               text("%.1f", 1e9 * built.seconds / static_cast<double>(n))});
}

}  // namespace

int main() {
    for (const double fpr : {0.01, 0.001}) {
        std::printf("\nAsked for an FPR of %g %%:\n\n", 100 * fpr);
        print_header({"keys", "rows", "filter", "KiB", "by the model", "by the bits that are set",
                      "measured, 10^8 strangers", "measured : asked for", "build, ns a key"});
        for (std::size_t n = 100; n <= 100'000'000; n *= 10) {
            for (const char* spec : {"classic", "split256"})
                print("a key each", n, fpr, build(spec, fpr, n, 0, {}, 0));
            print("50 in 100 twice", n, fpr, build("split256", fpr, n, 50, {}, 0));
            Options options;
            options.max_bytes = std::size_t{1} << 28;
            if (n >= 10'000)
                print("at most 8 KiB of keys kept, folded", n, fpr,
                      build("split256", fpr, n, 0, options, 8192));
        }
    }
    print_source("unknown_keys");
}
