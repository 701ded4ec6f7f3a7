// How a machine is measured.
//
//   1. absent keys, without and with prefetching, at every size: alone, and beside a thread that
//      fills the level-3 cache    -> from which size on each filter is prefetched
//   2. the same times             -> the instruction set of each size
//   3. small batches              -> how many keys go key by key
//   4. present keys and inserts   -> times for advice
//   5. builds by two threads      -> up to which size each has a filter of its own
//
// What is compared takes turns, and medians are compared. Bits are random or all set, because
// filling filters would take most of the time.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <ctime>
#include <thread>

#include "layouts/available_memory.hpp"
#include "simdbloom/build.hpp"
#include "simdbloom/calibration.hpp"
#include "simdbloom/split_block.hpp"
#include "tuning/caches.hpp"
#include "tuning/neighbour.hpp"
#include "tuning/trial.hpp"

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

/// 4 KiB to four times the level-3 cache, but not more than a quarter of the memory.
std::vector<std::size_t> sizes_to_measure(bool full) {
    const std::size_t l3 = std::max(detail::caches().l3, std::size_t{8} << 20);
    const std::size_t most = static_cast<std::size_t>(
        std::min<std::uint64_t>({4 * l3, std::size_t{1} << 30, detail::available_memory() / 4}));
    std::vector<std::size_t> sizes;
    for (std::size_t bytes = 4096; bytes <= most; bytes *= 2) {
        sizes.push_back(bytes);
        if (full && bytes * 3 / 2 < most) sizes.push_back(bytes / 1024 * 1448);  // sqrt 2
    }
    return sizes;
}

/// What is measured of one spec on one instruction set: times by size.
struct Subject {
    Isa isa;
    detail::TunedSpec of;
    bool anywhere, is_bloom;
    std::uint64_t prefetch_above = 0;
    // In ns; [with prefetching]. `beside`: while a neighbour fills the caches.
    std::vector<double> alone[2]{}, beside[2]{}, present{}, insert{};

    /// What prefetching is for: `classic` prefetches nothing in lookups.
    Operation decisive() const { return anywhere ? Operation::insert : Operation::lookup; }
};

std::vector<Subject> subjects_to_measure() {
    std::vector<Subject> subjects;
    for (const Isa isa : isas_to_measure())
        for (const auto& of : detail::tuned_specs()) {
            const bool layout = of.tuned < detail::Tuned::fuse;
            const auto kind = static_cast<LayoutKind>(of.tuned);
            subjects.push_back({isa, of, layout && detail::traits_of(kind).anywhere,
                                layout && !detail::traits_of(kind).is_table()});
        }
    return subjects;
}

class Measurement {
public:
    Measurement(bool full, const Calibration::Progress& progress)
        : full_(full),
          progress_(progress),
          sizes_(sizes_to_measure(full)),
          subjects_(subjects_to_measure()),
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
        measure_prefetching();
        for (Subject& s : subjects_) s.prefetch_above = best_threshold(s);
        measure_presence();
        for (const Subject& s : subjects_)
            made.rules.push_back({s.isa, std::string(s.of.spec), s.prefetch_above, few_below(s)});
        made.choices = choices();
        if (full_) made.build_merged_up_to = merged_up_to();
        for (const Subject& s : subjects_)
            for (std::size_t i = 0; i < sizes_.size(); ++i)
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

    /// ns a key, the median of rounds in which the trials take turns.
    struct Contest {
        Trial trial;
        Operation operation;
        double* to;
        std::vector<double> times{};
    };
    void run(std::vector<Contest>& contests) const {
        const double seconds = full_ ? 1.2e-3 : 0.5e-3;
        const unsigned rounds = full_ ? 9 : 5;
        // A slow machine makes fewer rounds.
        for (unsigned round = 0; round < rounds && (round < 3 || Clock::now() < hurry_); ++round)
            for (Contest& c : contests)
                c.times.push_back(c.trial.seconds_per_key(c.operation, seconds));
        for (Contest& c : contests) *c.to = 1e9 * median(c.times);
    }

    std::size_t smallest_prefetched() const {
        return detail::caches().l2 != 0 ? detail::caches().l2 / 2 : std::size_t{256} << 10;
    }

