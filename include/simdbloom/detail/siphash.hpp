// SipHash-2-4 over words of any type.
#pragma once

#include "simdbloom/hash.hpp"

namespace simdbloom::detail {

// SipHash-2-4 (Aumasson & Bernstein 2012, section 2.4), over any V of 64-bit lanes.
template <class V, class Rotate>
struct SipState {
    V v0, v1, v2, v3;

    [[gnu::always_inline]] constexpr void rounds(int n) noexcept {
        constexpr Rotate rotate{};
        for (int i = 0; i < n; ++i) {
            v0 = v0 + v1;
            v2 = v2 + v3;
            v1 = rotate.template left<13>(v1) ^ v0;
            v3 = rotate.template left<16>(v3) ^ v2;
            v0 = rotate.template left<32>(v0);
            v2 = v2 + v1;
            v0 = v0 + v3;
            v1 = rotate.template left<17>(v1) ^ v2;
            v3 = rotate.template left<21>(v3) ^ v0;
            v2 = rotate.template left<32>(v2);
        }
    }
    [[gnu::always_inline]] constexpr void absorb(V word) noexcept {
        v3 = v3 ^ word;
        rounds(2);
        v0 = v0 ^ word;
    }
    [[gnu::always_inline]] constexpr V finish(V ff) noexcept {
        v2 = v2 ^ ff;
        rounds(4);
        return v0 ^ v1 ^ v2 ^ v3;
    }
};

inline constexpr std::uint64_t sip_constants[4] = {0x736F6D6570736575u, 0x646F72616E646F6Du,
                                                   0x6C7967656E657261u, 0x7465646279746573u};

struct RotateWord {
    template <int n>
    [[gnu::always_inline]] constexpr std::uint64_t left(std::uint64_t x) const noexcept {
        return x << n | x >> (64 - n);
    }
};

constexpr SipState<std::uint64_t, RotateWord> sip_begin(const Secret& secret) noexcept {
    return {sip_constants[0] ^ secret.low, sip_constants[1] ^ secret.high,
            sip_constants[2] ^ secret.low, sip_constants[3] ^ secret.high};
}

/// siphash(value, secret), inlined.
constexpr std::uint64_t siphash_word(std::uint64_t value, const Secret& secret) noexcept {
    auto state = sip_begin(secret);
    state.absorb(value);
    state.absorb(std::uint64_t{8} << 56);
    return state.finish(0xFF);
}

}  // namespace simdbloom::detail
