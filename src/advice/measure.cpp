// How a machine is measured.
//
//   1. absent keys, without and with prefetching, at every size: in filters that the caches hold as
//      far as they can, and in filters of which they hold nothing yet
//                                 -> from which size on each filter is prefetched
//   2. the same times             -> the instruction set of each size
//   3. small batches              -> how many keys go key by key
//   4. present keys, inserts, other k, tables with keys in them   -> times for advice
//   5. builds by two threads      -> up to which size each has a filter of its own
//
// What is compared takes turns, and medians are compared. Bits are random or all set, because
// filling filters would take most of the time.
#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <ctime>

#include "advice/builds.hpp"
#include "advice/trial.hpp"
#include "core/os/available_memory.hpp"
#include "core/os/caches.hpp"
#include "simdbloom/calibration.hpp"

namespace simdbloom {
namespace {

using Clock = std::chrono::steady_clock;
using detail::Operation;
using detail::Trial;
using detail::TrialMemory;

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

/// The fastest instruction set, and AVX2, which is faster on some CPUs whose AVX-512 is not.
std::vector<Isa> isas_to_measure() {
    std::vector<Isa> isas{usable_isas().back()};
    if (isas[0] != Isa::avx2 && std::ranges::count(usable_isas(), Isa::avx2) != 0)
        isas.push_back(Isa::avx2);
    return isas;
}

/// 1 KiB to four times the level-3 cache, but not more than a quarter of the memory.
std::vector<std::size_t> sizes_to_measure(bool full) {
    const std::size_t l3 = std::max(detail::caches().l3, std::size_t{8} << 20);
    const std::size_t most = static_cast<std::size_t>(
        std::min<std::uint64_t>({4 * l3, std::size_t{1} << 30, detail::available_memory() / 4}));
    std::vector<std::size_t> sizes;
    for (std::size_t bytes = 1024; bytes <= most; bytes *= 2) {
        sizes.push_back(bytes);
        if (full && bytes * 3 / 2 < most) sizes.push_back(bytes / 1024 * 1448);  // sqrt 2
    }
    return sizes;
}

/// What is measured of one spec on one instruction set: times by size, in ns.
struct Subject {
    Isa isa;
    detail::TunedSpec of;
    bool anywhere, is_bloom;
    std::uint64_t prefetch_above = 0;
    // [with prefetching]. `cold`: the caches have nothing of the filter.
    std::vector<double> warm[2]{}, cold[2]{}, present{}, insert{};
    std::vector<double> hit_factor{};  // of tables: time of a present key over an absent one

    Subject(Isa on, const detail::TunedSpec& spec, std::size_t sizes) : isa(on), of(spec) {
        const bool layout = of.tuned < detail::Tuned::fuse;
        const auto kind = static_cast<LayoutKind>(of.tuned);
        anywhere = layout && detail::traits_of(kind).anywhere;
        is_bloom = layout && !detail::traits_of(kind).is_table();
        for (auto* times : {&warm[0], &warm[1], &cold[0], &cold[1], &present, &insert, &hit_factor})
            times->assign(sizes, 0);
    }
    /// What prefetching is for: `classic` prefetches nothing in lookups.
    Operation decisive() const { return anywhere ? Operation::insert : Operation::lookup; }
};

std::vector<Subject> subjects_of(const std::vector<Isa>& isas,
                                 std::span<const detail::TunedSpec> specs, std::size_t sizes) {
    std::vector<Subject> subjects;
    for (const Isa isa : isas)
        for (const auto& of : specs) subjects.emplace_back(isa, of, sizes);
    return subjects;
}

class Measurement {
public:
    Measurement(bool full, const Calibration::Progress& progress)
        : full_(full),
          progress_(progress),
          sizes_(sizes_to_measure(full)),
          subjects_(subjects_of(isas_to_measure(), detail::tuned_specs(), sizes_.size())),
          others_(subjects_of({usable_isas().back()}, detail::more_timed_specs(), sizes_.size())),
          random_(sizes_.back(), TrialMemory::Content::random),
          ones_(sizes_.back(), TrialMemory::Content::ones) {}

