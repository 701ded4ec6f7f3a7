// A filter that threads fill and ask at the same time: what its lookups and inserts cost on one
// thread, beside those of an ordinary filter, and on two.
#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <thread>

#include "experiments/rounds.hpp"
#include "harness/passes.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

constexpr unsigned rounds = 5;
constexpr double bits = 12;
constexpr std::size_t batch = 4096, most_keys = 1 << 22;

/// Seconds by the clock until the slower of `threads` threads is done, which all begin work(t)
/// together.
template <class Work>
double seconds_on(unsigned threads, const Work& work) {
    using Clock = std::chrono::steady_clock;
    std::barrier together(static_cast<std::ptrdiff_t>(threads));
    std::array<double, 2> took{};
    const auto run = [&](unsigned t) {
        together.arrive_and_wait();
        const auto begin = Clock::now();
        work(t);
        took[t] = std::chrono::duration<double>(Clock::now() - begin).count();
    };
    {
        std::optional<std::jthread> other;
        if (threads == 2) other.emplace(run, 1u);
        run(0);
    }
    return std::max(took[0], took[1]);
}

template <class Use>
void in_batches(Keys keys, const Use& use) {
    for (std::size_t at = 0; at < keys.size(); at += batch)
        use(keys.subspan(at, std::min(batch, keys.size() - at)));
}

/// Half of the keys to thread 0, the other half to thread 1, or all to one.
Keys share(Keys keys, unsigned t, unsigned threads) {
    const std::size_t n = keys.size() / threads;
    return keys.subspan(t * n, n);
}

/// ns a key by the clock, on one thread and on two.
using Times = std::array<std::vector<double>, 2>;

std::string cell(const Times& times) {
    const auto shown = [](const std::vector<double>& ns) { return text("%.2f", median(ns)); };
    return times[0].empty() ? shown(times[1]) : shown(times[0]) + ", " + shown(times[1]);
}

class Experiment {
public:
    Experiment(const std::string& spec, std::size_t bytes)
        : spec_(spec),
          n_(static_cast<std::size_t>(8 * static_cast<double>(bytes) / bits)),
          empty_(make_filter(spec, n_, bits)),
          full_(empty_),
          keys_(std::min(n_, most_keys)),
          probes_(keys_.size()) {
        const auto source = KeySource::generated(1), choice = KeySource::generated(9);
        fill(full_, source, n_);
        source.fill(0, keys_.data(), keys_.size());
        for (std::size_t i = 0; i < probes_.size(); ++i)
            probes_[i] = source.key(probe_number(choice.key(i), i, 0.5, n_));
    }

    void print() {
        const ConcurrentBloom readers(full_);
        if (readers.count(probes_) != full_.count(probes_))
            throw std::runtime_error(spec_ + ": answers differ");
        Times ordinary, count, beside, insert, insert_if_new;
        for (unsigned round = 0; round <= rounds; ++round)  // the first warms
            for (const unsigned threads : {1u, 2u}) {
                const auto take = [&](Times& to, const std::vector<std::uint64_t>& keys,
                                      const auto& use) {
                    const double seconds = seconds_on(
                        threads, [&](unsigned t) { in_batches(share(keys, t, threads), use); });
                    if (round != 0)
                        to[threads - 1].push_back(1e9 * seconds / static_cast<double>(keys.size()));
                };
                take(ordinary, probes_, [&](Keys some) { keep(full_.count(some)); });
                take(count, probes_, [&](Keys some) { keep(readers.count(some)); });
                ConcurrentBloom inserted(empty_), asking(empty_);
                take(insert, keys_, [&](Keys some) { inserted.insert(some); });
                std::atomic<std::size_t> won{0};
                take(insert_if_new, keys_, [&](Keys some) { won += asking.insert_if_new(some); });
                check(inserted, asking, won);
                if (threads == 2) time_beside(beside, round);
            }
        print_row({"`" + spec_ + "`", size_text(static_cast<double>(empty_.size_in_bytes())),
                   cell(ordinary), cell(count), cell(beside), cell(insert), cell(insert_if_new)});
    }

private:
    void check(const ConcurrentBloom& inserted, const ConcurrentBloom& asking,
               std::size_t won) const {
        if (inserted.count(keys_) != keys_.size() || asking.count(keys_) != keys_.size())
            throw std::runtime_error(spec_ + ": a key was lost");
        if (won > keys_.size()) throw std::runtime_error(spec_ + ": a key was won twice");
    }
    /// The time of the reader alone; thread 1 inserts until thread 0 is done.
    void time_beside(Times& to, unsigned round) {
        ConcurrentBloom filter(empty_);
        std::atomic<bool> done{false};
        double seconds = 0;
        (void)seconds_on(2, [&](unsigned t) {
            if (t == 0) {
                seconds = cpu_seconds_of(
                    [&] { in_batches(probes_, [&](Keys some) { keep(filter.count(some)); }); });
                done = true;
            } else {
                while (!done)
                    in_batches(keys_, [&](Keys some) {
                        if (!done) filter.insert(some);
                    });
            }
        });
        if (round != 0) to[1].push_back(1e9 * seconds / static_cast<double>(probes_.size()));
    }

    std::string spec_;
    std::size_t n_;
    AnyFilter empty_, full_;
    std::vector<std::uint64_t> keys_, probes_;
};

}  // namespace

int main() {
    print_header({"filter", "bytes", "count, an ordinary filter", "count",
                  "count beside an inserting thread", "insert", "insert_if_new"});
    for (const std::string spec : {"register64:k=5", "split256", "classic:k=7"})
        for (const std::size_t bytes : {std::size_t{1} << 18, std::size_t{1} << 26})
            Experiment(spec, bytes).print();
    print_source("concurrent");
}
