// star_schema [SCALE [KEYS]]: the thirteen queries of the Star Schema Benchmark with and without
// join filters. KEYS is "benchmark", "scattered" or "all". "sums" prints a line a query for
// star_schema_duckdb.mjs: its rows and its checksum.
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "experiments/joins/hash_table.hpp"
#include "experiments/joins/star_schema.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;
using namespace simdbloom::bench::ssb;

constexpr int passes = 5;

/// A join by an array, where a key is a number of a range (a "perfect hash join").
struct ArrayTable {
    std::uint64_t least = 0;
    std::vector<std::uint32_t> value;  // of the keys from `least` on; 0: no key

    void fill(std::span<const std::uint64_t> keys, std::span<const std::uint32_t> values) {
        if (keys.empty()) return;
        const auto [low, high] = std::ranges::minmax(keys);
        least = low;
        value.resize(high - low + 1);
        for (std::size_t i = 0; i < keys.size(); ++i) value[keys[i] - least] = values[i] + 1;
    }
};
struct HashTable {
    Table table;

    void fill(std::span<const std::uint64_t> keys, std::span<const std::uint32_t> values) {
        table.reserve(keys.size());
        for (std::size_t i = 0; i < keys.size(); ++i) table.emplace(keys[i], values[i]);
    }
};

/// The rows of a vector that are left, and the group of each as far as tables were asked.
struct Batch {
    std::array<std::uint32_t, vector_rows> rows, groups;
    std::size_t size = 0;

    void keep(std::uint32_t row, std::uint32_t group, bool kept) {
        rows[size] = row;
        groups[size] = group;
        size += kept;
    }
};

void look_up(const HashTable& table, std::span<const std::uint64_t> keys, Batch& batch) {
    const std::size_t n = batch.size;
    for (std::size_t i = 0; i < n; ++i) table.table.prefetch(keys[batch.rows[i]]);
    batch.size = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t row = batch.rows[i], group = batch.groups[i];
        if (const auto found = table.table.find(keys[row]); found != table.table.end())
            batch.keep(row, group + static_cast<std::uint32_t>(found->second), true);
    }
}

void look_up(const ArrayTable& table, std::span<const std::uint64_t> keys, Batch& batch) {
    const std::size_t n = batch.size;
    batch.size = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t row = batch.rows[i], group = batch.groups[i];
        const std::uint64_t key = keys[row] - table.least;
        const std::uint32_t value = key < table.value.size() ? table.value[key] : 0;
        batch.keep(row, group + value - 1, value != 0);
    }
}

struct Way {
    const char* name;
    const char* spec;  ///< nullptr: no filters
    bool governed = false;
};
constexpr Way ways[] = {{"none", nullptr},
                        {"split256", "split256"},
                        {"auto", "auto"},
                        {"auto, governed", "auto", true}};

/// What the build sides of a query give.
template <class AnyTable>
struct Star {
    struct Joined {
        Dimension dimension;
        double share;  ///< of the dimension's rows that were selected
        AnyTable table;
    };
    std::vector<Joined> tables;  ///< the most selective first
    // Of dimensions of which not all rows were selected:
    std::vector<JoinFilter> filters;
    std::vector<Dimension> filtered;
    std::size_t groups = 1;

    Star(const Schema& schema, const Query& query, const char* spec) {
        for (const Arm& arm : query.arms) {
            const auto& members = schema.members[arm.dimension];
            std::vector<std::uint64_t> keys;
            std::vector<std::uint32_t> values;
            for (const Member& member : members) {
                if (arm.selected != nullptr && !arm.selected(member)) continue;
                keys.push_back(member.key);
                values.push_back(arm.group != nullptr
                                     ? arm.group(member) * static_cast<std::uint32_t>(groups)
                                     : 0);
            }
            groups *= arm.groups;
            tables.push_back(
                {arm.dimension,
                 static_cast<double>(keys.size()) / static_cast<double>(members.size()),
                 {}});
            tables.back().table.fill(keys, values);
            if (spec == nullptr || arm.selected == nullptr) continue;
            JoinBuilder builder(spec, keys.size(), 12);
            builder.insert({keys});
            filters.push_back(std::move(builder).finish());
            filtered.push_back(arm.dimension);
        }
        std::ranges::stable_sort(tables, {}, &Joined::share);
    }
};

struct Result {
    std::uint64_t rows = 0;
    std::vector<std::uint64_t> sums;  ///< by group

    /// Depends on the sum of each group.
    std::uint64_t checksum() const {
        std::uint64_t sum = 0;
        for (std::size_t group = 0; group < sums.size(); ++group) sum += sums[group] * (group + 1);
        return sum;
    }
};

