// From which size on prefetching pays, and what a neighbour that fills the last cache costs.
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiment.hpp"
#include "experiments/prefetch/neighbour.hpp"
#include "tuning/trial.hpp"

namespace simdbloom::bench {
namespace {

using detail::Operation;

struct Row {
    Isa isa;
    std::string_view spec;
    Operation operation;
    std::vector<double> times[2];  // without and with prefetching
};

void measure(std::vector<Row>& rows, std::size_t bytes) {
    constexpr unsigned rounds = 11;
    // What inserts fill no lookup is asked of, and each has the caches for itself.
    for (const bool inserts : {false, true}) {
        detail::TrialMemory memory(bytes, detail::TrialMemory::Content::random);
        for (unsigned round = 0; round < rounds; ++round)
            for (Row& row : rows) {
                if ((row.operation == Operation::insert) != inserts) continue;
                for (const unsigned i : {0u, 1u}) {
                    const unsigned prefetches = (i + round) % 2;
                    const detail::Trial trial(*std::ranges::find(detail::tuned_specs(), row.spec,
                                                                 &detail::TunedSpec::spec),
                                              row.isa, memory, bytes, prefetches == 1);
                    row.times[prefetches].push_back(1e9 *
                                                    trial.seconds_per_key(row.operation, 1e-4));
                }
            }
    }
}

struct Choice {
    std::string_view spec;
    Operation operation;
    bool on_avx2;
};
constexpr Choice choices[] = {
    {"register64:k=5", Operation::lookup, true}, {"split256", Operation::lookup, true},
    {"sector512", Operation::lookup, true},      {"blocked512:k=8", Operation::lookup, true},
    {"cuckoo12", Operation::lookup, true},       {"split256", Operation::touch, true},
    {"register64:k=5", Operation::touch, false}, {"sector512", Operation::touch, false},
    {"blocked512:k=8", Operation::touch, false}, {"cuckoo12", Operation::touch, false},
    {"split256", Operation::insert, false},      {"sector512", Operation::insert, false},
    {"classic:k=8", Operation::insert, false},
};
constexpr std::string_view names[] = {"lookup", "insert", "touch"};

std::vector<Row> rows_to_measure() {
    std::vector<Row> rows;
    for (const auto& [spec, operation, on_avx2] : choices)
        for (const Isa isa : usable_isas())
            if (isa == usable_isas().back() || (on_avx2 && isa == Isa::avx2))
                rows.push_back({isa, spec, operation, {}});
    return rows;
}

int run() {
    constexpr std::size_t mib = std::size_t{1} << 20,
                          sizes[] = {mib / 2,  mib,      3 * mib / 2, 2 * mib,  4 * mib,  8 * mib,
                                     11 * mib, 16 * mib, 32 * mib,    64 * mib, 256 * mib};
    std::vector<std::string> header{"neighbour", "instruction set", "filter", "operation"};
    for (const std::size_t bytes : sizes)
        header.push_back(text("%.3g MiB", static_cast<double>(bytes) / mib));
    print_header(header);
    for (const bool beside : {false, true}) {
        std::optional<Neighbour> neighbour;
        if (beside) neighbour.emplace(4 * std::max(detail::caches().l3, 8 * mib));
        std::vector<std::vector<std::string>> cells;
        for (const Row& row : rows_to_measure())
            cells.push_back({beside ? "yes" : "no", std::string(to_string(row.isa)),
                             std::string(row.spec),
                             std::string(names[static_cast<std::size_t>(row.operation)])});
        for (const std::size_t bytes : sizes) {
            std::vector<Row> rows = rows_to_measure();
            measure(rows, bytes);
            for (std::size_t i = 0; i < rows.size(); ++i) {
                cells[i].push_back(
                    text("%.2f, %.2f", median(rows[i].times[0]), median(rows[i].times[1])));
            }
        }
        for (const auto& row : cells) print_row(row);
    }
    print_source("prefetch");
    return 0;
}

}  // namespace
}  // namespace simdbloom::bench

int main() { return simdbloom::bench::run(); }