    Calibration run() {
        Calibration made;
        made.machine = Calibration::Machine::here();
        char date[40];
        const std::time_t now = std::time(nullptr);
        std::tm utc;
        std::strftime(date, sizeof date, "%Y-%m-%d %H:%M", gmtime_r(&now, &utc));
        made.date = date;
        warm_up();
        measure_prefetching();
        for (Subject& s : subjects_) s.prefetch_above = best_threshold(s);
        for (Subject& o : others_)
            for (const Subject& s : subjects_)
                if (s.isa == o.isa && s.of.tuned == o.of.tuned) o.prefetch_above = s.prefetch_above;
        measure_presence();
        measure_tables();
        made.noise = rounded(median(spreads_));
        for (const Subject& s : subjects_)
            made.rules.push_back({s.isa, std::string(s.of.spec), s.prefetch_above, few_below(s)});
        made.choices = choices();
        if (full_) {
            report(0.95, "builds on two threads");
            made.build_merged_up_to = detail::merged_up_to();
        }
        for (const auto* measured : {&subjects_, &others_})
            for (const Subject& s : *measured)
                for (std::size_t i = 0; i < sizes_.size(); ++i)
                    if (absent(s, i) > 0)
                        made.times.push_back({s.isa, std::string(s.of.spec), sizes_[i],
                                              rounded(absent(s, i)), rounded(s.present[i]),
                                              rounded(s.insert[i])});
        report(1, "done");
        return made;
    }

private:
    static double rounded(double ns) { return std::round(ns * 1e3) / 1e3; }
    void report(double share, std::string_view what) const {
        if (progress_) progress_(share, what);
    }

    /// A CPU that had nothing to do takes a while to reach its clock.
    void warm_up() {
        (void)Trial(subjects_[0].of, subjects_[0].isa, random_, 1024, false)
            .seconds_per_key(Operation::lookup, 0.3);
    }
    /// ns a key, the median of rounds. The trials take turns of some rounds each.
    struct Contest {
        Trial trial;
        Operation operation;
        double* to;
        TrialMemory* memory;
        bool cold = false;
        std::vector<double> times{};
    };
    void run(std::vector<Contest>& contests) const {
        const double seconds = full_ ? 0.7e-3 : 0.3e-3;
        // A slow machine takes fewer turns.
        for (unsigned turn = 0; turn < 2 && (turn < 1 || Clock::now() < hurry_); ++turn)
            for (Contest& c : contests) {
                if (!c.cold) c.trial.warm_up(c.operation, *c.memory, full_ ? 4 : 2);
                for (unsigned round = 0; round < (full_ ? 3 : 2); ++round)
                    c.times.push_back(c.cold ? c.trial.seconds_per_cold_key(c.operation, *c.memory)
                                             : c.trial.seconds_per_key(c.operation, seconds));
            }
        for (Contest& c : contests) {
            *c.to = 1e9 * median(c.times);
            std::ranges::sort(c.times);
            const std::size_t n = c.times.size();
            spreads_.push_back((c.times[3 * n / 4] - c.times[n / 4]) / c.times[n / 2] /
                               std::sqrt(static_cast<double>(n)));
        }
    }

    std::size_t smallest_prefetched() const {
        return detail::caches().l2 != 0 ? detail::caches().l2 / 2 : std::size_t{256} << 10;
    }

    void measure_prefetching() {
        const std::size_t n = sizes_.size(),
                          l3 = std::max(detail::caches().l3, std::size_t{8} << 20);
        for (std::size_t i = 0; i < n; ++i) {
            report(0.6 * static_cast<double>(i) / static_cast<double>(n), "absent keys");
            contest_prefetching(i, &Subject::warm, false);
            if (sizes_[i] >= smallest_prefetched() && sizes_[i] <= l3)
                contest_prefetching(i, &Subject::cold, true);
        }
    }
    void contest_prefetching(std::size_t i, std::vector<double> (Subject::*times)[2], bool cold) {
        for (const Operation operation : {Operation::lookup, Operation::insert}) {
            std::vector<Contest> contests;
            TrialMemory& memory = operation == Operation::insert ? ones_ : random_;
            for (Subject& s : subjects_)
                for (const bool prefetches : {false, true}) {
                    if (s.decisive() != operation) continue;
                    if (prefetches && sizes_[i] < smallest_prefetched()) continue;
                    contests.push_back({Trial(s.of, s.isa, memory, sizes_[i], prefetches),
                                        operation, &(s.*times)[prefetches ? 1 : 0][i], &memory,
                                        cold});
                }
            run(contests);
        }
    }

    /// The size that has the least product of regrets. The regret of a size is the worse of two,
    /// warm and cold: the time, divided by what the better way would have taken.
    std::uint64_t best_threshold(const Subject& s) const {
        const auto regret = [&](std::size_t i, int way) {
            double worst = 1;
            for (const auto& times : {&s.warm, &s.cold}) {
                const double here = (*times)[way][i], other = (*times)[1 - way][i];
                if (here > 0 && other > 0) worst = std::max(worst, here / std::min(here, other));
            }
            return std::log(worst);
        };
        double sum = 0;
        for (std::size_t i = 0; i < sizes_.size(); ++i) sum += regret(i, 1);
        double least = sum;
        std::size_t best = 0;
        for (std::size_t i = 0; i < sizes_.size(); ++i) {
            sum += regret(i, 0) - regret(i, 1);
            if (sum < least) least = sum, best = sizes_[i];
        }
        // Smaller filters were not measured with prefetching.
        if (best == sizes_.back()) return UINT64_MAX;
        return std::max(best, smallest_prefetched());
    }

