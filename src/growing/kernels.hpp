// growing12, growing16, growing20: loads both buckets of a key, and compares the key's tag with the
// valid bits of all eight slots. One key takes one 64-bit lane.
#pragma once

#include "core/kernels/extension.hpp"
#include "growing/slots.hpp"

namespace simdbloom::detail {
namespace {

template <class O, unsigned slot_bits>
struct Growing {
    using Target = GrowingTarget;
    static constexpr std::uint32_t few_below = 10;
    using V = typename O::V;
    using S = GrowingSlots<slot_bits>;
    struct Stage {
        alignas(64) std::uint64_t bucket[chunk_keys];
        alignas(64) std::uint64_t other[chunk_keys];
        alignas(64) std::uint64_t tag[chunk_keys];
    };
    using Answers = LaneBits;
    template <class P>
    using Over = Growing<P, slot_bits>;

    // growing_place(), a vector of keys at a time.
    static void stage(const Target& t, V hash, Stage& s, std::size_t i) {
        const auto growths = static_cast<int>(t.growths),
                   point = static_cast<int>(32 + growing_shift(t.roots));
        const V factor = O::broadcast(t.roots << (point - 32));
        const V position = O::mul32(O::swap_halves(hash), factor) + (O::mul32(hash, factor) >> 32);
        const V core = (O::mul32(hash << 16, O::broadcast(S::cores)) >> 32) + O::broadcast(1);
        const V movable = (position >> (point - growths - static_cast<int>(S::movable_bits))) &
                          O::broadcast(S::movable_mask);
        const V bucket = position >> (point - growths);
        const V root = position >> point;
        const V h =
            O::mul32(O::mul32(core, O::broadcast(cuckoo_multiplier)), O::broadcast(t.roots)) >> 32;
        const V other_root = wrapped<O>(h - root, O::broadcast(t.roots));
        O::store(s.bucket + i, bucket);
        O::store(s.other + i, bucket + ((other_root - root) << growths));
        O::store(s.tag + i, (core << static_cast<int>(S::movable_bits + 1)) | (movable << 1));
    }
    static void prefetch(const Target& t, const Stage& s, std::size_t i) {
        for (std::size_t j = i; j < i + O::lanes; ++j) {
            O::prefetch(t.bits + s.bucket[j] * S::bucket_bytes);
            O::prefetch(t.bits + s.other[j] * S::bucket_bytes);
        }
    }
    static void test(const Target& t, const Stage& s, std::size_t at, Answers& answers,
                     std::size_t i) {
        const V tag = O::load(s.tag + at);
        V pattern = tag | (tag << static_cast<int>(slot_bits));
        if constexpr (S::words == 1)
            pattern = pattern | (pattern << static_cast<int>(2 * slot_bits));
        const V a = offset(O::load(s.bucket + at)), b = offset(O::load(s.other + at));
        V found =
            matches(O::gather64(t.bits, a), pattern) | matches(O::gather64(t.bits, b), pattern);
        if constexpr (S::words == 2) {
            const std::byte* const second = t.bits + S::word_bytes;
            found = found | matches(O::gather64(second, a), pattern) |
                    matches(O::gather64(second, b), pattern);
        }
        answers.set(i, O::nonzero_lanes(found));
    }
    static std::size_t insert(const Target& t, const Stage& s, std::size_t i, std::size_t n) {
        for (std::size_t j = 0; j < n; ++j)
            if (!growing_insert(
                    t, slot_bits,
                    {s.bucket[i + j], s.other[i + j], static_cast<std::uint32_t>(s.tag[i + j])}))
                return j;
        return n;
    }

private:
    static V offset(V bucket) {
        if constexpr (slot_bits == 12) return (bucket << 2) + (bucket << 1);
        else if constexpr (slot_bits == 16) return bucket << 3;
        else return (bucket << 3) + (bucket << 1);
    }
    // Nonzero exactly if a slot matches.
    //
    // slot ^ (slot + 1) masks the lowest 0 of a slot and the ones below: the mark, which is not
    // compared. Every slot has a 0, so no carry leaves the slot:
    //   slot              c c c b b 0 1 1
    //   slot + 1          c c c b b 1 0 0
    //   xor               0 0 0 0 0 1 1 1
    // An empty slot is compared but for its lowest bit. It holds no core, so it does not match.
    // Bits behind the slots of a word are above them and reach none of them.
    static V matches(V slots, V pattern) {
        const V ones = O::broadcast(S::ones);
        const V all = O::broadcast(~std::uint64_t{0});
        const V differs = (slots ^ pattern) & ((slots ^ (slots + ones)) ^ all);
        return (differs - ones) & (differs ^ all) & O::broadcast(S::ones << (slot_bits - 1));
    }
};

template <class O>
constexpr GrowingKernels make_kernels() {
    return {kernels_of<O, Growing<O, 12>>(), kernels_of<O, Growing<O, 16>>(),
            kernels_of<O, Growing<O, 20>>()};
}

}  // namespace
}  // namespace simdbloom::detail
