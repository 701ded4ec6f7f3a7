// The filters that engines ship, beside ours: FPRs, and where each design breaks.
#include <cmath>
#include <stdexcept>
#include <vector>

#include "engines/all.hpp"
#include "engines/filled.hpp"
#include "experiments/experiment.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;
using namespace simdbloom::bench::engines;

std::string percent(double rate) { return text("%.3g %%", 100 * rate); }

/// Of `probes` strangers after n keys of that source, the share that is found.
template <class F>
double measured_fpr(const F& filter, u64 seed, u64 n, u64 probes) {
    std::size_t found = 0;
    for_numbers(seed, n, n + probes, [&](Keys keys) { found += filter.count(keys); });
    return static_cast<double>(found) / static_cast<double>(probes);
}

// The FPR at equal bits ------------------------------------------------------------------------

constexpr u64 fpr_bits = u64{1} << 23, fpr_probes = 2'000'000;
constexpr unsigned fpr_filters = 16;

/// "model | measured +- 95 % | measured : model" of make(n, seed), a filled filter.
template <class Make>
std::vector<std::string> fpr_cells(double bits_per_key, const Make& make) {
    const auto n = static_cast<u64>(static_cast<double>(fpr_bits) / bits_per_key);
    double sum = 0, squares = 0, model = 0;
    for (u64 seed = 1; seed <= fpr_filters; ++seed) {
        const auto [filter, expected] = make(n, seed);
        const double rate = measured_fpr(filter, seed, n, fpr_probes);
        sum += rate, squares += rate * rate, model = expected;
    }
    const double mean = sum / fpr_filters;
    const double error =
        1.96 * std::sqrt(std::max(squares / fpr_filters - mean * mean, 0.0) / (fpr_filters - 1));
    return {percent(model), text("%.4f ± %.4f %%", 100 * mean, 100 * error),
            text("%.3f", mean / model)};
}

void print_fprs() {
    std::printf(
        "### False-positive rates\n\n%u filters of %g bits, %g strangers each; ± is the "
        "95 %% interval of the mean.\n\n",
        fpr_filters, static_cast<double>(fpr_bits), static_cast<double>(fpr_probes));
    print_header({"filter", "8 bits a key: model", "measured", "ratio", "12: model", "measured",
                  "ratio", "16: model", "measured", "ratio"});
    const auto row = [](const std::string& name, const auto& make_at) {
        std::vector<std::string> cells{"`" + name + "`"};
        for (const double bits : {8.0, 12.0, 16.0})
            std::ranges::copy(fpr_cells(bits, make_at(bits)), std::back_inserter(cells));
        print_row(cells);
        std::fflush(stdout);
    };
    All::for_each([&]<class Design>() {
        row(Design::name, [](double bits) {
            return [bits](u64 n, u64 seed) {
                EngineFilter<Design> filter(n, bits);
                fill_with(filter, seed, n);
                const double model = filter.design().rate(n).fpr;
                return std::pair(std::move(filter), model);
            };
        });
    });
    for (const std::string spec : {"register64:k=4", "split256", "sector512"})
        row(spec, [&](double bits) {
            return [&spec, bits](u64 n, u64 seed) {
                auto filter = make_filter(spec, n, bits, Options{.seed = seed});
                fill_with(filter, seed, n);
                const double model = filter.expected_fpr();
                return std::pair(std::move(filter), model);
            };
        });
}

// Where a design breaks ------------------------------------------------------------------------

constexpr u64 break_seed = 7, break_probes = 10'000'000;

void print_break(const std::string& name, const std::string& what, u64 n, double bits_per_key,
                 double intended, double counted, const std::string& more = "") {
    print_row({"`" + name + "`", what, text("%g", static_cast<double>(n)),
               text("%.1f", bits_per_key), percent(intended), percent(counted),
               text("%.1f", counted / intended), more});
    std::fflush(stdout);
}

template <class Design>
EngineFilter<Design> broken(u64 n, double bits_per_key) {
    EngineFilter<Design> filter(n, bits_per_key);
    fill_with(filter, break_seed, n);
    return filter;
}
template <class Design>
double bits_a_key(const EngineFilter<Design>& filter, u64 n) {
    return 8 * static_cast<double>(filter.size_in_bytes()) / static_cast<double>(n);
}

/// A filter as the design makes it, beside its model.
template <class Design>
void break_at(const std::string& what, u64 n, double bits_per_key, const std::string& more = "") {
    const auto filter = broken<Design>(n, bits_per_key);
    print_break(Design::name, what, n, bits_a_key(filter, n), filter.design().rate(n).fpr,
                measured_fpr(filter, break_seed, n, break_probes), more);
}
std::string at_12_bits(double rate) { return percent(rate) + " at 12 bits a key"; }

