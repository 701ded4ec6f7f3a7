// The bit-exact definition of a growing cuckoo table. Included by the ISA translation units: plain
// data only.
//
// The table begins with `roots` buckets; g growths later each root has 2^g buckets, chosen by its
// path: bucket = root * 2^g + path. A hash is a number below 2^64 that, times roots / 2^64, has the
// root before the point and behind it, in this order, the bits that become path, one with each
// growth. A slot holds of them those behind the path, at most `movable_bits`, and besides them the
// core: bits that never move, and that say how far the key's other root is. The lowest 16 bits of a
// hash choose the core, and no other bit does: 32 + movable_bits bits are all that path and slot
// ever take from the top.
//
//   slot, from the top: core (never 0) | l movable bits | 0 | movable_bits - l ones;  all 0: empty
//
// A growth takes the uppermost movable bit of every slot for the path and moves the others up. A
// key that is inserted brings all movable bits. A slot that has none left (l = 0) goes into both
// buckets that its own becomes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/table.hpp"
#include "simdbloom/layout.hpp"

namespace simdbloom::detail {

/// With fewer alternates for a bucket than 63 or 127 the table fills less: ended at a load of 0.86,
/// 0.87 - 0.93, 0.90 - 0.95 and 0.94 - 0.95 with cores of 4, 5, 6, 7 bits (0.4 to 80 million keys).
/// With fewer movable bits, slots run out of them earlier.
constexpr unsigned growing_core_bits(unsigned slot_bits) noexcept {
    return slot_bits == 12 ? 6 : 7;
}
constexpr unsigned growing_movable_bits(unsigned slot_bits) noexcept {
    return slot_bits - growing_core_bits(slot_bits) - 1;
}
inline constexpr unsigned growing_max_movable_bits = 12;
/// Below this a root has too few keys for its share of them to be near the mean: the fullest of
/// 2^13 ended the filling at a load of 0.75 with 256 roots, at 0.90 with 1024.
inline constexpr std::uint64_t growing_min_roots = 1024;

template <unsigned slot_bits>
struct GrowingSlots {
    static constexpr unsigned core_bits = growing_core_bits(slot_bits),
                              movable_bits = growing_movable_bits(slot_bits);
    static constexpr std::uint64_t cores = (1u << core_bits) - 1;
    static constexpr std::uint32_t movable_mask = (1u << movable_bits) - 1,
                                   low_mask = 2 * movable_mask + 1;
    /// A bucket is one word of four slots, or two of two.
    static constexpr unsigned words = slot_bits <= 16 ? 1 : 2, slots_per_word = 4 / words;
    static constexpr std::size_t word_bytes = slot_bits * slots_per_word / 8,
                                 bucket_bytes = words * word_bytes;
    static constexpr std::uint64_t ones = words == 2 ? 1 | std::uint64_t{1} << slot_bits
                                                     : 1 | std::uint64_t{1} << slot_bits |
                                                           std::uint64_t{1} << (2 * slot_bits) |
                                                           std::uint64_t{1} << (3 * slot_bits);
};

/// Empty positions in front of the root in a product of a hash with roots << growing_shift(roots).
SIMDBLOOM_INLINE unsigned growing_shift(std::uint64_t roots) noexcept {
    return static_cast<unsigned>(__builtin_clz(static_cast<std::uint32_t>(roots)));
}

/// The root of the other bucket: the same function of it gives this one again.
SIMDBLOOM_INLINE std::uint64_t growing_other_root(std::uint64_t root, std::uint32_t core,
                                                  std::uint64_t roots) noexcept {
    return cuckoo_alternate(root, core, roots);
}

SIMDBLOOM_INLINE std::uint64_t growing_other(std::uint64_t bucket, std::uint32_t core,
                                             std::uint64_t roots, unsigned growths) noexcept {
    const std::uint64_t root = bucket >> growths;
    return bucket + ((growing_other_root(root, core, roots) - root) << growths);
}

struct GrowingPlace {
    std::uint64_t bucket, other;
    std::uint32_t tag;  ///< what a slot with all movable bits holds
};

template <unsigned slot_bits>
SIMDBLOOM_INLINE GrowingPlace growing_place(std::uint64_t hash, std::uint64_t roots,
                                            unsigned growths) noexcept {
    using S = GrowingSlots<slot_bits>;
    const unsigned point = 32 + growing_shift(roots);
    const std::uint64_t factor = roots << growing_shift(roots);
    const std::uint64_t position = (hash >> 32) * factor + ((hash & 0xFFFFFFFFu) * factor >> 32);
    const auto core = static_cast<std::uint32_t>(1 + ((hash & 0xFFFFu) * S::cores >> 16));
    const auto movable =
        static_cast<std::uint32_t>(position >> (point - growths - S::movable_bits)) &
        S::movable_mask;
    const std::uint64_t bucket = position >> (point - growths);
    return {bucket, growing_other(bucket, core, roots, growths),
            core << (S::movable_bits + 1) | movable << 1};
}

/// Slots of one key in the table at the most. Further copies are kept with their whole hash, which
/// tells them from other keys.
inline constexpr unsigned growing_max_copies = 7;

/// Puts a tag into one of its buckets, moving others if it must; false, with the table as it was,
/// when growing_max_copies slots match already or no place was found within 500 evictions.
/// Target::blocks are the roots, Target::k the growths. Compiled once for the baseline.
bool growing_insert(const Target&, unsigned slot_bits, const GrowingPlace& place) noexcept;

}  // namespace simdbloom::detail
