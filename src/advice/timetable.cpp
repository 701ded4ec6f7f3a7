#include "advice/timetable.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/dispatch/tuning.hpp"

namespace simdbloom::detail {

TimedSpec TimedSpec::of(const Layout& layout) noexcept {
    return {static_cast<std::size_t>(layout.kind), layout.groups, layout.k};
}

TimedSpec TimedSpec::parse(std::string_view spec) {
    if (spec.starts_with("fuse")) return {static_cast<std::size_t>(Tuned::fuse)};
    if (spec.starts_with("growing")) return {static_cast<std::size_t>(Tuned::growing)};
    return of(Layout::parse(spec));
}

void TimeCurve::add(const Calibration::Time& t) {
    const double x = std::log(static_cast<double>(t.bytes));
    lookups_.push_back({x, t.absent, t.present});
    if (t.insert > 0) inserts_.push_back({x, t.insert, t.insert});
}

void TimeCurve::sort() {
    std::ranges::sort(lookups_, {}, &Point::x);
    std::ranges::sort(inserts_, {}, &Point::x);
}

PredictedTimes TimeCurve::at(double bytes) const {
    const double x = std::log(bytes);
    return {between(lookups_, x, &Point::a), between(lookups_, x, &Point::b),
            inserts_.empty() ? 0 : between(inserts_, x, &Point::a)};
}

double TimeCurve::between(const std::vector<Point>& points, double x, double Point::*y) {
    const auto after = std::ranges::lower_bound(points, x, {}, &Point::x);
    if (after == points.begin()) return points.front().*y;
    if (after == points.end()) return points.back().*y;
    const Point &p = *(after - 1), &q = *after;
    if (!(p.*y > 0 && q.*y > 0)) return std::max(p.*y, q.*y);
    const double share = (x - p.x) / (q.x - p.x);
    return std::exp(std::log(p.*y) + share * (std::log(q.*y) - std::log(p.*y)));
}

PredictedTimes Timetable::Row::at(unsigned k, double bytes) const {
    const auto above = by_k.lower_bound(k);
    if (above == by_k.begin() || (above != by_k.end() && above->first == k))
        return above->second.at(bytes);
    const auto below = std::prev(above);
    const PredictedTimes a = below->second.at(bytes);
    const double from = below->first;
    if (above == by_k.end())
        return {a.absent * k / from, a.present * k / from, a.insert * k / from};
    const PredictedTimes b = above->second.at(bytes);
    const double share = (k - from) / (above->first - from);
    return {std::lerp(a.absent, b.absent, share), std::lerp(a.present, b.present, share),
            std::lerp(a.insert, b.insert, share)};
}

Timetable::Timetable(const Calibration& calibration)
    : machine_(calibration.machine), noise_(calibration.noise) {
    for (const auto& t : calibration.times) {
        const TimedSpec spec = TimedSpec::parse(t.spec);
        auto& rows = rows_[{spec.tuned, spec.groups}];
        auto row = std::ranges::find(rows, t.isa, &Row::isa);
        if (row == rows.end()) row = rows.insert(row, Row{t.isa, {}});
        row->by_k[spec.k].add(t);
    }
    for (auto& [key, rows] : rows_) {
        std::ranges::sort(rows, {}, &Row::isa);
        for (Row& row : rows)
            for (auto& [k, curve] : row.by_k) curve.sort();
    }
}

std::span<const Timetable::Row> Timetable::of(const TimedSpec& spec) const noexcept {
    const auto found = rows_.find({spec.tuned, spec.groups});
    if (found == rows_.end()) return {};
    return found->second;
}

// To read the file takes 0.2 ms, to ask which one it is 2 us: a filter of a few thousand keys is
// built in less than the former.
std::shared_ptr<const Timetable> Timetable::of_this_machine() noexcept {
    using Identity = std::array<std::int64_t, 5>;
    static std::mutex mutex;
    static Identity last{};
    static std::shared_ptr<const Timetable> table;
    try {
        const std::filesystem::path path = Calibration::default_path();
        struct stat file {};
        if (path.empty() || ::stat(path.c_str(), &file) != 0) return nullptr;
        const Identity now{static_cast<std::int64_t>(file.st_dev),
                           static_cast<std::int64_t>(file.st_ino), file.st_size,
                           file.st_mtim.tv_sec, file.st_mtim.tv_nsec};
        {
            const std::lock_guard lock(mutex);
            if (now == last) return table;
        }
        std::shared_ptr<const Timetable> read;
        if (auto calibration = Calibration::load(path); calibration && !calibration->times.empty())
            read = std::make_shared<const Timetable>(*calibration);
        const std::lock_guard lock(mutex);
        last = now;
        return table = std::move(read);
    } catch (...) {  // no memory
        return nullptr;
    }
}

PredictedTimes predicted_times(const Timetable& times, std::string_view spec, Isa isa,
                               std::uint64_t bytes) {
    const TimedSpec of = TimedSpec::parse(spec);
    const auto rows = times.of(of);
    const auto row = std::ranges::find(rows, isa, &Timetable::Row::isa);
    if (row == rows.end())
        throw std::invalid_argument("simdbloom: the calibration has no times of " +
                                    std::string(spec) + " with " + std::string(to_string(isa)));
    return row->at(of.k, static_cast<double>(bytes));
}

}  // namespace simdbloom::detail
