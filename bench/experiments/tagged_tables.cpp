// Where a filter before a hash table still pays if the table's directory has tags (Birler et al.
// 2024).
#include <optional>
#include <stdexcept>

#include "experiments/joins/unchained.hpp"
#include "experiments/rounds.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

constexpr unsigned rounds = 9;
constexpr double shares[] = {0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 1};  // of rows that join
constexpr std::size_t vector_rows = Unchained::vector_rows;
const KeySource source = KeySource::generated(1);

struct JoinResult {
    std::uint64_t rows = 0, sum = 0;
    friend bool operator==(const JoinResult&, const JoinResult&) = default;
};

template <bool tags>
JoinResult join(const Unchained& table, Keys probe, const AnyFilter* filter) {
    JoinResult joined;
    std::array<std::uint32_t, vector_rows> passing;
    for (std::size_t first = 0; first < probe.size(); first += vector_rows) {
        const Keys keys = probe.subspan(first, std::min(vector_rows, probe.size() - first));
        const auto match = [&](std::uint32_t i, std::uint64_t value) {
            ++joined.rows;
            joined.sum += value ^ i;
        };
        if (filter == nullptr) {
            table.probe<tags>(keys, match);
        } else {
            const std::size_t n = filter->select(keys, passing);
            table.probe<tags>(keys.data(), std::span(passing).first(n), match);
        }
    }
    return joined;
}

struct Side {
    std::string name;
    bool tags;
    const AnyFilter* filter;
};

/// The share of joining rows at which the time with the filter crosses that without, by round.
std::vector<double> pays_up_to(const std::vector<std::vector<double>>& with,
                               const std::vector<std::vector<double>>& without) {
    std::vector<double> all;
    for (unsigned r = 0; r < rounds; ++r) {
        double at = with[0][r] < without[0][r] ? 1 : 0;
        for (std::size_t i = 1; i < std::size(shares) && with[0][r] < without[0][r]; ++i) {
            const double before = without[i - 1][r] - with[i - 1][r],
                         after = without[i][r] - with[i][r];
            if (after > 0) continue;
            at = shares[i - 1] + (shares[i] - shares[i - 1]) * before / (before - after);
            break;
        }
        all.push_back(100 * at);
    }
    return all;
}

void measure(const char* level, std::size_t build_rows, std::size_t probe_rows) {
    std::vector<std::uint64_t> build(build_rows), probe(probe_rows);
    source.fill(0, build.data(), build.size());
    std::optional<Unchained> table;
    std::optional<AnyFilter> small, large;
    const auto count = static_cast<double>(build_rows);
    const auto make = [&](std::optional<AnyFilter>& filter, const char* spec, double bits) {
        return Turn{"",
                    [&filter, &build, spec, bits] {
                        filter.emplace(make_filter(spec, build.size(), bits));
                        filter->insert(build);
                    },
                    count, [&filter] { filter.reset(); }};
    };
    Turn builds[] = {{"", [&] { table.emplace(build); }, count, [&] { table.reset(); }},
                     make(small, "register64:k=4", 8),
                     make(large, "split256", 12)};
    take_turns(builds, 5);
    const Side sides[] = {{"no tags", false, nullptr},
                          {"tags", true, nullptr},
                          {"no tags, `split256` of 12 bits", false, &*large},
                          {"tags, `split256` of 12 bits", true, &*large},
                          {"tags, `register64:k=4` of 8 bits", true, &*small}};
    constexpr std::size_t n_sides = std::size(sides);
    std::vector<std::vector<double>> ns[n_sides];
    const auto choice = KeySource::generated(77);
    for (const double share : shares) {
        for (std::size_t i = 0; i < probe.size(); ++i)
            probe[i] = source.key(probe_number(choice.key(i), i, share, build_rows));
        std::optional<JoinResult> right;
        std::vector<Turn> turns;
        for (const Side& side : sides) {
            const auto run = [&probe, &table, &right, &side] {
                const JoinResult joined = side.tags ? join<true>(*table, probe, side.filter)
                                                    : join<false>(*table, probe, side.filter);
                if (!right) right = joined;
                if (joined != *right) throw std::runtime_error(side.name + " lost or made rows");
            };
            run();
            turns.push_back({side.name, run, static_cast<double>(probe.size())});
        }
        take_turns(turns, rounds);
        for (std::size_t s = 0; s < n_sides; ++s) ns[s].push_back(turns[s].ns);
    }

    std::printf("\n### Table in %s: %zu build rows, %s of hash table\n\n", level, build_rows,
                size_text(static_cast<double>(table->size_in_bytes())).c_str());
    std::printf(
        "Build, ns a row: table %s, `register64:k=4` %s, `split256` %s. "
        "Nanoseconds a probe row by the share that joins:\n\n",
        with_interval(builds[0].ns, "%.1f").c_str(), with_interval(builds[1].ns, "%.1f").c_str(),
        with_interval(builds[2].ns, "%.1f").c_str());
    std::vector<std::string> head{"table"};
    for (const double share : shares) head.push_back(text("%g %%", 100 * share));
    head.emplace_back("filter pays up to");
    print_header(head);
    for (std::size_t s = 0; s < n_sides; ++s) {
        std::vector<std::string> cells{sides[s].name};
        for (const auto& samples : ns[s]) cells.push_back(with_interval(samples, "%.1f"));
        const auto& without = ns[sides[s].tags ? 1 : 0];
        cells.push_back(sides[s].filter ? with_interval(pays_up_to(ns[s], without), "%.0f") + " %"
                                        : "");
        print_row(cells);
    }
    std::printf(
        "\nAt 0 %% the time with tags over that without is %s, with `split256` and no tags "
        "%s, with both %s.\n",
        with_interval(ratios(ns[1][0], ns[0][0])).c_str(),
        with_interval(ratios(ns[2][0], ns[0][0])).c_str(),
        with_interval(ratios(ns[3][0], ns[0][0])).c_str());
}

}  // namespace

int main() {
    measure("L2", 14'000, 2'000'000);
    measure("L3", 450'000, 4'000'000);
    measure("DRAM", 14'000'000, 8'000'000);
    print_source("tagged_tables");
}
