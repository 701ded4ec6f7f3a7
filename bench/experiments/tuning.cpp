// Whether the way that batches choose while they run (core/dispatch/tuner.hpp) is the fastest one.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>

#include "core/dispatch/tuner.hpp"
#include "experiments/experiment.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;
using detail::Prefetch;

constexpr std::size_t mib = 1 << 20, pass_keys = 1 << 20;
constexpr unsigned rounds = 7;

struct Fixed {
    explicit Fixed(Prefetch way) { detail::fix_prefetch(way); }
    ~Fixed() { detail::fix_prefetch(Prefetch::tuned); }
};

/// Reads lines of 64 MiB on the other core, so that L3 has another user.
class Neighbour {
public:
    explicit Neighbour(bool busy) {
        if (busy)
            thread_ = std::thread([this] {
                std::vector<std::uint64_t> memory(64 * mib / 8, 1);
                std::uint64_t sum = 0;
                while (!stop_)
                    for (std::size_t i = 0; i < memory.size() && !stop_; i += 8) sum += memory[i]++;
                sum_ = sum;
            });
    }
    ~Neighbour() {
        stop_ = true;
        if (thread_.joinable()) thread_.join();
    }

private:
    std::atomic<bool> stop_{false};
    std::uint64_t sum_ = 0;
    std::thread thread_;
};

/// A filter of that many bytes with its planned keys, four million at most.
AnyFilter filter_of(const std::string& spec, std::size_t bytes, const KeySource& keys) {
    Options options;
    options.huge_pages = true;
    const double bits_per_key = spec == "fuse8" ? 9 : 16;
    const auto n = static_cast<std::size_t>(8 * static_cast<double>(bytes) / bits_per_key);
    AnyFilter filter = make_filter(spec, n, bits_per_key, options);
    std::vector<std::uint64_t> some(std::min<std::size_t>(n * 9 / 10, 4 << 20));
    keys.fill(0, some.data(), some.size());
    (void)filter.insert(some);
    return filter;
}

struct Cell {
    std::string spec;
    std::size_t bytes, batch;
    bool inserts = false, halves = false;
    unsigned threads = 1;
    bool hot_beside = false;  ///< a filter of which a few lines are used takes turns with it
};

struct Result {
    double none, ahead, halved, tuned;
    double best() const { return std::min({none, ahead, halved == 0 ? none : halved}); }
    double loss() const { return tuned / best() - 1; }
};

/// Passes over keys that come again after 16 million.
class Work {
public:
    Work(const Cell& cell, AnyFilter& filter, AnyFilter& hot, std::span<const std::uint64_t> keys)
        : cell_(cell), filter_(filter), hot_(hot), keys_(keys), bitmap_(cell.batch / 8 + 8) {}
    void operator()() {
        for (std::size_t done = 0; done < pass_keys; done += cell_.batch) {
            at_ = at_ + cell_.batch > keys_.size() ? 0 : at_;
            const auto batch = keys_.subspan(at_, cell_.batch);
            at_ += cell_.batch;
            if (cell_.inserts) filter_.insert(batch);
            else (void)filter_.contains(batch, bitmap_);
            if (cell_.hot_beside) (void)hot_.contains(keys_.first(1024), bitmap_);
        }
    }

private:
    const Cell& cell_;
    AnyFilter &filter_, &hot_;
    std::span<const std::uint64_t> keys_;
    std::size_t at_ = 0;
    std::vector<std::uint8_t> bitmap_;
};

Result measure(const Cell& cell, AnyFilter& filter, AnyFilter& halved, AnyFilter& hot,
               std::span<const std::uint64_t> keys) {
    Work work(cell, filter, hot, keys), with_halves(cell, halved, hot, keys);
    const auto timed = [&](const char* name, Prefetch way, Work& of) {
        return contestant(name, pass_keys, [&cell, way, &of] {
            const Fixed fixed(way);
            if (cell.threads == 1) return of();
            std::thread other([other_work = of]() mutable { other_work(); });
            of();
            other.join();
        });
    };
    std::vector<Contestant> group{timed("none", Prefetch::none, work),
                                  timed("ahead", Prefetch::ahead, work),
                                  timed("tuned", Prefetch::tuned, work)};
    if (cell.halves) group.push_back(timed("halved", Prefetch::ahead, with_halves));
    work();
    Timer(rounds).run(group);
    const auto ns = [&](std::size_t i) {
        return i < group.size() ? median(group[i].ns_per_key) : 0;
    };
    return {ns(0), ns(1), ns(3), ns(2)};
}

