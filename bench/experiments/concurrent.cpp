// A filter that threads fill and ask at the same time: what its lookups and inserts cost on one
// thread, beside those of an ordinary filter, and on two; and 10^9 operations of all kinds at once.
#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>

#include "experiments/rounds.hpp"
#include "harness/passes.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

constexpr unsigned rounds = 7;
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

struct Measured {
    std::string name;
    std::vector<double> one, two;  ///< ns a key, by the clock
};

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
        const std::size_t right = full_.count(probes_);
        if (readers.count(probes_) != right) throw std::runtime_error(spec_ + ": answers differ");
        std::vector<Measured> all;
        const auto row = [&](const char* name) -> Measured& {
            return all.emplace_back(Measured{name, {}, {}});
        };
        all.reserve(8);
        Measured &ordinary = row("count, an ordinary filter"), &count = row("count"),
                 &singly = row("contains, key by key"),
                 &beside = row("count, beside a thread that inserts"), &plain = row("insert"),
                 &filled = row("insert of keys that are there"), &news = row("insert_if_new"),
                 &olds = row("insert_if_new of keys that are there");
        for (unsigned round = 0; round <= rounds; ++round)  // the first warms
            for (const unsigned threads : {1u, 2u}) {
                const auto take = [&](Measured& to, const auto& work) {
                    const double seconds = seconds_on(threads, work);
                    if (round != 0)
                        (threads == 1 ? to.one : to.two)
                            .push_back(1e9 * seconds / static_cast<double>(keys_.size()));
                };
                const auto of = [&](unsigned t) { return share(keys_, t, threads); };
                const auto asked = [&](unsigned t) { return share(probes_, t, threads); };
                take(ordinary, [&](unsigned t) {
                    in_batches(asked(t), [&](Keys some) { keep(full_.count(some)); });
                });
                take(count, [&](unsigned t) {
                    in_batches(asked(t), [&](Keys some) { keep(readers.count(some)); });
                });
                take(singly, [&](unsigned t) {
                    std::size_t found = 0;
                    for (const auto key : asked(t)) found += readers.contains(key);
                    keep(found);
                });
                ConcurrentBloom inserted(empty_), asking(empty_);
                take(plain, [&](unsigned t) {
                    in_batches(of(t), [&](Keys some) { inserted.insert(some); });
                });
                take(filled, [&](unsigned t) {
                    in_batches(of(t), [&](Keys some) { inserted.insert(some); });
                });
                std::atomic<std::size_t> won{0};
                take(news, [&](unsigned t) {
                    in_batches(of(t), [&](Keys some) { won += asking.insert_if_new(some); });
                });
                take(olds, [&](unsigned t) {
                    in_batches(of(t), [&](Keys some) { won += asking.insert_if_new(some); });
                });
                check(inserted, asking, won);
                if (threads == 2) time_beside(beside, round);
            }
        for (const Measured& m : all) {
            std::vector<double> faster;
            if (!m.one.empty()) faster = ratios(m.one, m.two);
            print_row({spec_, size_text(static_cast<double>(empty_.size_in_bytes())), m.name,
                       m.one.empty() ? "" : with_interval(m.one), with_interval(m.two),
                       m.one.empty() ? "" : with_interval(faster)});
        }
    }

private:
    void check(const ConcurrentBloom& inserted, const ConcurrentBloom& asking,
               std::size_t won) const {
        if (inserted.count(keys_) != keys_.size() || asking.count(keys_) != keys_.size())
            throw std::runtime_error(spec_ + ": a key was lost");
        if (won > keys_.size()) throw std::runtime_error(spec_ + ": a key was won twice");
    }
    /// The time of the reader alone; thread 1 inserts until thread 0 is done.
    void time_beside(Measured& to, unsigned round) {
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
        if (round != 0) to.two.push_back(1e9 * seconds / static_cast<double>(probes_.size()));
    }

    std::string spec_;
    std::size_t n_;
    AnyFilter empty_, full_;
    std::vector<std::uint64_t> keys_, probes_;
};

/// Both threads work on the same keys, so that each finds what the other inserts.
void print_mixed(const std::string& spec, std::uint64_t operations) {
    const auto source = KeySource::generated(3), choice = KeySource::generated(4);
    std::vector<std::uint64_t> keys(1 << 20);
    source.fill(0, keys.data(), keys.size());
    ConcurrentBloom filter(spec, keys.size(), 16);
    std::atomic<std::uint64_t> missed{0}, won{0};
    const double seconds = seconds_on(2, [&](unsigned t) {
        std::uint64_t mine = 0, lost = 0, wins = 0;
        for (std::uint64_t step = 0; mine < operations / 2; ++step) {
            const std::uint64_t random = choice.key(2 * step + t);
            const Keys some = Keys(keys).subspan(random % (keys.size() - 256), 256);
            if (random >> 62 == 0) {
                filter.insert(some);
                lost += some.size() - filter.count(some);
            } else if (random >> 62 == 1) {
                wins += filter.insert_if_new(some);
                lost += some.size() - filter.count(some);
            } else {
                const std::size_t found = filter.count(some);
                lost += filter.count(some) < found;  // what is found once is found for ever
            }
            mine += 2 * some.size();
        }
        missed += lost;
        won += wins;
    });
    if (missed != 0 || won > keys.size()) throw std::runtime_error(spec + ": a key was lost");
    print_row({spec, text("%.3g", static_cast<double>(operations)), "0",
               text("%.2f", 1e9 * seconds / static_cast<double>(operations))});
}

}  // namespace

int main() {
    print_header(
        {"filter", "bytes", "operation", "ns a key, one thread", "two threads", "times as fast"});
    for (const std::string spec : {"register64:k=5", "split256", "sector512", "classic:k=7"})
        for (const std::size_t bytes : {std::size_t{1} << 18, std::size_t{1} << 22,
                                        std::size_t{1} << 26, std::size_t{1} << 28})
            Experiment(spec, bytes).print();
    std::printf(
        "\nInserts, insert_if_new and lookups of a million keys on two threads at once:\n\n");
    print_header({"filter", "operations", "keys missed", "ns an operation"});
    for (const std::string spec : {"register64:k=5", "split256", "sector512", "classic:k=7"})
        print_mixed(spec, 1'000'000'000 / 4);
    print_source("concurrent");
}
