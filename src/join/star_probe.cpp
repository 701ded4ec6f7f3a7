// Which filters of a star join are probed, and in which order.
#include <cmath>
#include <numeric>

#include "simdbloom/detail/batch.hpp"
#include "simdbloom/detail/errors.hpp"
#include "simdbloom/join/join.hpp"

namespace simdbloom {

Governor::Settings Governor::Settings::for_costs(double filter_ns, double work_ns) {
    for (const double cost : {filter_ns, work_ns})
        if (!(cost > 0) || !std::isfinite(cost))
            throw detail::argument_error("a row cannot cost ", cost, " ns");
    Settings settings;
    settings.stop_at = std::max(0.0, 1 - filter_ns / work_ns);
    return settings;
}

Governor::Governor(const Settings& settings) : settings_(settings) {
    if (!(settings.stop_at >= 0 && settings.stop_at <= 1))
        throw detail::argument_error("probing cannot stop at a share of ", settings.stop_at);
    if (settings.sample_rows == 0) throw detail::argument_error("a sample of 0 rows");
    if (settings.first_pause == 0 || settings.longest_pause < settings.first_pause)
        throw detail::argument_error("pauses from ", settings.first_pause, " to ",
                                     settings.longest_pause, " rows");
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

StarProbe::StarProbe(std::vector<JoinFilter> filters, std::optional<Governor::Settings> settings)
    : order_(std::vector<std::size_t>(filters.size())) {
    for (auto& filter : filters)
        arms_.push_back(
            {std::move(filter), settings ? std::optional<Governor>(*settings) : std::nullopt});
    std::iota(order_.begin(), order_.end(), std::size_t{0});
}

std::size_t StarProbe::select(std::span<const JoinColumn> columns, std::span<std::uint32_t> out) {
    if (columns.size() != arms_.size() || columns.empty())
        throw detail::argument_error(columns.size(), " columns for ", arms_.size(), " filters");
    const std::size_t n = columns[0].size();
    for (const auto& column : columns)
        if (column.size() != n)
            throw detail::argument_error("a column of ", column.size(), " rows beside one of ", n);
    detail::check_positions(n, out.size());

    static const JoinFilter everything = JoinFilter::accept_all();
    std::size_t left = n;
    bool first = true;
    for (const std::size_t i : order_) {
        Arm& arm = arms_[i];
        const bool ask = !arm.governor || arm.governor->should_probe(left);
        if (!ask) arm.counters.skip(left);
        // If a filter is not probed, only the NULLs of its column are removed.
        if (!ask && !first && columns[i].valid == nullptr) continue;
        const JoinFilter& filter = ask ? arm.filter : everything;
        const std::size_t before = left;
        left = first ? filter.select(columns[i], out)
                     : filter.select(columns[i], out.first(before), out);
        first = false;
        if (!ask) continue;
        if (arm.governor) arm.governor->record(before, left);
        arm.counters.record(before, left);
        // Of 16 equal batches the last weighs three times as much as the first.
        constexpr double keep = 15.0 / 16;
        arm.seen = keep * arm.seen + static_cast<double>(before);
        arm.passed = keep * arm.passed + static_cast<double>(left);
    }
    // Insertion sort: there are a few filters, nearly in order. std::stable_sort would allocate
    // memory.
    for (std::size_t i = 1; i < order_.size(); ++i)
        for (std::size_t j = i; j > 0 && pass_rate(order_[j]) < pass_rate(order_[j - 1]); --j)
            std::swap(order_[j], order_[j - 1]);
    return left;
}

}  // namespace simdbloom
