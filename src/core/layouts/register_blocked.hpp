// The kernels of register32 and register64 (simdbloom/detail/layouts/register_blocked.hpp).
//
// One key takes one 64-bit lane. A vector gathers the words of O::lanes keys, and answers for all
// of them by one comparison. The mask is built when the key is staged. With AVX512-BITALG no mask
// is needed: the staged bytes are positions, and one instruction fetches the bits at them.
//
// Limits: k <= 8. The number of keys of a word varies much, so the FPR is higher than that of
// larger blocks, and more bits a key help less. Measured: bench/pages/results.md; tried:
// bench/pages/tried.md, "Probing".
#pragma once

#include <type_traits>

#include "core/kernels/one_line.hpp"

namespace simdbloom::detail {
namespace {

/// For the k from `least_k` to `most_k`. Of one k alone, nothing is left of the choice.
template <class O, unsigned word_bits, unsigned least_k, unsigned most_k = least_k>
struct RegisterLayout : OneLine<O, word_bits / 8> {
    static constexpr std::uint32_t few_below = 14;
    using typename OneLine<O, word_bits / 8>::V;
    using OneLine<O, word_bits / 8>::stage_address;
    using Stage = LineStage;
    using Answers = typename O::template LaneAnswers<LaneBits>;
    static_assert(word_bits == 32 || word_bits == 64);
    template <class P>
    using Over = RegisterLayout<P, word_bits, least_k, most_k>;
    static constexpr unsigned field = word_bits == 64 ? 6 : 5;
    static constexpr unsigned direct_k = layouts::RegisterBlocked<word_bits>::direct_k;
    static constexpr bool direct = most_k <= direct_k;
    static_assert(direct || least_k > direct_k);

    // The staged pattern is the mask, or the positions of its bits if the ISA fetches bits by them.
    static void stage(const Target& t, const Hashes<O>& hash, Stage& s, std::size_t i) {
        if constexpr (O::has_bit_gather) {
            stage_address(t, hash, s, i);
            O::store(s.pattern + i, positions(t, low_halves(hash)));
        } else {
            stage_insert(t, hash, s, i);
        }
    }
    static void stage_insert(const Target& t, const Hashes<O>& hash, Stage& s, std::size_t i) {
        stage_address(t, hash, s, i);
        O::store(s.pattern + i, mask(t, low_halves(hash)));
    }
    static void test(const Target& t, const Stage& s, std::size_t at, Answers& answers,
                     std::size_t i) {
        const V words = gather(t, s, at), pattern = O::load(s.pattern + at);
        if constexpr (O::has_bit_gather) answers.set(i, O::fetch_bits(words, pattern));
        else answers.set(i, O::covered_lanes(words, pattern));
    }
    static std::size_t insert(const Target& t, const Stage& s, std::size_t i, std::size_t n) {
        using Word = std::conditional_t<word_bits == 64, std::uint64_t, std::uint32_t>;
        for (std::size_t j = i; j < i + n; ++j) {
            std::byte* const word = t.bits + s.offset[j];
            store_le(word, load_le<Word>(word) | static_cast<Word>(s.pattern[j]));
        }
        return n;
    }

private:
    static V gather(const Target& t, const Stage& s, std::size_t i) {
        const V offset = O::load(s.offset + i);
        return word_bits == 64 ? O::gather64(t.bits, offset) : O::gather32(t.bits, offset);
    }
    static constexpr unsigned first_bit(unsigned j) {
        return direct ? field * j : 64 - field - field * j;
    }
    static unsigned k_of(const Target& t) { return least_k == most_k ? most_k : t.k; }
    static V mask(const Target& t, V hash) {
        const V p = direct ? hash : spread_vector<O>(hash);
        V m = bit(p, 0);
#pragma GCC unroll 8
        for (unsigned j = 1; j < most_k; ++j) {
            if (j >= k_of(t)) break;
            m = m | bit(p, j);
        }
        return m;
    }
    static V bit(V p, unsigned j) {
        const V shifted = p >> static_cast<int>(first_bit(j));
        return O::bit(word_bits == 64 ? shifted : shifted & O::broadcast(31));
    }
    // Byte j is the position of bit j. Bytes from k on repeat the first.
    static V positions(const Target& t, V hash) {
        std::uint64_t shifts = 0;
        for (unsigned j = 0; j < 8; ++j)
            shifts |= std::uint64_t{first_bit(j < k_of(t) ? j : 0)} << (8 * j);
        const V fields = O::bytes_at_bits(direct ? hash : spread_vector<O>(hash), shifts);
        return word_bits == 64 ? fields : fields & O::broadcast(0x1F1F1F1F1F1F1F1Fu);
    }
};

template <class O, unsigned variant>
struct KernelOf<O, LayoutKind::register32, variant>
    : std::type_identity<RegisterLayout<O, 32, variant + 1>> {};
template <class O, unsigned variant>
struct KernelOf<O, LayoutKind::register64, variant>
    : std::type_identity<RegisterLayout<O, 64, variant + 1>> {};

}  // namespace
}  // namespace simdbloom::detail
