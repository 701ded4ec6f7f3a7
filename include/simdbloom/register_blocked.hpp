// Register-blocked Bloom filters.
#pragma once

#include "simdbloom/detail/register_key.hpp"
#include "simdbloom/detail/set_operations.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// All k bits of a key lie in one word of 32 or 64 bits (Lang et al. 2019). No other lookup is as
/// cheap, and no other layout has as high an FPR for its space. Layouts: register64 (default) and
/// register32. Default k: the best by the exact model.
class RegisterBlockedBloom final : public Interface<RegisterBlockedBloom, FilterBase>,
                                   public SetOperations<RegisterBlockedBloom> {
public:
    static constexpr std::string_view own_layout = "register64";  ///< the default layout
    using Interface::Interface;

    /// Inserts the key of a hash.
    [[gnu::always_inline]] void insert_hash(std::uint64_t hash) {
        check_takes_keys();
        detail::word_set(bits_.data() + offset(hash), static_cast<std::uint32_t>(hash), layout_.k,
                         wide());
    }
    /// Whether the key of a hash is found.
    [[gnu::always_inline]] bool contains_hash(std::uint64_t hash) const noexcept {
        return detail::word_covers(bits_.data() + offset(hash), static_cast<std::uint32_t>(hash),
                                   layout_.k, wide());
    }

private:
    [[gnu::always_inline]] bool wide() const noexcept {
        return layout_.kind == LayoutKind::register64;
    }
    [[gnu::always_inline]] std::uint64_t offset(std::uint64_t hash) const noexcept {
        return detail::block_of_key(hash, factor_) << (wide() ? 3 : 2);
    }
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
