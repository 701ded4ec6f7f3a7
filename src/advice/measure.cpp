// Measures a machine in one to two seconds.
//
//   1. random bits: absent keys, in every filter
//   2. bits that are all set: present keys and inserts, in filters that are never full
//   3. tables with keys in them
//
// Filters of one size share their memory and take turns; medians are compared.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <numeric>

#include "advice/timetable.hpp"
#include "core/extension.hpp"
#include "fixed/kernel_table.hpp"
#include "growing/slots.hpp"
#include "simdbloom/any/any_filter.hpp"
#include "simdbloom/fixed/detail/fuse.hpp"

namespace simdbloom {
namespace {

using Clock = std::chrono::steady_clock;
using detail::TimedSpec;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t batch_rows = 2048;  // the batch size of engines

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

template <class Work>
double ns_of(const Work& work) {
    const auto start = Clock::now();
    work();
    return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

/// n numbers in a row from `first` on.
std::vector<std::uint64_t> numbers(std::uint64_t first, std::size_t n) {
    std::vector<std::uint64_t> keys(n);
    std::iota(keys.begin(), keys.end(), first);
    return keys;
}

bool is_fuse(std::string_view spec) { return TimedSpec::parse(spec).what == detail::Timed::fuse; }

/// The time of some 100,000 lookups.
double ns_a_lookup(const AnyFilter& filter, std::span<const std::uint64_t> keys) {
    std::vector<std::uint32_t> positions(batch_rows);
    std::size_t found = 0, asked = 0;
    const double ns = ns_of([&] {
        for (; asked < 100'000; asked += keys.size())
            for (std::size_t first = 0; first < keys.size(); first += batch_rows)
                found += filter.select(
                    keys.subspan(first, std::min(batch_rows, keys.size() - first)), positions);
    });
    asm volatile("" : : "r"(found));
    return ns / static_cast<double>(asked);
}

/// Memory of which every so many-th word is word(i).
template <class Word>
detail::Storage memory_of(std::size_t bytes, const Word& word) {
    detail::Storage bits(bytes);
    for (std::size_t i = 0; i + 8 <= bytes; i += 8) detail::store_le(bits.data() + i, word(i));
    return bits;
}

enum class Operation : std::uint8_t { lookup, insert };
std::atomic<std::uint64_t> next_key{0};

/// The kernels of a spec on the first `bytes` bytes of a memory, without a filter around them.
class Trial {
public:
    Trial(std::string_view spec, Isa isa, detail::Storage& memory, std::size_t bytes)
        : bytes_(bytes) {
        std::byte* const bits = memory.data();
        const detail::Prefetching prefetching{
            bytes > detail::level2_bytes() ? detail::Prefetch::ahead : detail::Prefetch::none};
        const detail::Timed what = TimedSpec::parse(spec).what;
        if (what == detail::Timed::fuse) {
            const detail::FuseGraph graph = detail::fuse_graph(bytes / 9 * 8, 3);  // load of 8/9
            const auto load = static_cast<std::size_t>(detail::SlotLoad::bytes32);
            run_with<detail::FuseTarget>(
                detail::fuse_kernels(isa).of3[load].probe,
                {bits, std::min<std::uint64_t>(graph.starts, bytes - 2 * graph.window()),
                 detail::seed_offset, detail::fuse_seed(1),
                 static_cast<std::uint32_t>(graph.window()), 8, 0, 8, prefetching});
        } else if (what == detail::Timed::growing) {
            run_with<detail::GrowingTarget>(detail::growing_kernels(isa).of16,
                                            {bits, bytes / 8, detail::seed_offset, 0, prefetching});
        } else {
            const Layout layout = Layout::parse(spec);
            run_with<detail::Target>(detail::kernels_of(isa, layout),
                                     {bits, bytes / (layout.block_bits() / 8), detail::seed_offset,
                                      layout.k, prefetching});
        }
    }

    /// Seconds a key in batches of batch_rows keys, for at least `seconds` and so many keys.
    /// Lookups write selection vectors. No key is repeated, so no cache holds a large filter's
    /// lines. `insert` is for layouts that are never full.
    double seconds_per_key(Operation operation, double seconds, std::uint64_t least = 0) const {
        constexpr std::size_t round_keys = 8 * batch_rows;
        std::vector<std::uint64_t> fresh(round_keys);
        std::vector<std::uint32_t> positions(batch_rows);
        std::uint64_t sum = 0, keys = 0;
        Seconds time{};
        do {
            std::iota(fresh.begin(), fresh.end(), next_key.fetch_add(round_keys));
            const auto start = Clock::now();
            for (std::size_t first = 0; first < round_keys; first += batch_rows)
                sum += run_(operation, {fresh.data() + first, batch_rows, false}, positions.data());
            time += Clock::now() - start;
            keys += round_keys;
        } while (time.count() < seconds || keys < least);
        asm volatile("" : : "r"(sum));
        return time.count() / static_cast<double>(keys);
    }
    /// Looks up four keys for each line, if the caches can hold the filter: a level-3 cache keeps
    /// few lines on their first use.
    void warm_up() const {
        if (bytes_ <= std::max(detail::caches().l2, detail::caches().l3))
            (void)seconds_per_key(Operation::lookup, 0, bytes_ / 64 * 4);
    }

private:
    template <class T>
    void run_with(const detail::KernelsFor<T>& kernels, const T& target) {
        run_ = [&kernels, target](Operation operation, detail::Batch batch,
                                  std::uint32_t* positions) {
            return operation == Operation::lookup
                       ? kernels.lookup(target, batch, detail::Output::select, positions)
                       : kernels.insert(target, batch);
        };
    }
    std::function<std::size_t(Operation, detail::Batch, std::uint32_t* positions)> run_;
    std::size_t bytes_;
};

/// The bits a key of a table at its design load.
double table_bits(std::string_view spec) {
    const TimedSpec of = TimedSpec::parse(spec);
    return of.what == detail::Timed::fuse      ? detail::timed_fuse_bits
           : of.what == detail::Timed::growing ? 16.001 / 0.95
                                               : Layout::parse(spec).least_bits_per_key();
}

/// ns a key.
struct TableTimes {
    double insert = 0;               ///< filling an empty table to its design load
    double part = 0;                 ///< the first 16th of the keys; 0 where all come at once
    double absent = 0, present = 0;  ///< lookups in the full table, as selection vectors
};
/// The times of a table for n keys.
TableTimes table_times(std::string_view spec, std::size_t n) {
    // A fuse filter of a thousand keys takes between one attempt and a hundred, depending on the
    // keys; with 200,000 keys it takes one or two.
    const std::size_t most_fills = (is_fuse(spec) ? 400'000 : 100'000) / n;
    constexpr double most_ns = 1e8;
    std::size_t fills = 0;
    double insert = 0, part = 0;
    std::optional<AnyFilter> filter;
    std::vector<std::uint64_t> keys;
    do {
        keys = numbers(fills * n, n);
        filter.reset();
        if (is_fuse(spec)) {
            insert += ns_of([&] { filter.emplace(BloomierMap::build_filter(keys, 8)); });
        } else {
            filter = make_filter(spec, n, table_bits(spec));
            const auto put = [&](auto some) { return ns_of([&] { filter->try_insert(some); }); };
            const double first = put(std::span(keys).first(n / 16));
            part += first;
            insert += first + put(std::span(keys).subspan(n / 16));
        }
    } while (++fills < most_fills && insert < most_ns);
    std::vector<double> absent, present;
    const std::size_t asked = std::min<std::size_t>(n, 100'000);
    const auto others = numbers(std::uint64_t{1} << 40, asked);
    for (int i = 0; i < 5; ++i) {
        absent.push_back(ns_a_lookup(*filter, others));
        present.push_back(ns_a_lookup(*filter, std::span(keys).first(asked)));
    }
    const auto times = static_cast<double>(fills);
    return {insert / times / static_cast<double>(n),
            part / times / static_cast<double>(std::max<std::size_t>(n / 16, 1)), median(absent),
            median(present)};
}

/// ns a key of the first inserts into a table for n keys whose pages are mapped.
double first_inserts(std::string_view spec, std::size_t n) {
    const std::size_t some = std::min<std::size_t>(n / 16, 100'000);
    AnyFilter filter = make_filter(spec, n, table_bits(spec));
    filter.insert(numbers(0, some));
    const auto keys = numbers(some, some);
    return ns_of([&] { filter.insert(keys); }) / static_cast<double>(some);
}

/// Long enough for the clock, whose steps browsers make coarse.
double seconds_of_a_round() {
    double step = 1;
    for (int i = 0; i < 5; ++i) {
        const auto start = Clock::now();
        auto next = start;
        while (next == start) next = Clock::now();
        step = std::min(step, Seconds(next - start).count());
    }
    return std::clamp(20 * step, 0.1e-3, 1e-3);
}

/// From least_keys keys at 2 bits each to n_keys keys at the most bits. Beyond four times the
/// level-3 cache times are taken as constant.
std::vector<std::size_t> sizes_for(const Workload& w, std::uint64_t least_keys) {
    const auto l3 = static_cast<double>(std::max(detail::caches().l3, std::size_t{8} << 20)),
               limit =
                   std::min({4 * l3, 0x1p29, static_cast<double>(detail::available_memory()) / 4}),
               n = static_cast<double>(w.n_keys);
    double most = n * w.max_bits_per_key / 8;
    if (w.max_bytes != 0) most = std::min(most, static_cast<double>(w.max_bytes));
    if (w.table_bytes != 0) most = limit;  // beside a table, a filter has the times of a larger one
    most = std::clamp(most, 1024.0, limit);
    double least = (least_keys != 0 ? static_cast<double>(least_keys) : n) / 4;
    least = std::clamp(least, 1024.0, most);
    const double step = std::max(std::sqrt(2), std::pow(most / least, 1 / 9.0));  // some ten sizes
    std::vector<std::size_t> sizes;
    for (double bytes = most; bytes > least / step * 1.01; bytes /= step)
        sizes.push_back(std::max(static_cast<std::size_t>(bytes) / 64 * 64, std::size_t{1024}));
    std::reverse(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

/// The times of one spec on one instruction set: ns by size.
struct Subject {
    Isa isa;
    std::string_view spec;
    bool is_table;
    std::vector<double> absent, present, insert;
};

/// All specs that support the workload, on the fastest instruction set, and one of each layout on
/// AVX2, because AVX-512 is slower on some CPUs.
std::vector<Subject> subjects_for(const Workload& w, std::size_t sizes) {
    const Isa best = usable_isas().back();
    const bool has_two = best != Isa::avx2 && std::ranges::count(usable_isas(), Isa::avx2) != 0;
    std::vector<Subject> subjects;
    const auto specs = detail::timed_specs();
    for (std::size_t i = 0; i < specs.size(); ++i) {
        const TimedSpec spec = TimedSpec::parse(specs[i]);
        const auto* traits = spec.traits();
        const bool is_table = traits == nullptr || traits->is_table();
        if (!detail::can(w, spec)) continue;
        if (traits != nullptr && Layout::parse(specs[i]).least_bits_per_key() > w.max_bits_per_key)
            continue;
        const std::vector<double> none(sizes);
        subjects.push_back({best, specs[i], is_table, none, none, none});
        if (has_two && i < detail::n_timed)
            subjects.push_back({Isa::avx2, specs[i], is_table, none, none, none});
    }
    return subjects;
}

class Measurement {
public:
    Measurement(const Workload& workload, std::uint64_t least_keys)
        : n_keys_(workload.n_keys),
          least_keys_(least_keys != 0 ? least_keys : workload.n_keys),
          sizes_(sizes_for(workload, least_keys)),
          subjects_(subjects_for(workload, sizes_.size())),
          random_(memory_of(sizes_.back(), [](std::size_t i) { return hash_key(i, 1); })),
          ones_(memory_of(sizes_.back(), [](std::size_t) { return ~std::uint64_t{0}; })) {}

    detail::Timetable run() {
        if (!subjects_.empty()) {
            measure_kernels();
            measure_tables();
        }
        return detail::Timetable(times_, median(spreads_), detail::caches());
    }

private:
    struct Contest {
        Trial trial;
        Operation operation;
        double* to;
        std::vector<double> rounds{};
    };

    void measure_kernels() {
        // An idle CPU takes a while to reach its clock rate.
        (void)Trial("split256", usable_isas().back(), random_, 1024)
            .seconds_per_key(Operation::lookup, 0.05);
        for (std::size_t i = 0; i < sizes_.size(); ++i) {
            std::vector<Contest> absent, present;
            for (Subject& s : subjects_) {
                absent.push_back(
                    {Trial(s.spec, s.isa, random_, sizes_[i]), Operation::lookup, &s.absent[i]});
                if (s.is_table) continue;
                const Trial trial(s.spec, s.isa, ones_, sizes_[i]);
                present.push_back({trial, Operation::lookup, &s.present[i]});
                present.push_back({trial, Operation::insert, &s.insert[i]});
            }
            for (auto* contests : {&absent, &present}) run(*contests);
        }
    }

    /// Two turns and, while there is time, up to nine.
    void run(std::vector<Contest>& contests) {
        if (contests.empty()) return;
        contests[0].trial.warm_up();
        const auto end = Clock::now() + Seconds(0.5 / static_cast<double>(sizes_.size()));
        for (int turn = 0; turn < 2 || (turn < 9 && Clock::now() < end); ++turn)
            for (Contest& c : contests)
                c.rounds.push_back(1e9 * c.trial.seconds_per_key(c.operation, round_));
        for (Contest& c : contests) {
            std::ranges::sort(c.rounds);
            const std::size_t n = c.rounds.size();
            *c.to = c.rounds[n / 2];
            spreads_.push_back((c.rounds[3 * n / 4] - c.rounds[n / 4]) / c.rounds[n / 2] /
                               std::sqrt(static_cast<double>(n)));
        }
    }

    /// One instruction set fills and probes the tables: inserts are chains of dependent loads, and
    /// present keys take longer by the same share on all.
    void measure_tables() {
        std::string_view filled;
        double hit_factor = 1;
        for (Subject& s : subjects_) {
            if (s.is_table) {
                if (s.spec != filled) hit_factor = fill_tables(s.spec);
                filled = s.spec;
                for (const auto& [bytes, insert] : inserts_)
                    times_.push_back({s.isa, s.spec, bytes, 0, 0, insert});
            }
            for (std::size_t i = 0; i < sizes_.size(); ++i)
                times_.push_back({s.isa, s.spec, sizes_[i], s.absent[i],
                                  s.is_table ? s.absent[i] * hit_factor : s.present[i],
                                  s.insert[i]});
        }
    }

    /// Fills in the inserts by size. Returns the time of a present key over the time of an absent
    /// one.
    double fill_tables(std::string_view spec) {
        const double bytes_a_key = table_bits(spec) / 8;
        const auto keys = [&](std::uint64_t n) {
            const double most = static_cast<double>(sizes_.back()) / bytes_a_key;
            return static_cast<std::size_t>(
                std::max(1000.0, std::min(static_cast<double>(n), most)));
        };
        inserts_.clear();
        const auto add = [&](std::size_t n, double insert) {
            const double bytes = static_cast<double>(n) * bytes_a_key;
            inserts_.push_back({static_cast<std::uint64_t>(bytes), insert});
        };
        const std::size_t least = keys(least_keys_), most = keys(n_keys_),
                          filled = std::min(most, std::size_t{1'000'000});
        const TableTimes full = table_times(spec, filled);
        add(filled, full.insert);
        if (least <= filled / 4) add(least, table_times(spec, least).insert);
        // In larger tables the first inserts show how much longer an insert takes.
        if (most / 2 >= filled && full.part > 0)
            add(most, full.insert / full.part * first_inserts(spec, most));
        return full.absent > 0 ? full.present / full.absent : 1;
    }

    const std::uint64_t n_keys_, least_keys_;
    const double round_ = seconds_of_a_round();
    const std::vector<std::size_t> sizes_;
    std::vector<Subject> subjects_;
    detail::Storage random_, ones_;
    std::vector<double> spreads_;                            // of the median of each contest
    std::vector<std::pair<std::uint64_t, double>> inserts_;  // by bytes, of one table
    std::vector<detail::Time> times_;
};

}  // namespace

FilterTimes FilterTimes::measure(const Workload& workload, std::uint64_t least_keys) {
    detail::check_workload(workload);
    return FilterTimes(
        std::make_shared<const detail::Timetable>(Measurement(workload, least_keys).run()));
}

}  // namespace simdbloom
