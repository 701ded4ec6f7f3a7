// The bits of a Bloom filter that several threads set and read at the same time.
//
// All access is to atomic words of one size: 64 bits, or 32 where a block has no more. Bits are
// never cleared meanwhile, so relaxed order is enough: any later read sees the bits of an OR.
#pragma once

#include <algorithm>
#include <atomic>
#include <type_traits>

#include "core/extension.hpp"
#include "simdbloom/detail/key_hash.hpp"
#include "simdbloom/detail/layout_traits.hpp"
#include "simdbloom/detail/little_endian.hpp"
#include "simdbloom/filter.hpp"
#include "simdbloom/hash.hpp"
#include "simdbloom/keys.hpp"
#include "simdbloom/layout.hpp"

namespace simdbloom::detail {

template <LayoutKind kind>
using SharedWord =
    std::conditional_t<traits_of(kind).block_bits == 32, std::uint32_t, std::uint64_t>;

/// The word at an aligned address. Its bytes are little-endian: convert it by little_endian().
template <class Word>
std::atomic_ref<Word> shared_word(const std::byte* at) noexcept {
    return std::atomic_ref<Word>(*reinterpret_cast<Word*>(const_cast<std::byte*>(at)));
}

template <class Word>
bool covers_shared(const std::byte* at, Word mask) noexcept {
    return (~shared_word<Word>(at).load(std::memory_order_relaxed) & little_endian(mask)) == 0;
}
// Many bits are already set, and a load costs a twentieth of a locked OR.
template <class Word>
void set_shared(std::byte* at, Word mask) noexcept {
    if (!covers_shared(at, mask))
        (void)shared_word<Word>(at).fetch_or(little_endian(mask), std::memory_order_relaxed);
}
/// The same. Returns whether this call set one of the bits. (On x86 a fetch_or whose result is used
/// is a loop.)
template <class Word>
bool set_shared_if_new(std::byte* at, Word mask) noexcept {
    if (covers_shared(at, mask)) return false;
    mask = little_endian(mask);
    return (~shared_word<Word>(at).fetch_or(mask, std::memory_order_relaxed) & mask) != 0;
}

/// Calls work.operator()<kind>() for a layout whose cells are bits.
template <class Work>
void with_bloom_kind(LayoutKind kind, const Work& work) {
    with_kind(kind, [&]<LayoutKind of>() {
        if constexpr (!traits_of(of).is_table() && traits_of(of).cell_bits() == 1)
            work.template operator()<of>();
    });
}

/// The bits of a filter that threads share.
struct SharedBits {
    std::byte* bits;
    std::uint64_t blocks;
    const Layout& layout;
};

/// The block of a hash.
template <LayoutKind kind>
std::byte* block_of(const SharedBits& b, std::uint64_t hash) noexcept {
    return b.bits + block_index(hash, b.blocks) * (traits_of(kind).block_bits / 8);
}

/// Calls visit(address, mask) for each word of the block until it returns false. Words with a mask
/// of 0 are visited too, which costs less than a branch.
template <LayoutKind kind, class Visit>
void each_word(const SharedBits& b, std::uint64_t hash, const Visit& visit) {
    using Word = SharedWord<kind>;
    if constexpr (traits_of(kind).anywhere) {
        for (unsigned i = 0; i < b.layout.k; ++i, hash = classic_next(hash))
            if (!visit(block_of<kind>(b, hash), Word{1} << (hash & 63))) return;
    } else {
        constexpr unsigned width = 8 * sizeof(Word), words = traits_of(kind).block_bits / width;
        // A constant count lets the compiler unroll the loop.
        const unsigned k = traits_of(kind).fixed_k() ? traits_of(kind).k_max : b.layout.k;
        Word masks[words] = {};
        for (unsigned i = 0; i < k; ++i) {
            const unsigned bit =
                bit_position<kind>(static_cast<std::uint32_t>(hash), i, k, b.layout.zones);
            masks[bit / width] |= Word{1} << (bit % width);
        }
        std::byte* const block = block_of<kind>(b, hash);
        for (unsigned w = 0; w < words; ++w)
            if (!visit(block + sizeof(Word) * w, masks[w])) return;
    }
}

/// The hashes of a batch of keys.
struct KeyHashes {
    const Kernels& kernels;
    const KeyHash& hash;
    Isa isa;
    Keys keys;

