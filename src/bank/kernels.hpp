// Lookups in a bank: the AND of a key's k rows, a vector of sets at a time.
//
//   hashes -> offsets of rows, a chunk ahead -> prefetch -> AND -> bitmap of the key
//                                                              \-> counts of each set
//
// Counts are bit planes: plane j has bit j of the count of every set. Eight keys are added at once
// by a tree of carry-save adders, 7 adders for 8 keys (Harley-Seal), so that counting costs about
// one operation a row more.
//
// Limits: rows whose words are not a power of two, nor a multiple of 8, straddle cache lines.
#pragma once

#include <utility>

#include "bank/kernel_table.hpp"

namespace simdbloom::detail {
namespace {

// How many words of a row are worked on at once: Words is all lanes of an ISA, HalfWords the 256
// bits that AVX-512 has beside them, OneWord the rest.
template <class O>
struct Words {
    using V = typename O::V;
    static constexpr std::size_t words = O::lanes;
    static V load(const std::byte* p) { return O::template load_block<V>(p); }
    static void store(std::byte* p, V v) { O::store_block(p, v); }
    static V zero() { return O::broadcast(0); }
    static V xor3(V a, V b, V c) { return O::xor3(a, b, c); }
};
template <class O>
struct HalfWords {
    using V = typename O::V32;
    static constexpr std::size_t words = O::lanes32 / 2;
    static V load(const std::byte* p) { return O::template load_block<V>(p); }
    static void store(std::byte* p, V v) { O::store_block(p, v); }
    static V zero() { return O::broadcast32(0); }
    static V xor3(V a, V b, V c) { return a ^ b ^ c; }
};
using OneWord = Words<Ops<ScalarArch>>;
/// Rows of fewer bytes than a word.
template <class Bits>
struct PartOfWord {
    using V = std::uint64_t;
    static V load(const std::byte* p) { return load_le<Bits>(p); }
    static void store(std::byte* p, V v) { store_le(p, v); }
};

// offsets[8 * r] = where row r of a key begins, as BankTarget::Rows leaves it for eight keys.

/// The AND of a key's rows in one part of them.
template <class P>
inline typename P::V and_rows(const std::byte* part, const std::uint64_t* offsets,
                              std::uint32_t k) {
    auto all = P::load(part + offsets[0]);
#pragma GCC unroll 1
    for (std::uint32_t r = 1; r < k; ++r) all = all & P::load(part + offsets[8 * r]);
    return all;
}
/// The same of four parts side by side, so that offsets are loaded once for all.
template <class P>
inline void and_four(const std::byte* part, const std::uint64_t* offsets, std::uint32_t k,
                     std::byte* to) {
    constexpr std::size_t step = 8 * P::words;
    const std::byte* row = part + offsets[0];
    auto a = P::load(row), b = P::load(row + step), c = P::load(row + 2 * step),
         d = P::load(row + 3 * step);
#pragma GCC unroll 1
    for (std::uint32_t r = 1; r < k; ++r) {
        row = part + offsets[8 * r];
        a = a & P::load(row);
        b = b & P::load(row + step);
        c = c & P::load(row + 2 * step);
        d = d & P::load(row + 3 * step);
    }
    P::store(to, a);
    P::store(to + step, b);
    P::store(to + 2 * step, c);
    P::store(to + 3 * step, d);
}

/// Calls work<P>(first word) for the parts of a row.
template <class O, class Work>
inline void for_each_part(std::size_t first, std::size_t words, const Work& work) {
    std::size_t w = first;
#pragma GCC unroll 1
    for (; w + O::lanes <= words; w += O::lanes) work.template operator()<Words<O>>(w);
    if constexpr (O::lanes32 >= 4 && O::lanes32 / 2 < O::lanes)
        if (w + O::lanes32 / 2 <= words) {
            work.template operator()<HalfWords<O>>(w);
            w += O::lanes32 / 2;
        }
    if constexpr (O::lanes > 1) {
#pragma GCC unroll 1
        for (; w < words; ++w) work.template operator()<OneWord>(w);
    }
}

/// Calls prefetch(line) for the lines of the rows of so many keys.
template <class Prefetch>
inline void prefetch_rows(const BankTarget& t, const std::uint64_t* offsets, std::size_t keys,
                          const Prefetch& prefetch) {
    const std::uint64_t bytes = t.row_bytes;
    const bool straddles = t.words % 8 != 0 && (t.words & (t.words - 1)) != 0;
    if (keys == 8 && bytes <= 64 && !straddles) {
#pragma GCC unroll 1
        for (std::size_t r = 0; r < t.k; r += t.rows_of_line)
#pragma GCC unroll 8
            for (std::size_t i = 0; i < 8; ++i) prefetch(t.bits + offsets[8 * r + i]);
        return;
    }
    for (std::size_t i = 0; i < keys; ++i)
#pragma GCC unroll 1
        for (std::uint32_t r = 0; r < t.k; ++r) {
            const std::byte* const row = t.bits + offsets[8 * r + i];
#pragma GCC unroll 1
            for (std::uint64_t b = 0; b < bytes; b += 64) prefetch(row + b);
            if (straddles) prefetch(row + bytes - 1);
        }
}
/// The same, near or far as the target says.
template <class O>
inline void prefetch_rows(const BankTarget& t, const std::uint64_t* offsets, std::size_t keys) {
    if (t.far) prefetch_rows(t, offsets, keys, [](const std::byte* p) { O::prefetch(p); });
    else prefetch_rows(t, offsets, keys, [](const std::byte* p) { O::prefetch_near(p); });
}

/// Calls work(offsets, ahead, first, m) for eight keys at a time, m of them at the end. The rows of
/// eight are found and prefetched t.chunk keys ahead, eight keys at a time too: while a whole
/// chunk's rows were found, memory would have nothing to do. Rows of more than 64 bytes are left to
/// work, except for the first chunk and for fewer than eight keys at the end: unless `ahead` is
/// null, work prefetches key i of `ahead` just before it reads the rows of key i of `offsets`. If
/// lines of eight keys are prefetched at once, the reads wait: 250 ns a key, key by key 207 (Xeon,
/// 4,096 sets of 256 MiB).
template <class O, class Work>
inline void for_each_eight(const BankTarget& t, const std::uint64_t* hashes, std::size_t n,
                           const Work& work) {
    constexpr std::size_t places = bank_max_chunk / 8 + 1;
    alignas(64) std::uint64_t offsets[places][8 * bank_max_rows];
    // Without prefetching a key took as long or longer in every size from 1 MiB on, up to twice as
    // long in 256 MiB.
    const bool prefetches = n > 1, by_key = t.words > 8;
    const auto at_most_8 = [](std::size_t keys) { return keys < 8 ? keys : 8; };
    std::size_t staged = 0, from = 0, to = 0;
    for (std::size_t first = 0; first < n; first += 8) {
        const std::uint64_t* ahead = nullptr;
        for (; staged < n && staged <= first + t.chunk; staged += 8) {
            const std::size_t m = at_most_8(n - staged);
            t.rows(t, hashes + staged, m, offsets[to]);
            if (by_key && m == 8 && first != 0) ahead = offsets[to];
            else if (prefetches) prefetch_rows<O>(t, offsets[to], m);
            to = to + 1 == places ? 0 : to + 1;
        }
        work(offsets[from], ahead, first, at_most_8(n - first));
        from = from + 1 == places ? 0 : from + 1;
    }
}

/// The ANDs of the rows of so many keys, one word a key.
template <class P>
inline void and_words(const BankTarget& t, const std::uint64_t* offsets, std::size_t keys,
                      std::byte* to) {
    if (keys < 8) {
        for (std::size_t i = 0; i < keys; ++i)
            P::store(to + 8 * i, and_rows<P>(t.bits, offsets + i, t.k));
        return;
    }
    typename P::V all[8];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < 8; ++i) all[i] = P::load(t.bits + offsets[i]);
#pragma GCC unroll 1
    for (std::uint32_t r = 1; r < t.k; ++r)
#pragma GCC unroll 8
        for (std::size_t i = 0; i < 8; ++i) all[i] = all[i] & P::load(t.bits + offsets[8 * r + i]);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < 8; ++i) P::store(to + 8 * i, all[i]);
}

