// Whether probing a filter pays, decided by what it let pass.
#pragma once

#include <cstdint>

#include "simdbloom/export.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// Watches the share of rows that pass a filter, and pauses probing while that does not pay. Each
/// vain try after a pause doubles the pause. Not thread-safe: each thread has its own.
///
///     if (governor.should_probe(n)) {
///         passed = filter.select(..);
///         governor.record(n, passed);
///     } else {
///         take all n rows
///     }
class Governor {
public:
    /// When to pause, and for how long.
    struct Settings {
        /// Probing pauses if at least this share of a sample passes. DuckDB and StarRocks use 0.5.
        double stop_at = 0.5;
        std::uint64_t sample_rows = 12'288;  ///< of a sample. DuckDB uses 6 vectors of 2048 rows
        std::uint64_t first_pause = 32'768;  ///< the rows of the first pause
        std::uint64_t longest_pause = std::uint64_t{1} << 24;  ///< the most rows of a pause

        /// For known costs: filter_ns of a probe, work_ns further on of a row that passes. Probing
        /// pays while filter_ns < (1 - passing) * work_ns, so stop_at is 1 - filter_ns / work_ns,
        /// at least 0. Throws std::invalid_argument for costs that are not positive and finite.
        static Settings for_costs(double filter_ns, double work_ns);
    };

    Governor() noexcept : Governor(Settings{}) {}  ///< with the default settings
    /// Throws std::invalid_argument for a stop_at outside [0, 1], a sample or a pause of 0 rows,
    /// and a longest pause that is shorter than the first.
    explicit Governor(const Settings& settings);

    /// Whether to probe the filter with the next `rows` rows.
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
