// Register-blocked Bloom filters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "simdbloom/detail/little_endian.hpp"
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
    void insert_hash(std::uint64_t hash) {
        check_takes_keys();
        detail::with_kind_of<detail::Family::register_blocked>(
            layout_.kind, [&]<LayoutKind kind>() { set<kind>(hash); });
    }
    bool contains_hash(std::uint64_t hash) const noexcept {
        return detail::with_kind_of<detail::Family::register_blocked>(
            layout_.kind, [&]<LayoutKind kind>() { return test<kind>(hash); });
    }

    static Layout layout_of(const Options& options) {
        return detail::layout_from(options, "register64", detail::Family::register_blocked);
    }

private:
    friend Interface;
    friend SetOperations;
    friend struct detail::LoadAccess;
    RegisterBlockedBloom(const detail::Geometry& geometry, const Options& options)
        : Interface(geometry, options) {}

    template <LayoutKind kind>
    using Word =
        std::conditional_t<detail::traits_of(kind).word_bits == 32, std::uint32_t, std::uint64_t>;
    template <LayoutKind kind>
    Word<kind> mask(std::uint64_t hash) const noexcept {
        Word<kind> m = 0;
        for (unsigned i = 0; i < layout_.k; ++i)
            m |= Word<kind>{1} << detail::bit_position<kind>(static_cast<std::uint32_t>(hash), i,
                                                             layout_.k, 0);
        return m;
    }
    template <LayoutKind kind>
    void set(std::uint64_t hash) noexcept {
        std::byte* const p = block_at(detail::block_index(hash, blocks_));
        detail::store_le(p, detail::load_le<Word<kind>>(p) | mask<kind>(hash));
    }
    template <LayoutKind kind>
    bool test(std::uint64_t hash) const noexcept {
        const auto word = detail::load_le<Word<kind>>(block_at(detail::block_index(hash, blocks_)));
        return (mask<kind>(hash) & ~word) == 0;
    }
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
