// register32 and register64: k bits in one word of 32 or 64 bits (Lang et al. 2019,
// "register-blocked").
//
//   word     [ 64 bits ........................ ]
//   key          ^      ^   ^            ^    ^        bit i: six bits of x each, while x has them
//                                                      (k <= 5); else of x * spread_multiplier
#pragma once

#include "simdbloom/detail/layouts/traits.hpp"

namespace simdbloom::detail {

namespace layouts {

template <unsigned word_bits>
struct RegisterBlocked {
    static constexpr unsigned field = word_bits == 64 ? 6 : 5;  ///< bits of a position
    static constexpr unsigned direct_k = 32 / field;  ///< so many fields fit into x itself

    SIMDBLOOM_INLINE static unsigned bit(std::uint32_t x, unsigned i, unsigned k,
                                         unsigned) noexcept {
        constexpr unsigned mask = word_bits - 1;
        return k <= direct_k ? (x >> (field * i)) & mask
                             : static_cast<unsigned>(spread(x) >> (64 - field - field * i)) & mask;
    }
    static constexpr unsigned variant(unsigned k, unsigned) noexcept { return k - 1; }
};

struct register32 : RegisterBlocked<32> {
    static constexpr auto traits = LayoutTraits(
        Family::register_blocked, 2, 32, {.k_min = 1, .k_max = 8, .word_bits = 32, .variants = 8});
};

struct register64 : RegisterBlocked<64> {
    static constexpr auto traits = LayoutTraits(
        Family::register_blocked, 3, 64, {.k_min = 1, .k_max = 8, .word_bits = 64, .variants = 8});
};

}  // namespace layouts
}  // namespace simdbloom::detail
