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
#include "harness/subject.hpp"

namespace simdbloom::bench {

Contestant contestant(std::string name, std::uint64_t keys, std::function<void()> work) {
    return {std::move(name), [keys, work = std::move(work)](double* seconds) {
                *seconds = cpu_seconds_of(work);
                return keys;
            }};
}

double median(std::vector<double> values) {
    const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), half, values.end());
    return values.size() % 2 != 0 ? *half : (*half + *std::max_element(values.begin(), half)) / 2;
}

Summary summarise(const std::vector<double>& samples) {
    if (samples.empty()) throw std::logic_error("no samples");
    std::mt19937_64 random(1);
    std::uniform_int_distribution<std::size_t> pick(0, samples.size() - 1);
    std::vector<double> medians(2000), resample(samples.size());
    for (auto& m : medians) {
        for (auto& x : resample) x = samples[pick(random)];
        m = median(resample);
    }
    std::sort(medians.begin(), medians.end());
    return {median(samples), medians[50], medians[1949]};
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

namespace {

const void* read_by(const Contestant& member) { return member.of ? member.of : &member; }

void shuffle(Turns& order, const std::vector<Contestant*>& group, std::mt19937_64& random) {
    std::shuffle(order.begin(), order.end(), random);
    std::map<const void*, std::size_t> places;
    for (const std::size_t i : order) places.try_emplace(read_by(*group[i]), places.size());
    std::ranges::stable_sort(order, {}, [&](std::size_t i) {
        return std::pair(places.at(read_by(*group[i])), group[i]->warm_seconds == 0);
    });
}

}  // namespace

// Keeps the runs of one round. Names lose how long and how often a benchmark ran, which differs
// from round to round: the tools that compare two files pair runs by name.
class Timer::Collector : public benchmark::BenchmarkReporter {
public:
    explicit Collector(Timer& timer) : timer_(timer) {}
    bool ReportContext(const Context& context) override {
        if (timer_.json_ && !timer_.context_written_) timer_.json_->ReportContext(context);
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
    : rounds_(rounds), seconds_(seconds), path_(raw_json) {
    // Google Benchmark keeps the pointer to the program's name for its JSON.
    static char program[] = "simdbloom_report";
    char* arguments[] = {program, nullptr};
    int count = 1;
    benchmark::Initialize(&count, arguments);
    if (path_.empty()) return;
    raw_.open(path_ + ".part");
    if (!raw_) throw std::runtime_error("cannot write \"" + path_ + "\"");
    json_ = std::make_unique<benchmark::JSONReporter>();
    json_->SetOutputStream(&raw_);
    json_->SetErrorStream(&raw_);
}

Timer::~Timer() {
    if (!finished_ && !path_.empty()) std::remove((path_ + ".part").c_str());
}

Rounds Timer::run(std::vector<Contestant>& group, const Turns& turns) {
    std::vector<Contestant*> all;
    for (Contestant& member : group) all.push_back(&member);
    return run(all, {}, turns);
}

Rounds Timer::run(const std::vector<Contestant*>& group,
                  const std::function<void(unsigned round)>& progress, const Turns& turns) {
    Rounds result;
    result.ghz.resize(rounds_);
    std::mt19937_64 random(group.size());
    Turns order = turns;
    if (turns.empty()) {
        order.resize(group.size());
        std::iota(order.begin(), order.end(), 0);
    }
    std::vector<double> pass_seconds(group.size());  // 0: not known before the first round
    std::vector<std::map<std::string, Collector::Run>> runs(rounds_);
    for (Contestant* member : group) member->ns_per_key.assign(rounds_, 0);

    const auto measure = [&](unsigned round) {
        if (progress) progress(round);
        if (turns.empty()) shuffle(order, group, random);
        for (std::size_t turn = 0; turn < order.size(); ++turn) {
            const Contestant* const member = group[order[turn]];
            const bool again = turn != 0 && read_by(*group[order[turn - 1]]) == read_by(*member);
            const double warm_seconds =
                again ? std::min(member->warm_seconds, least_warm_seconds) : member->warm_seconds;
            auto* const registered = benchmark::RegisterBenchmark(
                std::to_string(turn).c_str(), [member, warm_seconds](benchmark::State& state) {
                    std::uint64_t keys = 0;
                    double seconds = 0;
                    for (double warm = 0; warm < warm_seconds; warm += seconds)
                        member->pass(&seconds);
                    for (auto _ : state) {
                        keys += member->pass(&seconds);
                        state.SetIterationTime(seconds);
                    }
                    state.counters["keys"] =
                        benchmark::Counter(static_cast<double>(keys), benchmark::Counter::kIsRate);
                });
            registered->UseManualTime();
            // A first pass says roughly how many fill the time, the first round says it better.
            double& seconds = pass_seconds[order[turn]];
            if (seconds == 0 && seconds_ > 0) member->pass(&seconds);
            registered->Iterations(
                seconds_ > 0 ? std::max<std::int64_t>(1, std::llround(seconds_ / seconds)) : 1);
        }
        Collector collector(*this);
        benchmark::RunSpecifiedBenchmarks(&collector);
        benchmark::ClearRegisteredBenchmarks();
        result.ghz[round] = clock_ghz();
        for (Contestant* member : group) member->ns_per_key[round] = 0;
        for (std::size_t turn = 0; turn < order.size(); ++turn) {
            const std::size_t i = order[turn];
            const auto found = collector.of.find(std::to_string(turn));
            if (found == collector.of.end())
                throw std::runtime_error(group[i]->name + ": round " + std::to_string(round + 1) +
                                         " did not run");
            auto& run = found->second;
            pass_seconds[i] = run.real_accumulated_time / static_cast<double>(run.iterations);
            // "keys" is a rate counter: keys a second of counted time.
            group[i]->ns_per_key[round] += 1e9 / run.counters.at("keys").value /
                                           static_cast<double>(std::ranges::count(order, i));
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
        for (const auto& [name, run] : round)
            if (json_) json_->ReportRuns({run});
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
