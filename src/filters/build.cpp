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

    /// The hashes of n keys from the one of that number on; `made` has room for them.
    const std::uint64_t* hashes(std::size_t first, std::size_t n, std::uint64_t* made) const {
        const std::uint64_t* const from = keys.data() + first;
        if (hashed) return from;
        if (secret != nullptr) kernels.siphash(from, n, secret->low, secret->high, made);
        else kernels.mix(from, n, target.seed, made);
        return made;
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
    std::uint64_t made[chunk_keys];
    for (; first < last; first += chunk_keys) {
        const std::size_t n = std::min(chunk_keys, last - first);
        const std::uint64_t* const hashes = b.hashes(first, n, made);
        for (std::size_t i = 0; i < n; ++i)
            __builtin_prefetch(
                b.target.bits + block_index(hashes[i], b.target.blocks) * b.block_bytes, 1);
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

/// The blocks of a filter in regions, each of which one thread at a time writes to.
class Regions {
public:
    static constexpr std::size_t waiting = 512;  // hashes of a thread wait for a region

    explicit Regions(const Build& b)
        : busy_(std::size_t{8} * std::min(b.threads, 256u)),  // threads seldom meet
          per_block_((std::uint64_t{busy_.size()} << 32) / b.target.blocks) {}
    /// What a thread needs: the hashes that wait for each region, and how many they are.
    std::size_t words_a_thread() const { return busy_.size() * (waiting + 1); }

    /// Inserts the keys from `first` to `last`. What is read for each key are copies: the stack of
    /// the thread that made the build is full of variables that it writes.
    void insert(const Build b, std::size_t first, std::size_t last, std::uint64_t* const words) {
        const std::size_t regions = busy_.size();
        const std::uint64_t per_block = per_block_;
        std::uint64_t* const count = words + regions * waiting;
        std::uint64_t made[chunk_keys];
        for (; first < last; first += chunk_keys) {
            const std::size_t n = std::min(chunk_keys, last - first);
            const std::uint64_t* const hashes = b.hashes(first, n, made);
            for (std::size_t i = 0; i < n; ++i) {
                const std::uint64_t region =
                    (block_index(hashes[i], b.target.blocks) * per_block) >> 32;
                words[region * waiting + count[region]++] = hashes[i];
                if (count[region] == waiting) flush(b, region, words, count[region]);
            }
        }
        for (std::size_t region = 0; region < regions; ++region)
            flush(b, region, words, count[region]);
    }

private:
    void flush(const Build& b, std::size_t region, const std::uint64_t* words,
               std::uint64_t& count) {
        while (busy_[region].test_and_set(std::memory_order_acquire)) std::this_thread::yield();
        b.kernels.insert(b.target, {words + region * waiting, count, true});
        busy_[region].clear(std::memory_order_release);
        count = 0;
    }

    std::vector<std::atomic_flag> busy_;
    std::uint64_t per_block_;
};

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
    for (std::size_t i = 0; i < b.keys.size(); i += chunk_keys) {
        const std::size_t n = std::min(chunk_keys, b.keys.size() - i);
        const std::uint64_t* const hashes = b.hashes(i, n, made);
        for (std::size_t j = 0; j < n; ++j) {
            own[n_own] = hashes[j];
            n_own += hashes[j] - least <= range;
        }
        if (n_own + chunk_keys > own.size() || i + n == b.keys.size()) {
            b.kernels.insert(b.target, {own.data(), n_own, true});
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
    Regions regions(b);
    std::vector<std::uint64_t> words(regions.words_a_thread() * b.threads);
    on_threads(b.threads, [&](unsigned t) {
        regions.insert(b, b.start(b.keys.size(), t), b.start(b.keys.size(), t + 1),
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
