// What a filter is worth to those who ask it: predicted, and counted.
#pragma once

#include "simdbloom/advice/advice.hpp"
#include "simdbloom/any/any_filter.hpp"
#include "simdbloom/fpr.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// What asking a filter about a row gives and takes.
struct Worth {
    std::uint64_t bytes = 0;  ///< of the filter
    /// The share of the rows without a partner that pass, by the bits that are set.
    double fpr = 1;
    /// ns that asking about a row takes, in batches of 2,048 rows that are not in the filter.
    double asking_ns = 0;
    /// ns a row that the filter saves: (1 - hits) (1 - fpr) work_ns - asking_ns.
    double gain_ns = 0;

    /// Whether the filter should be asked.
    bool pays() const noexcept { return gain_ns > 0; }
};

/// Asks the filter for some milliseconds. Of `workload` work_ns and hits are read. Throws
/// std::invalid_argument for a workload that makes no sense, as advise() does.
Worth worth(const AnyFilter& filter, const Workload& workload);

/// What became of the rows that one thread took through a filter. The counters of several threads
/// are added up.
struct JoinCounters {
    std::uint64_t asked = 0;          ///< rows about which the filter was asked
    std::uint64_t passed = 0;         ///< those of them that passed
    std::uint64_t skipped = 0;        ///< rows that were taken without asking
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
    void skip(std::uint64_t rows) noexcept { skipped += rows; }  ///< taken without asking

    /// The share of the rows asked about that passed; 1 before the first.
    double pass_rate() const noexcept {
        return asked > 0 ? static_cast<double>(passed) / static_cast<double>(asked) : 1;
    }
    /// The FPR of the rows that were asked about: nothing before the first row without a partner.
    /// fpr::wilson(passed_absent, absent, 1.96) has its interval.
    std::optional<double> measured_fpr() const noexcept {
        if (absent == 0) return std::nullopt;
        return static_cast<double>(passed_absent) / static_cast<double>(absent);
    }
    /// ns that the filter has saved if a row that passes costs work_ns further on and asking about
    /// a row asking_ns. Negative where it lost.
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
