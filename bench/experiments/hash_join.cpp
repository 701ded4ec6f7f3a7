// A hash join of one's own, with and without a filter before it.
#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <vector>

#include "experiments/experiment.hpp"
#include "simdbloom/join/join.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

constexpr std::size_t vector_rows = 2048;  // as engines have them

/// absl::flat_hash_map (Debian: libabsl-dev): open addressing with control bytes that SIMD
/// compares, well kept, and a prefetch of its own, so that what the filter is compared with is not
/// slower than it must be.
using Table = absl::flat_hash_map<std::uint64_t, std::uint64_t>;

/// Fills the table with the row number of each key, three times, and returns the median ns a row.
double fill_timed(Table& table, std::span<const std::uint64_t> build) {
    return ns_of(3, build.size(), [&] {
        Table fresh;
        fresh.reserve(build.size());
        for (std::size_t i = 0; i < build.size(); ++i) fresh.emplace(build[i], i);
        table = std::move(fresh);
    });
}

/// What came of a join: its rows, and a sum that depends on each.
struct JoinResult {
    std::uint64_t rows = 0, sum = 0;
    friend bool operator==(const JoinResult&, const JoinResult&) = default;
};

void look_up(const Table& table, std::span<const std::uint64_t> keys,
             std::span<const std::uint32_t> rows, JoinResult& joined) {
    for (const auto row : rows) table.prefetch(keys[row]);
    for (const auto row : rows)
        if (const auto found = table.find(keys[row]); found != table.end()) {
            ++joined.rows;
            joined.sum += found->second ^ row;
        }
}

/// One pass of the probe side: a vector at a time, through the filter if there is one, then the
/// table.
JoinResult join(const Table& table, std::span<const std::uint64_t> probe, const JoinFilter* filter,
                Governor* governor) {
    JoinResult joined;
    std::array<std::uint32_t, vector_rows> all, passing;
    std::iota(all.begin(), all.end(), 0u);
    for (std::size_t first = 0; first < probe.size(); first += vector_rows) {
        const auto keys = probe.subspan(first, std::min(vector_rows, probe.size() - first));
        if (filter == nullptr || (governor != nullptr && !governor->should_probe(keys.size()))) {
            look_up(table, keys, std::span(all).first(keys.size()), joined);
            continue;
        }
        const std::size_t n = filter->select({keys}, passing);
        if (governor != nullptr) governor->record(keys.size(), n);
        look_up(table, keys, std::span(passing).first(n), joined);
    }
    return joined;
}

/// Where the line of `with` crosses that of `without`, by straight lines between the shares.
std::string break_even(std::span<const double> shares, std::span<const double> with,
                       std::span<const double> without) {
    if (with[0] >= without[0]) return "never pays";
    for (std::size_t i = 1; i < with.size(); ++i) {
        const double before = without[i - 1] - with[i - 1], after = without[i] - with[i];
        if (after > 0) continue;
        return text("%.0f %%", 100 * (shares[i - 1] +
                                      (shares[i] - shares[i - 1]) * before / (before - after)));
    }
    return "pays always";
}

constexpr double shares[] = {0, 0.1, 0.5, 0.9, 1};  // of the probe rows that join

struct Level {
    const char* name;
    std::size_t build_rows, probe_rows;
};
// 17 bytes a slot of the table at a load of 7/16 to 7/8.
constexpr Level levels[] = {
    {"L2", 14'000, 4'000'000}, {"L3", 450'000, 8'000'000}, {"DRAM", 14'000'000, 16'000'000}};

/// Probe rows of which that share joins, in random order.
std::vector<std::uint64_t> probe_keys(const KeySource& keys, const Level& level, double share) {
    std::vector<std::uint64_t> probe(level.probe_rows);
    const auto random = KeySource::generated(77);
    constexpr std::uint64_t absent = std::uint64_t{1} << 40;
    for (std::size_t i = 0; i < probe.size(); ++i) {
        const std::uint64_t choice = random.key(i);
        const bool joins = static_cast<double>(choice >> 11) * 0x1p-53 < share;
        probe[i] = keys.key(joins ? (choice * 0x9E3779B97F4A7C15u >> 32) * level.build_rows >> 32
                                  : absent + i);
    }
    return probe;
}

struct Side {
    std::string name;
    std::optional<JoinFilter> filter;
    bool governed = false;
    double build_ns = 0;             // a build row, of the filter alone
    std::vector<double> probe_ns{};  // a probe row, by share
    double filter_ns = 0;            // a row that no filter passes, the filter alone
};

