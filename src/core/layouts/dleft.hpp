// The kernels of dleft12, dleft14 and dleft16 (simdbloom/detail/layouts/dleft.hpp).
//
// The four buckets of a key are loaded, and the key's remainder is compared with all 32 cells.
// Vector ISAs take one key at a time and as many buckets as fit into a register, with 16 bits a
// cell. Scalar code compares four cells of a word.
//
// Limits: four lines a lookup, a counter that stays at 3 once it is there, a load of 0.75.
// Measured: papers/bonomi-2006.md.
#pragma once

#include "core/kernels/answers.hpp"
#include "core/kernels/driver.hpp"

namespace simdbloom::detail {
namespace {

template <class O, unsigned r>
struct DLeft {
    static constexpr std::uint32_t few_below = 10;
    using V = typename O::V;
    static constexpr std::uint64_t bucket_bytes = r + 2, block_bytes = 4 * bucket_bytes;
    struct Stage {
        alignas(64) std::uint64_t offset[4][chunk_keys];
        alignas(64) std::uint64_t remainder[chunk_keys];
    };
    using Answers = typename O::template CellAnswers<KeyAnswers<O>>;
    template <class P>
    using Over = DLeft<P, r>;

    static void stage(const Target& t, const Hashes<O>& hash, Stage& s, std::size_t i) {
        const V blocks = O::broadcast(t.blocks);
        const V remainder =
            (O::mul32(low_halves(hash), O::broadcast((1u << r) - 1)) >> 32) + O::broadcast(1);
        const V stride =
            O::mul32(O::mul32(remainder, O::broadcast(cuckoo_multiplier)), blocks) >> 32;
        V block = block_index_vector<O>(hash, t.blocks);
        for (std::uint64_t subtable = 0; subtable < 4; ++subtable) {
            O::store(s.offset[subtable] + i, O::mul32(block, O::broadcast(block_bytes)) +
                                                 O::broadcast(subtable * bucket_bytes));
            block = wrapped<O>(block + stride - blocks, blocks);
        }
        O::store(s.remainder + i, remainder);
    }
    // The other blocks depend on the remainder, so all of the staging is addressing.
    static void prefetch(const Target& t, const Stage& s, std::size_t i) {
        for (std::size_t j = i; j < i + O::lanes; ++j)
            for (const auto& offset : s.offset) O::prefetch(t.bits + offset[j]);
    }
    static void test(const Target& t, const Stage& s, std::size_t at, Answers& answers,
                     std::size_t i) {
        for (std::size_t j = 0; j < O::lanes; ++j) {
            const std::byte* const bucket[4] = {
                t.bits + s.offset[0][at + j], t.bits + s.offset[1][at + j],
                t.bits + s.offset[2][at + j], t.bits + s.offset[3][at + j]};
            const auto remainder = static_cast<std::uint32_t>(s.remainder[at + j]);
            if constexpr (O::has_masks)
                O::template test_cells<r>(answers, i + j, bucket, remainder);
            else answers.set(i + j, any_cell(bucket, remainder));
        }
    }
    static std::size_t insert(const Target& t, const Stage& s, std::size_t i, std::size_t n) {
        for (std::size_t j = i; j < i + n; ++j) {
            std::byte* const bucket[4] = {t.bits + s.offset[0][j], t.bits + s.offset[1][j],
                                          t.bits + s.offset[2][j], t.bits + s.offset[3][j]};
            if (!dleft_place(bucket, r, static_cast<std::uint32_t>(s.remainder[j]))) return j - i;
        }
        return n;
    }

private:
    static constexpr unsigned width = r == 12 ? 12 : 16;  // bits from one remainder to the next
    static constexpr std::uint64_t ones = r == 12 ? 0x001001001001u : 0x0001000100010001u;

    static bool any_cell(const std::byte* const (&bucket)[4], std::uint32_t remainder) {
        if constexpr (O::lanes > 2) return O::template any_cell<r>(bucket, remainder);
        else if constexpr (O::lanes == 1) return any_of_words(bucket, remainder);
        else {
            const V left = O::template equal_cells<r>(bucket[0], remainder) |
                           O::template equal_cells<r>(bucket[1], remainder);
            const V right = O::template equal_cells<r>(bucket[2], remainder) |
                            O::template equal_cells<r>(bucket[3], remainder);
            return !O::none(left | right);
        }
    }
    static bool any_of_words(const std::byte* const (&bucket)[4], std::uint32_t remainder) {
        constexpr std::uint64_t used = (ones * ((1u << r) - 1)) << (width - r),
                                high = ones << (width - 1);
        const std::uint64_t pattern = std::uint64_t{remainder << (width - r)} * ones;
        std::uint64_t found = 0;
        for (const std::byte* at : bucket)
            for (unsigned half = 0; half < 2; ++half) {
                const std::uint64_t x =
                    (Ops<ScalarArch>::gather64(at, half * width / 2) ^ pattern) & used;
                found |= (x - ones) & ~x & high;  // not 0 exactly if a cell of x is 0
            }
        return found != 0;
    }
};

template <class O, LayoutKind kind>
requires(traits_of(kind).family == Family::dleft) struct KernelOf<O, kind, 0>
    : std::type_identity<DLeft<O, traits_of(kind).fingerprint_bits>> {
};

}  // namespace
}  // namespace simdbloom::detail
