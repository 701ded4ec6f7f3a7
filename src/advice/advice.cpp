#include "simdbloom/advice/advice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "advice/timetable.hpp"
#include "core/extension.hpp"
#include "growing/growing_table.hpp"
#include "growing/slots.hpp"
#include "simdbloom/detail/geometry.hpp"
#include "simdbloom/fixed/bloomier.hpp"
#include "simdbloom/fpr.hpp"

namespace simdbloom {
namespace {

using detail::number;
using detail::Timed;
using detail::TimedSpec;
using detail::Timetable;

constexpr double growing_load = 0.95;

/// Beside a table, each passing probe touches a random line of the table. This is the size of a
/// filter without a table that has as many lines in each cache (Che's approximation: a cache keeps
/// the lines of the last T probes).
double size_beside(double bytes, double table, double passing, const detail::Caches& caches) {
    if (table <= 0 || passing <= 0) return bytes;
    double grown = 1;
    for (const std::size_t cache : {caches.l2, caches.l3}) {
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
    Adviser(const Workload& workload, const Timetable& times) : w_(workload), times_(times) {}

    Advice advice() {
        advice_.noise = std::max(times_.noise(), 0.01);
        for (double bits = w_.max_bits_per_key; bits >= 2; bits /= 1.0905) bits_.push_back(bits);
        for (const auto& traits : detail::layout_traits)
            if (detail::can(w_, {static_cast<Timed>(traits.kind)})) add_layout(traits.kind);
        if (detail::can(w_, {Timed::fuse})) add_fuse();
        if (detail::can(w_, {Timed::growing})) add_growing();
        if (advice_.candidates == 0)
            throw std::invalid_argument(
                lacks_times_
                    ? "simdbloom: no filter with times can " + needs()
                    : "simdbloom: no structure can " + needs() + " in " +
                          number(w_.max_bits_per_key) + " bits per key" +
                          (w_.max_bytes != 0 ? " and " + std::to_string(w_.max_bytes) + " bytes"
                                             : ""));
        for (const auto& [what, best] : best_) advice_.ranking.push_back(best.second);
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
    void add_layout(LayoutKind kind) {
        Layout layout{.kind = kind};
        std::vector<double> bits = bits_;
        if (layout.is_table()) bits.push_back(layout.least_bits_per_key() * 1.0005);
        const bool zoned = layout.traits().zones == 0;
        for (const unsigned zones : zoned ? std::vector<unsigned>{2, 4} : std::vector{0u}) {
            layout.zones = zones;
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
    /// Whether a 32-bit block number can address these bits.
    bool fits(double bits, unsigned block_bits) const {
        return bits * static_cast<double>(w_.n_keys) / block_bits < 0x1p32 - 2;
    }
    void add_size(const Layout& layout, double bits) {
        if (!fits(bits, layout.block_bits())) return;
        const detail::Geometry g =
            detail::size_for_bits(layout, static_cast<std::size_t>(w_.n_keys), bits, {});
        const std::uint64_t bytes = g.blocks * (layout.block_bits() / 8);
        // A k far from the best one is never chosen.
        const double load =
            layout.is_table() ? 0
                              : static_cast<double>(layout.k) / bits * layout.traits().cell_bits();
        if (load > 1.4) return;
        add([&] { return layout.spec(); }, bits, bytes, TimedSpec::of(layout),
            [&] { return fpr::expected(layout, w_.n_keys, g.blocks); });
    }
    void add_fuse() {
        if (w_.n_keys > std::uint64_t{3} << 30) return;
        const std::uint64_t slots = BloomierMap::slots_for(w_.n_keys);
        for (unsigned f = 4; f <= 24; ++f) {
            const double bits = static_cast<double>(slots) * f / static_cast<double>(w_.n_keys);
            if (bits > w_.max_bits_per_key) break;
            add([&] { return "fuse:f=" + std::to_string(f); }, bits, (slots * f + 7) / 8,
                {Timed::fuse}, [&] { return fpr::bloomier(f); });
        }
    }
    void add_growing() {
        for (const unsigned slot_bits : {12u, 16u, 20u}) {
            const double bits = 1.0005 * slot_bits / growing_load;  // as make_filter has it
            if (bits > w_.max_bits_per_key || !fits(bits, 4 * slot_bits)) break;
            const std::uint64_t buckets = detail::growing_roots_for(static_cast<std::size_t>(
                static_cast<double>(w_.n_keys) * bits * growing_load / slot_bits));
            const std::uint64_t bytes = buckets * slot_bits / 2;
            // The smallest growing filter holds some thousand keys.
            const double has = 8 * static_cast<double>(bytes) / static_cast<double>(w_.n_keys);
            const double takes = has > 1.01 * bits ? has : bits;
            if (takes > w_.max_bits_per_key && !w_.grow) break;
            add([&] { return "growing" + std::to_string(slot_bits); }, takes, bytes,
                {Timed::growing},
                [&] {
                    std::vector<std::uint64_t> slots(detail::growing_movable_bits(slot_bits) + 1,
                                                     0);
                    slots.back() = w_.n_keys;
                    return fpr::growing_cuckoo(detail::growing_core_bits(slot_bits), buckets, 0,
                                               slots);
                });
        }
    }

    template <class Name, class Fpr>
    void add(const Name& name, double bits, std::uint64_t size, const TimedSpec& spec,
             const Fpr& fpr_of) {
        if (w_.max_bytes != 0 && size > w_.max_bytes) return;
        const double has = 8 * static_cast<double>(size) / static_cast<double>(w_.n_keys);
        double fpr = -1;
        const auto rows = times_.of(spec);
        lacks_times_ |= rows.empty();
        for (const Timetable::Row& row : rows) {
            ++advice_.candidates;
            const auto best = best_.find(spec.what);
            // No FPR is below 2^-bits: a filter that loses even with that one needs no exact FPR.
            // Beside a table the times depend on the FPR.
            if (best != best_.end() && w_.table_bytes == 0 &&
                lookup_ns(row.at(spec.k, static_cast<double>(size))) + passing_ns(std::exp2(-has)) >
                    best->second.first)
                continue;
            if (fpr < 0) fpr = fpr_of();
            const double bytes =
                size_beside(static_cast<double>(size), static_cast<double>(w_.table_bytes),
                            w_.hits + (1 - w_.hits) * fpr, times_.caches());
            PredictedTimes t = row.at(spec.k, bytes);
            // The time to peel a graph depends on its keys, not on the bits of a slot.
            if (spec.what == Timed::fuse)
                t.insert =
                    row.at(spec.k, static_cast<double>(w_.n_keys) * detail::timed_fuse_bits / 8)
                        .insert;
            if (t.absent <= 0 || (t.insert <= 0 && std::isfinite(w_.probes))) continue;
            double total = lookup_ns(t) + passing_ns(fpr);
            if (std::isfinite(w_.probes))
                total += static_cast<double>(w_.n_keys) / w_.probes * t.insert;
            // A second instruction set has to gain more than noise.
            const double counts = total * (row.isa == usual_ ? 1 : 1 + advice_.noise);
            if (best != best_.end() && counts >= best->second.first) continue;
            Advice::Choice choice;
            choice.spec = name();
            choice.isa = row.isa;
            choice.bits_per_key = bits;
            choice.bytes = size;
            choice.fpr = fpr;
            choice.lookup_ns = lookup_ns(t);
            choice.insert_ns = t.insert;
            choice.total_ns = total;
            best_[spec.what] = {counts, std::move(choice)};
        }
    }
    double lookup_ns(const PredictedTimes& t) const {
        return t.absent + w_.hits * (t.present - t.absent);
    }
    double passing_ns(double fpr) const { return (1 - w_.hits) * fpr * w_.work_ns; }

    const Workload& w_;
    const Timetable& times_;
    const Isa usual_ = usable_isas().back();
    std::vector<double> bits_;
    // By layout or structure, with the total that is compared.
    std::map<Timed, std::pair<double, Advice::Choice>> best_;
    bool lacks_times_ = false;
    Advice advice_;
};

std::string text(const char* format, double value) {
    char buffer[60];
    std::snprintf(buffer, sizeof buffer, format, value);
    return buffer;
}
std::string ns(double value) { return text(value < 9.95 ? "%.2f ns" : "%.0f ns", value); }
std::string named(const Advice::Choice& c) {
    return c.is_none() ? "no filter" : c.spec + text(" with %.1f bits a key", c.bits_per_key);
}

}  // namespace

void detail::check_workload(const Workload& w) {
    const auto refuse = [](const char* name, const std::string& value, const char* what) {
        throw detail::argument_error(name, "=", value, " ", what);
    };
    if (w.n_keys == 0) refuse("n_keys", "0", "needs no filter");
    if (w.n_keys > std::uint64_t{1} << 40)
        refuse("n_keys", std::to_string(w.n_keys), "is above 2^40");
    if (!(w.work_ns >= 0 && std::isfinite(w.work_ns)))
        refuse("work_ns", number(w.work_ns), "is not a time in ns");
    if (!(w.probes > 0)) refuse("probes", number(w.probes), "is not positive");
    if (!(w.hits >= 0 && w.hits <= 1)) refuse("hits", number(w.hits), "is not a share from 0 to 1");
    if (!(w.max_bits_per_key > 0 && w.max_bits_per_key <= 1000))
        refuse("max_bits_per_key", number(w.max_bits_per_key), "is not inside (0, 1000]");
}

bool detail::can(const Workload& w, const TimedSpec& spec) noexcept {
    if (spec.what == Timed::fuse) return w.all_at_once && !w.erase && !w.grow && !w.merge;
    if (spec.what == Timed::growing) return !w.merge;
    const bool is_table = spec.traits()->is_table(),
               erases = is_table || spec.traits()->family == Family::counting;
    return !w.grow && !(w.erase && !erases) && !(w.merge && is_table);
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
    std::string said = "Take " + named(first) + ": ";
    if (first.is_none()) said += "a probe costs " + ns(first.total_ns) + " without a filter.";
    else
        said += "a lookup takes " + ns(first.lookup_ns) + ", and " +
                text("%.3g %%", 100 * first.fpr) + " of the absent keys pass. A probe costs " +
                ns(first.total_ns) + " in all, and " + ns(none->total_ns) + " without a filter.";
    const std::size_t equal = as_good().size();
    if (equal > 1) {
        said += " As good within noise (" + number(std::round(1000 * noise) / 10) + " %):";
        for (std::size_t i = 1; i < equal; ++i) said += (i > 1 ? ", " : " ") + named(ranking[i]);
        said += ".";
    } else if (ranking.size() > 1) {
        said += " The runner-up, " + named(ranking[1]) + ", costs " +
                text("%.0f %%", 100 * (ranking[1].total_ns / first.total_ns - 1)) + " more.";
    }
    return said;
}

Advice advise(const Workload& workload, const FilterTimes& times) {
    detail::check_workload(workload);
    return Adviser(workload, times.table()).advice();
}

Advice advise(const Workload& workload) { return advise(workload, FilterTimes::measure(workload)); }

}  // namespace simdbloom
