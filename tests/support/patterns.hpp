// A chunk of hashes for patterns_exhaustive_test.cpp, and what layout_traits.hpp says of them.
#pragma once

#include <array>
#include <cstring>
#include <utility>

#include "simdbloom/detail/little_endian.hpp"
#include "support.hpp"

namespace simdbloom::test {

inline constexpr unsigned chunk_bits = 8;
inline constexpr std::size_t chunk = std::size_t{1}
                                     << chunk_bits;  // three filters of 64-byte blocks: 48 KiB
using Bitmap = std::array<std::uint64_t, chunk / 64>;

struct Chunk {
    explicit Chunk(const Layout& layout_of_all)
        : layout(layout_of_all),
          blocks(blocks_for(layout)),
          block_bytes(layout.block_bits() / 8),
          size(blocks * block_bytes),
          inserted(size),
          bits(inserted),
          scratch(inserted) {}

    // A table whose number of buckets is no power of two; for classic so many words that keys
    // seldom share bits.
    static std::uint64_t blocks_for(const Layout& l) {
        return l.is_table() ? chunk + 1 : l.traits().anywhere ? 4 * chunk : chunk;
    }

    Layout layout;
    std::uint64_t blocks, block_bytes, size;
    std::array<std::uint64_t, chunk> hashes{};
    std::uint64_t random = 0;
    detail::Storage inserted;  // all hashes inserted into an empty filter
    detail::Storage bits;      // to look up in
    Bitmap expected;           // the answers then
    detail::Storage scratch;   // empty
};

inline void set_bit(std::byte* block, std::uint64_t bit) {
    block[bit / 8] |= std::byte{1} << (bit % 8);
}
inline void clear_bit(std::byte* block, std::uint64_t bit) {
    block[bit / 8] &= ~(std::byte{1} << (bit % 8));
}

// 4-bit counters by the number of their lowest bit.
inline unsigned counter(const std::byte* counters, std::uint64_t bit) {
    return std::to_integer<unsigned>(counters[bit / 8]) >> (bit % 8) & 15;
}
inline void raise_counter(std::byte* counters, std::uint64_t bit) {
    if (counter(counters, bit) != 15)
        counters[bit / 8] = static_cast<std::byte>(std::to_integer<unsigned>(counters[bit / 8]) +
                                                   (1u << (bit % 8)));
}

template <LayoutKind kind, unsigned k, unsigned groups>
void prepare_block(Chunk& c) {
    constexpr std::size_t bytes = detail::traits_of(kind).block_bits / 8;
    std::memset(c.inserted.data(), 0, c.size);
    std::array<std::uint16_t, chunk> lacking;
    for (std::size_t j = 0; j < chunk; ++j) {
        const auto x = static_cast<std::uint32_t>(c.hashes[j]);
        std::uint16_t positions[k];
        [&]<unsigned... i>(std::integer_sequence<unsigned, i...>) {
            ((positions[i] =
                  static_cast<std::uint16_t>(detail::bit_position<kind>(x, i, k, groups))),
             ...);
        }
        (std::make_integer_sequence<unsigned, k>());
        for (const auto position : positions)
            (kind == LayoutKind::counting512 ? raise_counter : set_bit)(
                c.inserted.data() + j * bytes, position);
        lacking[j] = positions[(std::uint64_t{x * 0x85EBCA77u} * k) >> 32];
    }
    for (std::size_t w = 0; w < chunk / 64; ++w) c.expected[w] = random_key(c.random + w);
    std::memcpy(c.bits.data(), c.inserted.data(), c.size);
    for (std::size_t j = 0; j < chunk; ++j)
        if ((c.expected[j / 64] >> (j % 64) & 1) == 0)
            for (unsigned i = 0; i < (kind == LayoutKind::counting512 ? 4u : 1u); ++i)
                clear_bit(c.bits.data() + j * bytes, lacking[j] + i);
}

inline void prepare_classic(Chunk& c) {
    // Each low half once, each with some high half: a probe's word and bit follow from both.
    for (auto& hash : c.hashes) hash = random_key(hash) << 32 | (hash & 0xFFFFFFFFu);
    std::memset(c.inserted.data(), 0, c.size);
    c.expected = {};
    for (std::size_t j = 0; j < chunk; ++j) {
        std::uint64_t g = c.hashes[j];
        bool found = true;
        for (unsigned i = 0; i < c.layout.k; ++i, g = detail::classic_next(g)) {
            const bool counts = c.layout.is_counting();
            const std::uint64_t bit =
                64 * detail::block_index(g, c.blocks) + (counts ? detail::counting_bit(g) : g % 64);
            (counts ? raise_counter : set_bit)(c.inserted.data(), bit);
            found &= (counter(c.bits.data(), bit) & (counts ? 15 : 1)) != 0;
        }
        c.expected[j / 64] |= std::uint64_t{found} << (j % 64);
    }
}

// Slot `slot` of a bucket, numbered through all buckets, as one little integer.
template <unsigned width>
std::uint32_t tag_in(const std::byte* bits, std::uint64_t slot) {
    return detail::load_le<std::uint32_t>(bits + slot * width / 8) >> (slot * width % 8) &
           ((1u << width) - 1);
}
template <unsigned width>
void put_tag(std::byte* bits, std::uint64_t slot, std::uint32_t tag) {
    const auto word = detail::load_le<std::uint32_t>(bits + slot * width / 8);
    const auto shift = static_cast<unsigned>(slot * width % 8);
    detail::store_le(bits + slot * width / 8,
                     (word & ~(((1u << width) - 1) << shift)) | tag << shift);
}

template <unsigned width>
void prepare_cuckoo(Chunk& c) {
    std::memset(c.inserted.data(), 0, c.size);
    std::byte* const bits = c.bits.data();
    std::array<std::uint64_t, chunk> buckets[2];
    std::array<std::uint32_t, chunk> tags;
    for (std::size_t j = 0; j < chunk; ++j) {
        const auto x = static_cast<std::uint32_t>(c.hashes[j]);
        tags[j] = detail::fingerprint_of(x, width);
        buckets[0][j] = detail::block_index(c.hashes[j], c.blocks);
        buckets[1][j] = detail::cuckoo_alternate(buckets[0][j], tags[j], c.blocks);
        put_tag<width>(c.inserted.data(), 4 * buckets[0][j], tags[j]);
        const std::uint64_t r = (x ^ c.random) * 0x9E3779B97F4A7C15u >> 32;
        const std::uint32_t off_by_a_bit = (r & 4) != 0 ? 1u << (r / 8 % width) : 0;
        put_tag<width>(bits, 4 * buckets[r >> 31][j] + r % 4, tags[j] ^ off_by_a_bit);
    }
    c.expected = {};
    for (std::size_t j = 0; j < chunk; ++j) {
        bool found = false;
        for (unsigned slot = 0; slot < 4; ++slot)
            found |= tag_in<width>(bits, 4 * buckets[0][j] + slot) == tags[j] ||
                     tag_in<width>(bits, 4 * buckets[1][j] + slot) == tags[j];
        c.expected[j / 64] |= std::uint64_t{found} << (j % 64);
    }
}

using Prepare = void (*)(Chunk&);

template <LayoutKind kind, unsigned groups, unsigned step, unsigned max>
Prepare prepare_any_k(unsigned k) {
    Prepare found = nullptr;
    [&]<unsigned... i>(std::integer_sequence<unsigned, i...>) {
        ((k == (i + 1) * step ? void(found = &prepare_block<kind, (i + 1) * step, groups>)
                              : void()),
         ...);
    }
    (std::make_integer_sequence<unsigned, max / step>());
    return found;
}

inline Prepare prepare_of(const Layout& layout) {
    return detail::with_kind(layout.kind, [&]<LayoutKind kind>() -> Prepare {
        constexpr const detail::LayoutTraits& traits = detail::traits_of(kind);
        if constexpr (traits.family == detail::Family::cuckoo)
            return prepare_cuckoo<traits.fingerprint_bits>;
        else if constexpr (traits.family == detail::Family::dleft) return nullptr;
        else if constexpr (traits.anywhere) return prepare_classic;
        else if constexpr (traits.fixed_k()) return prepare_block<kind, traits.k_max, 0>;
        else if constexpr (traits.k_step == 0)
            return layout.zones == 2 ? prepare_any_k<kind, 2, 2, traits.k_max>(layout.k)
                                     : prepare_any_k<kind, 4, 4, traits.k_max>(layout.k);
        else return prepare_any_k<kind, 0, traits.k_step, traits.k_max>(layout.k);
    });
}

}  // namespace simdbloom::test
