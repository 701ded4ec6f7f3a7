// A join of rows that lie on several ranks, with and without a filter of all ranks' build rows
// before the exchange. Under mpirun.
#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <vector>

#include "experiments/experiment.hpp"
#include "simdbloom/adapters/mpi.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

constexpr std::uint64_t build_rows = 1'000'000, probe_rows = 16'000'000;  // of all ranks
constexpr int passes = 6;

/// With its key as wide as a row of a fact table may be.
struct Row {
    std::uint64_t key;
    std::array<char, 96> rest;
};
static_assert(sizeof(Row) == 104);

int rank = 0, ranks = 0;

std::uint64_t sum_of_all(std::uint64_t mine) {
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return mine;
}

/// The slowest rank's time, from a common start.
double seconds_of(const std::function<void()>& work) {
    MPI_Barrier(MPI_COMM_WORLD);
    const auto start = std::chrono::steady_clock::now();
    work();
    double time = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return time;
}

struct Sent {
    std::vector<Row> rows;
    std::uint64_t bytes_sent = 0;  // to other ranks
};

/// The rows, of which `chosen` are sent, go to the ranks that their keys belong to.
Sent to_owners(const std::vector<Row>& rows, std::span<const std::uint32_t> chosen) {
    const auto owner = [](std::uint64_t key) {
        return static_cast<std::size_t>(
            (key * 0x9E3779B97F4A7C15u >> 32) * static_cast<std::uint64_t>(ranks) >> 32);
    };
    const auto n = static_cast<std::size_t>(ranks);
    std::vector<int> counts(n), received(n), from(n), to(n);
    for (const auto row : chosen) ++counts[owner(rows[row].key)];
    MPI_Alltoall(counts.data(), 1, MPI_INT, received.data(), 1, MPI_INT, MPI_COMM_WORLD);
    std::exclusive_scan(counts.begin(), counts.end(), from.begin(), 0);
    std::exclusive_scan(received.begin(), received.end(), to.begin(), 0);
    std::vector<Row> ordered(chosen.size());
    auto next = from;
    for (const auto row : chosen)
        ordered[static_cast<std::size_t>(next[owner(rows[row].key)]++)] = rows[row];
    Sent out;
    out.rows.resize(static_cast<std::size_t>(to.back() + received.back()));
    out.bytes_sent =
        (chosen.size() - static_cast<std::size_t>(counts[static_cast<std::size_t>(rank)])) *
        sizeof(Row);
    MPI_Datatype type;
    MPI_Type_contiguous(sizeof(Row), MPI_BYTE, &type);
    MPI_Type_commit(&type);
    MPI_Alltoallv(ordered.data(), counts.data(), from.data(), type, out.rows.data(),
                  received.data(), to.data(), type, MPI_COMM_WORLD);
    MPI_Type_free(&type);
    return out;
}

struct Join {
    std::uint64_t rows = 0, bytes_sent = 0;
    double seconds = 0, filter_seconds = 0;
};

Join join(const std::vector<Row>& build, const std::vector<Row>& probe, bool filtered) {
    std::vector<std::uint64_t> keys(build.size()), asked(probe.size());
    std::ranges::transform(build, keys.begin(), &Row::key);
    std::ranges::transform(probe, asked.begin(), &Row::key);
    std::vector<std::uint32_t> all(build.size()), passing(probe.size());
    std::iota(all.begin(), all.end(), 0);
    std::iota(passing.begin(), passing.end(), 0);
    Join result;
    result.seconds = seconds_of([&] {
        std::span<const std::uint32_t> sent = passing;
        if (filtered) {
            const auto start = std::chrono::steady_clock::now();
            const JoinFilter filter =
                build_on_all_ranks("split256", build_rows, 12, {keys}, MPI_COMM_WORLD, {.seed = 7});
            result.filter_seconds =
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            // An all-reduce sends about twice the filter over: (ranks - 1) / ranks of it scattered,
            // and as much gathered.
            result.bytes_sent += 2 * filter.filter()->size_in_bytes() *
                                 static_cast<std::uint64_t>(ranks - 1) /
                                 static_cast<std::uint64_t>(ranks);
            sent = sent.first(filter.select({asked}, passing));
        }
        const auto left = to_owners(build, all), right = to_owners(probe, sent);
        result.bytes_sent += left.bytes_sent + right.bytes_sent;
        absl::flat_hash_map<std::uint64_t, std::uint32_t> table;
        table.reserve(left.rows.size());
        for (std::uint32_t i = 0; i < left.rows.size(); ++i) table.emplace(left.rows[i].key, i);
        for (const auto& row : right.rows) result.rows += table.contains(row.key);
    });
    result.rows = sum_of_all(result.rows);
    result.bytes_sent = sum_of_all(result.bytes_sent) / static_cast<std::uint64_t>(ranks);
    return result;
}