struct Losses {
    double sum = 0, worst = 0;
    unsigned n = 0;
    void add(double loss) { sum += loss, worst = std::max(worst, loss), ++n; }
    std::string mean() const { return text("%.1f %%", 100 * sum / n); }
    std::string most() const { return text("%.1f %%", 100 * worst); }
};

/// Keys until another way than before is taken, after the keys began to fall anywhere in the filter
/// in place of a few lines of it.
std::size_t keys_until_changed(AnyFilter& filter, std::span<const std::uint64_t> keys) {
    const auto& base = filter.base();
    std::vector<std::uint8_t> bitmap(512);
    const auto best = [&] { return detail::last_way(base.bytes().data(), detail::Output::bitmap); };
    for (unsigned i = 0; i < 2000; ++i) (void)filter.contains(keys.first(4096), bitmap);
    const auto before = best();
    for (std::size_t at = 0; at + 4096 <= keys.size(); at += 4096) {
        (void)filter.contains(keys.subspan(at, 4096), bitmap);
        if (best() != before) return at + 4096;
    }
    return 0;
}

}  // namespace

int main() {
    const auto source = KeySource::generated(1);
    std::vector<std::uint64_t> keys(16 << 20);
    source.fill(std::uint64_t{1} << 40, keys.data(), keys.size());
    std::vector<std::string> specs;
    if (const char* const only = std::getenv("TUNING_SPECS")) {
        specs = {only};
    } else {
        for (const auto& traits : detail::layout_traits) specs.emplace_back(traits.name);
        specs.insert(specs.end(), {"growing", "fuse8"});
    }
    const auto row = [](const Cell& c, const Result& r) {
        print_row({c.spec, text("%.3g", static_cast<double>(c.bytes) / mib), text("%zu", c.batch),
                   text("%.2f", r.none), text("%.2f", r.ahead),
                   r.halved == 0 ? "" : text("%.2f", r.halved), text("%.2f", r.tuned),
                   text("%+.1f %%", 100 * r.loss())});
    };
    Losses all;
    const auto run = [&](Cell cell, AnyFilter& filter, AnyFilter& halved, AnyFilter& hot) {
        cell.halves = !cell.inserts && false;
        const Result r = measure(cell, filter, halved, hot, keys);
        row(cell, r);
        all.add(std::max(0.0, r.loss()));
    };
    const std::size_t most = std::getenv("TUNING_MIB") ? std::atoi(std::getenv("TUNING_MIB")) : 512;
    print_header({"spec", "MiB", "batch", "none", "ahead", "halved", "tuned", "loss"});
    for (const auto& spec : specs)
        for (std::size_t bytes = mib / 8; bytes <= most * mib; bytes *= 4) {
            AnyFilter filter = filter_of(spec, bytes, source);
            AnyFilter hot = filter_of(spec, std::min(bytes, 64 * mib), source);
            run({spec, bytes, 4096}, filter, filter, hot);
            if (spec != "fuse8") run({spec, bytes, 4096, true}, filter, filter, hot);
            if (bytes == 8 * mib || bytes == 128 * mib) {
                for (const std::size_t batch : {1024u, 1u << 20})
                    run({spec, bytes, batch}, filter, filter, hot);
                run({spec, bytes, 4096, false, false, 2}, filter, filter, hot);
                run({spec, bytes, 4096, false, false, 1, true}, filter, filter, hot);
                const Neighbour busy(true);
                run({spec, bytes, 4096}, filter, filter, hot);
            }
        }
    std::printf("\nmean loss %s, worst %s\n", all.mean().c_str(), all.most().c_str());
    AnyFilter filter = filter_of("split256", 128 * mib, source);
    std::printf("keys until a change is noticed: %zu\n", keys_until_changed(filter, keys));
    print_source("tuning");
}
