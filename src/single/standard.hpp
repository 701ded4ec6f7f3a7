// What C++17 does not have.
#pragma once

#if defined(__BYTE_ORDER__)
enum class endian {
    little = __ORDER_LITTLE_ENDIAN__,
    big = __ORDER_BIG_ENDIAN__,
    native = __BYTE_ORDER__
};
#else
enum class endian { little, big, native = little };
#endif
template <class T>
constexpr T rotl(T x, int n) noexcept {
    return x << n | x >> (static_cast<int>(8 * sizeof x) - n);
}

SIMDBLOOM_INLINE int popcount(std::uint64_t x) noexcept {
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_popcountll(x);
#else
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    return static_cast<int>(((x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u >> 56);
#endif
}
SIMDBLOOM_INLINE int countr_zero(std::uint64_t x) noexcept {
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_ctzll(x);
#else
    return popcount(~x & (x - 1));
#endif
}

/// What a layout says of itself. A key sets k / zones bits in a word of each zone of a block.
struct LayoutTraits {
    std::uint8_t format_code;  ///< its number in saved filters
    unsigned block_bits, k_min, k_max, zones, word_bits;
};
