// Which filter takes the least time for a piece of work on this machine, or that none does.
//
//   std::cout << simdbloom::advise({.n_keys = 1'000'000, .work_ns = 50}).why();
//
// A probe of a filter costs its lookup, and the work that a wrong "maybe" lets through (Lang et al.
// 2019, "rho"); a key costs its insert:
//
//   total = keys * insert + probes * (lookup(hits) + (1 - hits) * FPR * work)
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simdbloom/export.hpp"
#include "simdbloom/isa.hpp"

namespace simdbloom::detail {
class Timetable;
}  // namespace simdbloom::detail

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// A piece of work: how many keys, how many questions, and what an answer is worth.
struct Workload {
    std::uint64_t n_keys = 0;  ///< distinct keys in the filter
    /// ns that one "not in" saves, as throughput: the time that a row takes further on when many
    /// rows go there one after the other.
    double work_ns = 0;
    /// How many keys will be asked. Infinity: so many that inserts do not count.
    double probes = std::numeric_limits<double>::infinity();
    double hits = 0;                ///< the share of probes that are keys, 0 to 1
    double max_bits_per_key = 20;   ///< as space that is spent on the filter
    std::uint64_t max_bytes = 0;    ///< 0: no limit
    std::uint64_t table_bytes = 0;  ///< memory that each passing probe touches a random line of
    bool erase = false;             ///< keys must be erasable
    bool grow = false;              ///< more keys may come than n_keys
    bool merge = false;             ///< filters must be united
    bool all_at_once = false;       ///< all keys are there when the filter is made: fuse filters
};

/// Times of lookups and inserts, measured on this machine. They live in memory alone. A copy is
/// cheap, and a move is a copy.
class FilterTimes {
public:
    /// Measures the filters that advise() compares for the workload, in one to two seconds of one
    /// CPU, which should have nothing else to do. The times are those of filters of least_keys to
    /// n_keys keys; 0: of n_keys keys. Throws std::invalid_argument as advise() does.
    static FilterTimes measure(const Workload& workload, std::uint64_t least_keys = 0);
    /// Shares the times.
    FilterTimes(const FilterTimes&) noexcept = default;
    FilterTimes& operator=(const FilterTimes&) noexcept = default;

    /// The share by which a time would differ if it was measured again: the interquartile range of
    /// its rounds, divided by the root of their number; the median over all times.
    double noise() const noexcept;

    // For the library's own code.
    explicit FilterTimes(std::shared_ptr<const detail::Timetable> table) noexcept
        : table_(std::move(table)) {}
    const detail::Timetable& table() const noexcept { return *table_; }

private:
    std::shared_ptr<const detail::Timetable> table_;
};

/// What advise() says: the choices in their order.
struct Advice {
    /// A filter, or none.
    struct Choice {
        std::string spec;         ///< as make_filter() takes it; empty: no filter
        double bits_per_key = 0;  ///< as make_filter() takes it; of "fuse:f=8": what it takes
        Isa isa{};                ///< the fastest for it
        std::uint64_t bytes = 0;  ///< its size
        double fpr = 1;           ///< by the exact model; of growing filters: for n_keys keys
        double insert_ns = 0;     ///< ns a key
        double lookup_ns = 0;     ///< ns a probe
        double total_ns = 0;      ///< ns a probe, with its share of the inserts

        bool is_none() const noexcept { return spec.empty(); }  ///< "no filter"
    };
    /// The best of each layout and structure that can do what is needed, and "no filter": the
    /// least total first.
    std::vector<Choice> ranking;
    /// Totals that differ by less than this share are equal as far as the times can tell.
    double noise = 0;
    std::size_t candidates = 0;  ///< how many were compared

    const Choice& best() const { return ranking.front(); }  ///< the one of the least total
    /// The choices that are as good as the best one, within noise; the best one is the first.
    std::vector<Choice> as_good() const;
    /// A few sentences: the best, what it gains, the runner-up, and what would change it.
    std::string why() const;
};

/// Compares every layout, k, number of bits and instruction set that has times. Takes about a
/// millisecond. Filters beyond the sizes that were measured have the times of the nearest size.
/// Throws std::invalid_argument that names the value for a workload that makes no sense, for needs
/// that no structure has together, and for times of another workload that lack what is needed.
Advice advise(const Workload& workload, const FilterTimes& times);
/// With FilterTimes::measure(workload).
Advice advise(const Workload& workload);

/// Times of a filter in ns a key.
struct PredictedTimes {
    double absent;   ///< a lookup of an absent key
    double present;  ///< a lookup of a present key
    double insert;   ///< an insert
};
/// The times of a filter of so many bytes, between those that were measured. Throws
/// std::invalid_argument for a spec whose layout or structure was not.
PredictedTimes predicted_times(const FilterTimes& times, std::string_view spec, Isa isa,
                               std::uint64_t bytes);

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
