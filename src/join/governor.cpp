#include "simdbloom/join/governor.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace simdbloom {

Governor::Settings Governor::Settings::for_costs(double filter_ns, double work_ns) {
    for (const double cost : {filter_ns, work_ns})
        if (!(cost > 0) || !std::isfinite(cost))
            throw std::invalid_argument("simdbloom: a row cannot cost " + std::to_string(cost) +
                                        " ns");
    Settings settings;
    settings.stop_at = std::max(0.0, 1 - filter_ns / work_ns);
    return settings;
}

Governor::Governor(const Settings& settings) : settings_(settings) {
    if (!(settings.stop_at >= 0 && settings.stop_at <= 1))
        throw std::invalid_argument("simdbloom: probing cannot stop at a share of " +
                                    std::to_string(settings.stop_at));
    if (settings.sample_rows == 0) throw std::invalid_argument("simdbloom: a sample of 0 rows");
    if (settings.first_pause == 0 || settings.longest_pause < settings.first_pause)
        throw std::invalid_argument("simdbloom: pauses from " +
                                    std::to_string(settings.first_pause) + " to " +
                                    std::to_string(settings.longest_pause) + " rows");
}

void Governor::judge() noexcept {
    pass_rate_ = static_cast<double>(passed_) / static_cast<double>(rows_);
    rows_ = passed_ = 0;
    if (pass_rate_ < settings_.stop_at) {
        pause_ = 0;
        return;
    }
    // Capped without overflow: the longest pause may be near the largest integer.
    pause_ = pause_ == 0                            ? settings_.first_pause
             : pause_ < settings_.longest_pause / 2 ? 2 * pause_
                                                    : settings_.longest_pause;
    paused_ = pause_;
}

}  // namespace simdbloom