std::vector<Side> sides_of(std::span<const std::uint64_t> build) {
    std::vector<Side> sides{{.name = "no filter", .filter = {}}};
    for (const std::string spec : {"register64", "split256", "classic", "cuckoo12"}) {
        const double bits = spec == "cuckoo12" ? 12.64 : 12;
        std::optional<AnyFilter> filter;
        const double ns = ns_of(3, build.size(), [&] {
            filter = make_filter(spec, build.size(), bits);
            filter->insert(build);
        });
        sides.push_back({.name = "`" + filter->spec() + "`",
                         .filter = JoinFilter(std::move(*filter)),
                         .build_ns = ns});
    }
    sides.push_back(sides[2]);
    sides.back().name += ", governed";
    sides.back().governed = true;
    return sides;
}

/// ns a row of the filter alone.
double filter_alone(const JoinFilter& filter, std::span<const std::uint64_t> probe,
                    unsigned passes) {
    std::array<std::uint32_t, vector_rows> out;
    return ns_of(passes, probe.size(), [&] {
        for (std::size_t at = 0; at < probe.size(); at += vector_rows)
            (void)filter.select({probe.subspan(at, std::min(vector_rows, probe.size() - at))}, out);
    });
}

/// Every side in turn; all must give the same rows.
void time_joins(std::vector<Side>& sides, const Table& table, std::span<const std::uint64_t> probe,
                double miss_ns, unsigned passes) {
    std::vector<Contestant> timed;
    std::vector<JoinResult> results(sides.size());
    for (std::size_t i = 0; i < sides.size(); ++i)
        timed.push_back(contestant(sides[i].name, probe.size(), [&, i] {
            const Side& side = sides[i];
            // What a row costs is known from the rows of which none joins.
            Governor governor(side.filter_ns > 0 && miss_ns > side.filter_ns
                                  ? Governor::Settings::for_costs(side.filter_ns, miss_ns)
                                  : Governor::Settings());
            results[i] = join(table, probe, side.filter ? &*side.filter : nullptr,
                              side.governed ? &governor : nullptr);
        }));
    const auto ns = ns_of(passes, std::move(timed));
    for (std::size_t i = 0; i < sides.size(); ++i) {
        if (results[i] != results[0])
            throw std::runtime_error(sides[i].name + " lost or made rows");
        sides[i].probe_ns.push_back(ns[i]);
    }
}

void print(const Level& level, const Table& table, double table_ns,
           const std::vector<Side>& sides) {
    const double miss_ns = sides[0].probe_ns[0];
    std::printf(
        "\n### Table in %s: %zu build rows, %.1f MiB of hash table built in %.1f ns a row\n\n",
        level.name, level.build_rows, in_mib(table.capacity() * (sizeof(Table::value_type) + 1)),
        table_ns);
    std::vector<std::string> head{"filter", "MiB", "build, ns a row"};
    for (const double s : shares) head.push_back(text("%g %%", 100 * s));
    head.insert(head.end(), {"pays up to", "t_l", "f", "rho = t_l + f t_w"});
    print_header(head);
    for (const Side& side : sides) {
        std::vector<std::string> cells{side.name, "", ""};
        if (side.filter) {
            cells[1] = text("%.2f", in_mib(side.filter->filter()->size_in_bytes()));
            cells[2] = text("%.1f", side.build_ns);
        }
        for (const double ns : side.probe_ns) cells.push_back(text("%.1f", ns));
        if (side.filter) {
            const double f = side.filter->filter()->estimated_fpr();
            cells.insert(cells.end(),
                         {side.governed ? "" : break_even(shares, side.probe_ns, sides[0].probe_ns),
                          text("%.1f", side.filter_ns), text("%.2g %%", 100 * f),
                          text("%.1f", side.filter_ns + f * miss_ns)});
        } else {
            cells.insert(cells.end(), {"", "", "", text("t_w = %.1f", miss_ns)});
        }
        print_row(cells);
    }
}

}  // namespace

/// --brief: a quarter of the rows, for bench/report.
int main(int argc, char** argv) {
    const bool brief = argc > 1 && std::string(argv[1]) == "--brief";
    const unsigned passes = brief ? 3 : 5;
    const auto keys = KeySource::generated(1);
    std::puts(
        "Nanoseconds a probe row, filter and table together, by the share of probe rows that "
        "join.");
    for (Level level : levels) {
        if (brief) level.probe_rows /= 4;
        const auto build = keys.keys(0, level.build_rows);
        Table table;
        const double table_ns = fill_timed(table, build);
        auto sides = sides_of(build);
        for (const double share : shares) {
            const auto probe = probe_keys(keys, level, share);
            const auto& none = sides[0].probe_ns;
            time_joins(sides, table, probe, none.empty() ? 0 : none[0], passes);
            if (share != 0) continue;
            for (Side& side : sides)
                if (side.filter) side.filter_ns = filter_alone(*side.filter, probe, passes);
        }
        print(level, table, table_ns, sides);
    }
    if (!brief) print_source("hash_join");
}