void break_acero(u64 n) {
    EngineFilter<Acero> filter(n, 8);
    std::vector<u64> hashes(1 << 14);
    std::size_t found = 0;
    const auto hashed = [&](u64 first, u64 last, const auto& use) {
        for_numbers(break_seed, first, last, [&](Keys keys) {
            for (std::size_t i = 0; i < keys.size(); ++i)
                hashes[i] = Acero::hash(keys[i]) & 0xFFFFFFFFu;
            use(Keys(hashes).first(keys.size()));
        });
    };
    hashed(0, n, [&](Keys some) { filter.insert_hashes(some); });
    hashed(n, n + break_probes, [&](Keys some) { found += filter.count_hashes(some); });
    const auto& words = filter.design().bits;
    const auto used = std::count_if(words.data(), words.data() + words.size(),
                                    [](u64 word) { return word != 0; });
    print_break("acero", "hashes of 32 bits, as its join gives", n, bits_a_key(filter, n),
                filter.design().rate(n).fpr, static_cast<double>(found) / break_probes,
                text("%.3g %% of the words are ever set",
                     100 * static_cast<double>(used) / static_cast<double>(words.size())));
}

void break_spark() {
    constexpr u64 n = (u64{1} << 32) / 12;
    const auto of = []<int version>(const EngineFilter<Spark<version>>& filter) {
        const auto& words = filter.design().bits.words;
        u64 high = 0;
        for (u64 i = words.size() / 2; i < words.size(); ++i)
            high += static_cast<u64>(std::popcount(words[i]));
        print_break(Spark<version>::name, "2^32 bits", n, 12, filter.design().rate(n).fpr,
                    measured_fpr(filter, break_seed, n, break_probes / 4),
                    text("%g bits above 2^31 set", static_cast<double>(high)));
    };
    of(broken<Spark<1>>(n, 12));
    of(broken<Spark<2>>(n, 12));
}

/// The bytes of a filter in one form, asked in the other.
void break_boost(u64 n) {
    const auto written = broken<Boost<BoostForm::avx2>>(n, 12);
    EngineFilter<Boost<BoostForm::sse2>> read(n, 12);
    const auto& from = written.design().bits.words;
    auto& to = read.design().bits.words;
    std::copy_n(from.data(), from.size(), to.data());
    std::size_t found = 0;
    for_numbers(break_seed, 0, n, [&](Keys keys) { found += read.count(keys); });
    print_break("boost", "its bytes read by the form for SSE2", n, 12, written.design().rate(n).fpr,
                measured_fpr(read, break_seed, n, break_probes),
                text("%.3g %% of the keys are lost",
                     100 - 100 * static_cast<double>(found) / static_cast<double>(n)));
}

void print_breaks() {
    std::printf(
        "\n### Where a design breaks\n\nOne filter each, %g strangers. \"Intended\" is the "
        "exact model of independent blocks and patterns, for the bits that it has.\n\n",
        static_cast<double>(break_probes));
    print_header(
        {"filter", "what", "keys", "bits a key", "intended", "counted", "ratio", "beside"});
    for (const u64 n : {u64{1} << 17, u64{1} << 20, u64{1} << 23}) break_acero(n);
    constexpr u64 full = (u64{1} << 23) / 12;
    break_at<DuckDb>("as many keys as 2^23 bits take", full, 12);
    break_at<DuckDb>("one key more: 2^24 bits", full + 1, 12);
    break_at<DuckDb>("at its most words, 2^26", (u64{1} << 32) / 6, 6,
                     at_12_bits(fpr::blocked(64, 12, 4)));
    for (const int words : {21, 22, 24, 27})
        break_at<Trino>(text("2^%d words, %d bits in both", words, words - 21),
                        (u64{1} << words) * 64 / 16, 16);
    break_at<Velox<8>>("8 words a block, sized for 1 %", 1'000'000, 10.5);
    break_at<Velox<4>>("4 words a block, sized for 1 %", 1'000'000, 10.5);
    for (const u64 n : {100'000u, 1'000'000u, 3'000'000u, 10'000'000u})
        break_at<ClickHouse>("512 KiB", n, 8.0 * ClickHouse::join_bytes / static_cast<double>(n),
                             at_12_bits(fpr::classic_asymptotic(12, 3)));
    for (const int power : {20, 24, 27}) {
        const u64 n = u64{1} << power;
        const auto filter = broken<Impala>(n, 16);
        print_break("impala", "hashes of 32 bits", n, 16,
                    fpr::expected(Layout::parse("split256"), n, n / 16),
                    measured_fpr(filter, break_seed, n, break_probes),
                    "with the floor of 32 bits " + percent(filter.design().rate(n).fpr));
    }
    break_at<RocksDb>("k = 11 steps from 32 bits", 4'000'000, 20);
    break_spark();
    for (const u64 blocks : {(u64{1} << 15), (u64{1} << 15) - 1})
        break_at<CucoBlocks>(text("%g blocks of 8 words, k = 8", static_cast<double>(blocks)),
                             blocks * 256 / 12, 12);
    for (const u64 blocks : {(u64{1} << 17), (u64{1} << 17) - 1})
        break_at<CucoWord>(text("%g blocks of 1 word, k = 4", static_cast<double>(blocks)),
                           blocks * 64 / 8, 8);
    break_boost(1'000'000);
}

}  // namespace

int main() {
    try {
        print_fprs();
        print_breaks();
        print_source("engines");
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "engines: %s\n", e.what());
        return 1;
    }
}
