// A hash join of one's own, with and without a filter before it.
//
// The hash table is absl::flat_hash_map, see joins/hash_table.hpp.
#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <vector>

#include "experiments/joins/hash_table.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

constexpr const char* specs[] = {"register64", "split256", "sector512",
                                 "blocked512", "classic",  "cuckoo12"};

struct Level {
    const char* name;
    std::size_t build_rows, probe_rows;
};

struct Depth {
    std::vector<Level> levels;
    std::vector<double> selectivities;  // from none to all
    int passes;
};
// 17 bytes a slot of the table at a load of 7/16 to 7/8.
const Depth thorough{
    {{"L2", 14'000, 4'000'000}, {"L3", 450'000, 8'000'000}, {"DRAM", 14'000'000, 16'000'000}},
    {0, 0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 1},
    5};
// Less than a minute, for bench/report.
const Depth brief{
    {{"L2", 14'000, 1'000'000}, {"L3", 450'000, 2'000'000}, {"DRAM", 14'000'000, 4'000'000}},
    {0, 0.01, 0.1, 0.5, 0.75, 0.9, 1},
    3};

/// Probe rows of which that share joins, in random order.
std::vector<std::uint64_t> probe_keys(const KeySource& keys, const Level& level,
                                      double selectivity) {
    std::vector<std::uint64_t> probe(level.probe_rows);
    const auto choice = KeySource::generated(77);
    for (std::size_t i = 0; i < probe.size(); ++i) {
        probe[i] = keys.key(probe_number(choice.key(i), i, selectivity, level.build_rows));
    }
    return probe;
}

struct Side {
    std::string name;
    std::optional<JoinFilter> filter;
    bool governed = false, advised = false;
    std::vector<std::string> advice{};  // what was advised, by selectivity
    double build_ns = 0;                // a build row, of the filter alone
    std::vector<double> probe_ns;       // a probe row, by selectivity
    double filter_ns = 0;               // a row that no filter passes, the filter alone
};

/// The filter that the calibration advises for a join of which that share of the rows passes.
void take_advice(Side& side, const Calibration& calibration, std::span<const std::uint64_t> build,
                 const Table& table, double table_miss_ns, std::size_t probe_rows,
                 double selectivity) {
    const auto best = advise({.n_keys = build.size(),
                              .work_ns = table_miss_ns,
                              .probes = static_cast<double>(probe_rows),
                              .hits = selectivity,
                              .table_bytes = table.capacity() * (sizeof(Table::value_type) + 1)},
                             calibration)
                          .best();
    side.filter.reset();
    if (best.is_none()) {
        side.advice.push_back("none");
        return;
    }
    AnyFilter filter = make_filter(best.spec, build.size(), best.bits_per_key, {.isa = best.isa});
    side.build_ns =
        1e9 * seconds_of([&] { filter.insert(build); }) / static_cast<double>(build.size());
    side.advice.push_back("`" + best.spec + "` " + text("%.1f", best.bits_per_key));
    side.filter.emplace(std::move(filter));
}

