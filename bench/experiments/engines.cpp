// The loops of engines (engines/loops.hpp) beside our batches in their place: what a batch takes a
// key, and the FPR in the same space.
#include <memory>

#include "experiments/engine_sizes.hpp"
#include "simdbloom/any/any_filter.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;
using namespace simdbloom::bench::engines;

constexpr std::size_t kib = 1 << 10, absent_keys = 4 << 20;
constexpr std::size_t sizes[] = {256 * kib, 256 * mib};  // in cache and in memory
constexpr std::size_t largest_batch = 2048;
constexpr double bits_per_key = 12;

/// A row: a filter and how a batch goes into it and through it.
struct Side {
    std::string name;
    Rate model;                                 ///< its FPR
    std::function<void(Batch)> insert;          ///< a batch
    std::function<std::size_t(Batch)> look_up;  ///< a batch; how many are found
};

struct Engine {
    const char* what;  ///< what goes in, and what comes out
    std::size_t lookup_batch, insert_batch;
    /// Of so many keys in so many bytes. The first is the engine's.
    std::function<std::vector<Side>(u64 n_keys)> sides;
};

template <class Work>
std::size_t in_batches(Batch keys, std::size_t batch, const Work& work) {
    std::size_t sum = 0;
    for (std::size_t at = 0; at < keys.size(); at += batch)
        sum += work(keys.subspan(at, std::min(batch, keys.size() - at)));
    return sum;
}

Rate model_of(const AnyFilter& filter) {
    const auto& base = filter.base();
    return {filter.expected_fpr(), fpr::deviation(base.layout(), base.n_keys(), base.blocks())};
}

/// Five standard deviations around the model, or no times.
double checked_fpr(const Side& side, Batch absent, std::size_t batch) {
    const double n = static_cast<double>(absent.size());
    const double found = static_cast<double>(in_batches(absent, batch, side.look_up)) / n;
    const double f = side.model.fpr;
    const double sigma = std::sqrt(side.model.deviation * side.model.deviation + f * (1 - f) / n);
    if (std::abs(found - f) > 5 * sigma + 1 / n)
        throw std::runtime_error(side.name + " has an FPR of " + std::to_string(found) +
                                 ", by its model " + std::to_string(f));
    return found;
}

std::string size_name(std::size_t bytes) {
    return bytes < mib ? text("%zu KiB", bytes / kib) : text("%zu MiB", bytes / mib);
}
std::string percent(double share) {
    return share < 0.1 ? text("%.2f %%", 100 * share) : text("%.1f %%", 100 * share);
}

void print_size(const Engine& engine, std::size_t bytes, bool first) {
    const u64 n = static_cast<u64>(static_cast<double>(8 * bytes) / bits_per_key);
    const auto sides = engine.sides(n);
    for (u64 at = 0; at < n; at += pass_keys) {
        const auto piece = source.keys(at, std::min<u64>(pass_keys, n - at));
        for (const Side& side : sides)
            in_batches(piece, engine.insert_batch, [&](Batch batch) -> std::size_t {
                side.insert(batch);
                return 0;
            });
    }
    // Absent keys, a random half of present keys, and present keys.
    const auto none = source.keys(n, absent_keys);
    std::vector<u64> half(pass_keys), all(pass_keys);
    const auto random = KeySource::generated(2);
    for (std::size_t i = 0; i < pass_keys; ++i) {
        all[i] = source.key(random.key(i) % n);
        half[i] = random.key(i) >> 63 ? all[i] : none[i];
    }
    std::vector<double> fprs;
    for (const Side& side : sides) {
        if (in_batches(all, engine.lookup_batch, side.look_up) != all.size())
            throw std::runtime_error(side.name + " has lost a key");
        fprs.push_back(checked_fpr(side, none, engine.lookup_batch));
    }
    const auto timed = [&](Batch keys, std::size_t batch, auto member) {
        std::vector<Contestant> all_sides;
        for (const Side& side : sides) {
            all_sides.push_back(contestant(side.name, keys.size(), [&, keys, batch, member] {
                keep(in_batches(keys, batch, [&](Batch piece) -> std::size_t {
                    if constexpr (std::is_void_v<decltype((side.*member)(piece))>)
                        return (side.*member)(piece), 0;
                    else return (side.*member)(piece);
                }));
            }));
            all_sides.back().warm_seconds = 1e-9;  // one pass
        }
        Timer(rounds).run(all_sides);
        std::vector<double> ns;
        for (const auto& side : all_sides) ns.push_back(median(side.ns_per_key));
        return ns;
    };
    const auto none_ns = timed(Batch(none).first(pass_keys), engine.lookup_batch, &Side::look_up);
    const auto half_ns = timed(half, engine.lookup_batch, &Side::look_up);
    const auto insert_ns = timed(all, engine.insert_batch, &Side::insert);
    if (first) print_header({"bytes", "filter", "FPR", "none found", "half found", "insert"});
    for (std::size_t i = 0; i < sides.size(); ++i) {
        const auto cell = [&](const std::vector<double>& ns) {
            return i == 0 ? text("%.2f", ns[i]) : text("%.2f (%.1f)", ns[i], ns[0] / ns[i]);
        };
        print_row({i != 0 ? "" : size_name(bytes), sides[i].name, percent(fprs[i]), cell(none_ns),
                   cell(half_ns), cell(insert_ns)});
    }
}

