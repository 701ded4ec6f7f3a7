#include "simdbloom/build.hpp"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "any/bloom_only.hpp"
#include "core/dispatch/tuning.hpp"
#include "core/filters/batches.hpp"
#include "core/filters/combine.hpp"
#include "simdbloom/detail/batch.hpp"
#include "threads/regions.hpp"
#include "threads/shared_bits.hpp"

namespace simdbloom {

std::string_view to_string(BuildMethod method) noexcept {
    constexpr std::string_view names[] = {"automatic", "atomic", "partitioned", "merged"};
    return names[static_cast<std::size_t>(method)];
}

namespace detail {
namespace {

struct Build {
    Target target;
    Layout layout;
    Hashes hashes;
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

/// Runs work(0) here and work(1), work(2) .. on other threads. If one of those cannot be started,
/// none does any work.
template <class Work>
void on_threads(unsigned threads, const Work& work) {
    std::atomic<int> go{0};
    std::vector<std::thread> others;
    others.reserve(threads - 1);
    const auto release = [&](int value) {
        go.store(value);
        go.notify_all();
    };
    try {
        for (unsigned t = 1; t < threads; ++t)
            others.emplace_back([&, t] {
                go.wait(0);
                if (go.load() == 1) work(t);
            });
    } catch (...) {
        release(-1);
        for (auto& thread : others) thread.join();
        throw;
    }
    release(1);
    work(0);
    for (auto& thread : others) thread.join();
}

void build_atomic(const Build& b) {
    on_threads(b.threads, [&](unsigned t) {
        insert_shared({b.target.bits, b.target.blocks, b.layout}, b.hashes, b.first(t),
                      b.first(t + 1));
    });
}

/// Inserts those keys whose blocks are the share of thread t. Their hashes are those from `least`
/// to `least + range`.
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
            b.kernels().insert(b.target, {own.data(), n_own, true});
            n_own = 0;
        }
    }
}

void build_owned(const Build& b) {
    constexpr std::size_t room = 4096;
    std::vector<std::uint64_t> own(room * b.threads);
    on_threads(b.threads,
               [&](unsigned t) { insert_own(b, t, std::span(own).subspan(room * t, room)); });
}

void build_partitioned(const Build& b) {
    // Two threads each hash every key, which takes 0.6 ns; more threads each sort their share of
    // the keys, which takes 0.8 to 1.7 (bench/pages/tried.md, "Builds on two threads").
    if (b.threads == 2) return build_owned(b);
    const std::size_t per_thread = 8;  // threads seldom meet
    Regions regions(per_thread * std::min(b.threads, 256u), b.target.blocks);
    std::vector<std::uint64_t> words(regions.words_a_thread() * b.threads);
    on_threads(b.threads, [&](unsigned t) {
        regions.insert(b.target, b.hashes, b.first(t), b.first(t + 1),
                       words.data() + regions.words_a_thread() * t);
    });
}

void build_merged(const Build& b, std::size_t bytes) {
    // At once: of many smaller requests the system may grant more than there is.
    const std::size_t others = b.threads - std::size_t{1}, stride = (bytes + 63) / 64 * 64;
    std::size_t in_all = 0;
    if (__builtin_mul_overflow(others, stride, &in_all)) throw AllocationError(SIZE_MAX);
    Storage copies(in_all, true, nullptr);
    const auto copy = [&](std::size_t i) { return copies.data() + i * stride; };
    std::barrier all_here(static_cast<std::ptrdiff_t>(b.threads));
    on_threads(b.threads, [&](unsigned t) {
        Target own = b.target;
        if (t != 0) own.bits = copy(t - 1);
        const std::size_t first = b.first(t), last = b.first(t + 1);
        if (const Keys& keys = b.hashes.keys; takes_as_words(b.hashes.hash, keys)) {
            b.kernels().insert(own, {keys.words().data() + first, last - first, keys.are_hashes()});
        } else {
            std::uint64_t made[piece_keys];
            for (std::size_t at = first; at < last; at += piece_keys) {
                const std::size_t n = std::min(piece_keys, last - at);
                b.kernels().insert(own, {b.hashes(at, n, made), n, true});
            }
        }
        all_here.arrive_and_wait();
        // Whole 64-byte lines, so that no two threads write to one.
        const std::size_t lines = bytes / 64 + 1, begin = b.start(lines, t) * 64,
                          end = std::min(b.start(lines, t + 1) * 64, bytes);
        for (std::size_t i = 0; i < others; ++i)
            combine(b.target.bits + begin, copy(i) + begin, end - begin,
                    [](auto into, auto from) { return into | from; });
    });
}

// On two threads (bench/pages/tried.md, "Builds on two threads"): below a million keys, 100,000 of
// `classic`, starting a thread costs more than it takes over; a merge pays while the copies stay in
// the caches.
bool pays(const Layout& layout, std::size_t keys) {
    return keys >= (layout.traits().anywhere ? 100'000u : 1'000'000u);
}
BuildMethod best_method(const Layout& layout, std::size_t bytes) {
    if (bytes <= merged_up_to()) return BuildMethod::merged;
    return layout.traits().anywhere ? BuildMethod::atomic : BuildMethod::partitioned;
}

}  // namespace

Target BuildAccess::target(FilterBase& filter) {
    filter.check_takes_keys();
    return filter.target();
}

Hashes BuildAccess::hashes_of(const FilterBase& filter, const Keys& keys) {
    return {*filter.kernels_, filter, filter.isa(), keys};
}

void BuildAccess::insert_beside_others(FilterBase& filter, const Keys& keys) {
    filter.check_takes_keys();
    insert_shared({filter.bits_.data(), filter.blocks_, filter.layout_}, hashes_of(filter, keys), 0,
                  keys.size());
}

void BuildAccess::run(FilterBase& filter, const Keys& keys, unsigned threads, BuildMethod method) {
    if (threads == 0) throw std::invalid_argument("simdbloom: a build by 0 threads");
    filter.check_takes_keys();
    const Layout& layout = filter.layout();
    if (!layout.is_bloom())
        throw std::invalid_argument("simdbloom: \"" + layout.spec() +
                                    "\" cannot be filled by several threads");
    if (method == BuildMethod::partitioned && layout.traits().anywhere) throw_classic_partitioned();
    if (threads == 1 || (method == BuildMethod::automatic && !pays(layout, keys.size()))) {
        filter.take(keys);
        return;
    }
    const Build b{filter.target(), layout, hashes_of(filter, keys), threads};
    switch (method == BuildMethod::automatic ? best_method(layout, filter.size_in_bytes())
                                             : method) {
        case BuildMethod::atomic:
            return build_atomic(b);
        case BuildMethod::partitioned:
            return build_partitioned(b);
        default:
            return build_merged(b, filter.size_in_bytes());
    }
}

}  // namespace detail

void parallel_insert(AnyFilter& filter, const Keys& keys, unsigned threads, BuildMethod method) {
    auto* const bits = filter.get_if<FilterBase>();
    if (bits == nullptr)
        throw std::invalid_argument("simdbloom: \"" + filter.spec() +
                                    "\" cannot be filled by several threads");
    detail::BuildAccess::run(*bits, keys, threads, method);
}

}  // namespace simdbloom
