// The hash of hash.hpp and the block address of layout_traits.hpp, one vector of keys at a time.
#pragma once

#include "core/kernels/table.hpp"
#include "simdbloom/detail/siphash.hpp"
#include "simdbloom/layout.hpp"

namespace simdbloom::detail {
namespace {

// A copy of the salts with internal linkage: the header's array would be a second exported symbol.
alignas(64) constexpr struct SaltLanes {
    std::uint32_t lane[sizeof salts / sizeof *salts] = {};
    constexpr SaltLanes() {
        for (unsigned i = 0; i < sizeof salts / sizeof *salts; ++i) lane[i] = salts[i];
    }
} salt_lanes;

/// For a seed that is folded once: with y = x ^ seed, y ^ (y >> shift) is x ^ (x >> shift) ^
/// folded. That saves one operation a vector where xor takes three operands.
template <class O>
inline typename O::V fold_seed(std::uint64_t seed) {
    return O::broadcast(seed ^ (seed >> mix_shift));
}

/// A vector of hashes: numbers of 64 bits, or Halves. Above low_halves() anything may stand.
template <class O, bool of_halves = O::has_half_products>
struct HashesOf {
    using V = typename O::V;
    using type = V;
    static V first_product(V x) { return O::template mul<mix_multiplier1>(x); }
    static V second_product(V x) {
        return O::template mul<mix_multiplier2>(x ^ O::high_rotated(x));
    }
};
// Of an ISA whose products come from halves, AVX2: a product of 64 bits is low * c + 2^32 * (the
// sum of two other products). Layouts and the next product want the halves apart, so nobody adds
// them up: 3 % of a key of split256 (Zen 5).

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
using Hashes = typename HashesOf<O>::type;
template <class V>
inline V low_halves(V hashes) {
    return hashes;
}
template <class O>
inline typename O::V low_halves(const Halves<O>& hashes) {
    return hashes.low;
}

// The mixer of hash.hpp in two parts, so that a loop can work on parts of several vectors.
//
// The first shift brings the high bits of a key down, so that the low bits of the first product
// depend on them. The rotated high half takes the highest bits of the first product to the lowest
// of the second. With equal halves the first multiplier costs AVX2 one instruction less.
//
// Weak keys: i * (2^s + 2^(s-19) + 2^(s-38)), and i in three fields at these places, cancel in the
// first shift. bench/pages/tried.md, "Mixers", has their FPR and the mixers that were compared.
template <class O>
inline Hashes<O> mix_first(typename O::V key, typename O::V folded_seed) {
    return HashesOf<O>::first_product(O::xor3(key, key >> mix_shift, folded_seed));
}
template <class O>
inline typename O::V mix_vector(typename O::V key, typename O::V folded_seed) {
    return HashesOf<O>::second_product(mix_first<O>(key, folded_seed));
}

/// hashes[i] = hash(keys[i]), a vector at a time. The two arrays may be the same.
template <class O, class Hash>
inline void hash_batch(const std::uint64_t* keys, std::size_t n, std::uint64_t* hashes,
                       const Hash& hash) {
    std::size_t i = 0;
    for (; i + O::lanes <= n; i += O::lanes) O::store(hashes + i, hash(O::load(keys + i)));
    if (i == n) return;
    std::uint64_t rest[O::lanes];
    O::store(rest, hash(O::load_first(keys + i, n - i)));
    for (std::size_t j = 0; i + j < n; ++j) hashes[i + j] = rest[j];
}

template <class O>
SIMDBLOOM_KERNEL void mix_batch(const std::uint64_t* keys, std::size_t n, std::uint64_t seed,
                                std::uint64_t* hashes) {
    const auto folded_seed = fold_seed<O>(seed);
    hash_batch<O>(keys, n, hashes,
                  [&](typename O::V key) { return mix_vector<O>(key, folded_seed); });
}

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
using SipLanesState = SipState<typename O::V, RotateLanes<O>>;
template <class O>
SipLanesState<O> sip_begin_lanes(std::uint64_t low, std::uint64_t high) {
    return {O::broadcast(sip_constants[0] ^ low), O::broadcast(sip_constants[1] ^ high),
            O::broadcast(sip_constants[2] ^ low), O::broadcast(sip_constants[3] ^ high)};
}

/// hashes[i] = siphash(keys[i]), a vector at a time. The two arrays may be the same.
template <class O>
SIMDBLOOM_KERNEL void siphash_batch(const std::uint64_t* keys, std::size_t n, std::uint64_t low,
                                    std::uint64_t high, std::uint64_t* hashes) {
    using V = typename O::V;
    const auto begin = sip_begin_lanes<O>(low, high);
    const V length = O::broadcast(std::uint64_t{8} << 56), ff = O::broadcast(0xFF);
    hash_batch<O>(keys, n, hashes, [&](V key) {
        auto state = begin;
        state.absorb(key);
        state.absorb(length);
        return state.finish(ff);
    });
}

/// The high half of a hash times a number below 2^32.
template <class O>
inline typename O::V high_product(typename O::V hash, std::uint64_t factor) {
    const typename O::V low = O::broadcast(factor);
    if constexpr (O::has_mul32_high) return O::mul32_high(hash, low);
    else return O::mul32(O::swap_halves(hash), low);
}
template <class O>
inline typename O::V high_product(const Halves<O>& hash, std::uint64_t factor) {
    return O::mul32(hash.high(), O::broadcast(factor));
}

template <class O, class Hash>
inline typename O::V block_index_vector(const Hash& hash, std::uint64_t blocks) {
    return high_product<O>(hash, blocks) >> 32;
}

/// block_index times 2^shift, with one shift less than the two in turn.
template <class O, class Hash>
inline typename O::V block_offset_vector(const Hash& hash, std::uint64_t blocks, int shift) {
    return (high_product<O>(hash, blocks) >> (32 - shift)) &
           O::broadcast(~std::uint64_t{0} << shift);
}

/// A number from -count on, and `count` more where it is negative.
template <class O>
inline typename O::V wrapped(typename O::V number, typename O::V count) {
    return number + (count & (O::broadcast(0) - (number >> 63)));
}

// Reads only the low halves of x.
template <class O>
inline typename O::V spread_vector(typename O::V x) {
    constexpr auto low = spread_multiplier & 0xFFFFFFFFu, high = spread_multiplier >> 32;
    return O::mul32(x, O::broadcast(low)) + (O::mul32(x, O::broadcast(high)) << 32);
}

}  // namespace
}  // namespace simdbloom::detail
