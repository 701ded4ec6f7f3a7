// Times through Google Benchmark: rounds in which the members of a group take turns; medians with
// bootstrap intervals. The report, the experiments and the claims about times all run this loop.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace benchmark {
class JSONReporter;
}

namespace simdbloom::bench {

/// Works on some keys and returns how many; the seconds it took go to *seconds (only the part that
/// counts).
using Pass = std::function<std::uint64_t(double* seconds)>;

struct Contestant {
    std::string name;
    Pass pass;
    bool is_touch = false;  ///< its times say whether a round was disturbed
    /// Passes of so many seconds that are not timed come first: others have used the caches.
    double warm_seconds = 0;
    const void* of = nullptr;          ///< what it reads, if others read the same
    std::vector<double> ns_per_key{};  ///< one a round
};
/// warm_seconds of what reads so many bytes. A filter that others have evicted from L3 is back
/// after some ten passes over its lines: after 1 ms of them, lookups in 8 MiB on a Xeon took up
/// to 1.9 times as long as after 56 ms, and in 32 MiB 1.9 times as long as after 100 ms.
constexpr double least_warm_seconds = 0.001;
inline double warm_seconds_of(std::uint64_t bytes) {
    return std::clamp(static_cast<double>(bytes) / 150e6, least_warm_seconds, 0.1);
}
/// One that does the work once a pass, for so many keys, by the CPU time of the thread.
Contestant contestant(std::string name, std::uint64_t keys, std::function<void()> work);

double median(std::vector<double> values);

struct Summary {
    double median, low, high;
};
/// Median with a 95 % percentile-bootstrap interval (2,000 resamples, fixed seed).
Summary summarise(const std::vector<double>& samples);

/// How quiet the machine was while a group took turns.
struct Rounds {
    double moved = 0;           ///< touch in the slowest round over the fastest, minus 1
    unsigned repeated = 0;      ///< rounds measured again because they were disturbed
    std::vector<double> ghz{};  ///< of each round; 0 where it is not known
    bool disturbed() const { return moved > most_moved; }
    static constexpr double most_moved = 0.1;
};
/// The rounds in which touch took more than most_moved longer than in the fastest round. The time
/// of touch in a round is the geometric mean of all its members, so that one late sample of one
/// member does not count as a disturbance.
std::vector<unsigned> disturbed_rounds(const std::vector<Contestant*>& group, Rounds& rounds);

/// The numbers of the members of a group, in the order of their turns in a round. The sample of a
/// member that comes more than once is the mean.
using Turns = std::vector<std::size_t>;

class Timer {
public:
    /// A turn lasts so many seconds, or is a single pass. raw_json: where Google Benchmark's own
    /// JSON goes, if anywhere; unless finish() was called, the destructor removes it.
    explicit Timer(unsigned rounds, double seconds = 0, const std::string& raw_json = "");
    ~Timer();
    unsigned rounds() const noexcept { return rounds_; }
    /// Fills in the samples of every member. Each has one turn a round, in random order, unless
    /// `turns` says otherwise. Those that read the same come one after another, the ones that warm
    /// up first, and all but the first need least_warm_seconds only. Disturbed rounds are measured
    /// again in their places, half as many as there are rounds at most: that costs less than all
    /// rounds again, and leaves those that nothing disturbed.
    Rounds run(const std::vector<Contestant*>& group,
               const std::function<void(unsigned round)>& progress = {}, const Turns& turns = {});
    Rounds run(std::vector<Contestant>& group, const Turns& turns = {});
    /// Ends the JSON; throws std::runtime_error if it could not be written.
    void finish();

private:
    class Collector;
    unsigned rounds_;
    double seconds_;
    std::string path_;
    std::ofstream raw_;
    std::unique_ptr<benchmark::JSONReporter> json_;
    bool context_written_ = false, finished_ = false;
    std::int64_t families_ = 0;
};

}  // namespace simdbloom::bench
