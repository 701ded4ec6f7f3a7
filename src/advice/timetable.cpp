#include "advice/timetable.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <string>

namespace simdbloom {
namespace detail {
namespace {

constexpr std::string_view specs[] = {
    "classic:k=8", "register32:k=4", "register64:k=5", "split256", "sector512", "zoned512:z=2,k=8",
    "blocked512:k=8", "cuckoo8", "cuckoo12", "cuckoo16", "counting:k=8", "counting512:k=8",
    "dleft12", "dleft14", "dleft16", "split512", "fuse:f=8", "growing16",
    // more of the same
    "classic:k=4", "classic:k=16", "register32:k=2", "register32:k=8", "register64:k=2",
    "register64:k=8", "zoned512:z=2,k=4", "zoned512:z=4,k=4", "zoned512:z=4,k=8", "blocked512:k=4",
    "blocked512:k=14", "counting:k=4", "counting512:k=4"};

}  // namespace

std::span<const std::string_view> timed_specs() noexcept { return specs; }

TimedSpec TimedSpec::of(const Layout& layout) noexcept {
    return {static_cast<Timed>(layout.kind), layout.zones, layout.k};
}

TimedSpec TimedSpec::parse(std::string_view spec) {
    if (spec.starts_with("fuse")) return {Timed::fuse};
    if (spec.starts_with("growing")) return {Timed::growing};
    return of(Layout::parse(spec));
}

void TimeCurve::add(const Time& t) {
    const double x = std::log(static_cast<double>(t.bytes));
    if (t.absent > 0) lookups_.push_back({x, t.absent, t.present});
    if (t.insert > 0) inserts_.push_back({x, t.insert, t.insert});
}

void TimeCurve::sort() {
    std::ranges::sort(lookups_, {}, &Point::x);
    std::ranges::sort(inserts_, {}, &Point::x);
}

PredictedTimes TimeCurve::at(double bytes) const {
    const double x = std::log(bytes);
    return {between(lookups_, x, &Point::a), between(lookups_, x, &Point::b),
            between(inserts_, x, &Point::a)};
}

double TimeCurve::between(const std::vector<Point>& points, double x, double Point::*y) {
    if (points.empty()) return 0;
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

Timetable::Timetable(std::span<const Time> times, double noise, const Caches& caches)
    : noise_(noise), caches_(caches) {
    for (const Time& t : times) {
        const TimedSpec spec = TimedSpec::parse(t.spec);
        auto& rows = rows_[{spec.what, spec.zones}];
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
    const auto found = rows_.find({spec.what, spec.zones});
    if (found == rows_.end()) return {};
    return found->second;
}

}  // namespace detail

double FilterTimes::noise() const noexcept { return table_->noise(); }

PredictedTimes predicted_times(const FilterTimes& times, std::string_view spec, Isa isa,
                               std::uint64_t bytes) {
    const detail::TimedSpec of = detail::TimedSpec::parse(spec);
    const auto rows = times.table().of(of);
    const auto row = std::ranges::find(rows, isa, &detail::Timetable::Row::isa);
    if (row == rows.end())
        throw std::invalid_argument("simdbloom: there are no times of " + std::string(spec) +
                                    " with " + std::string(to_string(isa)));
    return row->at(of.k, static_cast<double>(bytes));
}

}  // namespace simdbloom
