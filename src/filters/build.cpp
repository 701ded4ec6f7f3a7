#include "simdbloom/build.hpp"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "filters/batches.hpp"
#include "filters/combine.hpp"
#include "kernels/table.hpp"
#include "simdbloom/detail/little_endian.hpp"
#include "tuning/tuning.hpp"

namespace simdbloom {

std::string_view to_string(BuildMethod method) noexcept {
    constexpr std::string_view names[] = {"automatic", "atomic", "partitioned", "merged"};
    return names[static_cast<std::size_t>(method)];
}

namespace detail {
namespace {

struct Build {
    Target target;
    const Kernels& kernels;
    Layout layout;
    std::size_t block_bytes;
    std::span<const std::uint64_t> keys;
    bool hashed;
    const Secret* secret;  ///< of a filter whose hashing is keyed, else null
    unsigned threads;

    std::uint64_t hash(std::size_t i) const {
        return hashed              ? keys[i]
               : secret != nullptr ? siphash(keys[i], *secret)
                                   : mix(keys[i], target.seed);
    }
    /// Thread t's share of n things.
    std::size_t start(std::size_t n, unsigned t) const {
        return static_cast<std::size_t>(static_cast<unsigned __int128>(n) * t / threads);
    }
    std::span<const std::uint64_t> share(std::span<const std::uint64_t> all, unsigned t) const {
        return all.subspan(start(all.size(), t), start(all.size(), t + 1) - start(all.size(), t));
    }
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

// Many keys find their bits set, and a load costs a twentieth of a locked OR.
template <class Word>
void set_shared(std::byte* at, Word mask) {
    mask = little_endian(mask);
    std::atomic_ref<Word> word(*reinterpret_cast<Word*>(at));
    if ((word.load(std::memory_order_relaxed) & mask) != mask)
        word.fetch_or(mask, std::memory_order_relaxed);
}

template <LayoutKind kind>
void set_shared_bits(const Build& b, std::uint64_t hash) {
    if constexpr (traits_of(kind).anywhere) {
        for (unsigned i = 0; i < b.layout.k; ++i, hash = classic_next(hash))
            set_shared<std::uint64_t>(b.target.bits + block_index(hash, b.target.blocks) * 8,
                                      std::uint64_t{1} << (hash & 63));
    } else {
        using Word =
            std::conditional_t<traits_of(kind).word_bits == 32, std::uint32_t, std::uint64_t>;
        constexpr unsigned width = 8 * sizeof(Word), words = traits_of(kind).block_bits / width;
        Word masks[words] = {};
        for (unsigned i = 0; i < b.layout.k; ++i) {
            const unsigned bit = bit_position<kind>(static_cast<std::uint32_t>(hash), i, b.layout.k,
                                                    b.layout.groups);
            masks[bit / width] |= Word{1} << (bit % width);
        }
        std::byte* const block = b.target.bits + block_index(hash, b.target.blocks) * b.block_bytes;
        for (unsigned w = 0; w < words; ++w)
            if (masks[w] != 0) set_shared<Word>(block + sizeof(Word) * w, masks[w]);
    }
}

template <LayoutKind kind>
void insert_shared(const Build& b, std::size_t first, std::size_t last) {
    // A locked OR waits for everything before it: lines have to be under way before.
    std::uint64_t hashes[chunk_keys];
    for (; first < last; first += chunk_keys) {
        const std::size_t n = std::min(chunk_keys, last - first);
        for (std::size_t i = 0; i < n; ++i) {
            hashes[i] = b.hash(first + i);
            __builtin_prefetch(
                b.target.bits + block_index(hashes[i], b.target.blocks) * b.block_bytes, 1);
        }
        for (std::size_t i = 0; i < n; ++i) set_shared_bits<kind>(b, hashes[i]);
    }
}

void insert_shared(const Build& b, std::size_t first, std::size_t last) {
    with_kind(b.layout.kind, [&]<LayoutKind kind>() {
        if constexpr (!traits_of(kind).is_table() && traits_of(kind).cell_bits() == 1)
            insert_shared<kind>(b, first, last);
    });
}

void build_atomic(const Build& b) {
    on_threads(b.threads, [&](unsigned t) {
        insert_shared(b, b.start(b.keys.size(), t), b.start(b.keys.size(), t + 1));
    });
}

void build_partitioned(const Build& b) {
    constexpr std::size_t per_thread = std::size_t{1} << 17;  // keys a round: 2 MiB of hashes
    const std::size_t room = std::min(per_thread, b.keys.size() / b.threads + 1),
                      round = room * b.threads;
    struct Exchange {
        std::vector<std::uint64_t> hashes, sorted;
        std::vector<std::size_t> start;  // of each owner's hashes in `sorted`
    };
    std::vector<Exchange> exchange(b.threads);
    for (auto& e : exchange) {
        e.hashes.resize(room);
        e.sorted.resize(room);
        e.start.resize(b.threads + std::size_t{2});
    }
    // The owner of a block is one and the same thread for all hashes that lead to it.
    const std::uint64_t owners_per_block = (std::uint64_t{b.threads} << 32) / b.target.blocks;
    const auto owner = [&](std::uint64_t hash) {
        return static_cast<std::size_t>((block_index(hash, b.target.blocks) * owners_per_block) >>
                                        32);
    };
    std::barrier all_here(static_cast<std::ptrdiff_t>(b.threads));

    on_threads(b.threads, [&](unsigned t) {
        Exchange& mine = exchange[t];
        for (std::size_t first = 0; first < b.keys.size(); first += round) {
            const std::size_t size = std::min(round, b.keys.size() - first),
                              from = first + b.start(size, t),
                              n = first + b.start(size, t + 1) - from;
            std::fill(mine.start.begin(), mine.start.end(), 0);
            for (std::size_t i = 0; i < n; ++i) {
                mine.hashes[i] = b.hash(from + i);
                ++mine.start[owner(mine.hashes[i]) + 2];
            }
            for (std::size_t o = 2; o < mine.start.size(); ++o) mine.start[o] += mine.start[o - 1];
            for (std::size_t i = 0; i < n; ++i)
                mine.sorted[mine.start[owner(mine.hashes[i]) + 1]++] = mine.hashes[i];
            all_here.arrive_and_wait();
            for (const auto& e : exchange)
                b.kernels.insert(b.target,
                                 {e.sorted.data() + e.start[t], e.start[t + 1] - e.start[t], true});
            all_here.arrive_and_wait();
        }
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
        const auto keys = b.share(b.keys, t);
        (void)take(b.kernels, own, b.secret, {keys, b.hashed});
        all_here.arrive_and_wait();
        // Whole 64-byte lines, so that no two threads write to one.
        const std::size_t lines = bytes / 64 + 1, first = b.start(lines, t) * 64,
                          last = std::min(b.start(lines, t + 1) * 64, bytes);
        for (std::size_t i = 0; i < others; ++i)
            combine(b.target.bits + first, copy(i) + first, last - first,
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
    if (bytes <= tuning().build_merged_up_to) return BuildMethod::merged;
    return layout.traits().anywhere ? BuildMethod::atomic : BuildMethod::partitioned;
}

}  // namespace

void BuildAccess::insert_beside_others(FilterBase& filter, std::span<const std::uint64_t> keys,
                                       bool hashed) {
    filter.check_takes_keys();
    insert_shared({filter.target(), *filter.kernels_, filter.layout(), filter.block_bytes_, keys,
                   hashed, filter.secret_or_null(), 1},
                  0, keys.size());
}

void BuildAccess::run(FilterBase& filter, std::span<const std::uint64_t> keys, bool hashed,
                      unsigned threads, BuildMethod method) {
    if (threads == 0) throw std::invalid_argument("simdbloom: a build by 0 threads");
    filter.check_takes_keys();
    const Layout& layout = filter.layout();
    if (!layout.is_bloom())
        throw std::invalid_argument("simdbloom: \"" + layout.spec() +
                                    "\" cannot be filled by several threads");
    if (method == BuildMethod::partitioned && layout.traits().anywhere)
        throw std::invalid_argument(
            "simdbloom: \"classic\" cannot be built partitioned: a key's bits lie in every range "
            "of blocks");
    if (threads == 1 || (method == BuildMethod::automatic && !pays(layout, keys.size()))) {
        filter.take(keys, hashed);
        return;
    }
    const Build b{filter.target(), *filter.kernels_,        layout, filter.block_bytes_, keys,
                  hashed,          filter.secret_or_null(), threads};
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

namespace {

void insert_into_any(AnyFilter& filter, std::span<const std::uint64_t> keys, bool hashed,
                     unsigned threads, BuildMethod method) {
    auto* const bits = filter.get_if<FilterBase>();
    if (bits == nullptr)
        throw std::invalid_argument("simdbloom: \"" + filter.spec() +
                                    "\" cannot be filled by several threads");
    detail::BuildAccess::run(*bits, keys, hashed, threads, method);
}

}  // namespace

void parallel_insert(AnyFilter& filter, std::span<const std::uint64_t> keys, unsigned threads,
                     BuildMethod method) {
    insert_into_any(filter, keys, false, threads, method);
}
void parallel_insert_hashes(AnyFilter& filter, std::span<const std::uint64_t> hashes,
                            unsigned threads, BuildMethod method) {
    insert_into_any(filter, hashes, true, threads, method);
}

}  // namespace simdbloom