/// The same, t.words words a key. Prefetches the rows of `ahead`, unless that is null.
template <class O>
inline void and_keys(const BankTarget& t, const std::uint64_t* offsets, const std::uint64_t* ahead,
                     std::size_t keys, std::byte* to) {
    if (t.row_bytes == 1) return and_words<PartOfWord<std::uint8_t>>(t, offsets, keys, to);
    if (t.row_bytes == 2) return and_words<PartOfWord<std::uint16_t>>(t, offsets, keys, to);
    if (t.row_bytes == 4) return and_words<PartOfWord<std::uint32_t>>(t, offsets, keys, to);
    if (t.words == 1) return and_words<OneWord>(t, offsets, keys, to);
    for (std::size_t i = 0; i < keys; ++i, ++offsets, to += 8 * t.words) {
        if (ahead != nullptr) prefetch_rows<O>(t, ahead + i, 1);
        std::size_t w = 0;
#pragma GCC unroll 1
        for (; w + 4 * O::lanes <= t.words; w += 4 * O::lanes)
            and_four<Words<O>>(t.bits + 8 * w, offsets, t.k, to + 8 * w);
        for_each_part<O>(w, t.words, [&]<class P>(std::size_t at) {
            P::store(to + 8 * at, and_rows<P>(t.bits + 8 * at, offsets, t.k));
        });
    }
}

