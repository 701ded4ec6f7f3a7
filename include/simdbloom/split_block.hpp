// The split block Bloom filter of Parquet.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simdbloom/detail/one_key.hpp"
#include "simdbloom/export.hpp"
#include "simdbloom/filter.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// Blocks of 8 words of 32 bits. A key sets one bit in each word (parquet-format, BloomFilter.md;
/// Apple 2021). With hashes from XXH64, seed 0, the bits are byte for byte those of the Parquet
/// specification.
class SplitBlockBloom : public Interface<SplitBlockBloom, FilterBase>,
                        public SetOperations<SplitBlockBloom> {
public:
    using Interface::Interface;

    template <class Code = detail::FileCode>
    void insert_hash(std::uint64_t hash) {
        check_takes_keys();
        const std::uint64_t index = detail::OneKey<Code>::block_index(hash, blocks_);
        detail::OneKey<Code>::split_set(bits_.data() + 32 * index,
                                        static_cast<std::uint32_t>(hash));
    }
    template <class Code = detail::FileCode>
    bool contains_hash(std::uint64_t hash) const noexcept {
        const std::uint64_t index = detail::OneKey<Code>::block_index(hash, blocks_);
        return detail::OneKey<Code>::split_covers(bits_.data() + 32 * index,
                                                  static_cast<std::uint32_t>(hash));
    }

    static Layout layout_of(const Options& options) {
        return detail::layout_from(options, "split256", detail::Family::split_block);
    }
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
