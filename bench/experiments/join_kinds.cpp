// What JoinBuilder("auto") takes for keys that lie differently, and what the join gains by it:
// beside a hash table, and beside an array where the keys are numbers of a range.
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <stdexcept>

#include "experiments/joins/hash_table.hpp"
#include "experiments/zipf.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

constexpr int passes = 5;
const std::vector<double> shares{0, 0.01, 0.1, 0.5, 0.9, 1};

using Numbers = std::vector<std::uint64_t>;

/// How the keys of a build side lie.
struct Shape {
    const char* name;
    const char* what;
    std::uint64_t (*key)(std::uint64_t i);                        ///< of build row i
    std::uint64_t (*stranger)(std::uint64_t r, std::uint64_t n);  ///< r is random
    /// How many numbers the keys lie among, for n of them; 0: too many for an array.
    std::uint64_t (*among)(std::uint64_t n);
};

constexpr std::uint64_t scattered(std::uint64_t i) {
    return i * 0x9E3779B97F4A7C15u ^ 0x5851F42D4C957F2Du;
}
constexpr std::uint64_t in_ten(std::uint64_t i) { return 10 * i + (scattered(i) >> 33) % 10; }
constexpr std::uint64_t below(std::uint64_t r, std::uint64_t n) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(r) * n >> 64);
}

constexpr std::uint64_t run = 1'000, run_step = 50'000;

constexpr Shape shapes[] = {
    {"dense", "all numbers of a range; strangers lie beyond it", [](std::uint64_t i) { return i; },
     [](std::uint64_t r, std::uint64_t n) { return n + below(r, 9 * n); },
     [](std::uint64_t n) { return n; }},
    {"one in ten", "one number in ten; strangers are the other nine",
     [](std::uint64_t i) { return in_ten(i); },
     [](std::uint64_t r, std::uint64_t n) {
         const std::uint64_t i = below(r, n);
         return 10 * i + (in_ten(i) % 10 + 1 + r % 9) % 10;
     },
     [](std::uint64_t n) { return 10 * n; }},
    {"runs", "runs of 1,000 numbers, 50,000 apart; strangers lie between them",
     [](std::uint64_t i) { return i / run * run_step + i % run; },
     [](std::uint64_t r, std::uint64_t n) {
         return below(r, n / run) * run_step + run + r % (run_step - run);
     },
     [](std::uint64_t) { return std::uint64_t{0}; }},
    {"scattered", "anywhere among 2^64", [](std::uint64_t i) { return scattered(i); },
     [](std::uint64_t r, std::uint64_t) { return scattered((r >> 8) + (std::uint64_t{1} << 40)); },
     [](std::uint64_t) { return std::uint64_t{0}; }},
};

struct Level {
    const char* name;
    std::size_t build_rows, probe_rows;
};
constexpr Level levels[] = {
    {"L2", 14'000, 2'000'000}, {"L3", 450'000, 4'000'000}, {"DRAM", 14'000'000, 8'000'000}};

/// A join by an array of rows, where a key is a number of a range (a "perfect hash join").
struct ArrayTable {
    std::vector<std::uint32_t> row;  // 0: no key
};

void look_up(const ArrayTable& table, std::span<const std::uint64_t> keys,
             std::span<const std::uint32_t> rows, JoinResult& joined) {
    const std::uint64_t size = table.row.size();
    for (const auto row : rows) {
        const std::uint64_t key = keys[row];
        const std::uint32_t found = key < size ? table.row[key] : 0;
        joined.rows += found != 0;
        joined.sum += found != 0 ? (found - 1) ^ row : 0;
    }
}

/// Probe rows of which that share joins, in random order: each key as often as any other, or by
/// Zipf's law with exponent 1.
Numbers probe_rows(const Shape& shape, const Level& level, double share, bool skewed) {
    Numbers probe(level.probe_rows);
    std::mt19937_64 random(7);
    const Zipf zipf(level.build_rows, 1);
    for (auto& key : probe) {
        const bool joins = static_cast<double>(random() >> 11) * 0x1p-53 < share;
        if (!joins) key = shape.stranger(random(), level.build_rows);
        // Frequent keys lie anywhere among the others.
        else if (skewed)
            key = shape.key(below(scattered(zipf(random)) * 0xD6E8FEB86659FD93u, level.build_rows));
        else key = shape.key(below(random(), level.build_rows));
    }
    return probe;
}