template <class O>
SIMDBLOOM_KERNEL void bank_contains(const BankTarget& target, const std::uint64_t* hashes,
                                    std::size_t n, std::byte* bitmaps) {
    if (n == 1) {  // no rows ahead: 12 ns in place of 26 (Xeon, 64 sets of 1 MiB)
        std::uint64_t offsets[8 * bank_max_rows];
        target.rows(target, hashes, 1, offsets);
        return and_keys<O>(target, offsets, nullptr, 1, bitmaps);
    }
    const BankTarget t = target;  // a copy: stores of answers, which are bytes, cannot change it
    for_each_eight<O>(t, hashes, n,
                      [&](const std::uint64_t* offsets, const std::uint64_t* ahead,
                          std::size_t first, std::size_t keys) {
                          and_keys<O>(t, offsets, ahead, keys, bitmaps + first * t.words * 8);
                      });
}

/// Adds b and c to the bits of sum; returns the carry.
template <class P>
inline typename P::V carry_save(typename P::V& sum, typename P::V b, typename P::V c) {
    const auto carry = (sum & b) | ((sum ^ b) & c);
    sum = P::xor3(sum, b, c);
    return carry;
}

/// Adds eight bitmaps, in the part from word w on, to the planes of that part.
template <class P>
inline void add_eight(const std::byte* bitmaps, std::size_t words, std::size_t w,
                      unsigned planes_used, std::byte* planes) {
    constexpr std::size_t step = 8 * P::words;
    std::byte* const plane = planes + w * 8 * bank_planes;
    const auto bitmap = [&](std::size_t i) { return P::load(bitmaps + 8 * (i * words + w)); };
    auto ones = P::load(plane), twos = P::load(plane + step), fours = P::load(plane + 2 * step);
    const auto pair = [&](std::size_t i) { return carry_save<P>(ones, bitmap(i), bitmap(i + 1)); };
    const auto two_a = pair(0), two_b = pair(2);
    const auto four_a = carry_save<P>(twos, two_a, two_b);
    const auto two_c = pair(4), two_d = pair(6);
    const auto four_b = carry_save<P>(twos, two_c, two_d);
    auto carry = carry_save<P>(fours, four_a, four_b);
    P::store(plane, ones);
    P::store(plane + step, twos);
    P::store(plane + 2 * step, fours);
#pragma GCC unroll 1
    for (unsigned j = 3; j < planes_used; ++j) {
        const auto sum = P::load(plane + j * step);
        P::store(plane + j * step, sum ^ carry);
        carry = sum & carry;
    }
}

