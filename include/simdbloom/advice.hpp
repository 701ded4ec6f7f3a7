// Which filter takes the least time for a piece of work on this machine, or that none does.
//
//   simdbloom calibrate --full
//   simdbloom advise --keys 1000000 --work 50
//
// A probe of a filter costs its lookup, and the work that a wrong "maybe" lets through (Lang et al.
// 2019, "rho"); a key costs its insert:
//
//   total = keys * insert + probes * (lookup(hits) + (1 - hits) * FPR * work)
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "simdbloom/calibration.hpp"
#include "simdbloom/export.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

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

struct Advice {
    /// A filter, or none.
    struct Choice {
        std::string spec;         ///< as make_filter() takes it; empty: no filter
        double bits_per_key = 0;  ///< as make_filter() takes it; of "fuse:f=8": what it takes
        Isa isa{};
        std::uint64_t bytes = 0;
        double fpr = 1;  ///< by the exact model; of growing filters: for n_keys keys
        double insert_ns = 0, lookup_ns = 0;
        double total_ns = 0;  ///< a probe, with its share of the inserts

        bool is_none() const noexcept { return spec.empty(); }
    };
    /// The best of each layout and structure that can do what is needed, and "no filter": the
    /// least total first.
    std::vector<Choice> ranking;
    /// Totals that differ by less than this share are equal as far as the calibration can tell.
    double noise = 0;
    std::size_t candidates = 0;  ///< how many were compared

    const Choice& best() const { return ranking.front(); }
    /// The choices that are as good as the best one, within noise; the best one is the first.
    std::vector<Choice> as_good() const;
    /// A few sentences: the best, what it gains, the runner-up, and what would change it.
    std::string why() const;
};

/// Compares every layout, k, number of bits and instruction set that the calibration has times
/// for. Takes about a millisecond. Throws std::invalid_argument that names the value for a workload
/// that makes no sense, for needs that no structure has together, and for a calibration without
/// times.
Advice advise(const Workload& workload, const Calibration& calibration);
/// With the calibration of this machine. Throws std::runtime_error if there is none.
Advice advise(const Workload& workload);

/// The lookup and insert times that a calibration predicts, in ns; for the spec of a filter whose
/// layout or structure was measured. Throws std::invalid_argument for another.
struct PredictedTimes {
    double absent, present, insert;
};
PredictedTimes predicted_times(const Calibration& calibration, std::string_view spec, Isa isa,
                               std::uint64_t bytes);

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
