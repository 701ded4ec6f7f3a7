#include "simdbloom/threads/build.hpp"

#include <condition_variable>
#include <mutex>

#include "any/bloom_only.hpp"
#include "core/extension.hpp"
#include "threads/regions.hpp"
#include "threads/ways.hpp"

namespace simdbloom {

namespace detail {
namespace {

// Threads wait for each other not by std::barrier and std::atomic::wait: without futexes, as on
// Windows, GCC 12 implements both so that a thread can sleep through a notification.

/// Opens once, with a value other than 0 for all who wait.
class Gate {
public:
    void open(int value) {
        {
            const std::lock_guard lock(mutex_);
            value_ = value;
        }
        opened_.notify_all();
    }
    int wait() {
        std::unique_lock lock(mutex_);
        opened_.wait(lock, [&] { return value_ != 0; });
        return value_;
    }

private:
    std::mutex mutex_;
    std::condition_variable opened_;
    int value_ = 0;
};

/// Of n threads, each waits until all have arrived.
class Meeting {
public:
    explicit Meeting(unsigned n) : missing_(n) {}
    void arrive_and_wait() {
        if (missing_.fetch_sub(1) == 1) gate_.open(1);
        else gate_.wait();
    }

private:
    std::atomic<unsigned> missing_;
    Gate gate_;
};

struct Build {
    Target target;
    Layout layout;
    KeyHashes hashes;
    unsigned threads;

