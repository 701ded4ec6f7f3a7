// The split block Bloom filter of Parquet.
#pragma once

#include "simdbloom/detail/set_operations.hpp"
#include "simdbloom/detail/split_key.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// Blocks of 8 words of 32 bits. A key sets one bit in each word (parquet-format, BloomFilter.md;
/// Apple 2021). With hashes from XXH64, seed 0, the bits are byte for byte those of the Parquet
/// specification.
class SplitBlockBloom final : public Interface<SplitBlockBloom, FilterBase>,
                              public SetOperations<SplitBlockBloom> {
public:
    static constexpr std::string_view own_layout = "split256";  ///< the default layout
    using Interface::Interface;

    /// Inserts the key of a hash.
    [[gnu::always_inline]] void insert_hash(std::uint64_t hash) {
        check_takes_keys();
        detail::split_set(bits_.data() + 32 * detail::block_of_key(hash, factor_),
                          static_cast<std::uint32_t>(hash));
    }
    /// Whether the key of a hash is found.
    [[gnu::always_inline]] bool contains_hash(std::uint64_t hash) const noexcept {
        return detail::split_covers(bits_.data() + 32 * detail::block_of_key(hash, factor_),
                                    static_cast<std::uint32_t>(hash));
    }
    /// What contains(key) calls.
    [[gnu::always_inline]] bool contains_key(std::uint64_t key) const noexcept {
        if (keyed()) return contains_hash(keyed_hash_of(key));
        return detail::split_contains(bits_.data(), factor_, detail::mix_first<true>(key, seed_));
    }
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