void print_engine(const Engine& engine) {
    std::printf("%s\n\n", engine.what);
    for (const std::size_t bytes : sizes) print_size(engine, bytes, bytes == sizes[0]);
}

/// Ours, from the hashes that the engine has.
std::shared_ptr<AnyFilter> ours_of(const std::string& spec, u64 n) {
    return std::make_shared<AnyFilter>(make_filter(spec, n, bits_per_key));
}
std::function<void(Batch)> inserting(std::shared_ptr<AnyFilter> filter) {
    return [filter = std::move(filter)](Batch hashes) {
        filter->insert(simdbloom::Keys::hashes(hashes));
    };
}
std::string named(const AnyFilter& filter) { return "`" + filter.spec() + "`"; }

Side bitmap_side(const std::string& spec, u64 n) {
    const auto filter = ours_of(spec, n);
    return {named(*filter), model_of(*filter), inserting(filter), [filter](Batch hashes) {
                std::array<std::uint8_t, largest_batch / 8> bitmap;
                const auto found = filter->contains(simdbloom::Keys::hashes(hashes), bitmap);
                keep(bitmap[0]);
                return found;
            }};
}

const Engine parquet_cpp{
    "parquet-cpp: hashes in, inserts of 256, lookups of 1,024 into a bitmap.", 1024, 256,
    [](u64 n) {
        const auto filter = std::make_shared<ParquetCpp>(n, bits_per_key);
        return std::vector<Side>{
            {"parquet-cpp", filter->rate(n), [filter](Batch h) { parquet_insert(*filter, h); },
             [filter](Batch hashes) {
                 std::array<std::uint8_t, largest_batch / 8> bitmap;
                 return parquet_find(*filter, hashes, bitmap.data());
             }},
            bitmap_side("split256", n)};
    }};

const Engine acero{
    "Acero: hashes of 64 bits in, batches of 1,024, lookups into a bitmap.", 1024, 1024, [](u64 n) {
        const auto filter = std::make_shared<Acero>(n, bits_per_key);
        return std::vector<Side>{
            {"Acero", filter->rate(n), [filter](Batch h) { acero_insert(*filter, h); },
             [filter](Batch hashes) {
                 std::array<std::uint8_t, largest_batch / 8> bitmap;
                 acero_find(*filter, hashes, bitmap.data());
                 std::size_t found = 0;
                 for (std::size_t i = 0; i < (hashes.size() + 7) / 8; ++i)
                     found += static_cast<std::size_t>(std::popcount(bitmap[i]));
                 return found;
             }},
            bitmap_side("register64", n),
            bitmap_side("split256", n)};
    }};

Side select_side(const std::string& spec, u64 n) {
    const auto filter = ours_of(spec, n);
    return {named(*filter), model_of(*filter), inserting(filter), [filter](Batch hashes) {
                std::array<u32, largest_batch> positions;
                const auto found = filter->select(simdbloom::Keys::hashes(hashes), positions);
                keep(positions[0]);
                return found;
            }};
}

const Engine duckdb{
    "Hashes in, vectors of 2,048, lookups into a selection vector.", 2048, 2048, [](u64 n) {
        const auto filter = std::make_shared<DuckDb>(n, bits_per_key);
        return std::vector<Side>{
            {"DuckDB", filter->rate(n), [filter](Batch h) { duckdb_insert(*filter, h); },
             [filter](Batch hashes) {
                 // One more: a number is written before it is known whether it counts.
                 std::array<u32, largest_batch + 1> selection;
                 return duckdb_lookup(*filter, hashes, selection.data());
             }},
            select_side("register64", n),
            select_side("split256", n)};
    }};

const Engine velox{
    "Values in, hashed as in Velox, batches of 2,048; rows not found lose a bit.", 2048, 2048,
    [](u64 n) {
        const auto theirs = std::make_shared<Velox>(n, bits_per_key);
        std::vector<Side> sides{{"Velox", theirs->rate(n),
                                 [theirs](Batch v) { velox_insert(*theirs, v); },
                                 [theirs](Batch values) {
                                     std::array<u64, largest_batch / 64> rows;
                                     rows.fill(~u64{0});
                                     return velox_apply(*theirs, values, rows.data());
                                 }}};
        for (const char* spec : {"split256", "register64"}) {
            const auto filter = ours_of(spec, n);
            const auto hashed = [](Batch values, auto&& use) {
                std::array<u64, largest_batch> hashes;
                velox_hash(values, hashes.data());
                return use(simdbloom::Keys::hashes(Batch(hashes).first(values.size())));
            };
            sides.push_back(
                {named(*filter), model_of(*filter),
                 [=](Batch values) { hashed(values, [&](const auto& h) { filter->insert(h); }); },
                 [=](Batch values) {
                     std::array<u64, largest_batch / 64> rows, found;
                     rows.fill(~u64{0});
                     return hashed(values, [&](const auto& h) {
                         const auto n_found = filter->contains(
                             h, {reinterpret_cast<std::uint8_t*>(found.data()), sizeof found});
                         for (std::size_t i = 0; i < rows.size(); ++i) rows[i] &= found[i];
                         keep(rows[0]);
                         return n_found;
                     });
                 }});
        }
        return sides;
    }};

