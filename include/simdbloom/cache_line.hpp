// Bloom filters whose block is one cache line of 512 bits.
#pragma once

#include <cstring>

#include "simdbloom/filter.hpp"

namespace simdbloom {

/// Layouts sector512 (default: one bit in each of the line's 8 words), zoned512 (k/z bits in one word of
/// each of z groups; Lang et al. 2019) and blocked512 (k bits anywhere; Putze et al. 2007).
class CacheLineBloom : public BloomInterface<CacheLineBloom> {
public:
    void insert_hash(std::uint64_t hash) noexcept {
        std::byte* block = block_at(detail::block_index(hash, blocks_));
        for (unsigned i = 0; i < layout_.k; ++i) {
            const unsigned b = bit(hash, i);
            std::uint64_t word;
            std::memcpy(&word, block + b / 64 * 8, 8);
            word |= std::uint64_t{1} << (b % 64);
            std::memcpy(block + b / 64 * 8, &word, 8);
        }
    }
    bool contains_hash(std::uint64_t hash) const noexcept {
        const std::byte* block = block_at(detail::block_index(hash, blocks_));
        for (unsigned i = 0; i < layout_.k; ++i) {
            const unsigned b = bit(hash, i);
            std::uint64_t word;
            std::memcpy(&word, block + b / 64 * 8, 8);
            if (((word >> (b % 64)) & 1) == 0) return false;
        }
        return true;
    }

    static Layout layout_of(const Options& options) {
        return detail::layout_from(options, "sector512", LayoutKind::sector512, LayoutKind::blocked512);
    }

private:
    friend class BloomInterface<CacheLineBloom>;
    CacheLineBloom(const detail::Geometry& geometry, const Options& options) : BloomInterface(geometry, options) {}

    unsigned bit(std::uint64_t hash, unsigned i) const noexcept {
        const auto x = static_cast<std::uint32_t>(hash);
        if (layout_.kind == LayoutKind::sector512) return detail::bit_position<LayoutKind::sector512>(x, i, layout_.k, 0);
        if (layout_.kind == LayoutKind::blocked512) return detail::bit_position<LayoutKind::blocked512>(x, i, layout_.k, 0);
        return detail::bit_position<LayoutKind::zoned512>(x, i, layout_.k, layout_.groups);
    }
};

}  // namespace simdbloom