    void measure_prefetching() {
        const std::size_t n = sizes_.size(),
                          l3 = std::max(detail::caches().l3, std::size_t{8} << 20);
        for (Subject& s : subjects_)
            for (auto* times :
                 {&s.alone[0], &s.alone[1], &s.beside[0], &s.beside[1], &s.present, &s.insert})
                times->assign(n, 0);
        for (std::size_t i = 0; i < n; ++i) {
            report(0.45 * static_cast<double>(i) / static_cast<double>(n), "absent keys");
            contest_prefetching(i, &Subject::alone);
        }
        if (std::thread::hardware_concurrency() < 2) return;
        const detail::Neighbour neighbour(4 * l3);
        for (std::size_t i = 0; i < n; ++i) {
            if (sizes_[i] < smallest_prefetched() || sizes_[i] > 2 * l3) continue;
            report(0.45 + 0.25 * static_cast<double>(i) / static_cast<double>(n),
                   "absent keys beside a busy neighbour");
            contest_prefetching(i, &Subject::beside);
        }
    }
    void contest_prefetching(std::size_t i, std::vector<double> (Subject::*times)[2]) {
        for (const Operation operation : {Operation::lookup, Operation::insert}) {
            std::vector<Contest> contests;
            for (Subject& s : subjects_)
                for (const bool prefetches : {false, true}) {
                    if (s.decisive() != operation) continue;
                    if (prefetches && sizes_[i] < smallest_prefetched()) continue;
                    contests.push_back(
                        {Trial(s.of, s.isa, operation == Operation::insert ? ones_ : random_,
                               sizes_[i], prefetches),
                         operation, &(s.*times)[prefetches ? 1 : 0][i]});
                }
            run(contests);
        }
    }

    /// The size that has the least product of regrets, alone and beside a neighbour: the worse of
    /// the two times, each divided by what the better way would have taken.
    std::uint64_t best_threshold(const Subject& s) const {
        const auto regret = [&](std::size_t i, int way) {
            double worst = 1;
            for (const auto& times : {&s.alone, &s.beside}) {
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
        return s.alone[sizes_[i] > s.prefetch_above ? 1 : 0][i];
    }

    void measure_presence() {
        for (std::size_t i = 0; i < sizes_.size(); ++i) {
            report(0.7 + 0.25 * static_cast<double>(i) / static_cast<double>(sizes_.size()),
                   "present keys and inserts");
            std::vector<Contest> contests;
            for (Subject& s : subjects_) {
                const bool prefetches = sizes_[i] > s.prefetch_above;
                // The lookups of tables test all slots, whether the key is there or not.
                s.present[i] = absent(s, i);
                if (!s.is_bloom) continue;
                const Trial trial(s.of, s.isa, ones_, sizes_[i], prefetches);
                contests.push_back({trial, Operation::lookup, &s.present[i]});
                contests.push_back({trial, Operation::insert, &s.insert[i]});
                if (s.anywhere)
                    contests.push_back({Trial(s.of, s.isa, random_, sizes_[i], prefetches),
                                        Operation::lookup, &s.alone[prefetches ? 1 : 0][i]});
            }
            run(contests);
        }
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

    /// Two threads build filters of 12 bits a key.
    std::uint64_t merged_up_to() {
        if (std::thread::hardware_concurrency() < 2) return 0;
        std::uint64_t up_to = 0;
        for (std::size_t mib = 2; mib <= 32; mib *= 2) {
            report(0.95 + 0.001 * static_cast<double>(mib), "builds on two threads");
            std::vector<std::uint64_t> keys((mib << 23) / 12);
            for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i;
            std::vector<double> times[2];
            for (int round = 0; round < 3; ++round)
                for (const auto method : {BuildMethod::merged, BuildMethod::partitioned}) {
                    auto filter = SplitBlockBloom::with_bits_per_key(keys.size(), 12);
                    const auto start = Clock::now();
                    parallel_insert(filter, keys, 2, method);
                    times[method == BuildMethod::merged ? 0 : 1].push_back(
                        std::chrono::duration<double>(Clock::now() - start).count());
                }
            if (median(times[0]) > median(times[1])) break;
            up_to = std::uint64_t{mib} << 20;
        }
        return up_to;
    }

    const bool full_;
    const Clock::time_point hurry_ = Clock::now() + std::chrono::seconds(full_ ? 70 : 15);
    const Calibration::Progress& progress_;
    const std::vector<std::size_t> sizes_;
    std::vector<Subject> subjects_;
    TrialMemory random_, ones_;
};

}  // namespace

Calibration Calibration::measure(Effort effort, const Progress& progress) {
    return Measurement(effort == Effort::full, progress).run();
}

}  // namespace simdbloom
