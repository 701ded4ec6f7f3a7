// choice512: a key goes into one of two lines (Schmitz et al. 2025). Into that line which has fewer
// bits set after it, which is its load and the new bits together. A lookup asks both lines.
//
//   hash     line (h >> 32) * lines >> 32, and the line of h * second_multiplier likewise
//   pattern  k bits anywhere in the line, those of blocked512
#pragma once

#include "kernels/blocked512.hpp"

namespace simdbloom::bench {
namespace {

template <class O>
struct Choice512 {
    using Line = detail::Blocked512<O>;
    using V = typename O::V;
    static constexpr std::uint64_t second_multiplier = 0xD1342543DE82EF95u;

    struct Stage {
        typename Line::Stage first, second;
    };
    struct Answers {
        typename Line::Answers first, second;
        std::uint64_t hits() { return first.hits() | second.hits(); }
    };

    static void stage(const detail::Target& t, V hash, Stage& s, std::size_t i) {
        Line::stage(t, hash, s.first, i);
        Line::stage_address(t, O::template mul<second_multiplier>(hash), s.second, i);
        O::store(s.second.pattern + i, hash);
    }
    template <detail::Fetch fetch>
    static void prefetch(const detail::Target& t, const Stage& s, std::size_t i) {
        Line::template prefetch<fetch>(t, s.first, i);
        Line::template prefetch<fetch>(t, s.second, i);
    }
    static void test(const detail::Target& t, const Stage& s, std::size_t at, Answers& answers,
                     std::size_t i) {
        Line::test(t, s.first, at, answers.first, i);
        Line::test(t, s.second, at, answers.second, i);
    }
    static std::size_t insert(const detail::Target& t, const Stage& s, std::size_t i,
                              std::size_t n) {
        for (std::size_t at = i; at < i + n; ++at) {
            std::uint64_t mask[8] = {};
            for (unsigned j = 0; j < t.k; ++j) {
                const std::uint32_t bit =
                    (static_cast<std::uint32_t>(s.first.pattern[at]) * detail::salts[j]) >> 23;
                mask[bit / 64] |= std::uint64_t{1} << (bit % 64);
            }
            std::byte *const first = t.bits + s.first.offset[at], *const second =
                                                                      t.bits + s.second.offset[at];
            std::byte* const line = ones(second, mask) < ones(first, mask) ? second : first;
            for (unsigned w = 0; w < 8; ++w) detail::set_bits(line + 8 * w, mask[w]);
        }
        return n;
    }

private:
    /// The bits set in the line and in the mask together.
    static int ones(const std::byte* line, const std::uint64_t (&mask)[8]) {
        int all = 0;
        for (unsigned w = 0; w < 8; ++w)
            all += __builtin_popcountll(detail::load_le<std::uint64_t>(line + 8 * w) | mask[w]);
        return all;
    }
};

}  // namespace
}  // namespace simdbloom::bench