    double absent(const Subject& s, std::size_t i) const {
        return s.warm[sizes_[i] > s.prefetch_above ? 1 : 0][i];
    }

    void measure_presence() {
        for (std::size_t i = 0; i < sizes_.size(); ++i) {
            report(0.6 + 0.25 * static_cast<double>(i) / static_cast<double>(sizes_.size()),
                   "present keys and inserts");
            std::vector<Contest> contests;
            for (auto* measured : {&subjects_, &others_})
                for (Subject& s : *measured) {
                    const bool prefetches = sizes_[i] > s.prefetch_above;
                    if (!s.is_bloom || (measured == &others_ && !std::has_single_bit(sizes_[i])))
                        continue;
                    const Trial trial(s.of, s.isa, ones_, sizes_[i], prefetches);
                    contests.push_back({trial, Operation::lookup, &s.present[i], &ones_});
                    contests.push_back({trial, Operation::insert, &s.insert[i], &ones_});
                    if (s.anywhere || measured == &others_)
                        contests.push_back({Trial(s.of, s.isa, random_, sizes_[i], prefetches),
                                            Operation::lookup, &s.warm[prefetches ? 1 : 0][i],
                                            &random_});
                }
            run(contests);
        }
    }

    /// Tables are filled and asked, with one instruction set: inserts follow one dependent load
    /// after another, and the share by which present keys take longer is the same for all.
    void measure_tables() {
        for (Subject& s : subjects_) {
            if (s.is_bloom) continue;
            Subject& measured = subjects_[static_cast<std::size_t>(s.of.tuned)];
            if (&s == &measured) fill_tables(s);
            s.insert = measured.insert;
            for (std::size_t i = 0; i < sizes_.size(); ++i)
                s.present[i] = absent(s, i) * measured.hit_factor[i];
        }
    }
    void fill_tables(Subject& s) {
        report(0.85 + 0.01 * static_cast<double>(s.of.tuned) / detail::n_tuned, "tables");
        const std::size_t most =
            full_ ? std::max(detail::caches().l3, std::size_t{8} << 20) / 2 : std::size_t{1} << 20;
        detail::TableTimes last;
        for (std::size_t i = 0; i < sizes_.size(); ++i) {
            if (sizes_[i] <= most && std::has_single_bit(sizes_[i])) {
                last = detail::table_times(s.of, sizes_[i]);
                s.insert[i] = 1e9 * last.insert;
            }
            s.hit_factor[i] = last.absent > 0 ? last.present / last.absent : 1;
        }
        // In memory the first keys say how much longer an insert takes.
        if (full_ && last.part > 0)
            s.insert.back() =
                1e9 * last.insert / last.part * detail::part_of_table(s.of, sizes_.back());
    }

    /// The least number of keys that take no longer as a batch than key by key.
    unsigned few_below(const Subject& s) {
        const Trial trial(s.of, s.isa, random_, 16 << 10, false);
        for (const unsigned n :
             {2u, 3u, 4u, 6u, 8u, 10u, 12u, 14u, 16u, 20u, 24u, 28u, 32u, 40u, 48u}) {
            std::vector<double> batch, few;
            for (int round = 0; round < 5; ++round) {
                batch.push_back(trial.seconds_per_call(n, false));
                few.push_back(trial.seconds_per_call(n, true));
            }
            if (median(batch) <= median(few)) return n;
        }
        return 64;
    }

    /// Another instruction set is taken from a size on where it saves a twentieth there and at the
    /// next size.
    std::vector<Calibration::Choice> choices() const {
        std::vector<Calibration::Choice> made;
        const std::size_t n_specs = detail::tuned_specs().size();
        for (std::size_t spec = 0; spec < n_specs; ++spec) {
            const Subject* now = &subjects_[spec];
            for (std::size_t i = 0; i < sizes_.size(); ++i)
                for (std::size_t other = spec; other < subjects_.size(); other += n_specs) {
                    const auto saves = [&](std::size_t at) {
                        at = std::min(at, sizes_.size() - 1);
                        return absent(subjects_[other], at) < 0.95 * absent(*now, at);
                    };
                    if (!saves(i) || !saves(i + 1)) continue;
                    now = &subjects_[other];
                    made.push_back(
                        {std::string(now->of.spec), i == 0 ? 0 : sizes_[i - 1], now->isa});
                }
        }
        return made;
    }

    const bool full_;
    const Clock::time_point hurry_ = Clock::now() + std::chrono::seconds(full_ ? 60 : 12);
    const Calibration::Progress& progress_;
    const std::vector<std::size_t> sizes_;
    std::vector<Subject> subjects_, others_;  // `others_`: other k, for advice
    mutable std::vector<double> spreads_;     // of the median of each contest
    TrialMemory random_, ones_;
};

}  // namespace

Calibration Calibration::measure(Effort effort, const Progress& progress) {
    return Measurement(effort == Effort::full, progress).run();
}

}  // namespace simdbloom
