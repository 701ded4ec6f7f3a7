// Lookups of a BloomierMap and of build_filter (Chazelle et al. 2004; Graf & Lemire 2022).
//
//   slots    .. s .. | .. s .. | .. s .. |        one slot in each of 3 or 4 windows next to each
//   other key         ^          ^         ^            s XOR s XOR s = value and check bits of the
//   key
//
// Gathers, shifts and XORs the slots of a key, and compares the check bits with the hash. One key
// takes one 64-bit lane.
//
// Limits: the keys never change. A lookup touches 3 or 4 lines, which lie near each other in large
// tables only. Measured: papers/graf-lemire-2022.md.
#pragma once

#include <utility>

#include "fixed/kernel_table.hpp"
#include "simdbloom/fixed/detail/fuse.hpp"

namespace simdbloom::detail {
namespace {

template <class O, unsigned arity, SlotLoad slot_load>
struct Fuse {
    using Target = FuseTarget;
    static constexpr std::uint32_t few_below = 8;
    static constexpr bool wide = slot_load == SlotLoad::bytes64 || slot_load == SlotLoad::bits64;
    static constexpr bool packed = slot_load == SlotLoad::bits32 || slot_load == SlotLoad::bits64;
    using V = typename O::V;
    using Answers = LaneBits;
    template <class P>
    using Over = Fuse<P, arity, slot_load>;
    struct Stage {
        alignas(64) std::uint64_t
            at[arity][chunk_keys];  // first bit of a slot where slots are packed, else first byte
        alignas(64) std::uint64_t check[chunk_keys];
    };

    static void stage(const Target& t, V hash, Stage& s, std::size_t i) {
        const HashWords m = place(t, hash, s, i);
        O::store(s.check + i,
                 ((m.q >> 16) ^ m.high) & O::broadcast((std::uint64_t{1} << t.check_bits) - 1));
    }
    static void prefetch(const Target& t, const Stage& s, std::size_t i) {
        for (std::size_t j = i; j < i + O::lanes; ++j)
            for (unsigned r = 0; r < arity; ++r)
                O::prefetch(t.bits + (packed ? s.at[r][j] / 8 : s.at[r][j]));
    }
    static void test(const Target& t, const Stage& s, std::size_t at, Answers& answers,
                     std::size_t i) {
        answers.set(i, found(t, decoded(t, s, at)));
    }

    /// The XOR of slots and check. For a present key the low check_bits are 0, with the value above
    /// them.
    static V decoded(const Target& t, const Stage& s, std::size_t at) {
        return slots(t, s, at) ^ O::load(s.check + at);
    }
    static unsigned found(const Target& t, V x) {
        constexpr unsigned all = (1u << O::lanes) - 1;
        return O::nonzero_lanes(x & O::broadcast((std::uint64_t{1} << t.check_bits) - 1)) ^ all;
    }
    static V value(const Target& t, V x) {
        return (x >> static_cast<int>(t.check_bits)) &
               O::broadcast((std::uint64_t{1} << t.value_bits) - 1);
    }

private:
    // The intermediate values of fuse_place.
    struct HashWords {
        V high, q;
    };
    static HashWords place(const Target& t, V hash, Stage& s, std::size_t i) {
        const V p = O::template mul<fuse_multiplier>(hash ^ O::broadcast(t.graph_seed)),
                high = p >> 32, g = p ^ high;
        const V q = O::mul32(g, O::broadcast(fuse_check_multiplier));
        const V start = O::mul32(high, O::broadcast(t.starts)) >> 32,
                mask = O::broadcast(t.window - 1);
        const auto put = [&](unsigned r, V slot) {
            O::store(s.at[r] + i,
                     O::mul32(slot, O::broadcast(packed ? t.slot_bits : t.slot_bits / 8u)));
        };
        const auto window = [&](unsigned r) {
            return start + O::broadcast(1 + std::uint64_t{r} * t.window);
        };
        put(0, start);
        put(1, window(0) + (g & mask));
        put(2, window(1) + ((g >> 18) & mask));
        if constexpr (arity == 4) put(3, window(2) + ((q >> 36) & mask));
        return {high, q};
    }
    static V slot(const Target& t, V at) {
        if constexpr (packed) {
            const V byte = at >> 3, bit = at & O::broadcast(7);
            return O::shift_right(wide ? O::gather64(t.bits, byte) : O::gather32(t.bits, byte),
                                  bit);
        } else {
            return wide ? O::gather64(t.bits, at) : O::gather32(t.bits, at);
        }
    }
    static V slots(const Target& t, const Stage& s, std::size_t at) {
        const V three = O::xor3(slot(t, O::load(s.at[0] + at)), slot(t, O::load(s.at[1] + at)),
                                slot(t, O::load(s.at[2] + at)));
        if constexpr (arity == 4) return three ^ slot(t, O::load(s.at[3] + at));
        else return three;
    }
};

template <class O, class L>
struct MapLookup {
    static constexpr bool only_reads = true, takes_narrow = false;
    const FuseTarget t;
    std::uint32_t* const values;
    std::uint8_t* const bitmap;
    std::size_t found = 0;
    LaneBits answers;
    alignas(64) std::uint64_t value[chunk_keys];

    MapLookup(const FuseTarget& target, std::uint32_t* to_values, std::uint8_t* to_bitmap)
        : t(target), values(to_values), bitmap(to_bitmap) {}

    void stage(typename O::V hashes, typename L::Stage& s, std::size_t i) {
        L::stage(t, hashes, s, i);
    }
    void vector(const typename L::Stage& s, std::size_t at, std::size_t i, std::size_t) {
        const auto x = L::decoded(t, s, at);
        O::store(value + i, L::value(t, x));
        answers.set(i, L::found(t, x));
    }
    bool end(std::size_t first, std::size_t n) {
        std::uint64_t hits = answers.hits();
        if (n < chunk_keys) hits &= (std::uint64_t{1} << n) - 1;
        for (std::size_t i = 0; i < n; ++i)
            values[first + i] = static_cast<std::uint32_t>(value[i] & (0 - (hits >> i & 1)));
        if (bitmap != nullptr)
            for (std::size_t i = 0; i * 8 < n; ++i)
                bitmap[first / 8 + i] = static_cast<std::uint8_t>(hits >> (8 * i));
        found += static_cast<std::size_t>(__builtin_popcountll(hits));
        return true;
    }
};

template <class O, class L>
SIMDBLOOM_KERNEL std::size_t map_lookup(const FuseTarget& t, Batch b, std::uint32_t* values,
                                        std::uint8_t* bitmap) {
    MapLookup<O, L> visit(t, values, bitmap);
    for_each_chunk<O, L>(t, b, visit);
    return visit.found;
}

template <Operations O, LookupLayout<O> L>
constexpr MapKernels map_kernels_of() {
    return {{&lookup<O, L>, &few<O, L>, L::few_below, 0, nullptr}, &map_lookup<O, L>};
}

template <class O>
constexpr FuseKernels make_kernels() {
    FuseKernels t{};
    [&]<std::size_t... i>(std::index_sequence<i...>) {
        ((t.of3[i] = map_kernels_of<O, Fuse<O, 3, static_cast<SlotLoad>(i)>>()), ...);
        ((t.of4[i] = map_kernels_of<O, Fuse<O, 4, static_cast<SlotLoad>(i)>>()), ...);
    }
    (std::make_index_sequence<4>());
    return t;
}

}  // namespace
}  // namespace simdbloom::detail