std::vector<Row> share(std::uint64_t rows, const std::function<std::uint64_t(std::uint64_t)>& key) {
    std::vector<Row> mine;
    for (auto i = static_cast<std::uint64_t>(rank); i < rows;
         i += static_cast<std::uint64_t>(ranks))
        mine.push_back({key(i), {}});
    return mine;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const auto source = KeySource::generated(1), choice = KeySource::generated(77);
    const auto build = share(build_rows, [&](std::uint64_t i) { return source.key(i); });
    if (rank == 0) {
        std::printf(
            "%d ranks on one machine, %.0f million build rows and %.0f million probe rows of %zu "
            "bytes in all; `split256` at 12 bits a key. Medians of %d passes in turn, of the "
            "slowest rank.\n\n",
            ranks, build_rows / 1e6, probe_rows / 1e6, sizeof(Row), passes);
        print_header({"probe rows that join", "no filter, s", "MB a rank sends", "filter, s",
                      "of these its build", "MB a rank sends", "time", "bytes",
                      "bytes by the model"});
    }
    for (const double selectivity : {0.001, 0.01, 0.1, 0.5, 1.0}) {
        const auto probe = share(probe_rows, [&](std::uint64_t i) {
            return source.key(probe_number(choice.key(i), i, selectivity, build_rows));
        });
        std::vector<double> without, with, building;
        Join plain, filtered;
        for (int pass = 0; pass <= passes; ++pass) {
            // Each way is the first in every other pass: who comes second finds memory that the
            // first gave back.
            for (const bool filter : {pass % 2 == 0, pass % 2 != 0})
                (filter ? filtered : plain) = join(build, probe, filter);
            if (pass == 0) continue;
            if (plain.rows != filtered.rows) throw std::runtime_error("a filter lost or made rows");
            without.push_back(plain.seconds), with.push_back(filtered.seconds),
                building.push_back(filtered.filter_seconds);
        }
        // src/adapters/mpi/README.md, with the share of rows that are on another rank.
        const double others = (ranks - 1.0) / ranks,
                     f = make_filter("split256", build_rows, 12).expected_fpr(),
                     filter_bytes = build_rows * 12 / 8.0;
        const double model_without = others * sizeof(Row) * (probe_rows + build_rows) / ranks;
        const double model_with =
            others *
            (2 * filter_bytes +
             sizeof(Row) * (build_rows + (selectivity + (1 - selectivity) * f) * probe_rows) /
                 ranks);
        if (rank == 0)
            print_row({text("%g %%", 100 * selectivity), text("%.3f", median(without)),
                       text("%.1f", static_cast<double>(plain.bytes_sent) / 1e6),
                       text("%.3f", median(with)), text("%.3f", median(building)),
                       text("%.1f", static_cast<double>(filtered.bytes_sent) / 1e6),
                       text("%.2f", median(with) / median(without)),
                       text("%.3f", static_cast<double>(filtered.bytes_sent) /
                                        static_cast<double>(plain.bytes_sent)),
                       text("%.3f", model_with / model_without)});
    }

    if (rank == 0) {
        std::printf(
            "\nOne filter of all ranks' keys, `split256` at 12 bits a key, from keys that lie in "
            "memory:\n\n");
        print_header({"keys of all ranks", "MB", "insert a rank's share, ms", "unite, ms",
                      "GB/s of filter", "one rank inserts all, ms"});
    }
    for (const std::uint64_t n : {std::uint64_t{100'000}, std::uint64_t{1'000'000},
                                  std::uint64_t{10'000'000}, std::uint64_t{100'000'000}}) {
        std::vector<std::uint64_t> mine(n / static_cast<std::uint64_t>(ranks)),
            all(rank == 0 ? n : 0);
        source.fill(static_cast<std::uint64_t>(rank) * mine.size(), mine.data(), mine.size());
        source.fill(0, all.data(), all.size());
        std::vector<double> insert, unite, alone;
        double megabytes = 0;
        for (int pass = 0; pass < passes; ++pass) {
            auto filter = make_filter("split256", n, 12, {.seed = 7});
            megabytes = static_cast<double>(filter.size_in_bytes()) / 1e6;
            insert.push_back(seconds_of([&] { filter.insert(mine); }));
            unite.push_back(seconds_of([&] { union_of_all_ranks(filter, MPI_COMM_WORLD); }));
            auto serial = make_filter("split256", n, 12, {.seed = 7});
            alone.push_back(seconds_of([&] { serial.insert(all); }));
            if (rank == 0 && !std::ranges::equal(filter.base().bytes(), serial.base().bytes()))
                throw std::runtime_error("the bits are not those of one machine's filter");
        }
        if (rank == 0)
            print_row({std::to_string(n), text("%.2f", megabytes),
                       text("%.2f", 1e3 * median(insert)), text("%.2f", 1e3 * median(unite)),
                       text("%.2f", megabytes / 1e3 / median(unite)),
                       text("%.2f", 1e3 * median(alone))});
    }
    if (rank == 0) print_source("mpi_semi_join");
    MPI_Finalize();
}
