// What is timed and how: keys in rotation, rows of one group in interleaved passes, loops on one
// and two threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "harness/keys.hpp"
#include "harness/results.hpp"
#include "harness/timing.hpp"

namespace simdbloom::bench {

using Clock = std::chrono::steady_clock;

inline constexpr std::size_t standard_batch = 16'384;

inline double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// Keeps a result alive that nothing else reads.
inline void keep(std::uint64_t value) { asm volatile("" : : "r"(value) : "memory"); }

/// Numbers of keys in random order, a share of them inserted ones. As many as touch most lines of
/// the filter, so that a pass over them does not find its lines in a nearer cache than the filter's
/// own.
std::vector<std::uint64_t> probe_numbers(const KeySource& source, std::uint64_t n_keys,
                                         std::uint64_t bytes, double hit_ratio);

// Hands out one batch after another, round and round.
class Rotation {
public:
    explicit Rotation(std::vector<std::uint64_t> keys) : keys_(std::move(keys)) {}
    std::span<const std::uint64_t> next(std::size_t n) {
        if (at_ + n > keys_.size()) at_ = 0;
        at_ += n;
        return std::span<const std::uint64_t>(keys_).subspan(at_ - n, n);
    }
    std::span<const std::uint64_t> all() const { return keys_; }

private:
    std::vector<std::uint64_t> keys_;
    std::size_t at_ = 0;
};

/// The keys of probe_numbers().
std::shared_ptr<Rotation> rotation(const KeySource& source, std::uint64_t n_keys,
                                   std::uint64_t bytes, double hit_ratio);

// Builds the members of a group and, once timed, the rows.
class Group {
public:
    explicit Group(Row common) : common_(std::move(common)) {}

    /// Returns the member's number, for touch_of.
    std::size_t add(Row row, std::function<std::uint64_t(double*)> pass,
                    std::ptrdiff_t touch_of = -1);
    const Row& common() const { return common_; }
    std::vector<Row> run(Timer& timer);

private:
    Row common_;
    std::vector<Timed> timed_;
    std::vector<Row> rows_;
    std::vector<std::ptrdiff_t> touch_of_;
};

// Runs work(batch) on about 64 Ki keys at a time, so that the clock is read seldom.
template <class Work>
std::function<std::uint64_t(double*)> batches(std::shared_ptr<Rotation> keys, std::size_t batch,
                                              Work work) {
    return [=](double* seconds) {
        const std::size_t n =
            std::max<std::size_t>(1, std::min<std::size_t>(65'536, keys->all().size()) / batch);
        const auto start = Clock::now();
        for (std::size_t i = 0; i < n; ++i) work(keys->next(batch));
        *seconds = seconds_since(start);
        return std::uint64_t{n} * batch;
    };
}

/// Adds, for what has no touch of its own, that of a classic filter of the size in group.common():
/// one line a key.
std::ptrdiff_t add_classic_touch(Group& group, const KeySource& keys);

// The same work on two threads at once, each over all keys, starting half way round from the other.
// Both first run warm: the caches of a core that a thread was just moved to hold neither its keys
// nor the filter. Then a million keys each, so that starting together (some 10 us) is below 1 % of
// the time, which is that of the slower thread.
template <class Work, class Before>
std::function<std::uint64_t(double*)> on_two_threads(std::span<const std::uint64_t> keys,
                                                     std::size_t batch, Work work, Before before) {
    return [=](double* seconds) {
        before();
        const std::size_t round = keys.size() / batch,
                          n = std::max<std::size_t>(1, (std::size_t{1} << 20) / batch),
                          warm = std::min<std::size_t>(round, n) / 4 + 1;
        std::atomic<int> ready{0};
        double took[2] = {};
        const auto run = [&](int thread) {
            std::vector<std::uint8_t> bits(batch / 8);
            std::size_t at = thread == 0 ? 0 : round / 2;
            const auto one = [&] {
                work(keys.subspan(at * batch, batch), bits);
                at = at + 1 == round ? 0 : at + 1;
            };
            for (std::size_t i = 0; i < warm; ++i) one();
            ready.fetch_add(1);
            while (ready.load(std::memory_order_acquire) < 2) {
            }
            const auto start = Clock::now();
            for (std::size_t i = 0; i < n; ++i) one();
            took[thread] = seconds_since(start);
        };
        std::thread other(run, 1);
        run(0);
        other.join();
        *seconds = std::max(took[0], took[1]);
        return std::uint64_t{2} * n * batch;
    };
}

}  // namespace simdbloom::bench
