#include "harness/timing.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <random>
#include <stdexcept>

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

// Keeps each repetition's time, and hands every run on to the JSON reporter.
class Timer::Collector : public benchmark::BenchmarkReporter {
public:
    Collector(Timer& timer, std::map<std::string, Contestant*>& members)
        : timer_(timer), members_(members) {}
    bool ReportContext(const Context& context) override {
        if (!timer_.context_written_) timer_.json_->ReportContext(context);
        timer_.context_written_ = true;
        return true;
    }
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const auto& run : runs) {
            if (run.run_type != Run::RT_Iteration) continue;
            const auto member = members_.find(run.run_name.function_name);
            if (member == members_.end() || run.error_occurred) continue;
            // "keys" is a rate counter: keys a second of counted time.
            member->second->ns_per_key.push_back(1e9 / run.counters.at("keys").value);
        }
        timer_.json_->ReportRuns(runs);
    }

private:
    Timer& timer_;
    std::map<std::string, Contestant*>& members_;
};

Timer::Timer(unsigned repetitions, double seconds, const std::string& raw_json)
    : repetitions_(repetitions),
      seconds_(seconds),
      path_(raw_json),
      raw_(raw_json + ".part"),
      json_(std::make_unique<benchmark::JSONReporter>()) {
    if (!raw_) throw std::runtime_error("cannot write \"" + raw_json + "\"");
    json_->SetOutputStream(&raw_);
    json_->SetErrorStream(&raw_);
    // Google Benchmark keeps the pointer to the program's name for its JSON.
    static char program[] = "simdbloom_report";
    static char interleave[] = "--benchmark_enable_random_interleaving=true";
    char* arguments[] = {program, interleave, nullptr};
    int count = 2;
    benchmark::Initialize(&count, arguments);
}

Timer::~Timer() {
    if (!finished_) std::remove((path_ + ".part").c_str());
}

void Timer::run(std::vector<Contestant>& group) {
    std::map<std::string, Contestant*> members;
    for (auto& member : group) {
        members[member.name] = &member;
        const auto& pass = member.pass;
        benchmark::RegisterBenchmark(member.name.c_str(),
                                     [pass](benchmark::State& state) {
                                         std::uint64_t keys = 0;
                                         for (auto _ : state) {
                                             double seconds = 0;
                                             keys += pass(&seconds);
                                             state.SetIterationTime(seconds);
                                         }
                                         state.counters["keys"] =
                                             benchmark::Counter(static_cast<double>(keys),
                                                                benchmark::Counter::kIsRate);
                                     })
            ->UseManualTime()
            ->MinTime(seconds_)
            ->Repetitions(static_cast<int>(repetitions_));
    }
    Collector collector(*this, members);
    benchmark::RunSpecifiedBenchmarks(&collector);
    benchmark::ClearRegisteredBenchmarks();
    for (const auto& member : group)
        if (member.ns_per_key.size() != repetitions_)
            throw std::runtime_error(member.name + ": " + std::to_string(member.ns_per_key.size()) +
                                     " of " + std::to_string(repetitions_) + " repetitions ran");
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
