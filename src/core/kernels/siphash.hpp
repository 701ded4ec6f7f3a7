// SipHash-2-4 of integers (simdbloom/hash.hpp). One key takes one 64-bit lane.
#pragma once

#include "core/kernels/hash.hpp"
#include "simdbloom/detail/siphash.hpp"

namespace simdbloom::detail {
namespace {

template <class O>
struct RotateLanes {
    template <int n>
    typename O::V left(typename O::V x) const {
        if constexpr (requires { O::template rotate_left<n>(x); })
            return O::template rotate_left<n>(x);
        else if constexpr (n == 32) return O::swap_halves(x);
        else return (x << n) | (x >> (64 - n));
    }
};

template <class O>
SipState<typename O::V> sip_begin_lanes(std::uint64_t low, std::uint64_t high) {
    return {O::broadcast(sip_constants[0] ^ low), O::broadcast(sip_constants[1] ^ high),
            O::broadcast(sip_constants[2] ^ low), O::broadcast(sip_constants[3] ^ high)};
}

/// hashes[i] = siphash(keys[i]) for n keys. The two arrays may be the same.
template <class O>
SIMDBLOOM_KERNEL void siphash_batch(const std::uint64_t* keys, std::size_t n, std::uint64_t low,
                                    std::uint64_t high, std::uint64_t* hashes) {
    using V = typename O::V;
    const auto begin = sip_begin_lanes<O>(low, high);
    const V length = O::broadcast(std::uint64_t{8} << 56), ff = O::broadcast(0xFF);
    hash_batch<O>(keys, n, hashes, [&](V key) {
        SipState<V> state = begin;
        state.absorb(key, RotateLanes<O>{});
        state.absorb(length, RotateLanes<O>{});
        return state.finish(ff, RotateLanes<O>{});
    });
}

}  // namespace
}  // namespace simdbloom::detail