/// Adds the counts of the planes, of which a part has `step` bytes each, to those of 64 sets.
inline void add_counts(const std::byte* plane, std::size_t step, unsigned planes_used,
                       std::uint64_t sets, std::uint64_t* counts) {
    for (std::uint64_t byte = 0; byte < 8 && 8 * byte < sets; ++byte) {
        // Byte i of `low` and `high`: that of the count of set i of eight.
        std::uint64_t low = 0, high = 0;
        for (unsigned j = 0; j < planes_used; ++j) {
            const auto bits = static_cast<std::uint64_t>(plane[j * step + byte]);
            // Bit i of the byte as byte i.
            const std::uint64_t spread =
                ((bits * 0x0101010101010101u & 0x8040201008040201u) + 0x7F7F7F7F7F7F7F7Fu) >> 7 &
                0x0101010101010101u;
            (j < 8 ? low : high) += spread << (j & 7);
        }
        for (std::uint64_t i = 0; i < 8 && 8 * byte + i < sets; ++i)
            counts[8 * byte + i] += (low >> 8 * i & 0xFF) + ((high >> 8 * i & 0xFF) << 8);
    }
}

template <class O>
SIMDBLOOM_KERNEL void bank_count(const BankTarget& target, const std::uint64_t* hashes,
                                 std::size_t n, std::byte* scratch, std::uint64_t* counts) {
    const BankTarget t = target;
    std::byte* const planes = scratch;
    constexpr std::size_t most = (std::size_t{1} << bank_planes) - bank_max_chunk;
    std::byte* const bitmaps = planes + 8 * bank_planes * t.words;
    for (std::size_t done = 0; done < n;) {
        const std::size_t here = n - done < most ? n - done : most;
        unsigned used = 3;
        while (here >> used != 0) ++used;
        for (std::size_t i = 0; i < 8 * bank_planes * t.words; ++i) planes[i] = std::byte{0};
        for_each_eight<O>(t, hashes + done, here,
                          [&](const std::uint64_t* offsets, const std::uint64_t* ahead, std::size_t,
                              std::size_t keys) {
                              and_keys<O>(t, offsets, ahead, keys, bitmaps);
                              for (std::size_t i = keys * 8 * t.words; i < 64 * t.words; ++i)
                                  bitmaps[i] = std::byte{0};
                              for_each_part<O>(0, t.words, [&]<class P>(std::size_t w) {
                                  add_eight<P>(bitmaps, t.words, w, used, planes);
                              });
                          });
        for_each_part<O>(0, t.words, [&]<class P>(std::size_t w) {
            for (std::size_t i = 0; i < P::words; ++i)
                add_counts(planes + w * 8 * bank_planes + 8 * i, 8 * P::words, used,
                           t.sets - 64 * (w + i), counts + 64 * (w + i));
        });
        done += here;
    }
}

/// Rows in pairs: the second one differs from the first in one to three of its lowest bits, and so
/// is another one of its eight.
struct paired512 {
    static constexpr LayoutTraits traits = layouts::blocked512::traits;
    SIMDBLOOM_INLINE static unsigned bit(std::uint32_t x, unsigned i, unsigned, unsigned) noexcept {
        const std::uint32_t product = x * salts[i / 2], row = product >> 23;
        return i % 2 == 0 ? row : row ^ (((product & 0x7FFFFF) * 7 >> 23) + 1);
    }
};

