#include "simdbloom/cache_line.hpp"

#include "core/filters/interface.hpp"
#include "simdbloom/detail/layout_traits.hpp"
#include "simdbloom/detail/little_endian.hpp"

namespace simdbloom {
namespace {

constexpr auto cache_line = detail::Family::cache_line;

template <LayoutKind kind>
constexpr std::uint64_t block_bytes = detail::traits_of(kind).block_bits / 8;

std::uint64_t word(const std::byte* block, unsigned i) noexcept {
    return detail::load_le<std::uint64_t>(block + 8 * i);
}
void set_in_word(std::byte* block, unsigned i, std::uint64_t mask) noexcept {
    detail::store_le(block + 8 * i, word(block, i) | mask);
}

/// visit(bit) for each probe of a key.
template <LayoutKind kind, class Visit>
void each_probe(const Layout& layout, std::uint64_t hash, const Visit& visit) {
    constexpr detail::LayoutTraits traits = detail::traits_of(kind);
    const auto probe = [&](unsigned i) {
        visit(detail::bit_position<kind>(static_cast<std::uint32_t>(hash), i, layout.k,
                                         layout.zones));
    };
    if constexpr (traits.fixed_k()) {
        [&]<unsigned... i>(std::integer_sequence<unsigned, i...>) { (probe(i), ...); }
        (std::make_integer_sequence<unsigned, traits.k_max>());
    } else {
        for (unsigned i = 0; i < layout.k; ++i) probe(i);
    }
}

/// visit(word, mask) for each zone of zoned512. Bit by bit, each waits for the store before it.
template <class Visit>
void each_zone(const Layout& layout, std::uint64_t hash, const Visit& visit) {
    const std::uint64_t p = detail::spread(static_cast<std::uint32_t>(hash));
    const unsigned k_per_zone = layout.k >> (layout.zones == 2 ? 1 : 2);
    for (unsigned g = 0, i = 0; g < layout.zones; ++g) {
        std::uint64_t mask = 0;
        for (unsigned j = 0; j < k_per_zone; ++j, ++i)
            mask |= std::uint64_t{1} << detail::zoned_bit(p, i);
        visit(detail::zoned_word(p, g, layout.zones), mask);
    }
}

}  // namespace

void CacheLineBloom::insert_in_layout(std::uint64_t hash) noexcept {
    const std::uint64_t index = detail::block_of_key(hash, factor_);
    detail::with_kind_of<cache_line>(layout_.kind, [&]<LayoutKind kind>() {
        std::byte* const block = bits_.data() + block_bytes<kind> * index;
        if constexpr (kind == LayoutKind::zoned512)
            each_zone(layout_, hash,
                      [&](unsigned i, std::uint64_t mask) { set_in_word(block, i, mask); });
        else
            each_probe<kind>(layout_, hash, [&](unsigned b) {
                set_in_word(block, b / 64, std::uint64_t{1} << (b % 64));
            });
    });
}

bool CacheLineBloom::contains_in_layout(std::uint64_t hash) const noexcept {
    const std::uint64_t index = detail::block_of_key(hash, factor_);
    return detail::with_kind_of<cache_line>(layout_.kind, [&]<LayoutKind kind>() {
        const std::byte* const block = bits_.data() + block_bytes<kind> * index;
        if constexpr (kind == LayoutKind::sector512) {
            return contains_hash(hash);
        } else if constexpr (kind == LayoutKind::zoned512) {
            bool set = true;
            each_zone(layout_, hash, [&](unsigned i, std::uint64_t mask) {
                set &= (word(block, i) & mask) == mask;
            });
            return set;
        } else {
            std::uint64_t set = 1;
            each_probe<kind>(layout_, hash,
                             [&](unsigned b) { set &= word(block, b / 64) >> (b % 64); });
            return set != 0;
        }
    });
}

bool CacheLineBloom::contains_key_in_layout(std::uint64_t key) const noexcept {
    return contains_in_layout(hash_of(key));
}

template class Interface<CacheLineBloom, FilterBase>;
template class SetOperations<CacheLineBloom>;

}  // namespace simdbloom
