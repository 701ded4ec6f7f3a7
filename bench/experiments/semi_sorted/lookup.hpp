// Lookups in a cuckoo table with and without semi-sorted buckets (Fan et al. 2014, section 5.2),
// compiled for each ISA as the kernels of the library are: plain data only.
//
// The low four bits of the four fingerprints of a bucket are sorted, and the high bits move with
// them. Of what were 16 bits 3876 values are left, which 12 bits number. So a bucket of 64 bits
// holds fingerprints of 17 bits in place of 16.
//
//   bucket, from the lowest bit:  number of the sorted low halves, 12 bits
//                                 high halves, 4 times 13 bits
#pragma once

#include "kernels/cuckoo.hpp"

namespace simdbloom::bench {

inline constexpr unsigned code_bits = 12, low_bits = 4, high_bits = 13, codes = 3876;
/// [code]: four low halves, ascending from the lowest bits, little-endian; and what a load of 8
/// bytes of the last reads behind it.
extern std::byte sorted_lows[2 * codes + 6];

struct CuckooLookups {
    std::size_t (*plain)(const detail::Target&, detail::Batch, detail::Output, void*);
    std::size_t (*semi_sorted)(const detail::Target&, detail::Batch, detail::Output, void*);
};
extern const CuckooLookups scalar_lookups, avx2_lookups, avx512_lookups;

namespace {

template <class O>
struct SemiSorted {
    using V = typename O::V;
    using Unsorted = detail::Cuckoo<O, low_bits + high_bits>;
    using Stage = typename Unsorted::Stage;
    using Answers = detail::LaneBits;

    static void stage(const detail::Target& t, V hash, Stage& s, std::size_t i) {
        Unsorted::stage(t, hash, s, i);
    }
    template <detail::Fetch fetch>
    static void prefetch(const detail::Target& t, const Stage& s, std::size_t i) {
        Unsorted::template prefetch<fetch>(t, s, i);
    }
    static void test(const detail::Target& t, const Stage& s, std::size_t at, Answers& answers,
                     std::size_t i) {
        const V tag = O::load(s.tag + at);
        const V low = in_all_slots(tag & O::broadcast((1u << low_bits) - 1)),
                high = in_all_slots(tag >> static_cast<int>(low_bits));
        answers.set(i, O::nonzero_lanes(matches(t, O::load(s.bucket + at), low, high) |
                                        matches(t, O::load(s.alternate + at), low, high)));
    }

private:
    static constexpr std::uint64_t ones = 1 | std::uint64_t{1} << high_bits |
                                          std::uint64_t{1} << 2 * high_bits |
                                          std::uint64_t{1} << 3 * high_bits;

    static V in_all_slots(V x) {
        const V two = x | (x << static_cast<int>(high_bits));
        return two | (two << static_cast<int>(2 * high_bits));
    }
    static V matches(const detail::Target& t, V bucket, V low, V high) {
        const V word = O::gather64(t.bits, bucket << 3);
        // Four bits every 13 bits from 16 bits in a row.
        V lows = O::gather64(sorted_lows, (word & O::broadcast((1u << code_bits) - 1)) << 1) &
                 O::broadcast(0xFFFF);
        lows = (lows | (lows << 18)) & O::broadcast(0xFF | std::uint64_t{0xFF} << 26);
        lows = (lows | (lows << 9)) & O::broadcast(15 * ones);
        const V differs = (lows ^ low) | ((word >> static_cast<int>(code_bits)) ^ high);
        return (differs - O::broadcast(ones)) & (differs ^ O::broadcast(~std::uint64_t{0})) &
               O::broadcast(ones << (high_bits - 1));
    }
};

template <class O>
constexpr CuckooLookups make_lookups() {
    return {&detail::lookup<O, detail::Cuckoo<O, 16>>, &detail::lookup<O, SemiSorted<O>>};
}

}  // namespace
}  // namespace simdbloom::bench
