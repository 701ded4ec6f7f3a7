#include "simdbloom/threads/concurrent.hpp"

#include <cstring>
#include <thread>

#include "any/bloom_only.hpp"
#include "core/structure.hpp"
#include "simdbloom/threads/build.hpp"
#include "threads/shared_bits.hpp"

namespace simdbloom {
namespace detail {

/// A lock of insert_if_new, on its own cache line.
struct alignas(64) SharedLock {
    static constexpr std::size_t count = 256;
    std::atomic_flag taken;

    void lock() noexcept {
        while (taken.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
    }
    void unlock() noexcept { taken.clear(std::memory_order_release); }
};

namespace {

/// Whether a key's bits lie in one word, so that one atomic OR tells who set the last bit.
constexpr bool one_word(LayoutKind kind) {
    return traits_of(kind).family == Family::register_blocked;
}

template <LayoutKind kind>
bool contains_shared(const SharedBits& b, std::uint64_t hash) noexcept {
    bool found = true;
    each_word<kind>(b, hash, [&](std::byte* at, auto mask) {
        found &= covers_shared(at, mask);
        // The words share a line: loading all costs less than a branch misprediction.
        return found || !traits_of(kind).anywhere;
    });
    return found;
}

/// Returns whether this call set a bit.
template <LayoutKind kind>
bool insert_shared_if_new(const SharedBits& b, std::uint64_t hash) noexcept {
    bool set = false;
    each_word<kind>(b, hash, [&](std::byte* at, auto mask) {
        set |= set_shared_if_new(at, mask);
        return true;
    });
    return set;
}

/// Copies the blocks of a batch of keys, word by word, to private memory for the kernels: vector
/// loads of shared bits would race with writers. Block j of a part belongs to key j, whose hash
/// gets j as its high bits.
template <LayoutKind kind>
class CopiedBlocks {
public:
    static constexpr std::size_t part = 128;  ///< keys; 8 KiB of lines at most
    using Word = SharedWord<kind>;
    static constexpr std::size_t words = traits_of(kind).block_bits / (8 * sizeof(Word));

    /// The copies. Kernels may read a little beyond the bits.
    struct alignas(64) Blocks {
        Word words[part * CopiedBlocks::words + Storage::slack / sizeof(Word)];
    };

    CopiedBlocks(const SharedBits& bits, const Target& t, const KeyHashes& hashes, Blocks& to)
        : bits_(bits), hashes_(hashes), copies_(t), to_(to) {
        copies_.bits = reinterpret_cast<std::byte*>(to.words);
        copies_.blocks = part;
        copies_.prefetching = {};
    }
    /// The filter of copies that a part is looked up in.
    const Target& copies() const { return copies_; }

    /// Calls use(first, places) for the parts of a slice.
    template <class Use>
    void for_each(const Tuner& slice, const Use& use) const {
        const std::size_t last = slice.first() + slice.keys();
        const bool prefetches = slice.way() != BatchWay::none;
        std::uint64_t made[2][part];
        const std::uint64_t* next = ask_for(slice.first(), last, prefetches, made[0]);
        for (std::size_t first = slice.first(), i = 1; first < last; first += part, i ^= 1) {
            const std::uint64_t* const now = next;
            if (first + part < last) next = ask_for(first + part, last, prefetches, made[i]);
            const std::size_t n = std::min(part, last - first);
            std::uint64_t places[part];
            for (std::size_t j = 0; j < n; ++j) {
                copy(now[j], j);
                places[j] = std::uint64_t{j} << 57 | static_cast<std::uint32_t>(now[j]);
            }
            use(first, std::span<const std::uint64_t>(places, n));
        }
    }

private:
    static_assert(part == 1u << 7, "a place has 7 bits");

    /// Hashes a part and prefetches its blocks.
    const std::uint64_t* ask_for(std::size_t first, std::size_t last, bool prefetches,
                                 std::uint64_t* made) const {
        const std::size_t n = std::min(part, last - first);
        const std::uint64_t* const hashes = hashes_(first, n, made);
        if (prefetches)
            for (std::size_t j = 0; j < n; ++j)
                __builtin_prefetch(block_of<kind>(bits_, hashes[j]));
        return hashes;
    }
    void copy(std::uint64_t hash, std::size_t j) const {
        const std::byte* const from = block_of<kind>(bits_, hash);
        for (std::size_t w = 0; w < words; ++w)
            to_.words[j * words + w] =
                shared_word<Word>(from + w * sizeof(Word)).load(std::memory_order_relaxed);
    }

