// All join orders of chains and stars of 3 to 5 tables, with and without predicate transfer (Yang
// et al. 2024, robust predicate transfer 2025): how much worse the worst order is than the best.
//
// Every order that needs no cross product is run, left-deep. A time includes the hash tables that
// the order builds and, with transfer, its filters and reduced tables.
#include <cmath>
#include <numeric>
#include <random>
#include <stdexcept>

#include "experiments/joins/pipeline.hpp"
#include "experiments/rounds.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

constexpr unsigned rounds = 5, instances = 3;

/// What a table is made of: rows before and after its own predicate.
struct Plan {
    std::vector<double> rows, kept;
    std::vector<double> domain;  // distinct values of each edge
    std::vector<std::array<std::size_t, 2>> ends;
};

double log_uniform(std::mt19937_64& random, double from, double to) {
    return std::exp(std::uniform_real_distribution<>(std::log(from), std::log(to))(random));
}

/// Rows of a prefix that the sizes let expect.
double expected_rows(const Plan& plan, std::span<const std::size_t> tables) {
    double rows = 1;
    for (const std::size_t t : tables) rows *= plan.kept[t];
    for (std::size_t e = 0; e < plan.ends.size(); ++e)
        if (std::ranges::count(tables, plan.ends[e][0]) != 0 &&
            std::ranges::count(tables, plan.ends[e][1]) != 0)
            rows /= plan.domain[e];
    return rows;
}

/// The share of a table's rows that its own predicate keeps: 1 for half of the tables.
double kept_share(std::mt19937_64& random, bool predicates) {
    return predicates && random() % 2 == 0 ? log_uniform(random, 0.02, 0.7) : 1;
}
/// Tables in a row. A key has 1 to 4 rows in the smaller table of its edge, so prefixes grow until
/// a predicate is met.
Plan chain(std::size_t tables, bool predicates, std::mt19937_64& random) {
    Plan plan;
    for (std::size_t t = 0; t < tables; ++t) {
        plan.rows.push_back(log_uniform(random, 1e5, 1e6));
        plan.kept.push_back(plan.rows.back() * kept_share(random, predicates));
    }
    for (std::size_t t = 0; t + 1 < tables; ++t) {
        plan.ends.push_back({t, t + 1});
        plan.domain.push_back(std::min(plan.rows[t], plan.rows[t + 1]) / log_uniform(random, 1, 4));
    }
    return plan;
}
/// A table of facts, each of which refers to one row in every dimension.
Plan star(std::size_t tables, bool predicates, std::mt19937_64& random) {
    Plan plan{{5e5}, {5e5}, {}, {}};
    for (std::size_t t = 1; t < tables; ++t) {
        plan.rows.push_back(log_uniform(random, 1e3, 3e5));
        plan.kept.push_back(plan.rows.back() * kept_share(random, predicates));
        plan.domain.push_back(plan.rows.back());
        plan.ends.push_back({0, t});
    }
    return plan;
}
/// Rows of the largest prefix to expect, and of the result.
std::pair<double, double> expected_most(const Plan& plan, bool is_star) {
    const std::size_t tables = plan.rows.size();
    std::vector<std::size_t> all(tables);
    std::iota(all.begin(), all.end(), std::size_t{0});
    double most = 0;
    for (std::size_t a = 0; a < (is_star ? 1 : tables); ++a)
        for (std::size_t b = a + 2; b <= tables; ++b)
            most = std::max(most, expected_rows(plan, std::span(all).subspan(a, b - a)));
    return {most, expected_rows(plan, all)};
}

JoinGraph tables_of(const Plan& plan, bool is_star, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    JoinGraph graph;
    graph.ends = plan.ends;
    for (std::size_t t = 0; t < plan.rows.size(); ++t) {
        JoinTable table;
        const auto rows = static_cast<std::size_t>(plan.kept[t]);
        for (std::size_t i = 0; i < rows; ++i) table.row.push_back(std::uint64_t{t} << 40 | i);
        for (std::size_t e = 0; e < plan.ends.size(); ++e) {
            if (std::ranges::count(plan.ends[e], t) == 0) continue;
            const auto domain = static_cast<std::uint64_t>(plan.domain[e]);
            auto& column = table.column[e];
            // The keys of a dimension are different: those of a permutation's first rows.
            for (std::size_t i = 0; i < rows; ++i)
                column.push_back(is_star && t > 0 ? i : random() % domain);
        }
        graph.tables.push_back(std::make_shared<const JoinTable>(std::move(table)));
    }
    return graph;
}

