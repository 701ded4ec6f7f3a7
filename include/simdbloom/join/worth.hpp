// What a filter saves: predicted, and counted.
#pragma once

#include "simdbloom/advice/advice.hpp"
#include "simdbloom/any/any_filter.hpp"
#include "simdbloom/fpr.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// What probing a filter costs and saves.
struct Worth {
    std::uint64_t bytes = 0;  ///< of the filter
    double fpr = 1;           ///< by the bits that are set
    double asking_ns = 0;     ///< ns of a probe, in batches of 2,048 absent keys
    double gain_ns = 0;       ///< ns saved a row: (1 - hits) (1 - fpr) work_ns - asking_ns

    bool pays() const noexcept { return gain_ns > 0; }  ///< whether to probe the filter
};

/// Probes the filter for some milliseconds. Reads work_ns and hits of `workload`. Throws
/// std::invalid_argument for a workload that makes no sense, as advise() does.
Worth worth(const AnyFilter& filter, const Workload& workload);

/// What became of the rows that one thread took through a filter. The counters of several threads
/// are added up.
struct JoinCounters {
    std::uint64_t asked = 0;          ///< rows that probed the filter
    std::uint64_t passed = 0;         ///< those of them that passed
    std::uint64_t skipped = 0;        ///< rows taken without a probe
    std::uint64_t absent = 0;         ///< rows without a partner, of batches whose join is known
    std::uint64_t passed_absent = 0;  ///< those of them that passed

    /// A batch: `passed_rows` of `rows` passed.
    void record(std::uint64_t rows, std::uint64_t passed_rows) noexcept {
        asked += rows;
        passed += passed_rows;
    }
    /// A batch whose join is known: `joined` rows have a partner. A filter loses none of them.
    void record(std::uint64_t rows, std::uint64_t passed_rows, std::uint64_t joined) noexcept {
        record(rows, passed_rows);
        absent += rows - joined;
        passed_absent += passed_rows - joined;
    }
    void skip(std::uint64_t rows) noexcept { skipped += rows; }  ///< rows taken without a probe

    /// The share of the probing rows that passed; 1 before the first.
    double pass_rate() const noexcept {
        return asked > 0 ? static_cast<double>(passed) / static_cast<double>(asked) : 1;
    }
    /// The FPR; nothing before the first row without a partner. Its interval is
    /// fpr::wilson(passed_absent, absent, 1.96).
    std::optional<double> measured_fpr() const noexcept {
        if (absent == 0) return std::nullopt;
        return static_cast<double>(passed_absent) / static_cast<double>(absent);
    }
    /// The ns saved so far, negative for a loss, if a probe costs asking_ns and a row that passes
    /// work_ns further on.
    double saved_ns(double work_ns, double asking_ns) const noexcept {
        return static_cast<double>(asked - passed) * work_ns -
               static_cast<double>(asked) * asking_ns;
    }

    /// Adds the counters of another thread.
    JoinCounters& operator+=(const JoinCounters& other) noexcept {
        record(other.asked, other.passed);
        skip(other.skipped);
        absent += other.absent;
        passed_absent += other.passed_absent;
        return *this;
    }
    friend bool operator==(const JoinCounters&, const JoinCounters&) = default;  ///< all of them
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
