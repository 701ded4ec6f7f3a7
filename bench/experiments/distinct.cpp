// k different bits against k bits of which two may be the same: the FPR in blocks of every size,
// and the time of a register layout whose bits are different.
#include <cmath>
#include <memory>
#include <stdexcept>

#include "experiments/layouts/distinct_fpr.hpp"
#include "experiments/layouts/filter.hpp"
#include "experiments/rounds.hpp"
#include "harness/passes.hpp"
#include "simdbloom/simdbloom.hpp"

namespace simdbloom::bench {
namespace {

constexpr std::size_t batch = 16'384;
constexpr unsigned rounds = 15, first_k = 4;
const KeySource source = KeySource::generated(1);

template <class F>
std::pair<unsigned, double> best(const F& fpr_of) {
    std::pair<unsigned, double> least{0, 1};
    for (unsigned k = 1; k <= 20; ++k)
        if (const double fpr = fpr_of(k); fpr < least.second) least = {k, fpr};
    return least;
}

void print_models() {
    print_header({"block", "bits a key", "with repetition", "k", "different", "k",
                  "different : repetition", "bits a key that repetition needs more"});
    for (const unsigned block : {32u, 64u, 128u, 256u, 512u})
        for (const double bits : {8.0, 12.0, 16.0, 20.0}) {
            const auto repeated_with = [&](double c) {
                return best([&](unsigned k) { return fpr::blocked(block, c, k); });
            };
            const auto repeated = repeated_with(bits),
                       different = best([&](unsigned k) { return distinct_fpr(block, bits, k); });
            double low = bits, high = 2 * bits;
            for (int step = 0; step < 40; ++step) {
                const double middle = (low + high) / 2;
                (repeated_with(middle).second > different.second ? low : high) = middle;
            }
            print_row({std::to_string(block), text("%g", bits),
                       text("%.4g %%", 100 * repeated.second), std::to_string(repeated.first),
                       text("%.4g %%", 100 * different.second), std::to_string(different.first),
                       text("%.3f", different.second / repeated.second), text("%.2f", low - bits)});
        }
}

OwnFilter distinct64(std::uint64_t n, double bits, unsigned k) {
    constexpr OwnFilter::Kernels kernels[] = {
        [](const OwnLayouts& l) -> const LayoutKernels& { return l.distinct64[0]; },
        [](const OwnLayouts& l) -> const LayoutKernels& { return l.distinct64[1]; },
        [](const OwnLayouts& l) -> const LayoutKernels& { return l.distinct64[2]; }};
    return {kernels[k - first_k], 64, n, bits, k};
}

template <class F>
Turn lookups(std::shared_ptr<F> filter, std::uint64_t n) {
    const auto keys = rotation(source, n, filter->size_in_bytes(), 0);
    const std::size_t batches = std::clamp<std::size_t>(keys->all().size() / batch, 16, 64);
    const auto ask = [filter, keys, batches] {
        for (std::size_t i = 0; i < batches; ++i) keep(filter->count(keys->next(batch)));
    };
    return {"", ask, static_cast<double>(batches * batch), ask};
}
template <class F>
double insert_ns(F& filter, std::uint64_t n) {
    double seconds = 0;
    for_keys(source, 0, n,
             [&](Keys keys) { seconds += cpu_seconds_of([&] { filter.insert(keys); }); });
    return 1e9 * seconds / static_cast<double>(n);
}

void measure(std::uint64_t bytes, double bits, unsigned k) {
    const auto n = static_cast<std::uint64_t>(8 * static_cast<double>(bytes) / bits);
    const auto different = std::make_shared<OwnFilter>(distinct64(n, bits, k));
    const auto repeated =
        std::make_shared<AnyFilter>(make_filter("register64:k=" + std::to_string(k), n, bits));
    const double inserts[] = {insert_ns(*repeated, n), insert_ns(*different, n)};
    const OwnLayouts& fastest = *compiled_layouts().back().second;
    fill_and_check(*different, source, n, "distinct64");
    different->use(fastest);
    const double fpr[] = {repeated->expected_fpr(), measured_fpr(*different, source)};
    const auto sectors = std::make_shared<AnyFilter>(make_filter("sector512", n, bits));
    fill(*sectors, source, n);
    Turn turns[] = {lookups(repeated, n), lookups(different, n), lookups(sectors, n)};
    take_turns(turns, rounds);
    const auto pays_from = by_round(turns[1].ns, turns[0].ns, [&](double own, double other) {
        return (own - other) / (fpr[0] - fpr[1]);
    });
    print_row({size_text(static_cast<double>(bytes)), text("%g", bits), std::to_string(k),
               text("%.4g %%", 100 * fpr[0]), text("%.4g %%", 100 * fpr[1]),
               text("%.4g %%", 100 * distinct_fpr(64, bits, k)), with_interval(turns[0].ns),
               with_interval(turns[1].ns), with_interval(ratios(turns[1].ns, turns[0].ns)),
               text("%.1f, %.1f", inserts[0], inserts[1]), with_interval(pays_from, "%.0f"),
               text("%.4g %%, ", 100 * sectors->expected_fpr()) + with_interval(turns[2].ns)});
}

int run() {
    std::puts("Best FPR of blocks, by the exact models:\n");
    print_models();
    std::puts("\n`register64` and distinct64, times of absent keys:\n");
    print_header({"filter", "bits a key", "k", "FPR, register64", "distinct64", "its model",
                  "ns, register64", "distinct64", "distinct64 : register64", "insert, ns, of both",
                  "distinct64 pays from t_w, ns", "`sector512`: FPR, ns"});
    for (const std::uint64_t bytes : {1u << 14, 1u << 18, 1u << 23, 1u << 27}) {
        measure(bytes, 8, 4);
        measure(bytes, 12, 5);
        measure(bytes, 16, 6);
    }
    print_source("distinct");
    return 0;
}

}  // namespace
}  // namespace simdbloom::bench

int main() { return simdbloom::bench::run(); }