    const Kernels& kernels() const { return hashes.kernels; }
    std::size_t keys() const { return hashes.keys.size(); }
    /// Thread t's share of n things.
    std::size_t start(std::size_t n, unsigned t) const {
        return static_cast<std::size_t>(static_cast<unsigned __int128>(n) * t / threads);
    }
    /// The first key of thread t's share.
    std::size_t first(unsigned t) const { return start(keys(), t); }
};

/// Runs work(0) here and work(1), work(2) .. on other threads. If a thread cannot be started, no
/// work runs.
template <class Work>
void on_threads(unsigned threads, const Work& work) {
    Gate go;  // 1: work, -1: end
    std::vector<std::thread> others;
    others.reserve(threads - 1);
    try {
        for (unsigned t = 1; t < threads; ++t)
            others.emplace_back([&, t] {
                if (go.wait() == 1) work(t);
            });
    } catch (...) {
        go.open(-1);
        for (auto& thread : others) thread.join();
        throw;
    }
    go.open(1);
    work(0);
    for (auto& thread : others) thread.join();
}

void build_atomic(const Build& b) {
    on_threads(b.threads, [&](unsigned t) {
        insert_shared({b.target.bits, b.target.blocks, b.layout}, b.hashes, b.first(t),
                      b.first(t + 1));
    });
}

/// Inserts the keys in thread t's share of the blocks: hashes from `least` to `least + range`.
void insert_own(const Build b, unsigned t, std::span<std::uint64_t> own) {
    const std::uint64_t blocks = b.target.blocks, first = b.start(blocks, t),
                        last = b.start(blocks, t + 1);
    if (first == last) return;
    const auto least_hash = [&](std::uint64_t block) {
        return static_cast<std::uint64_t>(
                   ((static_cast<unsigned __int128>(block) << 32) + blocks - 1) / blocks)
               << 32;
    };
    const std::uint64_t least = least_hash(first), range = least_hash(last) - 1 - least;
    std::uint64_t made[chunk_keys];
    std::size_t n_own = 0;
    for (std::size_t i = 0; i < b.keys(); i += chunk_keys) {
        const std::size_t n = std::min(chunk_keys, b.keys() - i);
        const std::uint64_t* const hashes = b.hashes(i, n, made);
        for (std::size_t j = 0; j < n; ++j) {
            own[n_own] = hashes[j];
            n_own += hashes[j] - least <= range;
        }
        if (n_own + chunk_keys > own.size() || i + n == b.keys()) {
            tuned_insert(b.kernels(), nullptr, b.target, {own.data(), n_own, true});
            n_own = 0;
        }
    }
}

void build_halves(const Build& b) {
    constexpr std::size_t room = 4096;
    std::vector<std::uint64_t> own(room * b.threads);
    on_threads(b.threads,
               [&](unsigned t) { insert_own(b, t, std::span(own).subspan(room * t, room)); });
}

void build_regions(const Build& b) {
    const std::size_t per_thread = 8;  // threads seldom meet
    Regions regions(per_thread * std::min(b.threads, 256u), b.target.blocks);
    std::vector<std::uint64_t> words(regions.words_a_thread() * b.threads);
    on_threads(b.threads, [&](unsigned t) {
        regions.insert(b.target, b.hashes, b.first(t), b.first(t + 1),
                       words.data() + regions.words_a_thread() * t);
    });
}

void build_merged(const Build& b, std::size_t bytes) {
    // One request: for many small ones the system may overcommit.
    const std::size_t others = b.threads - std::size_t{1}, stride = (bytes + 63) / 64 * 64;
    std::size_t in_all = 0;
    if (__builtin_mul_overflow(others, stride, &in_all)) throw AllocationError(SIZE_MAX);
    Storage copies(in_all);
    const auto copy = [&](std::size_t i) { return copies.data() + i * stride; };
    Meeting all_here(b.threads);
    on_threads(b.threads, [&](unsigned t) {
        Target own = b.target;
        if (t != 0) own.bits = copy(t - 1);
        const std::size_t first = b.first(t), last = b.first(t + 1);
        if (const Keys& keys = b.hashes.keys; takes_as_words(b.hashes.hash, keys)) {
            tuned_insert(b.kernels(), nullptr, own,
                         {keys.words().data() + first, last - first, keys.are_hashes()});
        } else {
            std::uint64_t made[piece_keys];
            for (std::size_t at = first; at < last; at += piece_keys) {
                const std::size_t n = std::min(piece_keys, last - at);
                tuned_insert(b.kernels(), nullptr, own, {b.hashes(at, n, made), n, true});
            }
        }
        all_here.arrive_and_wait();
        // Whole 64-byte lines, so that no line has two writers.
        const std::size_t lines = bytes / 64 + 1, begin = b.start(lines, t) * 64,
                          end = std::min(b.start(lines, t + 1) * 64, bytes);
        for (std::size_t i = 0; i < others; ++i)
            combine(b.target.bits + begin, copy(i) + begin, end - begin,
                    [](auto into, auto from) { return into | from; });
    });
}

}  // namespace

Way best_way(const FilterBase& filter, std::size_t keys, unsigned threads) {
    const bool anywhere = filter.layout().traits().anywhere;
    // With fewer keys, starting a thread costs more than it saves. A merge pays while the copies
    // fit into the caches.
    if (threads == 1 || keys < (anywhere ? 100'000u : 1'000'000u)) return Way::serial;
    if (filter.size_in_bytes() <= merged_up_to()) return Way::merged;
    if (anywhere) return Way::atomic;
    // Hashing a key takes 0.6 ns, sorting one 0.8 to 1.7.
    return threads == 2 ? Way::halves : Way::regions;
}

void fill(FilterBase& filter, const Keys& keys, unsigned threads, Way way) {
    const Build b{filter.target(), filter.layout(), hashes_of(filter, keys), threads};
    switch (way) {
        case Way::serial:
            filter.take(keys);
            return;
        case Way::atomic:
            return build_atomic(b);
        case Way::halves:
            return build_halves(b);
        case Way::regions:
            return build_regions(b);
        case Way::merged:
            return build_merged(b, filter.size_in_bytes());
    }
}

}  // namespace detail

void parallel_insert(FilterBase& filter, const Keys& keys, unsigned threads) {
    if (threads == 0) throw detail::argument_error("a build by 0 threads");
    filter.check_takes_keys();
    detail::check_bloom(&filter, filter.spec());
    detail::fill(filter, keys, threads, detail::best_way(filter, keys.size(), threads));
}

void parallel_insert(AnyFilter& filter, const Keys& keys, unsigned threads) {
    parallel_insert(detail::checked_bloom(filter), keys, threads);
}

}  // namespace simdbloom
