// How close the choice of batches (core/dispatch/tuner.hpp) comes to the faster of the fixed ways.
#include <algorithm>
#include <atomic>
#include <map>
#include <thread>

#include "core/dispatch/tuner.hpp"
#include "core/dispatch/tuning.hpp"
#include "experiments/experiment.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;
using detail::Prefetch;

constexpr std::size_t mib = 1 << 20, pass_keys = 1 << 20;
constexpr unsigned rounds = 5;

struct Fixed {
    explicit Fixed(Prefetch way) { detail::fix_prefetch(way); }
    ~Fixed() { detail::fix_prefetch(Prefetch::tuned); }
};

/// Reads and writes lines of 64 MiB on the other core, so that L3 has another user.
class Neighbour {
public:
    Neighbour()
        : thread_([this] {
              std::vector<std::uint64_t> memory(64 * mib / 8, 1);
              while (!stop_)
                  for (std::size_t i = 0; i < memory.size() && !stop_; i += 8) memory[i] += i;
          }) {}
    ~Neighbour() {
        stop_ = true;
        thread_.join();
    }

private:
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

/// A filter of that many bytes with its planned keys, four million at most.
AnyFilter filter_of(const std::string& spec, std::size_t bytes, const KeySource& keys) {
    simdbloom::Options options;
    options.huge_pages = true;
    const Layout layout = Layout::parse(spec);
    const double bits_per_key = layout.is_table() ? 1.01 * layout.least_bits_per_key() : 16;
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
    bool inserts = false;
    unsigned threads = 1;
    bool hot_beside = false;  ///< takes turns with a filter of which only a few lines are used
};

/// ns a key.
struct Result {
    double none, ahead, tuned;
    double best() const { return std::min(none, ahead); }
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

Result measure(const Cell& cell, AnyFilter& filter, AnyFilter& hot,
               std::span<const std::uint64_t> keys) {
    Work work(cell, filter, hot, keys);
    const auto timed = [&](const char* name, Prefetch way) {
        return contestant(name, pass_keys, [&cell, way, &work] {
            const Fixed fixed(way);
            if (cell.threads == 1) return work();
            std::thread other([other_work = work]() mutable { other_work(); });
            work();
            other.join();
        });
    };
    std::vector<Contestant> group{timed("none", Prefetch::none), timed("ahead", Prefetch::ahead),
                                  timed("tuned", Prefetch::tuned)};
    work();
    Timer(rounds).run(group);
    return {median(group[0].ns_per_key), median(group[1].ns_per_key), median(group[2].ns_per_key)};
}

/// How far from the better fixed way.
struct Losses {
    std::vector<double> tuned, none, ahead;
    double worst = 0;
    std::string worst_at;
    void add(const Cell& cell, const Result& r) {
        tuned.push_back(r.tuned / r.best() - 1);
        none.push_back(r.none / r.best() - 1);
        ahead.push_back(r.ahead / r.best() - 1);
        if (tuned.back() < worst) return;
        worst = tuned.back();
        worst_at = text("%s, %.3g MiB: %.2f, %.2f, %.2f", cell.spec.c_str(),
                        static_cast<double>(cell.bytes) / mib, r.none, r.ahead, r.tuned);
    }
    static std::string of(const std::vector<double>& losses) {
        double sum = 0, most = 0;
        for (const double l : losses) sum += l, most = std::max(most, l);
        return text("%.1f %%, %.0f %%", 100 * sum / static_cast<double>(losses.size()), 100 * most);
    }
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
    for (const auto& traits : detail::layout_traits) specs.emplace_back(traits.name);

    std::map<std::string, Losses> by_setting;
    for (const auto& spec : specs)
        for (std::size_t bytes = mib / 8; bytes <= 512 * mib; bytes *= 4) {
            AnyFilter filter = filter_of(spec, bytes, source);
            AnyFilter hot = filter_of(spec, std::min(bytes, 64 * mib), source);
            const auto run = [&](const char* setting, const Cell& cell) {
                by_setting[setting].add(cell, measure(cell, filter, hot, keys));
            };
            // Below half of the level-2 cache the choice is no prefetching: what differs there is
            // the noise of the machine.
            if (bytes < detail::level2_bytes() / 2) {
                run("0 noise: filters too small to choose", {spec, bytes, 4096});
                continue;
            }
            run("1 lookups, batches of 4,096", {spec, bytes, 4096});
            // Tables would fill up.
            if (!filter.layout().is_table())
                run("2 inserts, batches of 4,096", {spec, bytes, 4096, true});
            if (bytes != 2 * mib && bytes != 32 * mib) continue;
            run("3 batches of 1,024", {spec, bytes, 1024});
            run("4 batches of 1,048,576", {spec, bytes, 1 << 20});
            run("5 two threads", {spec, bytes, 4096, false, 2});
            run("6 in turn with a filter whose lines are hot", {spec, bytes, 4096, false, 1, true});
            const Neighbour busy;
            run("7 beside a core that fills L3", {spec, bytes, 4096});
        }
    print_header({"setting", "cells", "tuned: mean, worst loss", "never", "always", "worst cell"});
    for (const auto& [setting, losses] : by_setting)
        print_row({setting.substr(2), text("%zu", losses.tuned.size()), Losses::of(losses.tuned),
                   Losses::of(losses.none), Losses::of(losses.ahead), losses.worst_at});
    AnyFilter filter = filter_of("split256", 128 * mib, source);
    const std::size_t noticed = keys_until_changed(filter, keys);
    std::printf("\nkeys until a change is noticed: %zu\n", noticed);
    print_source("tuning");
}
