// A filter that threads fill and ask at the same time: what its lookups and inserts cost on one
// thread, beside those of an ordinary filter, and on two.
#include <array>
#include <atomic>
#include <barrier>
#include <functional>
#include <stdexcept>
#include <thread>

#include "experiments/experiment.hpp"
#include "harness/passes.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

constexpr unsigned rounds = 5;
constexpr double bits = 12;
constexpr std::size_t batch = 4096, most_keys = 1 << 22;

template <class Use>
void in_batches(bench::Keys keys, const Use& use) {
    for (std::size_t at = 0; at < keys.size(); at += batch)
        use(keys.subspan(at, std::min(batch, keys.size() - at)));
}

/// Seconds by the clock until the slower of `threads` threads is done. They begin together, each
/// with its share of the keys.
template <class Use>
double seconds_on(unsigned threads, bench::Keys keys, const Use& use) {
    std::barrier together(static_cast<std::ptrdiff_t>(threads));
    std::array<double, 2> took{};
    const auto run = [&](unsigned t) {
        const std::size_t n = keys.size() / threads;
        together.arrive_and_wait();
        took[t] = seconds_of([&] { in_batches(keys.subspan(t * n, n), use); });
    };
    if (threads == 2) {
        const std::jthread other(run, 1u);
        run(0);
    } else {
        run(0);
    }
    return std::max(took[0], took[1]);
}

class Experiment {
public:
    Experiment(const std::string& spec, std::size_t bytes)
        : spec_(spec),
          n_(static_cast<std::size_t>(8 * static_cast<double>(bytes) / bits)),
          empty_(make_filter(spec, n_, bits)),
          full_(filled(empty_, n_)),
          readers_(full_),
          keys_(std::min(n_, most_keys)),
          probes_(keys_.size()) {
        const auto source = KeySource::generated(1), choice = KeySource::generated(9);
        source.fill(0, keys_.data(), keys_.size());
        for (std::size_t i = 0; i < probes_.size(); ++i)
            probes_[i] = source.key(probe_number(choice.key(i), i, 0.5, n_));
    }

    void print() {
        check(readers_.count(probes_) == full_.count(probes_), "answers differ");
        for (const unsigned threads : {1u, 2u}) {
            add(probes_, [=, this] {
                return seconds_on(threads, probes_, [&](bench::Keys k) { keep(full_.count(k)); });
            });
            add(probes_, [=, this] {
                return seconds_on(threads, probes_,
                                  [&](bench::Keys k) { keep(readers_.count(k)); });
            });
            add(keys_, [=, this] {
                ConcurrentBloom filter(empty_);
                const double took =
                    seconds_on(threads, keys_, [&](bench::Keys k) { filter.insert(k); });
                check(filter.count(keys_) == keys_.size(), "a key was lost");
                return took;
            });
            add(keys_, [=, this] {
                ConcurrentBloom filter(empty_);
                std::atomic<std::size_t> won{0};
                const double took = seconds_on(
                    threads, keys_, [&](bench::Keys k) { won += filter.insert_if_new(k); });
                check(filter.count(keys_) == keys_.size(), "a key was lost");
                check(won <= keys_.size(), "a key was won twice");
                return took;
            });
        }
        add(probes_, [this] { return seconds_beside(); });
        Timer(1).run(timed_);  // warms
        Timer(rounds).run(timed_);
        const auto shown = [&](std::size_t i) {
            return text("%.2f", median(timed_[i].ns_per_key));
        };
        const auto both = [&](std::size_t i) { return shown(i) + ", " + shown(i + 4); };
        print_row({"`" + spec_ + "`", size_text(static_cast<double>(empty_.size_in_bytes())),
                   both(0), both(1), shown(8), both(2), both(3)});
    }

private:
    static AnyFilter filled(AnyFilter filter, std::size_t n) {
        fill(filter, KeySource::generated(1), n);
        return filter;
    }
    void add(const std::vector<std::uint64_t>& keys, std::function<double()> seconds) {
        timed_.push_back({spec_, [&keys, seconds = std::move(seconds)](double* took) {
                              *took = seconds();
                              return std::uint64_t{keys.size()};
                          }});
    }
    void check(bool right, const char* else_) const {
        if (!right) throw std::runtime_error(spec_ + ": " + else_);
    }
    /// The time of a reader alone, while another thread inserts.
    double seconds_beside() const {
        ConcurrentBloom filter(empty_);
        std::atomic<bool> begun{false}, done{false};
        const std::jthread writer([&] {
            begun = true;
            while (!done)
                in_batches(keys_, [&](bench::Keys some) {
                    if (!done) filter.insert(some);
                });
        });
        while (!begun) {
        }
        const double took = cpu_seconds_of(
            [&] { in_batches(probes_, [&](bench::Keys some) { keep(filter.count(some)); }); });
        done = true;
        return took;
    }

    std::string spec_;
    std::size_t n_;
    AnyFilter empty_, full_;
    ConcurrentBloom readers_;
    std::vector<std::uint64_t> keys_, probes_;
    std::vector<Contestant> timed_;
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