struct Way {
    std::string name;
    bool array = false, governed = false;
    std::optional<JoinFilter> filter{};
    double build_ns = 0;       // a build row, of the filter alone
    std::vector<double> ns{};  // a probe row, by share
};

class Joins {
public:
    Joins(const Shape& shape, const Level& level) : shape_(shape), level_(level) {
        Numbers build(level.build_rows);
        for (std::size_t i = 0; i < build.size(); ++i) build[i] = shape.key(i);
        // Rows of a table lie in no order.
        std::ranges::shuffle(build, std::mt19937_64(3));
        table_ns_ = fill_timed(table_, build);
        ways_.push_back({.name = "none"});
        if (const std::uint64_t n = shape.among(level.build_rows); n != 0) {
            array_.row.resize(n);
            for (std::size_t i = 0; i < build.size(); ++i)
                array_.row[build[i]] = static_cast<std::uint32_t>(i + 1);
            ways_.push_back({.name = "none, an array", .array = true});
        }
        for (const char* spec : {"auto", "split256"}) {
            Way way{.name = spec};
            std::vector<double> times;
            for (int pass = 0; pass < 3; ++pass)
                times.push_back(seconds_of([&] {
                    JoinBuilder builder(spec, build.size(), 12);
                    builder.insert({build});
                    way.filter = std::move(builder).finish();
                }));
            way.build_ns = per_build_row(median(times));
            if (way.name == "auto") way.name += " -> " + kind_of(*way.filter);
            ways_.push_back(way);
            if (spec == std::string("split256")) continue;
            way.governed = true;
            ways_.push_back(way);
            ways_.back().name += ", governed";
            if (array_.row.empty()) continue;
            way.array = true;
            ways_.push_back(way);
            ways_.back().name += ", governed, an array";
        }
    }

    /// Times every way for all shares, in turn; all must give the same rows.
    void measure(bool skewed = false) {
        for (Way& way : ways_) way.ns.clear();
        for (const double share : shares) {
            const Numbers probe = probe_rows(shape_, level_, share, skewed);
            std::vector<std::vector<double>> times(ways_.size());
            std::optional<JoinResult> right;
            for (int pass = 0; pass <= passes; ++pass)  // the first warms
                for (std::size_t i = 0; i < ways_.size(); ++i) {
                    // What a row costs at the filter and further on is known from the rows of which
                    // none joins.
                    const Way& way = ways_[i];
                    Governor governor(share > 0 && way.governed
                                          ? Governor::Settings::for_costs(
                                                way.ns[0], ways_[way.array ? 1 : 0].ns[0])
                                          : Governor::Settings());
                    JoinResult joined;
                    const double seconds =
                        seconds_of([&] { joined = run_once(way, probe, governor); });
                    if (pass > 0)
                        times[i].push_back(1e9 * seconds / static_cast<double>(probe.size()));
                    if (!right) right = joined;
                    if (joined != *right) throw std::runtime_error(way.name + " lost or made rows");
                }
            for (std::size_t i = 0; i < ways_.size(); ++i) ways_[i].ns.push_back(median(times[i]));
        }
    }

    void print_rows() const {
        const Way& none = ways_[0];
        for (const Way& way : ways_) {
            std::vector<std::string> cells{
                shape_.name, way.name,
                way.filter ? text("%.3g", static_cast<double>(way.filter->size_in_bytes()) /
                                              static_cast<double>(1 << 20))
                           : "",
                way.filter ? text("%.1f", way.build_ns) : ""};
            for (const double ns : way.ns) cells.push_back(text("%.1f", ns));
            const Way& beside = way.array ? ways_[1] : none;
            if (way.filter) {
                cells.push_back(
                    text("%.1f, %.1f", beside.ns[0] / way.ns[0], beside.ns[1] / way.ns[1]));
                cells.push_back(text("%.2f", way.ns.back() / beside.ns.back()));
                cells.push_back(way.governed ? "" : break_even(shares, way.ns, beside.ns));
                cells.push_back(way.governed ? "" : predicted(way, beside.ns[0]));
            } else {
                cells.resize(cells.size() + 4);
            }
            print_row(cells);
        }
    }

    void print_with_builds() const {
        for (const Way& way : ways_) {
            if (way.array) continue;
            std::vector<std::string> cells{shape_.name, way.name};
            for (const double ratio : {1.0, 10.0, 100.0})
                for (const std::size_t s : {std::size_t{1}, std::size_t{3}})
                    cells.push_back(
                        text("%.2f", (ways_[0].ns[s] + table_ns_ / ratio) /
                                         (way.ns[s] + (table_ns_ + way.build_ns) / ratio)));
            print_row(cells);
        }
    }

