// Whether asking a filter pays, decided from what it let pass.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simdbloom {

/// Watches the share of rows that pass a filter, stops the asking where it does not pay, and tries
/// again after a pause that doubles with every vain try. Beside the filter and not in it: each
/// thread has its own, no member may be called by two at once.
///
///     if (governor.should_probe(n)) {
///         passed = filter.select(..);
///         governor.record(n, passed);
///     } else {
///         take all n rows
///     }
class Governor {
public:
    struct Settings {
        /// Asking stops where this share of a sample passes, or more. 0.5 is what DuckDB and
        /// StarRocks take; see for_costs.
        double stop_at = 0.5;
        /// Rows of a sample (DuckDB: 6 vectors of 2048).
        std::uint64_t sample_rows = 12'288;
        /// Rows that are taken unasked after the first vain sample, and at most.
        std::uint64_t first_pause = 32'768, longest_pause = std::uint64_t{1} << 24;

        /// An asked row costs filter_ns, a row that passes work_ns further on: asking pays as long
        /// as filter_ns < (1 - passing) * work_ns, so stop_at = 1 - filter_ns / work_ns, at least
        /// 0. Throws std::invalid_argument for costs that are not positive and finite.
        static Settings for_costs(double filter_ns, double work_ns);
    };

    Governor() noexcept : Governor(Settings{}) {}
    /// Throws std::invalid_argument for a stop_at outside [0, 1] (1: stops only where all pass), a
    /// sample or a pause of 0 rows, and a longest pause that is shorter than the first.
    explicit Governor(const Settings& settings);

    /// Whether to ask the filter about the next `rows` rows.
    bool should_probe(std::uint64_t rows) noexcept {
        if (paused_ == 0) return true;
        paused_ = rows < paused_ ? paused_ - rows : 0;
        skipped_ += rows;
        return false;
    }
    /// What came of asking about `rows` rows.
    void record(std::uint64_t rows, std::uint64_t passed) noexcept {
        rows_ += rows;
        passed_ += passed;
        if (rows_ >= settings_.sample_rows) judge();
    }

    bool paused() const noexcept { return paused_ != 0; }
    /// Share of the last whole sample that passed; 0 before the first.
    double pass_rate() const noexcept { return pass_rate_; }
    /// Rows that were not asked about so far.
    std::uint64_t skipped() const noexcept { return skipped_; }
    const Settings& settings() const noexcept { return settings_; }

private:
    void judge() noexcept;

    Settings settings_;
    std::uint64_t rows_ = 0, passed_ = 0;   // of the sample that is being taken
    std::uint64_t paused_ = 0, pause_ = 0;  // rows left of this pause; length of the last one
    std::uint64_t skipped_ = 0;
    double pass_rate_ = 0;
};

}  // namespace simdbloom
