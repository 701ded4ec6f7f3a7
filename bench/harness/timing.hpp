// Times through Google Benchmark: repetitions of all members of a group in random order, medians
// with bootstrap intervals.
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
    std::vector<double> ns_per_key{};  ///< one a repetition
};

struct Summary {
    double median, low, high;
};
/// Median with a 95 % percentile-bootstrap interval (2,000 resamples, fixed seed).
Summary summarise(const std::vector<double>& samples);

class Timer {
public:
    /// raw_json: where Google Benchmark's own JSON goes.
    /// Unless finish() was called, the destructor removes what was written.
    Timer(unsigned repetitions, double seconds, const std::string& raw_json);
    ~Timer();
    unsigned repetitions() const noexcept { return repetitions_; }
    /// Runs every member `repetitions` times in random order and fills in its samples.
    void run(std::vector<Contestant>& group);
    /// Ends the JSON; throws std::runtime_error if it could not be written.
    void finish();

private:
    class Collector;
    unsigned repetitions_;
    double seconds_;
    std::string path_;
    std::ofstream raw_;
    std::unique_ptr<benchmark::JSONReporter> json_;
    bool context_written_ = false, finished_ = false;
};

}  // namespace simdbloom::bench
