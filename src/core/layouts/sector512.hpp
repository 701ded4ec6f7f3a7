// The kernels of sector512 (simdbloom/detail/layouts/split.hpp).
//
// One product gives all eight positions, for a vector of keys at once; a test then only spreads
// the eight bytes of one key over the lanes of a line, and shifts. split256 needs eight products
// for each key, and loads half of a line.
//
// Limits: k = 8. The low 32 bits of a hash give eight positions of six bits: see spread_multiplier.
// Measured: bench/pages/results.md; tried: bench/pages/tried.md, "Patterns".
#pragma once

#include "core/kernels/one_line.hpp"

namespace simdbloom::detail {
namespace {

template <class O>
struct Sector512 : WordByWord<Sector512<O>, O, 64, typename O::V> {
    static constexpr std::uint32_t few_below = 18, few_inserts_below = 8;
    using Base = WordByWord<Sector512<O>, O, 64, typename O::V>;
    using Base::stage_address, Base::covers;
    using Stage = LineStage;
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
    static typename O::V mask(std::uint64_t pattern, std::size_t part) {
        return O::bit_below_64(O::byte_of_part(pattern, part));
    }
};

template <class O>
struct KernelOf<O, LayoutKind::sector512, 0> : std::type_identity<Sector512<O>> {};

}  // namespace
}  // namespace simdbloom::detail
