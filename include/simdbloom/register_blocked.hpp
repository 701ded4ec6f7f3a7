// Register-blocked Bloom filters.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simdbloom/detail/one_key.hpp"
#include "simdbloom/export.hpp"
#include "simdbloom/filter.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// All k bits of a key lie in one word of 32 or 64 bits (Lang et al. 2019). No other lookup is as
/// cheap, and no other layout has as high an FPR for its space. Layouts: register64 (default) and
/// register32. Default k: the best by the exact model.
class RegisterBlockedBloom : public Interface<RegisterBlockedBloom, FilterBase>,
                             public SetOperations<RegisterBlockedBloom> {
public:
    using Interface::Interface;

    template <class Code = detail::FileCode>
    void insert_hash(std::uint64_t hash) {
        check_takes_keys();
        detail::OneKey<Code>::word_set(bits_.data() + offset<Code>(hash),
                                       static_cast<std::uint32_t>(hash), layout_.k, wide());
    }
    template <class Code = detail::FileCode>
    bool contains_hash(std::uint64_t hash) const noexcept {
        return detail::OneKey<Code>::word_covers(
            bits_.data() + offset<Code>(hash), static_cast<std::uint32_t>(hash), layout_.k, wide());
    }

    static Layout layout_of(const Options& options) {
        return detail::layout_from(options, "register64", detail::Family::register_blocked);
    }

private:
    bool wide() const noexcept { return layout_.kind == LayoutKind::register64; }
    template <class Code>
    std::uint64_t offset(std::uint64_t hash) const noexcept {
        return detail::OneKey<Code>::block_index(hash, blocks_) << (wide() ? 3 : 2);
    }
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
