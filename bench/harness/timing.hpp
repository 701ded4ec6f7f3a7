// Times through Google Benchmark: rounds in which each member of a group runs once, in random
// order; medians with bootstrap intervals.
#pragma once

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

struct Contestant {
    std::string name;
    /// Works on some keys and returns how many; the seconds it took go to *seconds (only the part
    /// that counts).
    std::function<std::uint64_t(double* seconds)> pass;
    bool is_touch = false;  ///< its times say whether a round was disturbed
    bool warms_up = false;  ///< passes that are not timed come first: others have used the caches
    std::vector<double> ns_per_key{};  ///< one a round
};

struct Summary {
    double median, low, high;
};
/// Median with a 95 % percentile-bootstrap interval (2,000 resamples, fixed seed).
Summary summarise(const std::vector<double>& samples);

/// How quiet the machine was while a group took turns.
struct Rounds {
    double moved = 0;       ///< touch in the slowest round over the fastest, minus 1
    unsigned repeated = 0;  ///< rounds measured again because they were disturbed
    double ghz = 0;         ///< median of the rounds; 0 where it is not known
    bool disturbed() const { return moved > most_moved; }
    static constexpr double most_moved = 0.1;
};
/// The rounds in which touch took more than most_moved longer than in the fastest round. The time
/// of touch in a round is the geometric mean of all its members, so that one late sample of one
/// member does not count as a disturbance.
std::vector<unsigned> disturbed_rounds(const std::vector<Contestant*>& group, Rounds& rounds);

class Timer {
public:
    /// raw_json: where Google Benchmark's own JSON goes.
    /// Unless finish() was called, the destructor removes what was written.
    Timer(unsigned rounds, double seconds, const std::string& raw_json);
    ~Timer();
    unsigned rounds() const noexcept { return rounds_; }
    /// Runs every member once a round and fills in its samples. Disturbed rounds are measured
    /// again in their places, half as many as there are rounds at most: that costs less than all
    /// rounds again, and leaves those that nothing disturbed.
    Rounds run(const std::vector<Contestant*>& group,
               const std::function<void(unsigned round)>& progress = {});
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
