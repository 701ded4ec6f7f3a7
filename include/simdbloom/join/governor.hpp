// Whether asking a filter pays, decided by what it let pass.
#pragma once

#include <cstdint>

#include "simdbloom/export.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// Watches the share of rows that pass a filter and stops the asking where it does not pay. After a
/// pause it tries again; each vain try doubles the pause.
///
/// A governor stands beside a filter and is not part of it: each thread has its own, and no two
/// threads may call members of one governor at the same time.
///
///     if (governor.should_probe(n)) {
///         passed = filter.select(..);
///         governor.record(n, passed);
///     } else {
///         take all n rows
///     }
class Governor {
public:
    /// When to stop asking, and for how long.
    struct Settings {
        /// Asking stops where this share of a sample passes, or more. DuckDB and StarRocks take
        /// 0.5; see for_costs.
        double stop_at = 0.5;
        /// The rows of a sample. DuckDB takes 6 vectors of 2048 rows.
        std::uint64_t sample_rows = 12'288;
        /// The rows that are taken without asking the filter after the first vain sample.
        std::uint64_t first_pause = 32'768;
        std::uint64_t longest_pause = std::uint64_t{1} << 24;  ///< the most rows of a pause

        /// Settings for known costs. Asking about a row costs filter_ns, and a row that passes
        /// costs work_ns further on. Asking pays as long as filter_ns < (1 - passing) * work_ns, so
        /// stop_at is 1 - filter_ns / work_ns, at least 0. Throws std::invalid_argument for costs
        /// that are not positive and finite.
        static Settings for_costs(double filter_ns, double work_ns);
    };

    Governor() noexcept : Governor(Settings{}) {}  ///< with the default settings
    /// Throws std::invalid_argument for a stop_at outside [0, 1], for a sample or a pause of 0
    /// rows, and for a longest pause that is shorter than the first. With a stop_at of 1, asking
    /// stops only where all rows pass.
    explicit Governor(const Settings& settings);

    /// Whether to ask the filter about the next `rows` rows.
    bool should_probe(std::uint64_t rows) noexcept {
        if (paused_ == 0) return true;
        paused_ = rows < paused_ ? paused_ - rows : 0;
        skipped_ += rows;
        return false;
    }
    /// Tells the governor that `passed` of `rows` rows passed the filter.
    void record(std::uint64_t rows, std::uint64_t passed) noexcept {
        rows_ += rows;
        passed_ += passed;
        if (rows_ >= settings_.sample_rows) judge();
    }

    /// Whether the asking is stopped at present.
    bool paused() const noexcept { return paused_ != 0; }
    /// The share of the last whole sample that passed; 0 before the first.
    double pass_rate() const noexcept { return pass_rate_; }
    /// The number of rows so far about which the filter was not asked.
    std::uint64_t skipped() const noexcept { return skipped_; }
    const Settings& settings() const noexcept { return settings_; }  ///< as they were given

private:
    void judge() noexcept;

    Settings settings_;
    std::uint64_t rows_ = 0, passed_ = 0;   // of the sample that is being taken
    std::uint64_t paused_ = 0, pause_ = 0;  // rows left of this pause; length of the last one
    std::uint64_t skipped_ = 0;
    double pass_rate_ = 0;
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
