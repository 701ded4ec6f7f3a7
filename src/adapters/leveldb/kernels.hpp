// LevelDB's built-in filter: k probes of a 32-bit hash anywhere in one bit array.
//
//   probe i    (h + i * delta) % bits     delta = h rotated right by 17
//
// One key takes one 64-bit lane. The remainder is a product with the reciprocal of `bits`, which is
// the same for all keys of a batch, and one correction. Measured: src/adapters/leveldb/README.md.
#pragma once

#include <cstddef>
#include <cstdint>

#include "adapters/leveldb/kernel_table.hpp"

namespace simdbloom::detail {
namespace {

template <class O>
class LevelDbProbes {
public:
    using V = typename O::V;

    static std::size_t lookup(const LevelDbTarget& t, const Batch& b, Output output, void* out) {
        const LevelDbProbes probes(t);
        Emitter<O> emit(output, out);
        V keys = O::load(numbers.number);
        std::size_t at = 0;
        for (; at + O::lanes <= b.size; at += O::lanes, keys = keys + O::broadcast(O::lanes))
            emit(keys, probes.test(hashes(O::load(b.keys + at), b.hashed), all));
        if (at < b.size)
            emit(keys, probes.test(hashes(O::load_first(b.keys + at, b.size - at), b.hashed),
                                   (1u << (b.size - at)) - 1));
        return emit.end(b.size);
    }

private:
    struct Numbers {
        std::uint64_t number[O::lanes] = {};
        constexpr Numbers() {
            for (std::size_t i = 0; i < O::lanes; ++i) number[i] = i;
        }
    };
    alignas(64) static constexpr Numbers numbers{};
    static constexpr unsigned all = (1u << O::lanes) - 1;

    explicit LevelDbProbes(const LevelDbTarget& t)
        : bits_(t.bits),
          k_(t.k),
          count_(O::broadcast(t.count)),
          reciprocal_(O::broadcast(t.reciprocal)),
          last_word_(O::broadcast(t.count / 8 - 8)) {}

    static V low32(V v) { return v & O::broadcast(0xFFFFFFFFu); }
    /// leveldb_hash of eight bytes, which are two words and no tail.
    static V hashes(V key, bool hashed) {
        if (hashed) return low32(key);
        constexpr std::uint32_t seed = 0xBC9F1D34u, m = 0xC6A4A793u;
        const V multiplier = O::broadcast(m);
        V h = low32(O::mul32(key + O::broadcast(seed ^ 8u * m),
                             multiplier));  // only low halves are multiplied
        h = h ^ (h >> 16);
        h = low32(O::mul32(h + (key >> 32), multiplier));
        return h ^ (h >> 16);
    }
    /// a - b if that is not negative, else a. Both are below 2^63.
    static V less_if_not_below(V a, V b) {
        const V difference = a - b;
        return difference + (b & (O::broadcast(0) - (difference >> 63)));
    }
    // The estimated quotient is exact or one too small, because floor(2^32 / bits) is less than one
    // below 2^32 / bits and h is below 2^32. From 2^32 bits on the quotient is 0, and h is the
    // position.
    V position(V h) const {
        return less_if_not_below(h - O::mul32(O::mul32(h, reciprocal_) >> 32, count_), count_);
    }

    /// Bit i is set if lane i is active and all its bits are set.
    unsigned test(V h, unsigned alive) const {
        const V delta = (h >> 17) | low32(h << 15);
        for (unsigned i = 0; i < k_ && alive != 0; ++i, h = low32(h + delta)) {
            const V at = position(h), byte = at >> 3;
            // Loads eight bytes from that byte on, or the last eight bytes: never reads beyond the
            // bits.
            const V beyond = byte - last_word_,
                    offset = last_word_ + (beyond & (O::broadcast(0) - (beyond >> 63)));
            const V word = O::gather64(bits_, offset, alive);
            alive &= O::nonzero_lanes(word & O::bit(at - (offset << 3)));
        }
        return alive;
    }

    const std::byte* bits_;
    unsigned k_;
    V count_, reciprocal_, last_word_;
};

template <class O>
SIMDBLOOM_KERNEL std::size_t leveldb_lookup(const LevelDbTarget& t, Batch b, Output output,
                                            void* out) {
    return LevelDbProbes<O>::lookup(t, b, output, out);
}

template <class O>
constexpr LevelDbKernels make_kernels() {
    return {&leveldb_lookup<O>};
}

}  // namespace
}  // namespace simdbloom::detail
