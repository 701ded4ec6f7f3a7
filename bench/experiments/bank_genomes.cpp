// Which genomes share enough k-mers with a read: a CompactBank of whole genomes or a FilterBank of
// equal windows, seqan3's interleaved Bloom filter, and an exact index.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>

#include "experiments/exact_index.hpp"
#include "experiments/experiment.hpp"
#include "experiments/genomes.hpp"
#include "experiments/interleaved.hpp"
#include "simdbloom/bank/compact_bank.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

constexpr std::size_t n_reads = 10'000, letters_of_read = 150, n_windows = 512;
constexpr double errors = 0.01, threshold = 0.5, fprs[] = {0.005, 0.3};
constexpr Scheme schemes[] = {{20, 20}, {31, 31}, {20, 31}};
constexpr unsigned rounds = 5;

using KeysOfSets = std::vector<std::vector<std::uint64_t>>;
using Counts = std::vector<std::uint64_t>;
/// Writes how many of the keys each set has.
using Count = std::function<void(std::span<const std::uint64_t>, Counts&)>;

struct Sets {
    std::string name;
    std::vector<std::string_view> letters;
    std::vector<Read> reads{};
};

/// Sets that reach a threshold, summed over reads. The exact index does not report those that a way
/// reports falsely, and it alone reports the lost ones.
struct Reported {
    std::size_t right = 0, other = 0, falsely = 0, lost = 0;
};

/// A way with false positives gets a higher threshold: by as many keys as it is expected to find
/// among the absent ones of a set at the threshold.
std::vector<Reported> reported(const Sets& sets, const KeysOfSets& reads, const Count& exact,
                               const Count& way, std::span<const double> thresholds,
                               std::span<const double> fpr_of_set) {
    std::vector<Reported> of(thresholds.size());
    Counts true_counts(sets.letters.size()), counts(true_counts);
    for (std::size_t r = 0; r < reads.size(); ++r) {
        exact(reads[r], true_counts);
        way(reads[r], counts);
        const auto n = static_cast<double>(reads[r].size());
        for (std::size_t t = 0; t < of.size(); ++t) {
            const double least = std::ceil(thresholds[t] * n);
            for (std::size_t s = 0; s < counts.size(); ++s) {
                const double raised = least + std::floor((n - least) * fpr_of_set[s]);
                if (counts[s] < true_counts[s]) throw std::runtime_error("a filter lost a key");
                const bool is_true = static_cast<double>(true_counts[s]) >= least,
                           is_reported = static_cast<double>(counts[s]) >= raised;
                if (is_true) ++(s == sets.reads[r].set ? of[t].right : of[t].other);
                of[t].falsely += !is_true && is_reported;
                of[t].lost += is_true && !is_reported;
            }
        }
    }
    return of;
}

/// Counts and the sets that reach 50 %, read by read.
Contestant timed_way(const std::string& name, const KeysOfSets& reads, std::size_t sets,
                     const Count& way) {
    return contestant(name, reads.size(), [&reads, way, counts = Counts(sets)]() mutable {
        std::size_t found = 0;
        for (const auto& keys : reads) {
            way(keys, counts);
            for (const auto n : counts) found += 2 * n >= keys.size();
        }
        __asm__ volatile("" : : "r"(found));
    });
}

std::string per_read(std::size_t n) { return text("%.4g", static_cast<double>(n) / n_reads); }

struct Rows {
    std::vector<std::vector<std::string>> quality, cost;
};

