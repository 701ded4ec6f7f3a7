// What C++17 does not have.
#pragma once

template <class T>
struct type_identity {
    using type = T;
};
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

/// What a layout says of itself. A key sets k / zones bits in a word of each zone of a block.
struct LayoutTraits {
    std::uint8_t format_code;  ///< its number in saved filters
    unsigned block_bits, k_min, k_max, zones, word_bits;
};
