// SipHash-2-4 over words of any type.
#pragma once

#include "simdbloom/hash.hpp"

namespace simdbloom::detail {

// SipHash-c-d with c = 2 and d = 4 (Aumasson & Bernstein 2012, section 2.4), over any word type V
// that has 64-bit lanes.
template <class V>
struct SipState {
    V v0, v1, v2, v3;

    template <class Rotate>
    [[gnu::always_inline]] constexpr void rounds(int n, const Rotate& rotate) noexcept {
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
    template <class Rotate>
    [[gnu::always_inline]] constexpr void absorb(V word, const Rotate& rotate) noexcept {
        v3 = v3 ^ word;
        rounds(2, rotate);
        v0 = v0 ^ word;
    }
    template <class Rotate>
    [[gnu::always_inline]] constexpr V finish(V ff, const Rotate& rotate) noexcept {
        v2 = v2 ^ ff;
        rounds(4, rotate);
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

constexpr SipState<std::uint64_t> sip_begin(const Secret& secret) noexcept {
    return {sip_constants[0] ^ secret.low, sip_constants[1] ^ secret.high,
            sip_constants[2] ^ secret.low, sip_constants[3] ^ secret.high};
}

/// siphash(value, secret), inlined.
constexpr std::uint64_t siphash_word(std::uint64_t value, const Secret& secret) noexcept {
    auto state = sip_begin(secret);
    state.absorb(value, RotateWord{});
    state.absorb(std::uint64_t{8} << 56, RotateWord{});
    return state.finish(0xFF, RotateWord{});
}

}  // namespace simdbloom::detail
