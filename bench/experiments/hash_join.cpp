// A hash join of one's own, with and without a filter before it.
//
// The hash table is absl::flat_hash_map, see hash_table.hpp.
#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <vector>

#include "experiments/hash_table.hpp"
#include "experiments/rounds.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

constexpr const char* specs[] = {"register64", "split256", "sector512",
                                 "blocked512", "classic",  "cuckoo12"};

constexpr double shares[] = {0, 0.01, 0.1, 0.5, 0.9, 1};  // of the probe rows that join

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
    const auto choice = KeySource::generated(77);
    for (std::size_t i = 0; i < probe.size(); ++i)
        probe[i] = keys.key(probe_number(choice.key(i), i, share, level.build_rows));
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
    for (const char* spec : specs) {
        const double bits = Layout::parse(spec).is_cuckoo() ? 12.64 : 12;
        std::vector<double> times;
        std::optional<AnyFilter> filter;
        for (int pass = 0; pass < 3; ++pass)
            times.push_back(cpu_seconds_of([&] {
                filter = make_filter(spec, build.size(), bits);
                filter->insert(build);
            }));
        sides.push_back({.name = "`" + filter->spec() + "`",
                         .filter = JoinFilter(std::move(*filter)),
                         .build_ns = median(times) * 1e9 / static_cast<double>(build.size())});
    }
    sides.push_back(sides[2]);
    sides.back().name += ", governed";
    sides.back().governed = true;
    return sides;
}

/// ns a row of the filter alone.
double filter_alone(const JoinFilter& filter, std::span<const std::uint64_t> probe, int passes) {
    std::array<std::uint32_t, vector_rows> out;
    Turn alone{.name = {},
               .work =
                   [&] {
                       for (std::size_t at = 0; at < probe.size(); at += vector_rows)
                           (void)filter.select(
                               {probe.subspan(at, std::min(vector_rows, probe.size() - at))}, out);
                   },
               .keys = static_cast<double>(probe.size())};
    take_turns({&alone, 1}, static_cast<unsigned>(passes));
    return median(alone.ns);
}

/// Every side in turn; all must give the same rows.
void time_joins(std::vector<Side>& sides, const Table& table, std::span<const std::uint64_t> probe,
                double miss_ns, int passes) {
    std::vector<Turn> turns;
    std::vector<JoinResult> results(sides.size());
    for (std::size_t i = 0; i < sides.size(); ++i)
        turns.push_back(
            {.name = sides[i].name,
             .work =
                 [&, i] {
                     const Side& side = sides[i];
                     // What a row costs is known from the rows of which none joins.
                     Governor governor(side.filter_ns > 0 && miss_ns > side.filter_ns
                                           ? Governor::Settings::for_costs(side.filter_ns, miss_ns)
                                           : Governor::Settings());
                     results[i] = join(table, probe, side.filter ? &*side.filter : nullptr,
                                       side.governed ? &governor : nullptr);
                 },
             .keys = static_cast<double>(probe.size())});
    take_turns(turns, static_cast<unsigned>(passes));
    for (std::size_t i = 0; i < sides.size(); ++i) {
        if (results[i] != results[0])
            throw std::runtime_error(sides[i].name + " lost or made rows");
        sides[i].probe_ns.push_back(median(turns[i].ns));
    }
}

void print(const Level& level, const Table& table, double table_ns,
           const std::vector<Side>& sides) {
    const double miss_ns = sides[0].probe_ns[0];
    const auto mib = [](std::size_t bytes) { return static_cast<double>(bytes) / (1 << 20); };
    std::printf(
        "\n### Table in %s: %zu build rows, %.1f MiB of hash table built in %.1f ns a row\n\n"
        "Nanoseconds a probe row, filter and table together, by the share of probe rows that "
        "join:\n\n",
        level.name, level.build_rows, mib(table.capacity() * (sizeof(Table::value_type) + 1)),
        table_ns);
    std::vector<std::string> head{"filter", "MiB", "build, ns a row"};
    for (const double s : shares) head.push_back(text("%g %%", 100 * s));
    head.insert(head.end(), {"pays up to", "t_l", "f", "rho = t_l + f t_w"});
    print_header(head);
    for (const Side& side : sides) {
        std::vector<std::string> cells{side.name, "", ""};
        if (side.filter) {
            cells[1] = text("%.2f", mib(side.filter->filter()->size_in_bytes()));
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
    const int passes = brief ? 3 : 5;
    const auto keys = KeySource::generated(1);
    for (Level level : levels) {
        if (brief) level.probe_rows /= 4;
        std::vector<std::uint64_t> build(level.build_rows);
        keys.fill(0, build.data(), build.size());
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