    /// The hashes of n keys from key `first` on; `made` has room for them.
    const std::uint64_t* operator()(std::size_t first, std::size_t n, std::uint64_t* made) const {
        if (keys.are_hashes()) return keys.words().data() + first;
        hash.hash(keys, isa, first, n, made);
        return made;
    }
};

inline KeyHashes hashes_of(const FilterBase& filter, const Keys& keys) {
    return {*filter.parts().kernels_, filter, filter.isa(), keys};
}

template <LayoutKind kind>
void insert_shared(const SharedBits& b, std::uint64_t hash) noexcept {
    each_word<kind>(b, hash, [](std::byte* at, auto mask) {
        set_shared(at, mask);
        return true;
    });
}

/// Prefetches the lines of a key that goes in.
template <LayoutKind kind>
void prefetch_shared(const SharedBits& b, std::uint64_t hash) noexcept {
    if constexpr (traits_of(kind).anywhere)
        each_word<kind>(b, hash, [](std::byte* at, auto) {
            __builtin_prefetch(at, 1);
            return true;
        });
    else __builtin_prefetch(block_of<kind>(b, hash), 1);
}

/// Inserts the keys from `first` to `last` by atomic ORs.
inline void insert_shared(const SharedBits& b, const KeyHashes& hashes_of, std::size_t first,
                          std::size_t last) {
    with_bloom_kind(b.layout.kind, [&]<LayoutKind kind>() {
        const std::size_t bytes = b.blocks * (traits_of(kind).block_bits / 8);
        for (Tuner slice(b.bits, shared_insert_call, &hashes_of.kernels, prefetching_of(bytes),
                         false);
             slice.next(last - first);) {
            // A locked OR waits for earlier loads, so lines are prefetched a chunk ahead.
            const std::size_t end = first + slice.first() + slice.keys();
            std::uint64_t made[2][chunk_keys];
            const auto ask_for = [&](std::size_t at, std::size_t n, std::uint64_t* to) {
                const std::uint64_t* const hashes = hashes_of(at, n, to);
                const bool all = slice.way() != BatchWay::none;
                for (std::size_t i = 0; i < n; ++i)
                    if (all) prefetch_shared<kind>(b, hashes[i]);
                    else if constexpr (traits_of(kind).anywhere)  // Zen 5, 1 MiB: 18 ns, not 25
                        __builtin_prefetch(block_of<kind>(b, hashes[i]), 1);
                return hashes;
            };
            const auto size = [&](std::size_t at) { return std::min(chunk_keys, end - at); };
            std::size_t at = first + slice.first();
            const std::uint64_t* next = ask_for(at, size(at), made[0]);
            for (unsigned turn = 1; at < end; at += chunk_keys, turn ^= 1) {
                const std::uint64_t* const now = next;
                if (at + chunk_keys < end)
                    next = ask_for(at + chunk_keys, size(at + chunk_keys), made[turn]);
                for (std::size_t i = 0; i < size(at); ++i) insert_shared<kind>(b, now[i]);
            }
        }
    });
}

inline SharedBits shared_bits(const FilterBase& filter) noexcept {
    return {filter.target().bits, filter.blocks(), filter.layout()};
}
/// Inserts on this thread. Other threads may do the same at the same time.
inline void insert_beside_others(FilterBase& filter, const Keys& keys) {
    filter.check_takes_keys();
    insert_shared(shared_bits(filter), hashes_of(filter, keys), 0, keys.size());
}

}  // namespace simdbloom::detail
