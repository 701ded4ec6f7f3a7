#include "harness/timing.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <random>
#include <stdexcept>

#include "harness/clock.hpp"

namespace simdbloom::bench {

Summary summarise(const std::vector<double>& samples) {
    if (samples.empty()) throw std::logic_error("no samples");
    const auto median_of = [](std::vector<double> v) {
        const std::size_t half = v.size() / 2;
        std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(half), v.end());
        if (v.size() % 2 != 0) return v[half];
        return (v[half] +
                *std::max_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(half))) /
               2;
    };
    std::mt19937_64 random(1);
    std::uniform_int_distribution<std::size_t> pick(0, samples.size() - 1);
    std::vector<double> medians(2000), resample(samples.size());
    for (auto& m : medians) {
        for (auto& x : resample) x = samples[pick(random)];
        m = median_of(resample);
    }
    std::sort(medians.begin(), medians.end());
    return {median_of(samples), medians[50], medians[1949]};
}

std::vector<unsigned> disturbed_rounds(const std::vector<Contestant*>& group, Rounds& rounds) {
    std::vector<double> logs;
    for (const Contestant* member : group) {
        if (!member->is_touch) continue;
        logs.resize(member->ns_per_key.size());
        for (std::size_t r = 0; r < logs.size(); ++r) logs[r] += std::log(member->ns_per_key[r]);
    }
    const auto members = static_cast<double>(
        std::ranges::count_if(group, [](const Contestant* m) { return m->is_touch; }));
    std::vector<unsigned> slow;
    rounds.moved = 0;
    for (std::size_t r = 0; r < logs.size(); ++r) {
        const double more = std::expm1((logs[r] - *std::ranges::min_element(logs)) / members);
        if (more > Rounds::most_moved) slow.push_back(static_cast<unsigned>(r));
        rounds.moved = std::max(rounds.moved, more);
    }
    return slow;
}

// Keeps the runs of one round. Names lose how long and how often a benchmark ran, which differs
// from round to round: the tools that compare two files pair runs by name.
class Timer::Collector : public benchmark::BenchmarkReporter {
public:
    explicit Collector(Timer& timer) : timer_(timer) {}
    bool ReportContext(const Context& context) override {
        if (!timer_.context_written_) timer_.json_->ReportContext(context);
        timer_.context_written_ = true;
        return true;
    }
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const auto& run : runs) {
            if (run.run_type != Run::RT_Iteration || run.error_occurred) continue;
            Run& kept = of[run.run_name.function_name] = run;
            kept.run_name.min_time.clear();
            kept.run_name.iterations.clear();
            kept.run_name.time_type.clear();
        }
    }
    std::map<std::string, Run> of;

private:
    Timer& timer_;
};

Timer::Timer(unsigned rounds, double seconds, const std::string& raw_json)
    : rounds_(rounds),
      seconds_(seconds),
      path_(raw_json),
      raw_(raw_json + ".part"),
      json_(std::make_unique<benchmark::JSONReporter>()) {
    if (!raw_) throw std::runtime_error("cannot write \"" + raw_json + "\"");
    json_->SetOutputStream(&raw_);
    json_->SetErrorStream(&raw_);
    // Google Benchmark keeps the pointer to the program's name for its JSON.
    static char program[] = "simdbloom_report";
    char* arguments[] = {program, nullptr};
    int count = 1;
    benchmark::Initialize(&count, arguments);
}

Timer::~Timer() {
    if (!finished_) std::remove((path_ + ".part").c_str());
}

Rounds Timer::run(const std::vector<Contestant*>& group,
                  const std::function<void(unsigned round)>& progress) {
    Rounds result;
    std::mt19937_64 random(group.size());
    std::vector<std::size_t> order(group.size());
    std::iota(order.begin(), order.end(), 0);
    std::vector<double> pass_seconds(group.size());  // 0: not known before the first round
    std::vector<std::map<std::string, Collector::Run>> runs(rounds_);
    std::vector<double> ghz(rounds_);
    for (Contestant* member : group) member->ns_per_key.assign(rounds_, 0);

    const auto measure = [&](unsigned round) {
        if (progress) progress(round);
        std::shuffle(order.begin(), order.end(), random);
        for (const std::size_t i : order) {
            const Contestant* const member = group[i];
            const double warm_up = member->warms_up ? 0.001 : 0;
            auto* const registered = benchmark::RegisterBenchmark(
                std::to_string(i).c_str(),
                [&pass = member->pass, warm_up](benchmark::State& state) {
                    std::uint64_t keys = 0;
                    double seconds = 0;
                    for (double warm = 0; warm < warm_up; warm += seconds) pass(&seconds);
                    for (auto _ : state) {
                        keys += pass(&seconds);
                        state.SetIterationTime(seconds);
                    }
                    state.counters["keys"] =
                        benchmark::Counter(static_cast<double>(keys), benchmark::Counter::kIsRate);
                });
            registered->UseManualTime();
            // A first pass says roughly how many fill the time, the first round says it better.
            double& seconds = pass_seconds[i];
            if (seconds == 0) member->pass(&seconds);
            registered->Iterations(std::max<std::int64_t>(1, std::llround(seconds_ / seconds)));
        }
        Collector collector(*this);
        benchmark::RunSpecifiedBenchmarks(&collector);
        benchmark::ClearRegisteredBenchmarks();
        ghz[round] = clock_ghz();
        for (std::size_t i = 0; i < group.size(); ++i) {
            const auto found = collector.of.find(std::to_string(i));
            if (found == collector.of.end())
                throw std::runtime_error(group[i]->name + ": round " + std::to_string(round + 1) +
                                         " did not run");
            auto& run = found->second;
            pass_seconds[i] = run.real_accumulated_time / static_cast<double>(run.iterations);
            // "keys" is a rate counter: keys a second of counted time.
            group[i]->ns_per_key[round] = 1e9 / run.counters.at("keys").value;
            run.run_name.function_name = group[i]->name;
            run.family_index = families_ + static_cast<std::int64_t>(i);
            run.per_family_instance_index = 0;
            run.repetitions = rounds_;
            run.repetition_index = round;
        }
        runs[round] = std::move(collector.of);
    };
    for (unsigned round = 0; round < rounds_; ++round) measure(round);
    const unsigned most_repeated = (rounds_ + 1) / 2;
    for (auto slow = disturbed_rounds(group, result);
         !slow.empty() && result.repeated < most_repeated; slow = disturbed_rounds(group, result))
        for (const unsigned round : slow)
            if (result.repeated < most_repeated) measure(round), ++result.repeated;

    families_ += static_cast<std::int64_t>(group.size());
    for (const auto& round : runs)
        for (const auto& [name, run] : round) json_->ReportRuns({run});
    result.ghz = summarise(ghz).median;
    return result;
}

void Timer::finish() {
    finished_ = true;
    if (context_written_) json_->Finalize();
    raw_.close();
    if (!raw_ || std::rename((path_ + ".part").c_str(), path_.c_str()) != 0) {
        std::remove((path_ + ".part").c_str());
        throw std::runtime_error("cannot write \"" + path_ + "\": is the disk full?");
    }
}

}  // namespace simdbloom::bench