void aggregate(const Schema& schema, const Query& query, std::size_t first, const Batch& batch,
               Result& result) {
    const auto add = [&](auto value) {
        for (std::size_t i = 0; i < batch.size; ++i)
            result.sums[batch.groups[i]] += value(first + batch.rows[i]);
    };
    result.rows += batch.size;
    if (query.sum == Query::discounts)
        add([&](std::size_t row) {
            return std::uint64_t{schema.price[row]} * schema.discount[row];
        });
    if (query.sum == Query::revenue) add([&](std::size_t row) { return schema.revenue[row]; });
    if (query.sum == Query::profit)
        add([&](std::size_t row) { return schema.revenue[row] - schema.cost[row]; });
}

/// One pass over the fact table: its own predicates, filters, tables, sums.
template <class AnyTable>
Result probe(const Schema& schema, const Query& query, const Star<AnyTable>& star,
             const std::optional<Governor::Settings>& settings) {
    Result result{.sums = std::vector<std::uint64_t>(star.groups)};
    Batch batch;
    StarProbe filters(star.filters, settings);
    // A StarProbe takes no selection: after predicates of the fact table the one filter is asked.
    const bool predicates = query.sum == Query::discounts;
    Governor governor(settings.value_or(Governor::Settings{}));
    std::vector<JoinColumn> columns(star.filtered.size());
    for (std::size_t first = 0; first < schema.rows(); first += vector_rows) {
        const std::size_t n = std::min(vector_rows, schema.rows() - first);
        const auto keys = [&](Dimension d) { return std::span(schema.keys[d]).subspan(first, n); };
        for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = {keys(star.filtered[i])};
        batch.size = 0;
        if (predicates) {
            for (std::size_t i = 0; i < n; ++i) {
                const auto discount = schema.discount[first + i];
                const auto quantity = schema.quantity[first + i];
                batch.keep(static_cast<std::uint32_t>(i), 0,
                           (discount >= query.discount_low) & (discount <= query.discount_high) &
                               (quantity >= query.quantity_low) &
                               (quantity <= query.quantity_high));
            }
            if (!columns.empty() && (!settings || governor.should_probe(batch.size))) {
                const std::size_t before = batch.size;
                batch.size = star.filters[0].select(columns[0], std::span(batch.rows).first(before),
                                                    batch.rows);
                governor.record(before, batch.size);
            }
        } else if (!columns.empty()) {
            batch.size = filters.select(columns, batch.rows);
        } else {
            std::iota(batch.rows.begin(), batch.rows.end(), 0u);
            batch.size = n;
        }
        std::fill_n(batch.groups.begin(), batch.size, 0u);
        for (const auto& joined : star.tables) look_up(joined.table, keys(joined.dimension), batch);
        aggregate(schema, query, first, batch, result);
    }
    return result;
}

/// What asking about a row costs, the mean of the filters, and what it costs at the tables: by the
/// first 2^20 rows.
template <class AnyTable>
Governor::Settings costs(const Schema& schema, const Star<AnyTable>& star) {
    const std::size_t rows = std::min(schema.rows(), std::size_t{1} << 20);
    Batch batch;
    const auto each_vector = [&](auto work) {
        return seconds_of([&] {
            for (std::size_t first = 0; first < rows; first += vector_rows)
                work(first, std::min(vector_rows, rows - first));
        });
    };
    const auto keys = [&](Dimension d, std::size_t first, std::size_t n) {
        return std::span(schema.keys[d]).subspan(first, n);
    };
    double asking = 0;
    for (std::size_t i = 0; i < star.filters.size(); ++i)
        asking += each_vector([&](std::size_t first, std::size_t n) {
            (void)star.filters[i].select({keys(star.filtered[i], first, n)}, batch.rows);
        });
    const double work = each_vector([&](std::size_t first, std::size_t n) {
        std::iota(batch.rows.begin(), batch.rows.end(), 0u);
        std::fill_n(batch.groups.begin(), n, 0u);
        batch.size = n;
        for (const auto& joined : star.tables)
            look_up(joined.table, keys(joined.dimension, first, n), batch);
    });
    return Governor::Settings::for_costs(asking / static_cast<double>(star.filters.size()), work);
}

std::string kinds(const std::vector<JoinFilter>& filters) {
    std::string kinds;
    for (const JoinFilter& filter : filters) {
        const auto* of = filter.filter();
        kinds += (kinds.empty() ? "" : ", ") +
                 (of != nullptr ? "`" + of->spec() + "`" : std::string(to_string(filter.kind())));
    }
    return kinds;
}

