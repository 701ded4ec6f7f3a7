// The textbook Bloom filter.
#pragma once

#include "simdbloom/detail/layouts/classic.hpp"
#include "simdbloom/detail/little_endian.hpp"
#include "simdbloom/detail/set_operations.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// One bit array with k probes anywhere in it (Bloom 1970, method 2).
///
/// The probes (detail::classic_next) are as good as k independent functions in arrays of any size:
/// from 10 keys on, the measured FPR is expected_fpr(). Default k: fpr::classic_best_k.
class ClassicBloom final : public Interface<ClassicBloom, FilterBase>,
                           public SetOperations<ClassicBloom> {
public:
    static constexpr std::string_view own_layout = "classic";  ///< the default layout
    using Interface::Interface;

    /// Inserts the key of a hash.
    [[gnu::always_inline]] void insert_hash(std::uint64_t hash) {
        check_takes_keys();
        std::uint64_t g = hash;
        for (unsigned i = 0; i < layout_.k; ++i, g = detail::classic_next(g)) {
            std::byte* p = bits_.data() + 8 * detail::block_index(g, blocks_);
            detail::store_le(p, detail::load_le<std::uint64_t>(p) | std::uint64_t{1} << (g & 63));
        }
    }
    /// Whether the key of a hash is found.
    [[gnu::always_inline]] bool contains_hash(std::uint64_t hash) const noexcept {
        std::uint64_t g = hash;
        for (unsigned i = 0; i < layout_.k; ++i, g = detail::classic_next(g)) {
            const std::byte* p = bits_.data() + 8 * detail::block_index(g, blocks_);
            const auto word = detail::load_le<std::uint64_t>(p);
            if (((word >> (g & 63)) & 1) == 0) return false;
        }
        return true;
    }
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
