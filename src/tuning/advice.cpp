#include "simdbloom/advice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <utility>

#include "growing/growing_table.hpp"
#include "kernels/growing_layout.hpp"
#include "layouts/number.hpp"
#include "simdbloom/bloomier.hpp"
#include "simdbloom/detail/geometry.hpp"
#include "simdbloom/fpr.hpp"
#include "tuning/tuning.hpp"

namespace simdbloom {
namespace {

using detail::number;
using detail::Tuned;

constexpr double growing_load = 0.95;

/// A spec as far as its times depend on it: the layout or structure, and its parameters.
struct TimedSpec {
    std::size_t tuned;
    unsigned groups = 0, k = 0;
};

TimedSpec timed_spec(std::string_view spec) {
    if (spec.starts_with("fuse")) return {static_cast<std::size_t>(Tuned::fuse)};
    if (spec.starts_with("growing")) return {static_cast<std::size_t>(Tuned::growing)};
    const Layout layout = Layout::parse(spec);
    return {static_cast<std::size_t>(layout.kind), layout.groups, layout.k};
}

struct Times {
    double absent = 0, present = 0, insert = 0;
};

/// Times by size, between which straight lines are drawn in logarithms; beyond the last ones the
/// times stay as they are.
class Curve {
public:
    void add(double bytes, const Times& t) {
        lookups_.push_back({std::log(bytes), t.absent, t.present});
        if (t.insert > 0) inserts_.push_back({std::log(bytes), t.insert, t.insert});
    }
    void sort() {
        std::ranges::sort(lookups_, {}, &Point::x);
        std::ranges::sort(inserts_, {}, &Point::x);
    }
    Times at(double bytes) const {
        const double x = std::log(bytes);
        return {between(lookups_, x, &Point::a), between(lookups_, x, &Point::b),
                inserts_.empty() ? 0 : between(inserts_, x, &Point::a)};
    }

private:
    struct Point {
        double x, a, b;
    };
    static double between(const std::vector<Point>& points, double x, double Point::*y) {
        const auto after = std::ranges::lower_bound(points, x, {}, &Point::x);
        if (after == points.begin()) return points.front().*y;
        if (after == points.end()) return points.back().*y;
        const Point &p = *(after - 1), &q = *after;
        if (!(p.*y > 0 && q.*y > 0)) return std::max(p.*y, q.*y);
        const double share = (x - p.x) / (q.x - p.x);
        return std::exp(std::log(p.*y) + share * (std::log(q.*y) - std::log(p.*y)));
    }
    std::vector<Point> lookups_, inserts_;
};

/// What a calibration says about times.
class Clockwork {
public:
    explicit Clockwork(const Calibration& calibration) {
        for (const auto& t : calibration.times) {
            const TimedSpec of = timed_spec(t.spec);
            curves_[{t.isa, of.tuned, of.groups}][of.k].add(static_cast<double>(t.bytes),
                                                            {t.absent, t.present, t.insert});
        }
        for (auto& [key, by_k] : curves_)
            for (auto& [k, curve] : by_k) curve.sort();
    }