void measure(const Level& level, const Depth& depth, const KeySource& keys,
             const std::optional<Calibration>& calibration) {
    const auto& selectivities = depth.selectivities;
    std::vector<std::uint64_t> build(level.build_rows);
    keys.fill(0, build.data(), build.size());
    Table table;
    const double table_ns = fill_timed(table, build);

    std::vector<Side> sides{{.name = "no filter", .filter = {}, .probe_ns = {}}};
    for (const char* spec : specs) {
        std::vector<double> times;
        std::optional<AnyFilter> filter;
        for (int pass = 0; pass < 3; ++pass) {
            filter.reset();
            times.push_back(seconds_of([&] {
                filter =
                    make_filter(spec, build.size(), Layout::parse(spec).is_cuckoo() ? 12.64 : 12);
                filter->insert(build);
            }));
        }
        sides.push_back({.name = "`" + filter->spec() + "`",
                         .filter = JoinFilter(std::move(*filter)),
                         .build_ns = median(times) * 1e9 / static_cast<double>(build.size()),
                         .probe_ns = {}});
    }
    sides.push_back(sides[2]);
    sides.back().name += ", governed";
    sides.back().governed = true;

    // What one row costs at the table and at each filter when none joins.
    double table_miss_ns = 0;
    if (calibration) {
        sides.push_back({.name = "advised", .filter = {}, .advised = true, .probe_ns = {}});
        const auto strangers = probe_keys(keys, level, 0);
        std::vector<double> times;
        for (int pass = 0; pass < depth.passes; ++pass)
            times.push_back(seconds_of([&] { (void)join(table, strangers, nullptr, nullptr); }));
        table_miss_ns = median(times) * 1e9 / static_cast<double>(strangers.size());
    }
    for (const double selectivity : selectivities) {
        const auto probe = probe_keys(keys, level, selectivity);
        const auto per_row = [&](double seconds) {
            return seconds * 1e9 / static_cast<double>(probe.size());
        };
        for (Side& side : sides)
            if (side.advised)
                take_advice(side, *calibration, build, table, table_miss_ns, probe.size(),
                            selectivity);
        std::vector<std::vector<double>> times(sides.size());
        std::optional<JoinResult> right;
        for (int pass = 0; pass < depth.passes; ++pass)
            for (std::size_t i = 0; i < sides.size(); ++i) {
                // Costs of the last selectivity's rows decide when to give up; the governor learns
                // the rest.
                Governor governor(
                    sides[i].filter_ns > 0 && table_miss_ns > sides[i].filter_ns
                        ? Governor::Settings::for_costs(sides[i].filter_ns, table_miss_ns)
                        : Governor::Settings());
                JoinResult joined;
                times[i].push_back(per_row(seconds_of([&] {
                    joined = join(table, probe, sides[i].filter ? &*sides[i].filter : nullptr,
                                  sides[i].governed ? &governor : nullptr);
                })));
                if (!right) right = joined;
                if (joined != *right)
                    throw std::runtime_error(sides[i].name + " lost or made rows");
            }
        for (std::size_t i = 0; i < sides.size(); ++i)
            sides[i].probe_ns.push_back(median(times[i]));
        if (selectivity != 0) continue;
        table_miss_ns = sides[0].probe_ns[0];
        for (auto& side : sides) {
            if (!side.filter) continue;
            std::array<std::uint32_t, vector_rows> out;
            std::vector<double> alone;
            for (int pass = 0; pass < depth.passes; ++pass)
                alone.push_back(per_row(seconds_of([&] {
                    for (std::size_t first = 0; first < probe.size(); first += vector_rows)
                        (void)side.filter->select(
                            {std::span(probe).subspan(first,
                                                      std::min(vector_rows, probe.size() - first))},
                            out);
                })));
            side.filter_ns = median(alone);
        }
    }

    std::printf(
        "\n### Table in %s: %zu build rows, %.1f MiB of hash table\n\nNanoseconds a probe row, "
        "filter and table together, by the share of probe rows that join:\n\n",
        level.name, level.build_rows,
        static_cast<double>(table.capacity() * (sizeof(Table::value_type) + 1)) / (1 << 20));
    std::vector<std::string> head{"filter", "MiB"};
    for (const double s : selectivities) head.push_back(text("%g %%", 100 * s));
    head.insert(head.end(), {"pays up to", "t_l", "f", "rho = t_l + f t_w"});
    print_header(head);
    for (const auto& side : sides) {
        std::vector<std::string> cells{
            side.name,
            side.filter ? text("%.2f", static_cast<double>(side.filter->filter()->size_in_bytes()) /
                                           (1 << 20))
                        : ""};
        for (const double ns : side.probe_ns) cells.push_back(text("%.1f", ns));
        if (side.advised) {
            cells.resize(head.size());
        } else if (side.filter) {
            const double f = side.filter->filter()->estimated_fpr();
            cells.insert(
                cells.end(),
                {side.governed ? "" : break_even(selectivities, side.probe_ns, sides[0].probe_ns),
                 text("%.1f", side.filter_ns), text("%.2g %%", 100 * f),
                 text("%.1f", side.filter_ns + f * table_miss_ns)});
        } else {
            cells.insert(cells.end(), {"", "", "", text("t_w = %.1f", table_miss_ns)});
        }
        print_row(cells);
    }

    for (const Side& side : sides) {
        if (!side.advised) continue;
        double sum = 0, worst = 0;
        std::string said;
        for (std::size_t i = 0; i < selectivities.size(); ++i) {
            double least = side.probe_ns[i];
            for (const Side& other : sides)
                if (!other.governed) least = std::min(least, other.probe_ns[i]);
            const double regret = side.probe_ns[i] / least - 1;
            sum += regret;
            worst = std::max(worst, regret);
            said += text("%s%g %% ", i > 0 ? "; " : "", 100 * selectivities[i]) + side.advice[i];
        }
        std::printf(
            "\nAdvised, with bits a key (at most 20): %s. Regret beside the least time in each "
            "column: "
            "mean %.1f %%, worst %.1f %%.\n",
            said.c_str(), 100 * sum / static_cast<double>(selectivities.size()), 100 * worst);
    }

    std::printf(
        "\nMillions of probe rows a second with both builds (%.1f ns a row of the table), by rows "
        "built : probed and the share that joins:\n\n",
        table_ns);
    std::vector<std::size_t> shown;
    for (const double s : {0.01, 0.1, 0.5, 1.0})
        shown.push_back(
            static_cast<std::size_t>(std::ranges::find(selectivities, s) - selectivities.begin()));
    head = {"filter", "build, ns a row"};
    for (const int ratio : {1, 10, 100, 1000})
        for (const std::size_t s : shown)
            head.push_back(text("1:%d, %g %%", ratio, 100 * selectivities[s]));
    print_header(head);
    for (const auto& side : sides) {
        std::vector<std::string> cells{side.name, side.filter ? text("%.1f", side.build_ns) : ""};
        for (const int ratio : {1, 10, 100, 1000})
            for (const std::size_t s : shown)
                cells.push_back(
                    text("%.1f", 1e3 / (side.probe_ns[s] + (table_ns + side.build_ns) / ratio)));
        print_row(cells);
    }
}

}  // namespace

/// --brief: fewer rows and shares, for bench/report.
int main(int argc, char** argv) {
    const bool in_report = argc > 1 && std::string(argv[1]) == "--brief";
    const Depth& depth = in_report ? brief : thorough;
    const auto keys = KeySource::generated(1);
    auto calibration = Calibration::of_this_machine();
    if (!calibration && !in_report) calibration = Calibration::measure(Calibration::Effort::full);
    for (const auto& level : depth.levels) measure(level, depth, keys, calibration);
    if (!in_report) print_source("hash_join");
}
