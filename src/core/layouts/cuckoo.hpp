// The kernels of cuckoo8, cuckoo12 and cuckoo16 (simdbloom/detail/layouts/cuckoo.hpp).
//
// A lookup loads both buckets of a key and compares its fingerprint, the tag, with all eight slots.
// One key takes one 64-bit lane. A bucket of four tags is one word of 32, 48 or 64 bits, so a
// vector gathers the buckets of O::lanes keys. The comparison is one of words: the bucket XOR four
// copies of the tag has a slot of zeros where the tag is.
//
// Limits: two lines a lookup, eight copies of a key, and a load of about 0.95; then inserts fail.
// Measured: bench/pages/results.md.
#pragma once

#include "core/kernels/answers.hpp"
#include "core/kernels/driver.hpp"
#include "core/layouts/cuckoo_bucket.hpp"

namespace simdbloom::detail {
namespace {

template <class O, unsigned bits>
struct Cuckoo {
    static constexpr std::uint32_t few_below = 10;
    using V = typename O::V;
    static constexpr std::uint64_t bucket_bytes = CuckooBucket<bits>::bytes,
                                   slot_ones = CuckooBucket<bits>::ones;
    struct Stage {
        alignas(64) std::uint64_t bucket[chunk_keys];
        alignas(64) std::uint64_t alternate[chunk_keys];
        alignas(64) std::uint64_t tag[chunk_keys];
    };
    using Answers = LaneBits;
    template <class P>
    using Over = Cuckoo<P, bits>;

    static void stage(const Target& t, const Hashes<O>& hash, Stage& s, std::size_t i) {
        const V bucket = block_index_vector<O>(hash, t.blocks);
        const V tag =
            (O::mul32(low_halves(hash), O::broadcast((1u << bits) - 1)) >> 32) + O::broadcast(1);
        const V h =
            O::mul32(O::mul32(tag, O::broadcast(cuckoo_multiplier)), O::broadcast(t.blocks)) >> 32;
        const V alternate = wrapped<O>(h - bucket, O::broadcast(t.blocks));
        O::store(s.bucket + i, bucket);
        O::store(s.alternate + i, alternate);
        O::store(s.tag + i, tag);
    }
    static void prefetch(const Target& t, const Stage& s, std::size_t i) {
        for (std::size_t j = i; j < i + O::lanes; ++j) {
            O::prefetch(t.bits + s.bucket[j] * bucket_bytes);
            O::prefetch(t.bits + s.alternate[j] * bucket_bytes);
        }
    }
    static void test(const Target& t, const Stage& s, std::size_t at, Answers& answers,
                     std::size_t i) {
        const V pattern = tag_in_all_slots(O::load(s.tag + at));
        const V a = load_buckets(t, O::load(s.bucket + at)) ^ pattern;
        const V b = load_buckets(t, O::load(s.alternate + at)) ^ pattern;
        answers.set(i, O::nonzero_lanes(zero_slots(a) | zero_slots(b)));
    }
    static std::size_t insert(const Target& t, const Stage& s, std::size_t i, std::size_t n) {
        for (std::size_t j = i; j < i + n; ++j)
            if (!cuckoo_place<bits>(t, s.bucket[j], s.alternate[j],
                                    static_cast<std::uint32_t>(s.tag[j])))
                return j - i;
        return n;
    }

private:
    static V load_buckets(const Target& t, V bucket) {
        if constexpr (bits == 8) return O::gather32(t.bits, bucket << 2);
        else if constexpr (bits == 16) return O::gather64(t.bits, bucket << 3);
        else
            return O::gather64(t.bits, (bucket << 2) + (bucket << 1)) &
                   O::broadcast(0xFFFFFFFFFFFFu);
    }
    static V tag_in_all_slots(V tag) {
        V two = tag | (tag << static_cast<int>(bits));
        return two | (two << static_cast<int>(2 * bits));
    }
    // Nonzero exactly if one of the slots is zero: x - ones sets its high bit, which x has not set.
    static V zero_slots(V x) {
        const V ones = O::broadcast(slot_ones), high = O::broadcast(slot_ones << (bits - 1));
        return (x - ones) & (x ^ O::broadcast(~std::uint64_t{0})) & high;
    }
};

template <class O, LayoutKind kind>
requires(traits_of(kind).family == Family::cuckoo) struct KernelOf<O, kind, 0>
    : std::type_identity<Cuckoo<O, traits_of(kind).fingerprint_bits>> {
};

}  // namespace
}  // namespace simdbloom::detail
