// The kernels of sector512 (simdbloom/detail/layouts/split.hpp).
//
// One product gives all eight positions, for a vector of keys at once; a test then only spreads
// the eight bytes of one key over the lanes of a line, and shifts. split256 needs eight products
// for each key. The price is a whole line in place of half of one: twice the registers on AVX2 and
// NEON, and from DRAM the second half of the line.
//
// Limits: k = 8. The low 32 bits of a hash give the eight positions of six bits, 48 bits in all:
// the product must spread them well (see spread_multiplier). Measured: bench/pages/results.md;
// tried: bench/pages/tried.md, "Patterns".
#pragma once

#include "core/kernels/one_line.hpp"

namespace simdbloom::detail {
namespace {

template <class O>
struct Sector512 : OneLine<O, 64> {
    static constexpr std::uint32_t few_below = 18, few_inserts_below = 8;
    using typename OneLine<O, 64>::V;
    using OneLine<O, 64>::stage_address;
    using Stage = LineStage;
    static constexpr std::size_t parts = 8 / O::lanes;
    using Answers = typename O::template SectorAnswers<KeyAnswers<O>>;

    static void stage(const Target& t, const Hashes<O>& hash, Stage& s, std::size_t i) {
        stage_address(t, hash, s, i);
        O::store(s.pattern + i, O::low_six_bits_of_bytes(spread_vector<O>(low_halves(hash))));
    }
    static void test(const Target& t, const Stage& s, std::size_t at, Answers& answers,
                     std::size_t i) {
        for (std::size_t j = 0; j < O::lanes; ++j) {
            if constexpr (O::has_masks)
                O::test_sectors(answers, i + j, t.bits + s.offset[at + j], s.pattern[at + j]);
            else answers.set(i + j, covers(t.bits + s.offset[at + j], s.pattern[at + j]));
        }
    }
    static bool test_key(const Target& t, std::uint64_t hash) {
        return covers(t.bits + block_index(hash, t.blocks) * 64,
                      Ops<ScalarArch>::low_six_bits_of_bytes(spread_vector<Ops<ScalarArch>>(hash)));
    }
    static std::size_t insert(const Target& t, const Stage& s, std::size_t i, std::size_t n) {
        for (std::size_t j = i; j < i + n; ++j)
            for (std::size_t part = 0; part < parts; ++part) {
                std::byte* w = words(t, s, j, part);
                O::store_block(w, O::load_block(w) | mask(s.pattern[j], part));
            }
        return n;
    }

private:
    static bool covers(const std::byte* block, std::uint64_t pattern) {
        const auto vector = [&](std::size_t part) {
            return O::load_block(block + 8 * O::lanes * part);
        };
        if constexpr (O::has_missing_bits) {
            V missing = O::missing(vector(0), mask(pattern, 0));
            for (std::size_t part = 1; part < parts; ++part)
                missing = missing | O::missing(vector(part), mask(pattern, part));
            return O::none(missing);
        } else {
            bool hit = true;
            for (std::size_t part = 0; part < parts; ++part)
                hit &= O::covers(vector(part), mask(pattern, part));
            return hit;
        }
    }
    static V mask(std::uint64_t pattern, std::size_t part) {
        return O::bit_below_64(O::byte_of_part(pattern, part));
    }
    static std::byte* words(const Target& t, const Stage& s, std::size_t i, std::size_t part) {
        return t.bits + s.offset[i] + 8 * O::lanes * part;
    }
};

template <class O>
struct KernelOf<O, LayoutKind::sector512, 0> : std::type_identity<Sector512<O>> {};

}  // namespace
}  // namespace simdbloom::detail