    void print_skewed() const {
        for (const Way& way : ways_) {
            if (way.array) continue;
            std::vector<std::string> cells{level_.name, way.name};
            for (const double ns : way.ns) cells.push_back(text("%.1f", ns));
            print_row(cells);
        }
    }

private:
    double per_build_row(double seconds) const {
        return 1e9 * seconds / static_cast<double>(level_.build_rows);
    }
    static std::string kind_of(const JoinFilter& filter) {
        const auto* of = filter.filter();
        return of != nullptr ? "`" + of->spec() + "`" : std::string(to_string(filter.kind()));
    }
    JoinResult run_once(const Way& way, const Numbers& probe, Governor& governor) const {
        const JoinFilter* filter = way.filter ? &*way.filter : nullptr;
        Governor* const by = way.governed ? &governor : nullptr;
        return way.array ? join(array_, probe, filter, by) : join(table_, probe, filter, by);
    }
    /// The share of joining rows up to which asking pays, by the calibration and the time of a row
    /// that misses: what is known before the join.
    static std::string predicted(const Way& way, double miss_ns) {
        double low = 0, high = 1;
        const auto worth_at = [&](double hits) {
            Workload workload;
            workload.work_ns = miss_ns;
            workload.hits = hits;
            return way.filter->worth(workload);
        };
        if (!worth_at(0).asking_ns) return "";
        if (!worth_at(0).pays()) return "never pays";
        for (int i = 0; i < 30; ++i) {
            const double middle = (low + high) / 2;
            (worth_at(middle).pays() ? low : high) = middle;
        }
        return text("%.0f %%", 100 * low);
    }

    const Shape& shape_;
    const Level& level_;
    Table table_;
    ArrayTable array_;
    double table_ns_ = 0;
    std::vector<Way> ways_;
};

void print_shapes() {
    std::puts("");
    for (const Shape& shape : shapes) std::printf("- %s: %s\n", shape.name, shape.what);
}

/// Advice and predictions need the calibration of this machine.
struct Calibrated {
    Calibrated() {
        if (Calibration::of_this_machine()) return;
        Calibration::measure(Calibration::Effort::full).save(path);
        setenv("SIMDBLOOM_CALIBRATION", path.c_str(), 1);
    }
    ~Calibrated() { std::filesystem::remove(path); }
    std::filesystem::path path = std::filesystem::temp_directory_path() /
                                 ("simdbloom-join-kinds-" + std::to_string(getpid()));
};

}  // namespace

int main() {
    const Calibrated calibrated;
    print_shapes();
    std::vector<std::string> columns;
    for (const double share : shares) columns.push_back(text("%g %%", 100 * share));
    for (const Level& level : levels) {
        std::printf(
            "\n### Table in %s: %zu build rows\n\nNanoseconds a probe row, by the share of probe "
            "rows that join:\n\n",
            level.name, level.build_rows);
        std::vector<std::string> head{"keys", "filter", "MiB", "build, ns a row"};
        head.insert(head.end(), columns.begin(), columns.end());
        head.insert(head.end(), {"gain at 0 and 1 %", "time at 100 %", "pays up to", "predicted"});
        print_header(head);
        std::vector<Joins> all;
        for (const Shape& shape : shapes) {
            Joins joins(shape, level);
            joins.measure();
            joins.print_rows();
            all.push_back(std::move(joins));
        }
        std::printf(
            "\nRows a second with both builds, beside no filter, by rows built : probed and the "
            "share that joins:\n\n");
        print_header({"keys", "filter", "1:1, 1 %", "1:1, 50 %", "1:10, 1 %", "1:10, 50 %",
                      "1:100, 1 %", "1:100, 50 %"});
        for (const Joins& joins : all) joins.print_with_builds();
    }
    std::printf(
        "\n### Skewed probe rows\n\nScattered keys; the rows that join follow Zipf's law with "
        "exponent 1 (the most frequent key of 450,000 has 7 %% of them). Nanoseconds a probe "
        "row:\n\n");
    std::vector<std::string> head{"table in", "filter"};
    head.insert(head.end(), columns.begin(), columns.end());
    print_header(head);
    for (const Level& level : levels) {
        Joins joins(shapes[3], level);
        joins.measure(true);
        joins.print_skewed();
    }
    print_source("join_kinds");
}
