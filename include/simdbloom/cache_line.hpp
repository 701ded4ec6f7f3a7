// Bloom filters whose block is one cache line of 512 bits.
#pragma once

#include "simdbloom/detail/block_of_key.hpp"
#include "simdbloom/detail/layout_traits.hpp"
#include "simdbloom/detail/little_endian.hpp"
#include "simdbloom/detail/sector_key.hpp"
#include "simdbloom/filter.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// A block is a cache line. Options::spec names one of the layouts of one line that
/// src/core/layouts/README.md compares. The default is sector512: one bit in each of the 8 words.
class CacheLineBloom final : public Interface<CacheLineBloom, FilterBase>,
                             public SetOperations<CacheLineBloom> {
public:
    static constexpr std::string_view own_layout = "sector512";  ///< the default layout
    using Interface::Interface;

    /// Inserts the key of a hash.
    [[gnu::always_inline]] void insert_hash(std::uint64_t hash) {
        check_takes_keys();
        const std::uint64_t index = detail::block_of_key(hash, factor_);
        detail::with_kind_of<detail::Family::cache_line>(
            layout_.kind, [&]<LayoutKind kind>() __attribute__((always_inline)) {
                std::byte* const block = bits_.data() + block_bytes<kind> * index;
                if constexpr (kind == LayoutKind::sector512)
                    detail::sector_set(block, detail::spread(static_cast<std::uint32_t>(hash)));
                else if constexpr (kind == LayoutKind::zoned512)
                    each_zone(
                        hash, [&](unsigned i, std::uint64_t mask) __attribute__((always_inline)) {
                            detail::store_le(block + 8 * i, word(block, i) | mask);
                        });
                else
                    each_probe<kind>([&](unsigned i) __attribute__((always_inline)) {
                        const unsigned b = bit<kind>(hash, i);
                        detail::store_le(block + b / 64 * 8,
                                         word(block, b / 64) | std::uint64_t{1} << (b % 64));
                    });
            });
    }
    /// Whether the key of a hash is found.
    [[gnu::always_inline]] bool contains_hash(std::uint64_t hash) const noexcept {
        if (layout_.kind != LayoutKind::sector512) [[unlikely]]
            return contains_in_layout(hash);
        return detail::sector_covers(bits_.data() + 64 * detail::block_of_key(hash, factor_),
                                     detail::spread(static_cast<std::uint32_t>(hash)));
    }
    /// What contains(key) calls.
    [[gnu::always_inline]] bool contains_key(std::uint64_t key) const noexcept {
        // One condition, for which compilers make two loops: 1.02 ns a key, and 1.36 with two.
        if ((layout_.kind != LayoutKind::sector512) | keyed()) [[unlikely]]
            return contains_key_in_layout(key);
        return detail::sector_contains(bits_.data(), factor_, detail::mix_first<true>(key, seed_));
    }
    /// Lookups that are not inlined have kernels without vectors. ns a key of 1, 2, 4 and 8 keys
    /// one by one, and by the kernels of AVX-512 (Zen 5):
    /// split512 10.3, 9.0, 8.4, 8.0; 10.0, 5.8, 3.8, 2.8.
    /// zoned512 9.9, 8.6, 8.0, 7.7; 12.3, 8.4, 6.6, 5.7. blocked512 9.4, 8.2, 7.6, 7.3; 18.8,
    /// 9.7, 10.8, 5.2.
    [[gnu::always_inline]] bool one_by_one(std::size_t keys) const noexcept {
        return layout_.kind == LayoutKind::sector512 ||
               (keys < 4 && layout_.kind != LayoutKind::split512);
    }

private:
    template <LayoutKind kind>
    static constexpr std::uint64_t block_bytes = detail::traits_of(kind).block_bits / 8;

    [[gnu::always_inline]] static std::uint64_t word(const std::byte* block, unsigned i) noexcept {
        return detail::load_le<std::uint64_t>(block + 8 * i);
    }
    template <LayoutKind kind>
    [[gnu::always_inline]] unsigned bit(std::uint64_t hash, unsigned i) const noexcept {
        return detail::bit_position<kind>(static_cast<std::uint32_t>(hash), i, layout_.k,
                                          layout_.zones);
    }

    /// visit(i) for each probe of a key.
    template <LayoutKind kind, class Visit>
    [[gnu::always_inline]] void each_probe(const Visit& visit) const {
        constexpr detail::LayoutTraits traits = detail::traits_of(kind);
        if constexpr (traits.fixed_k()) {
            [&]<unsigned... i>(std::integer_sequence<unsigned, i...>)
                __attribute__((always_inline)) {  // even at -O2
                (visit(i), ...);
            }
            (std::make_integer_sequence<unsigned, traits.k_max>());
        } else {
            for (unsigned i = 0; i < layout_.k; ++i) visit(i);
        }
    }

    /// visit(word, mask) for each zone of zoned512. Bit by bit, each waits for the store before it.
    template <class Visit>
    [[gnu::always_inline]] void each_zone(std::uint64_t hash, const Visit& visit) const {
        const std::uint64_t p = detail::spread(static_cast<std::uint32_t>(hash));
        const unsigned k_per_zone = layout_.k >> (layout_.zones == 2 ? 1 : 2);
        for (unsigned g = 0, i = 0; g < layout_.zones; ++g) {
            std::uint64_t mask = 0;
            for (unsigned j = 0; j < k_per_zone; ++j, ++i)
                mask |= std::uint64_t{1} << detail::zoned_bit(p, i);
            visit(detail::zoned_word(p, g, layout_.zones), mask);
        }
    }

    // Of any layout, in the library: inlined, they cost sector512 1.6 ns a key, not 1.02 (Zen 5).
    [[gnu::pure]] bool contains_in_layout(std::uint64_t hash) const noexcept;
    [[gnu::pure]] bool contains_key_in_layout(std::uint64_t key) const noexcept;
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