void measure(const Sets& sets, const Scheme& scheme, std::span<const double> thresholds, bool equal,
             Rows& rows) {
    const std::size_t n = sets.letters.size();
    KeysOfSets keys(n), reads;
    for (std::size_t s = 0; s < n; ++s) keys[s] = scheme.keys_of(sets.letters[s]);
    for (const auto& read : sets.reads) reads.push_back(scheme.keys_of(read.letters));
    std::vector<std::size_t> sizes;
    for (const auto& of : keys) sizes.push_back(of.size());

    const ExactIndex index(keys);
    const Count exact = [&](auto of, Counts& counts) { index.count_per_set(of, counts); };
    const auto truth = reported(sets, reads, exact, exact, thresholds, std::vector<double>(n, 0.0));
    const std::size_t first = rows.quality.size();
    for (std::size_t t = 0; t < truth.size(); ++t)
        rows.quality.push_back({sets.name + ", " + scheme.name(), text("%g", 100 * thresholds[t]),
                                text("%.1f", 100.0 * static_cast<double>(truth[t].right) /
                                                 static_cast<double>(n_reads)),
                                per_read(truth[t].other)});

    std::vector<std::string> cost{sets.name + ", " + scheme.name()};
    const auto compare = [&](auto& bank, const FilterBank& of_largest,
                             std::span<const double> fpr_of_set) {
        Ibf ibf = ibf_like(of_largest);
        give_huge_pages(memory_of(ibf));
        for (std::size_t s = 0; s < n; ++s) {
            bank.insert(s, keys[s]);
            for (const auto key : keys[s]) ibf.emplace(key, seqan3::bin_index{s});
        }
        auto agent = ibf.counting_agent<std::uint32_t>();
        const Count ours = [&](auto of, Counts& counts) { bank.count_per_set(of, counts); };
        const Count theirs = [&](auto of, Counts& counts) {
            std::ranges::copy(agent.bulk_count(of), counts.begin());
        };
        const auto of = reported(sets, reads, exact, ours, thresholds, fpr_of_set);
        for (std::size_t t = 0; t < truth.size(); ++t)
            rows.quality[first + t].push_back(per_read(of[t].falsely) + ", " +
                                              per_read(of[t].lost));
        const auto ns =
            ns_of(rounds, {timed_way("exact", reads, n, exact), timed_way("bank", reads, n, ours),
                           timed_way("seqan3", reads, n, theirs)});
        const std::size_t bytes[] = {index.bytes(), bank.size_in_bytes(), memory_of(ibf).size()};
        for (std::size_t i = cost.size() > 1 ? 1 : 0; i < ns.size(); ++i)
            cost.push_back(text("%.0f, %.1f", in_mib(bytes[i]), ns[i] / 1000));
    };
    for (const double fpr : fprs) {
        FilterBank of_largest = FilterBank::for_fpr(n, std::ranges::max(sizes), fpr);
        std::vector<double> fpr_of_set(n, of_largest.expected_fpr());
        if (equal) {
            compare(of_largest, of_largest, fpr_of_set);
        } else {
            auto bank = CompactBank::for_fpr(sizes, fpr);
            for (std::size_t s = 0; s < n; ++s) fpr_of_set[s] = bank.expected_fpr(s);
            compare(bank, of_largest, fpr_of_set);
        }
    }
    rows.cost.push_back(std::move(cost));
}

}  // namespace

int main() {
    const auto genomes = read_genomes();
    const std::string all = std::accumulate(genomes.begin(), genomes.end(), std::string());
    Sets whole{text("%zu", genomes.size()), {genomes.begin(), genomes.end()}},
        windows{text("%zu", n_windows), {}};
    for (std::size_t w = 0; w < n_windows; ++w)
        windows.letters.push_back(
            std::string_view(all).substr(all.size() / n_windows * w, all.size() / n_windows));
    Rows rows;
    for (Sets* sets : {&whole, &windows}) {
        sets->reads = make_reads(sets->letters, n_reads, letters_of_read, errors);
        for (const auto& scheme : schemes) {
            if (sets == &windows && scheme.k > 20) continue;  // as whole genomes
            std::vector<double> thresholds{threshold};
            if (rows.quality.empty()) thresholds = {0.3, threshold, 0.7};
            measure(*sets, scheme, thresholds, sets == &windows, rows);
        }
    }
    const auto [shortest, longest] = std::ranges::minmax_element(
        genomes, {}, [](const std::string& genome) { return genome.size(); });
    std::printf(
        "%zu genomes of %.1f to %.1f million bases, %.1f in all: whole, and joined and cut into\n"
        "%zu windows. Minimizers are 20-mers of 31 bases. %zu reads of %zu bases have %g %% of\n"
        "substitutions. The exact index reports the sets that have this share of the read's keys:\n"
        "the right one, and so many others a read. The bank's threshold is higher by the expected\n"
        "false positives.\n\n",
        genomes.size(), static_cast<double>(shortest->size()) / 1e6,
        static_cast<double>(longest->size()) / 1e6, static_cast<double>(all.size()) / 1e6,
        n_windows, n_reads, letters_of_read, 100 * errors);
    std::vector<std::string> heads{"sets, keys", "share, %", "right, %", "others"},
        cost_heads{"sets, keys", "exact"};
    for (const double fpr : fprs) {
        heads.push_back(text("FPR %g: false, lost", fpr));
        cost_heads.push_back(text("FPR %g: bank", fpr));
        cost_heads.push_back("seqan3");
    }
    print_header(heads);
    for (const auto& row : rows.quality) print_row(row);
    std::printf("\nMiB, and µs a read on one thread; medians of %u rounds.\n\n", rounds);
    print_header(cost_heads);
    for (const auto& row : rows.cost) print_row(row);
    print_source("bank_genomes");
}