/// BankTarget::Rows of a layout. Compilers make vectors of the loops where n is the constant 8.
template <class Layout>
[[gnu::always_inline]] inline void find_rows(const BankTarget& t, const std::uint64_t* hashes,
                                             std::size_t n, std::uint64_t* offsets) {
    const auto blocks = static_cast<std::uint32_t>(t.blocks);
    const auto bytes = static_cast<std::uint32_t>(t.row_bytes);  // below 2^30
    const auto block_of = [&](std::uint64_t hash) { return (hash >> 32) * blocks >> 32; };
    constexpr LayoutTraits traits = Layout::traits;
    std::uint64_t state[8];
    if constexpr (traits.anywhere) {
        for (std::size_t i = 0; i < n; ++i) state[i] = hashes[i];
        for (std::uint32_t r = 0; r < t.k; ++r, offsets += 8)
            for (std::size_t i = 0; i < n; ++i) {
                offsets[i] = (block_of(state[i]) * 64 + (state[i] & 63)) * bytes;
                state[i] = classic_next(state[i]);
            }
    } else {
        std::uint32_t x[8];
        for (std::size_t i = 0; i < n; ++i) {
            state[i] = block_of(hashes[i]) * (std::uint64_t{bytes} * traits.block_bits);
            x[i] = static_cast<std::uint32_t>(hashes[i]);
        }
        const auto row = [&](auto r) __attribute__((always_inline)) {
            if (r >= t.k) return false;
            for (std::size_t i = 0; i < n; ++i)
                offsets[8 * r + i] =
                    state[i] + std::uint64_t{Layout::bit(x[i], r, t.k, t.zones)} * bytes;
            return true;
        };
        // Unrolled, so that salts are constants: a table of them would be a second symbol.
        const auto rows = [&]<std::size_t... r>(std::index_sequence<r...>)
            __attribute__((always_inline)) {
            (void)(row(std::integral_constant<unsigned, r>()) && ...);
        };
        rows(std::make_index_sequence<traits.k_max>());
    }
}
template <class O, class Layout>
SIMDBLOOM_KERNEL void bank_rows(const BankTarget& target, const std::uint64_t* hashes,
                                std::size_t n, std::uint64_t* offsets) {
    const BankTarget t = target;
    if (n == 8) find_rows<Layout>(t, hashes, 8, offsets);
    else
        for (std::size_t i = 0; i < n; ++i) find_rows<Layout>(t, hashes + i, 1, offsets + i);
}

template <class O>
SIMDBLOOM_KERNEL std::uint64_t bank_nonzero(const std::byte* words, std::size_t n) {
    std::uint64_t some = 0;
    std::size_t i = 0;
    for (; i + O::lanes <= n; i += O::lanes)
        some |= std::uint64_t{O::nonzero_lanes(Words<O>::load(words + 8 * i))} << i;
    for (; i < n; ++i) some |= std::uint64_t{load_le<std::uint64_t>(words + 8 * i) != 0} << i;
    return some;
}

template <class O, LayoutKind kind>
constexpr BankTarget::Rows* rows_of() {
    constexpr LayoutTraits traits = traits_of(kind);
    if constexpr (traits.is_table() || traits.cell_bits() != 1) return nullptr;
    else return &bank_rows<O, typename LayoutOf<kind>::type>;
}

template <class O>
constexpr BankKernels make_kernels() {
    return {
#define SIMDBLOOM_ROWS(name) rows_of<O, LayoutKind::name>(),
        {SIMDBLOOM_EACH_LAYOUT(SIMDBLOOM_ROWS)},
#undef SIMDBLOOM_ROWS
        &bank_rows<O, paired512>,
        &bank_contains<O>,
        &bank_count<O>,
        &bank_nonzero<O>};
}

}  // namespace
}  // namespace simdbloom::detail