/// Prints a table of all queries; every way must give the same sums, which are those of `right`
/// where it has any.
template <class AnyTable>
void measure(const Schema& schema, std::vector<std::uint64_t>& right) {
    std::vector<std::string> head{"query", "rows", "filters of auto"};
    for (const Way& way : ways) head.push_back(std::string(way.name) + ", ms");
    head.insert(head.end(),
                {"builds: none, split256, auto, ms", "gain: split256", "auto", "auto, governed"});
    print_header(head);
    std::vector<double> logs(std::size(ways)), totals(std::size(ways));
    const auto all = queries();
    for (std::size_t q = 0; q < all.size(); ++q) {
        std::vector<std::vector<double>> times(std::size(ways)), builds(std::size(ways));
        std::string taken;
        std::uint64_t rows = 0;
        for (int pass = 0; pass < passes; ++pass)
            for (std::size_t w = 0; w < std::size(ways); ++w) {
                std::optional<Star<AnyTable>> star;
                builds[w].push_back(
                    1e3 * seconds_of([&] { star.emplace(schema, all[q], ways[w].spec); }));
                std::optional<Governor::Settings> settings;
                if (ways[w].governed) settings = costs(schema, *star);
                Result result;
                times[w].push_back(
                    builds[w].back() +
                    1e3 * seconds_of([&] { result = probe(schema, all[q], *star, settings); }));
                if (ways[w].governed) taken = kinds(star->filters);
                rows = result.rows;
                if (right.size() == q) right.push_back(result.checksum());
                if (result.checksum() != right[q])
                    throw std::runtime_error(std::string(all[q].name) + " has other sums with " +
                                             ways[w].name);
            }
        std::vector<std::string> cells{all[q].name, std::to_string(rows), taken};
        for (std::size_t w = 0; w < std::size(ways); ++w) {
            cells.push_back(text("%.0f", median(times[w])));
            totals[w] += median(times[w]);
            logs[w] += std::log(median(times[0]) / median(times[w]));
        }
        cells.push_back(
            text("%.1f, %.1f, %.1f", median(builds[0]), median(builds[1]), median(builds[2])));
        for (std::size_t w = 1; w < std::size(ways); ++w)
            cells.push_back(text("%.2f", median(times[0]) / median(times[w])));
        print_row(cells);
    }
    std::vector<std::string> cells{"all", "", "sum of times; geometric mean of gains"};
    for (const double total : totals) cells.push_back(text("%.0f", total));
    cells.push_back("");
    for (std::size_t w = 1; w < std::size(ways); ++w)
        cells.push_back(text("%.2f", std::exp(logs[w] / static_cast<double>(all.size()))));
    print_row(cells);
}

}  // namespace

int main(int argc, char** argv) {
    const std::uint64_t scale = argc > 1 ? std::stoull(argv[1]) : 10;
    const std::string keys = argc > 2 ? argv[2] : "all";
    if (scale < 1 || scale > 100)
        throw std::invalid_argument("star_schema: a scale of " + std::to_string(scale) +
                                    ", not 1 to 100");
    constexpr const char* known[] = {"all", "benchmark", "scattered", "sums"};
    if (std::ranges::find(known, keys) == std::end(known))
        throw std::invalid_argument("star_schema: no such keys: " + keys);
    Schema schema(scale);
    if (keys == "sums") {
        for (const Query& query : queries()) {
            const Star<ArrayTable> star(schema, query, nullptr);
            const Result result = probe(schema, query, star, {});
            std::printf("%s %ju %ju\n", query.name, std::uintmax_t{result.rows},
                        std::uintmax_t{result.checksum()});
        }
        return 0;
    }
    std::vector<std::uint64_t> right;
    if (keys != "scattered") {
        std::printf(
            "Scale factor %ju: %zu rows of the fact table; %zu customers, %zu suppliers, %zu "
            "parts, %zu days.\n",
            std::uintmax_t{scale}, schema.rows(), schema.members[customer].size(),
            schema.members[supplier].size(), schema.members[part].size(),
            schema.members[date].size());
        std::puts("\n### Keys of the benchmark, arrays\n");
        measure<ArrayTable>(schema, right);
        std::puts("\n### Keys of the benchmark, hash tables\n");
        measure<HashTable>(schema, right);
    }
    if (keys != "benchmark") {
        schema.scatter();
        std::puts("\n### Scattered keys, hash tables\n");
        measure<HashTable>(schema, right);
    }
    print_source("star_schema");
}
