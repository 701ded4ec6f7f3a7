// Hashes of an ISA whose products come from halves: AVX2.
//
// A product of 64 bits is low * c + 2^32 * (the sum of two other products). Layouts and the next
// product want the halves apart, so nobody adds them up: 3 % of a key of split256 (Zen 5).
#pragma once

#include "core/kernels/hash.hpp"

namespace simdbloom::detail {
namespace {

/// Hashes, or what becomes hashes: low + 2^32 * above.
template <class O>
struct Halves {
    using V = typename O::V;
    V low, above = O::broadcast(0);

    Halves(V whole) : low(whole) {}
    Halves(V low_part, V above_part) : low(low_part), above(above_part) {}
    operator V() const { return low + (above << 32); }
    /// The high halves in the low ones, with anything above them.
    V high() const { return (low >> 32) + above; }
};

template <class O>
struct HashesOf<O, true> {
    using V = typename O::V;
    using type = Halves<O>;
    static type first_product(V x) { return product<mix_multiplier1>(x, x >> 32); }
    static type second_product(const type& x) {
        return product<mix_multiplier2>(x.low ^ O::rotated(x.high()), x.high());
    }

private:
    template <std::uint64_t c>
    static type product(V low, V high) {
        const V c_low = O::broadcast(c & 0xFFFFFFFFu), c_high = O::broadcast(c >> 32);
        return {O::mul32(low, c_low), O::mul32(low, c_high) + O::mul32(high, c_low)};
    }
};

template <class O>
inline typename O::V low_halves(const Halves<O>& hashes) {
    return hashes.low;
}
template <class O>
inline typename O::V block_index_vector(const Halves<O>& hash, std::uint64_t blocks) {
    return O::mul32(hash.high(), O::broadcast(blocks)) >> 32;
}
template <class O>
inline typename O::V block_offset_vector(const Halves<O>& hash, std::uint64_t blocks, int shift) {
    return (O::mul32(hash.high(), O::broadcast(blocks)) >> (32 - shift)) &
           O::broadcast(~std::uint64_t{0} << shift);
}

}  // namespace
}  // namespace simdbloom::detail