struct ClickHouseWithLoops {
    ClickHouse filter;
    ClickHouseLoops loops{filter};
};

const Engine clickhouse{
    "Values in, batches of 1,024, a byte a row out. Both hash as ClickHouse does, but for the last "
    "row.",
    1024, 1024, [](u64 n) {
        const std::shared_ptr<ClickHouseWithLoops> theirs(
            new ClickHouseWithLoops{{n, bits_per_key}});
        const auto pairs_of = [](Batch values, auto&& use) {
            std::array<ClickHousePair, largest_batch> pairs;
            for (std::size_t i = 0; i < values.size(); ++i) pairs[i] = clickhouse_pair(values[i]);
            return use(std::span<const ClickHousePair>(pairs).first(values.size()));
        };
        std::vector<Side> sides{
            {"ClickHouse", theirs->filter.rate(n),
             [=](Batch v) { pairs_of(v, [&](auto pairs) { theirs->loops.insert(pairs); }); },
             [=](Batch v) {
                 return pairs_of(v, [&](auto pairs) {
                     std::array<std::uint8_t, largest_batch> mask;
                     return theirs->loops.find(pairs, mask.data());
                 });
             }}};
        const auto add = [&](const char* with, auto keys_of) {
            const auto filter = ours_of("register64", n);
            sides.push_back(
                {named(*filter) + with, model_of(*filter),
                 [=](Batch v) { keys_of(v, [&](const auto& keys) { filter->insert(keys); }); },
                 [=](Batch v) {
                     return keys_of(v, [&](const auto& keys) {
                         std::array<std::uint8_t, largest_batch / 8> bitmap;
                         std::array<std::uint8_t, largest_batch> mask;
                         const auto found = filter->contains(keys, bitmap);
                         bytes_of_bits(bitmap.data(), v.size(), mask.data());
                         keep(mask[0]);
                         return found;
                     });
                 }});
        };
        add("", [](Batch values, auto&& use) {
            std::array<u64, largest_batch> hashes;
            for (std::size_t i = 0; i < values.size(); ++i)
                hashes[i] = clickhouse_hash(values[i], ClickHouse::seed);
            return use(simdbloom::Keys::hashes(Batch(hashes).first(values.size())));
        });
        add(", our hash", [](Batch values, auto&& use) { return use(simdbloom::Keys(values)); });
        return sides;
    }};

/// What the hashes of 32 bits of Arrow's joins do to Acero's filter.
void print_acero_short_hashes() {
    std::printf(
        "\nWith the hashes of 32 bits that Arrow's join gives to Acero's filter, the FPR\nis");
    for (const std::size_t bytes : sizes) {
        const u64 n = static_cast<u64>(static_cast<double>(8 * bytes) / bits_per_key);
        Acero filter(n, bits_per_key);
        const auto shortened = [](u64 first, std::size_t count) {
            auto hashes = source.keys(first, count);
            for (u64& hash : hashes) hash = static_cast<u32>(Acero::hash(hash));
            return hashes;
        };
        for (u64 at = 0; at < n; at += pass_keys)
            acero_insert(filter, shortened(at, std::min<u64>(pass_keys, n - at)));
        const auto absent = shortened(n, pass_keys);
        const auto found = static_cast<double>(
            std::ranges::count_if(absent, [&](u64 hash) { return acero_find(filter, hash); }));
        std::printf("%s %s at %s", bytes == sizes[0] ? "" : " and",
                    percent(found / pass_keys).c_str(), size_name(bytes).c_str());
    }
    std::puts(".");
}

/// What follows is for that page alone (bench/render/markers.py).
void begin_page(const char* name) {
    std::printf(
        "=== %s.md\n"
        "ns a key on one thread, medians of %u rounds of %zu keys in turns, %g bits a key. "
        "In brackets: the\nengine's time over ours.\n\n",
        name, rounds, pass_keys, bits_per_key);
}

}  // namespace

int main() {
    pin(true);
    begin_page("engine_arrow");
    print_engine(parquet_cpp);
    print_parquet_sizes();
    print_engine(acero);
    print_acero_short_hashes();
    print_source("engines");
    begin_page("engine_clickhouse");
    print_engine(clickhouse);
    print_clickhouse_rates();
    print_source("engines");
    begin_page("engine_duckdb");
    print_engine(duckdb);
    print_source("engines");
    begin_page("engine_velox");
    print_engine(velox);
    print_velox_sizes();
    print_source("engines");
}
