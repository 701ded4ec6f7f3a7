// Bloom filters whose block is one cache line of 512 bits.
#pragma once

#include <utility>

#include "simdbloom/detail/little_endian.hpp"
#include "simdbloom/filter.hpp"

namespace simdbloom {

/// Three layouts whose block is a cache line.
///
/// - sector512 (default): one bit in each of the 8 words of the line.
/// - zoned512: k/z bits in one word of each of z groups of words (Lang et al. 2019).
/// - blocked512: k bits anywhere in the line (Putze et al. 2007).
class CacheLineBloom : public Interface<CacheLineBloom, FilterBase>,
                       public SetOperations<CacheLineBloom> {
public:
    void insert_hash(std::uint64_t hash) {
        check_takes_keys();
        std::byte* block = block_at(detail::block_index(hash, blocks_));
        for (unsigned i = 0; i < layout_.k; ++i) {
            const unsigned b = bit(hash, i);
            detail::store_le(block + b / 64 * 8,
                             word(block, b / 64) | std::uint64_t{1} << (b % 64));
        }
    }
    bool contains_hash(std::uint64_t hash) const noexcept {
        const std::byte* const block = block_of<64>(hash);
        const auto x = static_cast<std::uint32_t>(hash);
        std::uint64_t missing = 0;  // bit 0
        if (layout_.kind == LayoutKind::sector512) {
            [&]<unsigned... i>(std::integer_sequence<unsigned, i...>) {  // unrolled, even at -O2
                ((missing |= ~(word(block, i) >>
                               (detail::bit_position<LayoutKind::sector512>(x, i, 8, 0) % 64))),
                 ...);
            }
            (std::make_integer_sequence<unsigned, 8>());
        } else if (layout_.kind == LayoutKind::zoned512) {
            const std::uint64_t p = detail::spread(x);
            const unsigned k_per_group = layout_.k / layout_.groups;
            for (unsigned g = 0, i = 0; g < layout_.groups; ++g) {
                const std::uint64_t w = word(block, detail::zoned_word(p, g, layout_.groups));
                for (unsigned j = 0; j < k_per_group; ++j, ++i)
                    missing |= ~(w >> detail::zoned_bit(p, i));
            }
        } else {
            for (unsigned i = 0; i < layout_.k; ++i) {
                const unsigned b = detail::bit_position<LayoutKind::blocked512>(x, i, layout_.k, 0);
                missing |= ~(word(block, b / 64) >> (b % 64));
            }
        }
        return (missing & 1) == 0;
    }

    static Layout layout_of(const Options& options) {
        return detail::layout_from(options, "sector512", detail::Family::cache_line);
    }

private:
    friend Interface;
    friend SetOperations;
    friend struct detail::LoadAccess;
    CacheLineBloom(const detail::Geometry& geometry, const Options& options)
        : Interface(geometry, options) {}

    static std::uint64_t word(const std::byte* block, unsigned i) noexcept {
        return detail::load_le<std::uint64_t>(block + 8 * i);
    }
    unsigned bit(std::uint64_t hash, unsigned i) const noexcept {
        const auto x = static_cast<std::uint32_t>(hash);
        if (layout_.kind == LayoutKind::sector512)
            return detail::bit_position<LayoutKind::sector512>(x, i, layout_.k, 0);
        if (layout_.kind == LayoutKind::blocked512)
            return detail::bit_position<LayoutKind::blocked512>(x, i, layout_.k, 0);
        return detail::bit_position<LayoutKind::zoned512>(x, i, layout_.k, layout_.groups);
    }
};

}  // namespace simdbloom
