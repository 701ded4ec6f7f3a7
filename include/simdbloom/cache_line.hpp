// Bloom filters whose block is one cache line of 512 bits.
#pragma once

#include "simdbloom/detail/sector_key.hpp"
#include "simdbloom/detail/set_operations.hpp"

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
        if (layout_.kind != LayoutKind::sector512) [[unlikely]]
            return insert_in_layout(hash);
        detail::sector_set(bits_.data() + 64 * detail::block_of_key(hash, factor_),
                           detail::spread(static_cast<std::uint32_t>(hash)));
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
    // Of any layout, in the library: inlined, they cost sector512 1.6 ns a key, not 1.02 (Zen 5).
    void insert_in_layout(std::uint64_t hash) noexcept;
    [[gnu::pure]] bool contains_in_layout(std::uint64_t hash) const noexcept;
    [[gnu::pure]] bool contains_key_in_layout(std::uint64_t key) const noexcept;
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
