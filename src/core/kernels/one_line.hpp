// The common part of the layouts whose blocks lie within one cache line.
#pragma once

#include "core/kernels/answers.hpp"
#include "core/kernels/driver.hpp"

namespace simdbloom::detail {
namespace {

inline void set_bits(std::byte* word, std::uint64_t mask) {
    store_le(word, load_le<std::uint64_t>(word) | mask);
}

/// Raises the 4-bit counter in which the bit of that number lies, unless it is 15.
inline void raise_counter(std::byte* counters, std::uint64_t bit) {
    std::byte* const at = counters + bit / 8;
    const auto byte = static_cast<unsigned>(*at), shift = static_cast<unsigned>(bit & 4);
    *at =
        static_cast<std::byte>(byte + (static_cast<unsigned>((byte >> shift & 15) != 15) << shift));
}

/// A stage with one byte offset and one pattern for each key.
struct LineStage {
    alignas(64) std::uint64_t offset[chunk_keys];
    alignas(64) std::uint64_t pattern[chunk_keys];
};

template <class O, unsigned block_bytes>
struct OneLine {
    using V = typename O::V;
    using Stage = LineStage;

    static void stage_address(const Target& t, const Hashes<O>& hash, Stage& s, std::size_t i) {
        O::store(s.offset + i, block_offset_vector<O>(hash, t.blocks, __builtin_ctz(block_bytes)));
    }
    static void prefetch(const Target& t, const Stage& s, std::size_t i) {
        for (std::size_t j = i; j < i + O::lanes; ++j) O::prefetch(t.bits + s.offset[j]);
    }
};

/// Of these, the layouts with one bit in each word. A block is `parts` vectors of the kind Lanes;
/// Own::mask(pattern, part) has the bits of a key in one of them.
template <class Own, class O, unsigned block_bytes, class Lanes>
struct WordByWord : OneLine<O, block_bytes> {
    static constexpr std::size_t parts = block_bytes / sizeof(Lanes);

    static std::size_t insert(const Target& t, const LineStage& s, std::size_t i, std::size_t n) {
        for (std::size_t j = i; j < i + n; ++j)
            for (std::size_t part = 0; part < parts; ++part) {
                std::byte* const block = t.bits + s.offset[j];
                O::store_block(block + sizeof(Lanes) * part,
                               part_of(block, part) | Own::mask(s.pattern[j], part));
            }
        return n;
    }

protected:
    static Lanes part_of(const std::byte* block, std::size_t part) {
        return O::template load_block<Lanes>(block + sizeof(Lanes) * part);
    }
    static bool covers(const std::byte* block, std::uint64_t pattern) {
        if constexpr (O::has_missing_bits) {
            Lanes missing = O::missing(part_of(block, 0), Own::mask(pattern, 0));
            for (std::size_t part = 1; part < parts; ++part)
                missing = missing | O::missing(part_of(block, part), Own::mask(pattern, part));
            return O::none(missing);
        } else {
            bool hit = true;
            for (std::size_t part = 0; part < parts; ++part)
                hit &= O::covers(part_of(block, part), Own::mask(pattern, part));
            return hit;
        }
    }
};

}  // namespace
}  // namespace simdbloom::detail
