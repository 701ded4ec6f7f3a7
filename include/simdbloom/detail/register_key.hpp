// One key of the register layouts: whether its word has the k bits of its pattern x, and the
// insert. `wide`: words have 64 bits. Inlined always (hash.hpp).
#pragma once

#include "simdbloom/detail/layouts/list.hpp"
#include "simdbloom/detail/little_endian.hpp"
#include "simdbloom/hash.hpp"

namespace simdbloom::detail {

/// Whether the fields of the pattern lie in x itself, or at the top of the spread pattern.
[[gnu::always_inline]] constexpr bool word_is_direct(unsigned k, bool wide) noexcept {
    return k <= 32u / (wide ? 6 : 5);
}

#if defined(__AVX2__)

using WordLanes [[gnu::vector_size(32)]] = std::uint32_t;

/// Where the positions of the probes lie in a pattern, for lanes of 32 bits: two bytes of the
/// pattern, shifted to the right. Lanes beyond k repeat the first probe.
struct alignas(128) WordFields {
    std::uint8_t bytes[32] = {};
    std::uint32_t shifts[8] = {}, mask = 0;
    bool direct = false;
};
struct WordFieldsTable {
    WordFields of[32];  ///< of words of 32 bits at k, of 64 bits at 16 + k
    constexpr WordFieldsTable() : of() {
        for (unsigned at = 0; at < 32; ++at) {
            const bool wide = at >= 16;
            const unsigned k = at % 16, field = wide ? 6 : 5;
            WordFields& fields = of[at];
            fields.mask = wide ? 63 : 31;
            fields.direct = word_is_direct(k, wide);
            for (unsigned lane = 0; lane < 8; ++lane) {
                const unsigned i = lane < k ? lane : 0;
                const unsigned first = fields.direct ? field * i : 64 - field * (i + 1);
                const unsigned byte = first / 8 < 6 ? first / 8 : 6;
                for (unsigned j = 0; j < 4; ++j)
                    fields.bytes[4 * lane + j] = static_cast<std::uint8_t>(j < 2 ? byte + j : 0x80);
                fields.shifts[lane] = first - 8 * byte;
            }
        }
    }
};
inline constexpr WordFieldsTable word_fields;

[[gnu::always_inline]] inline WordLanes word_positions(std::uint32_t x, unsigned k,
                                                       bool wide) noexcept {
    using Quads [[gnu::vector_size(32)]] = std::uint64_t;
    using Bytes [[gnu::vector_size(32)]] = char;
    const WordFields& fields = word_fields.of[k + (wide ? 16u : 0u)];
    const std::uint64_t p = fields.direct ? x : spread(x);
    WordLanes shifts;
    Bytes bytes;
    __builtin_memcpy(&bytes, fields.bytes, sizeof bytes);
    __builtin_memcpy(&shifts, fields.shifts, sizeof shifts);
    return reinterpret_cast<WordLanes>(
               __builtin_ia32_pshufb256(reinterpret_cast<Bytes>(Quads{p, p, p, p}), bytes)) >>
               shifts &
           fields.mask;
}
// Eight lanes look at one bit each. What lies behind a word of 32 bits is loaded in vain.
[[gnu::always_inline]] inline bool word_covers(const std::byte* at, std::uint32_t x, unsigned k,
                                               bool wide) noexcept {
    using Quads [[gnu::vector_size(32)]] = long long;
    using Floats [[gnu::vector_size(32)]] = float;
    using Ints [[gnu::vector_size(32)]] = int;
    const WordLanes position = word_positions(x, k, wide);
    const auto word = static_cast<long long>(load_le<std::uint64_t>(at));
    // The sixth bit of a position says in which half of the word the bit is.
    const auto halves =
        __builtin_ia32_vpermilvarps256(reinterpret_cast<Floats>(Quads{word, word, word, word}),
                                       reinterpret_cast<Ints>(position >> 5));
    return __builtin_ia32_ptestc256(reinterpret_cast<Quads>(halves),
                                    reinterpret_cast<Quads>(1u << (position & 31))) != 0;
}
[[gnu::always_inline]] inline std::uint64_t word_mask(std::uint32_t x, unsigned k,
                                                      bool wide) noexcept {
    using Quads [[gnu::vector_size(32)]] = std::uint64_t;
    const auto position = reinterpret_cast<Quads>(word_positions(x, k, wide));
    const Quads four =
        (std::uint64_t{1} << (position & 0xFFFFFFFF)) | (std::uint64_t{1} << (position >> 32));
    const auto two =
        __builtin_shufflevector(four, four, 0, 1) | __builtin_shufflevector(four, four, 2, 3);
    return two[0] | two[1];
}

#else

// 2^i. A load in place of a shift by a variable count, which takes three steps on many CPUs.
struct BitMasks {
    std::uint64_t of[64] = {};
    constexpr BitMasks() {
        for (unsigned i = 0; i < 64; ++i) of[i] = std::uint64_t{1} << i;
    }
};
inline constexpr BitMasks bit_masks;

template <unsigned field>
[[gnu::always_inline]] inline std::uint64_t word_mask_of(std::uint32_t x, unsigned k) noexcept {
    const std::uint64_t p = word_is_direct(k, field == 6) ? x : spread(x) >> (64 - field * k);
    const auto bit = [p](unsigned i) __attribute__((always_inline)) {
        return bit_masks.of[p >> (field * i) & ((1u << field) - 1)];
    };
    // One jump, which the CPU predicts: all keys have one k. A loop takes 1.2 times as long.
    std::uint64_t m = bit(0);
    // clang-format off
    switch (k) {
        case 8: m |= bit(7); [[fallthrough]];
        case 7: m |= bit(6); [[fallthrough]];
        case 6: m |= bit(5); [[fallthrough]];
        case 5: m |= bit(4); [[fallthrough]];
        case 4: m |= bit(3); [[fallthrough]];
        case 3: m |= bit(2); [[fallthrough]];
        case 2: m |= bit(1); [[fallthrough]];
        default: return m;
    }
    // clang-format on
}
[[gnu::always_inline]] inline std::uint64_t word_mask(std::uint32_t x, unsigned k,
                                                      bool wide) noexcept {
    return wide ? word_mask_of<6>(x, k) : word_mask_of<5>(x, k);
}
[[gnu::always_inline]] inline bool word_covers(const std::byte* at, std::uint32_t x, unsigned k,
                                               bool wide) noexcept {
    if (wide) return (word_mask_of<6>(x, k) & ~load_le<std::uint64_t>(at)) == 0;
    return (word_mask_of<5>(x, k) & ~std::uint64_t{load_le<std::uint32_t>(at)}) == 0;
}

#endif

[[gnu::always_inline]] inline void word_set(std::byte* at, std::uint32_t x, unsigned k,
                                            bool wide) noexcept {
    const std::uint64_t mask = word_mask(x, k, wide);
    if (wide) store_le(at, load_le<std::uint64_t>(at) | mask);
    else store_le(at, load_le<std::uint32_t>(at) | static_cast<std::uint32_t>(mask));
}

}  // namespace simdbloom::detail