struct Times {
    std::vector<std::vector<double>> order;  // ms, [order][round]
    std::uint64_t most = 0;                  // rows of the largest prefix of any order

    std::vector<double> at_rank(double share) const {
        std::vector<double> all;
        for (unsigned r = 0; r < rounds; ++r) {
            std::vector<double> one;
            for (const auto& times : order) one.push_back(times[r]);
            std::ranges::sort(one);
            all.push_back(one[static_cast<std::size_t>(
                std::lround(share * static_cast<double>(one.size() - 1)))]);
        }
        return all;
    }
};

struct Gains {
    std::vector<double> worst, best, ratio_without, ratio_with;
};

void measure(const std::string& name, const JoinGraph& graph, Gains& gains) {
    const auto orders = join_orders(graph);
    Times times[2];
    std::optional<JoinedRows> right;
    for (Times& t : times) t.order.resize(orders.size());
    std::vector<double> transfer_ms;
    for (unsigned round = 0; round < rounds; ++round) {
        transfer_ms.push_back(1e3 * cpu_seconds_of([&] { (void)transferred(graph); }));
        for (std::size_t i = 0; i < 2 * orders.size(); ++i) {
            const std::size_t o = i / 2, with = (i + round) % 2;
            JoinedRows joined;
            times[with].order[o].push_back(
                1e3 * cpu_seconds_of([&] {
                    joined = Pipeline(with ? transferred(graph) : graph, orders[o]).run();
                }));
            if (!right) right = joined;
            if (!(joined == *right)) throw std::runtime_error("an order lost or made rows");
            times[with].most = std::max(times[with].most, joined.most);
        }
    }
    const auto worst0 = times[0].at_rank(1), best0 = times[0].at_rank(0),
               worst1 = times[1].at_rank(1), best1 = times[1].at_rank(0);
    const auto ratio0 = ratios(worst0, best0), ratio1 = ratios(worst1, best1);
    gains.worst.push_back(summarise(ratios(worst0, worst1)).median);
    gains.best.push_back(summarise(ratios(best0, best1)).median);
    gains.ratio_without.push_back(summarise(ratio0).median);
    gains.ratio_with.push_back(summarise(ratio1).median);
    for (const std::size_t with : {0u, 1u})
        print_row({with ? "" : name, with ? "" : std::to_string(orders.size()),
                   with ? "" : text("%.2g", static_cast<double>(right->rows)),
                   with ? "transfer, " + with_interval(transfer_ms, "%.1f") + " ms" : "none",
                   text("%.2g", static_cast<double>(times[with].most)),
                   with_interval(times[with].at_rank(0), "%.1f"),
                   with_interval(times[with].at_rank(0.5), "%.1f"),
                   with_interval(times[with].at_rank(1), "%.1f"),
                   with_interval(with ? ratio1 : ratio0, "%.1f")});
}

std::string geomean(const std::vector<double>& values) {
    double sum = 0;
    for (const double v : values) sum += std::log(v);
    return text("%.2f (%.2f - %.2f)", std::exp(sum / static_cast<double>(values.size())),
                *std::ranges::min_element(values), *std::ranges::max_element(values));
}

}  // namespace

int main() {
    std::vector<std::vector<std::string>> summary;
    print_header({"tables", "orders", "rows of the result", "filters", "rows of the largest prefix",
                  "best order, ms", "median order", "worst order", "worst : best"});
    for (const bool predicates : {true, false})
        for (const bool is_star : {false, true})
            for (const std::size_t tables : {3u, 4u, 5u}) {
                if (!predicates && tables != 4) continue;
                const std::string name = text("%s of %zu%s", is_star ? "star" : "chain", tables,
                                              predicates ? "" : ", no predicates");
                std::mt19937_64 random(tables + 10 * is_star);
                Gains gains;
                for (unsigned instance = 0; instance < instances;) {
                    const Plan plan = is_star ? star(tables, predicates, random)
                                              : chain(tables, predicates, random);
                    const auto [most, result] = expected_most(plan, is_star);
                    if (result < 1e3 || most > 1.5e7) continue;
                    ++instance;
                    measure(name + text(", %u", instance), tables_of(plan, is_star, instance),
                            gains);
                }
                summary.push_back({name, geomean(gains.ratio_without), geomean(gains.ratio_with),
                                   geomean(gains.worst), geomean(gains.best)});
            }
    std::printf("\nGeometric means over the %u instances (least - most):\n\n", instances);
    print_header({"tables", "worst : best without", "with transfer", "worst order: without : with",
                  "best order: without : with"});
    for (const auto& row : summary) print_row(row);
    print_source("predicate_transfer");
}