    /// The instruction sets that have times for it.
    std::vector<Isa> isas(const TimedSpec& of) const {
        std::vector<Isa> found;
        for (const auto& [key, by_k] : curves_)
            if (key.tuned == of.tuned && key.groups == of.groups) found.push_back(key.isa);
        return found;
    }
    /// Between the k that were measured, a time is a straight line over k. Below them it is that of
    /// the least, and above them it rises as k does.
    Times at(const TimedSpec& of, Isa isa, double bytes) const {
        const auto& by_k = curves_.at({isa, of.tuned, of.groups});
        const auto above = by_k.lower_bound(of.k);
        if (above == by_k.begin() || (above != by_k.end() && above->first == of.k))
            return above->second.at(bytes);
        const auto below = std::prev(above);
        const Times a = below->second.at(bytes);
        const double k = of.k, from = below->first;
        if (above == by_k.end())
            return {a.absent * k / from, a.present * k / from, a.insert * k / from};
        const Times b = above->second.at(bytes);
        const double share = (k - from) / (above->first - from);
        return {std::lerp(a.absent, b.absent, share), std::lerp(a.present, b.present, share),
                std::lerp(a.insert, b.insert, share)};
    }

private:
    struct Key {
        Isa isa;
        std::size_t tuned;
        unsigned groups;
        auto operator<=>(const Key&) const = default;
    };
    std::map<Key, std::map<unsigned, Curve>> curves_;
};

/// The size at which a filter alone would have as many of its lines in each cache as it has beside
/// a table, a random line of which each passing probe touches (Che's approximation: a cache keeps
/// what was touched in the last T probes).
double size_beside(double bytes, double table, double passing, const Calibration::Machine& m) {
    if (table <= 0 || passing <= 0) return bytes;
    double grown = 1;
    for (const std::uint64_t cache : {m.l2, m.l3}) {
        const auto room = static_cast<double>(cache);
        if (room <= 0 || bytes + table <= room) continue;
        const auto kept = [&](double t) { return -std::expm1(-t * 64 / bytes); };
        const auto taken = [&](double t) {
            return bytes * kept(t) - table * std::expm1(-t * 64 * passing / table);
        };
        double low = 0, high = 1;
        while (taken(high) < room && high < 1e18) high *= 2;
        for (int i = 0; i < 60; ++i)
            (taken((low + high) / 2) < room ? low : high) = (low + high) / 2;
        grown = std::max(grown, std::min(1.0, room / bytes) / kept(low));
    }
    return bytes * grown;
}

class Adviser {
public:
    Adviser(const Workload& workload, const Calibration& calibration)
        : w_(workload), calibration_(calibration), clockwork_(calibration) {}

    Advice advice() {
        advice_.noise = std::max(calibration_.noise, 0.01);
        for (double bits = w_.max_bits_per_key; bits >= 2; bits /= 1.0905) bits_.push_back(bits);
        for (const auto& traits : detail::layout_traits)
            if (can(traits)) add_layout(traits.kind);
        if (w_.all_at_once && !w_.erase && !w_.grow && !w_.merge) add_fuse();
        if (!w_.merge) add_growing();
        if (best_.empty() && advice_.candidates == 0)
            throw std::invalid_argument(
                "simdbloom: no structure can " + needs() + " in " + number(w_.max_bits_per_key) +
                " bits per key" +
                (w_.max_bytes != 0 ? " and " + std::to_string(w_.max_bytes) + " bytes" : ""));
        for (const auto& [tuned, best] : best_) advice_.ranking.push_back(best.second);
        Advice::Choice none;
        none.total_ns = (1 - w_.hits) * w_.work_ns;
        advice_.ranking.push_back(none);
        std::ranges::stable_sort(advice_.ranking, {}, &Advice::Choice::total_ns);
        return std::move(advice_);
    }

private:
    std::string needs() const {
        std::string text;
        for (const auto& [needed, name] :
             {std::pair{w_.erase, "erase"}, {w_.grow, "grow"}, {w_.merge, "be united"}})
            if (needed) text += std::string(text.empty() ? "" : " and ") + name;
        return text.empty() ? "be made" : text;
    }
    bool can(const detail::LayoutTraits& t) const {
        const bool counts = t.family == detail::Family::counting;
        if (w_.erase && !counts && !t.is_table()) return false;
        if (w_.merge && t.is_table()) return false;
        return !w_.grow;
    }
    void add_layout(LayoutKind kind) {
        Layout layout{.kind = kind};
        std::vector<double> bits = bits_;
        if (layout.is_table()) bits.push_back(layout.least_bits_per_key() * 1.0005);
        const bool zoned = layout.traits().zones == 0;
        for (const unsigned groups : zoned ? std::vector<unsigned>{2, 4} : std::vector{0u}) {
            layout.groups = groups;
            const auto [least, most, step] = layout.k_range();
            for (unsigned k = least; k <= most; k += std::max(step, 1u)) {
                layout.k = k;
                for (const double b : bits)
                    if (b <= w_.max_bits_per_key && b >= layout.least_bits_per_key())
                        add_size(layout, b);
                if (layout.is_table()) break;
            }
        }
    }
    /// Whether so many bits in blocks of that size are few enough to be addressed.
    bool fits(double bits, unsigned block_bits) const {
        return bits * static_cast<double>(w_.n_keys) / block_bits < 0x1p32 - 2;
    }
    void add_size(const Layout& layout, double bits) {
        if (!fits(bits, layout.block_bits())) return;
        const detail::Geometry g =
            detail::size_for_bits(layout, static_cast<std::size_t>(w_.n_keys), bits, {});
        const std::uint64_t bytes = g.blocks * (layout.block_bits() / 8);
        // A setting of k that is far from the best one is never taken.
        const double load =
            layout.is_table() ? 0
                              : static_cast<double>(layout.k) / bits * layout.traits().cell_bits();
        if (load > 1.4) return;
        add(layout.spec(), bits, bytes, static_cast<std::size_t>(layout.kind),
            [&] { return fpr::expected(layout, w_.n_keys, g.blocks); });
    }
    void add_fuse() {
        if (w_.n_keys > std::uint64_t{3} << 30) return;
        const std::uint64_t slots = BloomierMap::slots_for(w_.n_keys);
        for (unsigned f = 4; f <= 24; ++f) {
            const double bits = static_cast<double>(slots) * f / static_cast<double>(w_.n_keys);
            if (bits > w_.max_bits_per_key) break;
            add("fuse:f=" + std::to_string(f), bits, (slots * f + 7) / 8,
                static_cast<std::size_t>(Tuned::fuse), [&] { return fpr::bloomier(f); });
        }
    }
    void add_growing() {
        for (const unsigned slot_bits : {12u, 16u, 20u}) {
            const double bits = 1.0005 * slot_bits / growing_load;  // as make_filter takes it
            if (bits > w_.max_bits_per_key || !fits(bits, 4 * slot_bits)) break;
            const std::uint64_t buckets = detail::growing_roots_for(static_cast<std::size_t>(
                static_cast<double>(w_.n_keys) * bits * growing_load / slot_bits));
            const std::uint64_t bytes = buckets * slot_bits / 2;
            // A growing filter has a least size, of some thousand keys.
            const double has = 8 * static_cast<double>(bytes) / static_cast<double>(w_.n_keys);
            const double takes = has > 1.01 * bits ? has : bits;
            if (takes > w_.max_bits_per_key && !w_.grow) break;
            add("growing" + std::to_string(slot_bits), takes, bytes,
                static_cast<std::size_t>(Tuned::growing), [&] {
                    std::vector<std::uint64_t> slots(detail::growing_movable_bits(slot_bits) + 1,
                                                     0);
                    slots.back() = w_.n_keys;
                    return fpr::growing_cuckoo(detail::growing_core_bits(slot_bits), buckets, 0,
                                               slots);
                });
        }
    }

