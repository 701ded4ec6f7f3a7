// What the interface does in line.
#pragma once

namespace detail {

constexpr const LayoutTraits& traits_of(layout of) noexcept {
    return of == layout::split256     ? layouts::split256::traits
           : of == layout::sector512  ? layouts::sector512::traits
           : of == layout::blocked512 ? layouts::blocked512::traits
                                      : layouts::register64::traits;
}

/// use(number of a bit in the block) for each bit of the pattern of a hash.
template <class L, class Use>
SIMDBLOOM_INLINE void each_bit_of(std::uint64_t hash, unsigned k, const Use& use) {
    for (unsigned i = 0; i < k; ++i) use(L::bit(static_cast<std::uint32_t>(hash), i, k, 0));
}
template <class Use>
SIMDBLOOM_INLINE void each_bit(layout of, std::uint64_t hash, unsigned k, const Use& use) {
    switch (of) {
        case layout::split256:
            return each_bit_of<layouts::split256>(hash, 8, use);
        case layout::sector512:
            return each_bit_of<layouts::sector512>(hash, 8, use);
        case layout::blocked512:
            return each_bit_of<layouts::blocked512>(hash, k, use);
        case layout::register64:
            return each_bit_of<layouts::register64>(hash, k, use);
    }
}

}  // namespace detail

constexpr std::size_t block_bytes(layout of) noexcept {
    return detail::traits_of(of).block_bits / 8;
}

constexpr std::uint64_t hash(std::uint64_t key, std::uint64_t seed) noexcept {
    return detail::mix(key, seed + detail::seed_offset);
}

inline bool view::contains(std::uint64_t hash) const noexcept {
    const std::byte* const block =
        bits_ + detail::block_index(hash, size_.blocks) * block_bytes(layout_);
    unsigned set = 1;
    detail::each_bit(layout_, hash, size_.k, [&](unsigned bit) {
        set &= static_cast<unsigned>(block[bit / 8]) >> (bit % 8);
    });
    return set != 0;
}

inline void view::insert(std::uint64_t hash) noexcept {
    std::byte* const block = bits_ + detail::block_index(hash, size_.blocks) * block_bytes(layout_);
    detail::each_bit(layout_, hash, size_.k, [&](unsigned bit) {
        block[bit / 8] |= static_cast<std::byte>(1u << (bit % 8));
    });
}
