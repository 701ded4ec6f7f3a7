// The d-left counting filter in its paper's geometry, its buckets, and its space against counting
// filters of the same FPR.
#include <algorithm>
#include <vector>

#include "experiments/experiment.hpp"
#include "harness/keys.hpp"
#include "harness/published_fpr.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

constexpr std::uint64_t paper_keys = 49'152;
const KeySource source = KeySource::generated(1);

std::vector<std::uint64_t> keys(std::uint64_t first, std::uint64_t n) {
    std::vector<std::uint64_t> all(n);
    source.fill(first, all.data(), all.size());
    return all;
}

/// Cells in use in each bucket of a dleft14 filter.
std::vector<unsigned> loads(const DLeftCounting& filter) {
    std::vector<unsigned> all(filter.size_in_bytes() / 16);
    for (std::size_t cell = 0; cell < 8 * all.size(); ++cell)
        all[cell / 8] += filter.bytes()[2 * cell] != std::byte{0} ||
                         filter.bytes()[2 * cell + 1] != std::byte{0};
    return all;
}

struct Buckets {
    std::vector<double> share = std::vector<double>(10);  // with so many cells in use at least
    unsigned highest = 0;
    void add(const DLeftCounting& filter, double weight) {
        const auto all = loads(filter);
        for (const unsigned load : all) {
            highest = std::max(highest, load);
            for (unsigned i = 0; i <= load; ++i)
                share[i] += weight / static_cast<double>(all.size());
        }
    }
};

void geometry() {
    constexpr std::uint64_t seeds = 1000, probes = 100'000;
    double hits = 0, cells = 0, model = 0;
    std::uint64_t overflows = 0;
    Buckets filled, churned;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        auto filter = DLeftCounting::with_bits_per_key(paper_keys, 21.33, {.seed = seed});
        overflows += filter.try_insert(keys(0, paper_keys)) != paper_keys;
        hits += static_cast<double>(filter.count(keys(1'000'000 + seed * probes, probes)));
        cells += static_cast<double>(filter.stored()) / seeds;
        model = filter.expected_fpr();
        filled.add(filter, 1.0 / seeds);
        if (seed >= 20) continue;
        // Each key replaced by another, 20 times over.
        auto in = keys(0, paper_keys);
        std::uint64_t next = 500'000'000;
        for (std::uint64_t i = 0; i < 20 * paper_keys; ++i) {
            auto& key = in[hash_key(i, seed) % paper_keys];
            filter.erase(key);
            key = source.key(next++);
            overflows += !filter.try_insert(key);
        }
        churned.add(filter, 0.05);
    }
    const double measured = hits / (seeds * probes);
    const auto interval = fpr::wilson(hits, seeds * probes, 1.96);
    print_header({"49,152 keys in 4 subtables of 2048 buckets of 8 cells, remainders of 14 bits",
                  "published", "here"});
    print_row({"FPR, theory", "0.001465",
               text("%.6f (exact), %.6f (d L 2^-r)", model, 4 * 6.0 / (1 << 14))});
    print_row({"FPR, measured", "0.001463",
               text("%.6f (%.6f - %.6f)", measured, interval.low, interval.high)});
    print_row({"bits/key", "21.3", text("%.2f", 16.0 * 4 * 2048 * 8 / paper_keys)});
    print_row({text("tables that overflowed, of %d filled", static_cast<int>(seeds)), "0",
               std::to_string(overflows)});
    print_row({"fullest bucket of all when filled", "-", text("%u of 8 cells", filled.highest)});
    print_row({"fullest bucket after 20 rounds of keys going and coming", "-",
               text("%u of 8 cells", churned.highest)});

    std::printf(
        "\nShare of the buckets with so many cells in use at least (keys of one fingerprint share "
        "a cell):\n\n");
    print_header({"cells", "filled", "limit of many buckets, exact",
                  "after 20 rounds of keys going and coming"});
    for (unsigned i = 4; i <= 9; ++i)
        print_row({std::to_string(i), text("%.4g", filled.share[i]),
                   text("%.3g", published::dleft_share(4, cells / (4 * 2048), i)),
                   text("%.4g", churned.share[i])});
}

void space() {
    constexpr std::uint64_t n = 1'000'000, probes = 10'000'000;
    std::printf(
        "\nBits per key for a wanted FPR, a million keys; the d-left filter of this library that "
        "needs least:\n\n");
    print_header({"FPR wanted", "`counting`", "FPR measured", "`counting512`", "FPR measured",
                  "d-left", "bits/key", "FPR measured", "d-left : `counting`"});
    const auto strangers = keys(n, probes);
    const auto measured = [&](AnyFilter filter) {
        fill(filter, source, n);
        return text("%.3g %%", 100.0 * static_cast<double>(filter.count(strangers)) /
                                   static_cast<double>(probes));
    };
    for (const double wanted : {0.03, 0.01, 0.003, 0.001464, 0.001, 0.0004}) {
        const auto anywhere = make_filter_for_fpr("counting", n, wanted),
                   line = make_filter_for_fpr("counting512", n, wanted);
        AnyFilter best = make_filter_for_fpr("dleft12", n, wanted);
        for (const char* spec : {"dleft14", "dleft16"})
            if (auto other = make_filter_for_fpr(spec, n, wanted);
                other.bits_per_key() < best.bits_per_key())
                best = std::move(other);
        print_row({text("%.4g %%", 100 * wanted), text("%.2f", anywhere.bits_per_key()),
                   measured(anywhere), text("%.2f", line.bits_per_key()), measured(line),
                   "`" + best.spec() + "`", text("%.2f", best.bits_per_key()), measured(best),
                   text("%.2f", best.bits_per_key() / anywhere.bits_per_key())});
    }
}

}  // namespace

int main() {
    geometry();
    space();
    print_source("dleft");
}
