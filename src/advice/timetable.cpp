#include "advice/timetable.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "simdbloom/detail/errors.hpp"
#include "simdbloom/detail/geometry.hpp"

namespace simdbloom {
namespace detail {
namespace {

/// The specs of a layout without k: one for each z.
std::vector<Layout> open_layouts(const LayoutTraits& traits) {
    if (traits.zones != 0) return {{traits.kind, 0, 0}};
    return {{traits.kind, 0, 2}, {traits.kind, 0, 4}};
}

/// With the best k at so many bits a key, or so many counters.
std::string spec_at(const Layout& layout, double cells_per_key) {
    const LayoutTraits& traits = layout.traits();
    if (traits.fixed_k()) return std::string(traits.name);
    return size_for_bits(layout, 1 << 20, cells_per_key * traits.cell_bits(), {}).layout.spec();
}

std::vector<std::string> make_specs() {
    std::vector<std::string> specs;
    for (const LayoutTraits& traits : layout_traits)
        specs.push_back(spec_at(open_layouts(traits).front(), 12));
    specs.insert(specs.end(), {"fuse:f=8", "growing16"});
    for (const LayoutTraits& traits : layout_traits)
        for (const Layout& layout : open_layouts(traits))
            for (const double cells_per_key : {6, 12, 24}) {
                std::string spec = spec_at(layout, cells_per_key);
                if (std::ranges::count(specs, spec) == 0) specs.push_back(std::move(spec));
            }
    return specs;
}

}  // namespace

std::span<const std::string> timed_specs() {
    static const std::vector<std::string> specs = make_specs();
    return specs;
}

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
    if (t.absent > 0) absent_.emplace_back(x, t.absent), present_.emplace_back(x, t.present);
    if (t.insert > 0) insert_.emplace_back(x, t.insert);
}

void TimeCurve::sort() {
    for (auto* points : {&absent_, &present_, &insert_}) std::ranges::sort(*points);
}

PredictedTimes TimeCurve::at(double bytes) const {
    const auto ns = [x = std::log(bytes)](const auto& points) {
        if (points.empty()) return 0.0;
        const auto after = std::ranges::lower_bound(points, x, {}, [](auto p) { return p.first; });
        if (after == points.begin()) return points.front().second;
        if (after == points.end()) return points.back().second;
        const auto [low, before] = *(after - 1);
        const auto [high, behind] = *after;
        if (!(before > 0 && behind > 0)) return std::max(before, behind);
        return std::exp(std::lerp(std::log(before), std::log(behind), (x - low) / (high - low)));
    };
    return {ns(absent_), ns(present_), ns(insert_)};
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
        throw detail::argument_error("there are no times of ", spec, " with ", to_string(isa));
    return row->at(of.k, static_cast<double>(bytes));
}

}  // namespace simdbloom