    const SharedBits bits_;
    const KeyHashes hashes_;
    Target copies_;
    Blocks& to_;
};

template <LayoutKind kind>
std::size_t answer_singly(const SharedBits& b, const Tuner& slice, const KeyHashes& hashes_of,
                          Output output, void* out) {
    std::uint64_t made[chunk_keys];
    return answer_by_hits(slice.keys(), output, out, [&](std::size_t first, std::size_t n) {
        const std::uint64_t* const hashes = hashes_of(slice.first() + first, n, made);
        if (slice.way() != BatchWay::none)
            for (std::size_t i = 0; i < n; ++i) __builtin_prefetch(block_of<kind>(b, hashes[i]));
        std::uint64_t hits = 0;
        for (std::size_t i = 0; i < n; ++i)
            hits |= std::uint64_t{contains_shared<kind>(b, hashes[i])} << i;
        return hits;
    });
}

}  // namespace
}  // namespace detail

using detail::Output;
using detail::SharedBits;
using detail::with_bloom_kind;

bool ConcurrentBloom::contains_hash(std::uint64_t hash) const noexcept {
    bool found = false;
    with_bloom_kind(layout().kind, [&]<LayoutKind kind>() {
        found = detail::contains_shared<kind>(detail::shared_bits(*bits_), hash);
    });
    return found;
}

void ConcurrentBloom::insert_hash(std::uint64_t hash) {
    bits_->check_takes_keys();
    with_bloom_kind(layout().kind, [&]<LayoutKind kind>() {
        detail::insert_shared<kind>(detail::shared_bits(*bits_), hash);
    });
}

bool ConcurrentBloom::insert_hash_if_new(std::uint64_t hash) {
    bits_->check_takes_keys();
    const SharedBits bits = detail::shared_bits(*bits_);
    bool was_new = false;
    with_bloom_kind(layout().kind, [&]<LayoutKind kind>() {
        if (detail::one_word(kind)) {
            was_new = detail::insert_shared_if_new<kind>(bits, hash);
        } else if (!detail::contains_shared<kind>(bits, hash)) {
            // Calls with one hash exclude each other. Else two of them could each set some bits,
            // and another key the last.
            detail::SharedLock& mine =
                locks_[detail::block_index(hash, bits.blocks) % detail::SharedLock::count];
            mine.lock();
            was_new = detail::insert_shared_if_new<kind>(bits, hash);
            mine.unlock();
        }
    });
    return was_new;
}

std::size_t ConcurrentBloom::answer(const Keys& keys, Output output, void* out) const {
    const SharedBits bits = detail::shared_bits(*bits_);
    const detail::Target t = bits_->target();
    const detail::KeyHashes hashes = detail::hashes_of(*bits_, keys);
    std::size_t found = 0;
    detail::Tuner slice(t.bits, detail::copies_call, &hashes.kernels, t.prefetching, false);
    with_bloom_kind(layout().kind, [&]<LayoutKind kind>() {
        while (slice.next(keys.size())) {
            if constexpr (!detail::traits_of(kind).anywhere)
                if (keys.size() >= hashes.kernels.few_below) {
                    typename detail::CopiedBlocks<kind>::Blocks blocks;
                    const detail::CopiedBlocks<kind> batch(bits, t, hashes, blocks);
                    batch.for_each(slice, [&](std::size_t first,
                                              std::span<const std::uint64_t> places) {
                        found += detail::answer_part(output, out, first, found, [&](void* to) {
                            return hashes.kernels.lookup(
                                batch.copies(), {places.data(), places.size(), true}, output, to);
                        });
                    });
                    continue;
                }
            found += detail::answer_part(output, out, slice.first(), found, [&](void* to) {
                return detail::answer_singly<kind>(bits, slice, hashes, output, to);
            });
        }
    });
    return found;
}

AnyFilter ConcurrentBloom::snapshot() const {
    return std::visit(
        [this]<class F>(const F& f) -> AnyFilter {
            if constexpr (BloomFilter<F>) {
                F made = detail::empty_copy(f);
                with_bloom_kind(f.layout().kind, [&]<LayoutKind kind>() {
                    using Word = detail::SharedWord<kind>;
                    for (std::size_t at = 0; at < f.size_in_bytes(); at += sizeof(Word)) {
                        const Word word = detail::shared_word<Word>(f.bytes().data() + at)
                                              .load(std::memory_order_relaxed);
                        std::memcpy(made.parts().bits_.data() + at, &word, sizeof word);
                    }
                });
                return made;
            } else {
                return filter_;  // no constructor accepts these layouts
            }
        },
        filter_.variant());
}

ConcurrentBloom::ConcurrentBloom(std::string_view spec, std::size_t n_keys, double bits_per_key,
                                 Options options)
    : ConcurrentBloom(make_filter(spec, n_keys, bits_per_key, std::move(options))) {}

ConcurrentBloom::ConcurrentBloom(AnyFilter filter)
    : filter_(std::move(filter)),
      bits_(&detail::checked_bloom(filter_)),
      locks_(detail::one_word(layout().kind)
                 ? nullptr
                 : std::make_unique<detail::SharedLock[]>(detail::SharedLock::count)) {
    detail::check_not_moved(bits_->blocks() == 0);
}

ConcurrentBloom::~ConcurrentBloom() = default;

std::size_t ConcurrentBloom::take(const Keys& keys) {
    detail::insert_beside_others(*bits_, keys);
    return keys.size();
}

FrozenFilter ConcurrentBloom::freeze() && {
    detail::check_not_moved(bits_->blocks() == 0);
    return FrozenFilter(std::move(filter_));
}

template class Interface<ConcurrentBloom, detail::NoBase>;

}  // namespace simdbloom