    template <class Fpr>
    void add(std::string spec, double bits, std::uint64_t size, std::size_t tuned,
             const Fpr& fpr_of) {
        Advice::Choice choice;
        choice.spec = std::move(spec);
        choice.bits_per_key = bits;
        choice.bytes = size;
        if (w_.max_bytes != 0 && choice.bytes > w_.max_bytes) return;
        const TimedSpec of = timed_spec(choice.spec);
        choice.fpr = -1;
        for (const Isa isa : clockwork_.isas(of)) {
            if (choice.fpr < 0) choice.fpr = fpr_of();
            ++advice_.candidates;
            const double passing = w_.hits + (1 - w_.hits) * choice.fpr;
            const double bytes =
                size_beside(static_cast<double>(choice.bytes), static_cast<double>(w_.table_bytes),
                            passing, calibration_.machine);
            Times t = clockwork_.at(of, isa, bytes);
            // The time to peel a graph depends on its keys, not on the bits of a slot.
            if (tuned == static_cast<std::size_t>(Tuned::fuse))
                t.insert =
                    clockwork_
                        .at(of, isa, static_cast<double>(w_.n_keys) * detail::tuned_fuse_bits / 8)
                        .insert;
            if (t.absent <= 0 || (t.insert <= 0 && std::isfinite(w_.probes))) continue;
            choice.isa = isa;
            choice.insert_ns = t.insert;
            choice.lookup_ns = t.absent + w_.hits * (t.present - t.absent);
            choice.total_ns = choice.lookup_ns + (1 - w_.hits) * choice.fpr * w_.work_ns;
            if (std::isfinite(w_.probes))
                choice.total_ns += static_cast<double>(w_.n_keys) / w_.probes * t.insert;
            // Another instruction set than the usual one has to gain more than noise.
            const double counts =
                choice.total_ns * (isa == usable_isas().back() ? 1 : 1 + advice_.noise);
            const auto [at, is_new] = best_.try_emplace(tuned, counts, choice);
            if (!is_new && counts < at->second.first) at->second = {counts, choice};
        }
    }

    const Workload& w_;
    const Calibration& calibration_;
    const Clockwork clockwork_;
    std::vector<double> bits_;
    // By layout or structure; the number is what is compared.
    std::map<std::size_t, std::pair<double, Advice::Choice>> best_;
    Advice advice_;
};

std::string ns(double value) {
    char text[40];
    std::snprintf(text, sizeof text, value < 9.95 ? "%.2f ns" : "%.0f ns", value);
    return text;
}
std::string named(const Advice::Choice& c) {
    if (c.is_none()) return "no filter";
    char bits[40];
    std::snprintf(bits, sizeof bits, " with %.1f bits a key", c.bits_per_key);
    return c.spec + bits;
}

}  // namespace

void detail::check_workload(const Workload& w) {
    const auto refuse = [](const char* name, const std::string& value, const char* what) {
        throw std::invalid_argument(std::string("simdbloom: ") + name + "=" + value + " " + what);
    };
    if (w.n_keys == 0) refuse("n_keys", "0", "needs no filter");
    if (w.n_keys > std::uint64_t{1} << 40)
        refuse("n_keys", std::to_string(w.n_keys), "is above 2^40");
    if (!(w.work_ns >= 0 && std::isfinite(w.work_ns)))
        refuse("work_ns", number(w.work_ns), "is no time in ns");
    if (!(w.probes > 0)) refuse("probes", number(w.probes), "is not positive");
    if (!(w.hits >= 0 && w.hits <= 1)) refuse("hits", number(w.hits), "is no share from 0 to 1");
    if (!(w.max_bits_per_key > 0 && w.max_bits_per_key <= 1000))
        refuse("max_bits_per_key", number(w.max_bits_per_key), "is not inside (0, 1000]");
}

std::vector<Advice::Choice> Advice::as_good() const {
    std::vector<Choice> found;
    for (const Choice& c : ranking)
        if (c.total_ns <= best().total_ns * (1 + noise)) found.push_back(c);
    return found;
}

std::string Advice::why() const {
    const Choice& first = best();
    const auto none = std::ranges::find_if(ranking, &Choice::is_none);
    std::string text = "Take " + named(first) + ": ";
    if (first.is_none()) {
        text += "a probe costs " + ns(first.total_ns) + " without a filter.";
    } else {
        char fpr[40];
        std::snprintf(fpr, sizeof fpr, "%.3g %%", 100 * first.fpr);
        text += "a lookup takes " + ns(first.lookup_ns) + ", and " + fpr +
                " of the absent keys pass. A probe costs " + ns(first.total_ns) + " in all, and " +
                ns(none->total_ns) + " without a filter.";
    }
    const std::size_t equal = as_good().size();
    if (equal > 1) {
        text += " As good within noise (" + number(std::round(1000 * noise) / 10) + " %):";
        for (std::size_t i = 1; i < equal; ++i) text += (i > 1 ? ", " : " ") + named(ranking[i]);
        text += ".";
    } else if (ranking.size() > 1) {
        char more[40];
        std::snprintf(more, sizeof more, "%.0f %%",
                      100 * (ranking[1].total_ns / first.total_ns - 1));
        text += " The runner-up, " + named(ranking[1]) + ", costs " + more + " more.";
    }
    return text;
}

Advice advise(const Workload& workload, const Calibration& calibration) {
    detail::check_workload(workload);
    if (calibration.times.empty())
        throw std::invalid_argument("simdbloom: the calibration has no times");
    return Adviser(workload, calibration).advice();
}

Advice advise(const Workload& workload) {
    const auto calibration = Calibration::of_this_machine();
    if (!calibration)
        throw std::runtime_error(
            "simdbloom: no calibration of this machine: run \"simdbloom calibrate --full\"");
    return advise(workload, *calibration);
}

PredictedTimes predicted_times(const Calibration& calibration, std::string_view spec, Isa isa,
                               std::uint64_t bytes) {
    const Clockwork clockwork(calibration);
    const TimedSpec of = timed_spec(spec);
    if (std::ranges::count(clockwork.isas(of), isa) == 0)
        throw std::invalid_argument("simdbloom: the calibration has no times of " +
                                    std::string(spec) + " with " + std::string(to_string(isa)));
    const Times t = clockwork.at(of, isa, static_cast<double>(bytes));
    return {t.absent, t.present, t.insert};
}

}  // namespace simdbloom
