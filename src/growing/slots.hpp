// The definition of a growing cuckoo table, bit by bit. Included by the ISA translation units:
// plain data only.
//
// The table begins with `roots` buckets. After g growths each root has 2^g buckets, and the path
// chooses one of them. Root, path and movable bits come from the top of the hash, times roots, as a
// number with 64 binary places:
//
//   hash * roots / 2^64 =    root . p1 p2 .. pg  b1 b2 .. bm  ..
//                            `-----------------' `----------'
//                    bucket = root * 2^g + path    movable bits of a new slot
//
// A slot has the core, up to m = movable_bits movable bits, and a mark that encodes their number.
// The core never moves; it gives the distance of the key's other root. A slot of growing16, with 7
// bits of core and m = 8:
//
//   new          c c c c c c c | b1 b2 b3 b4 b5 b6 b7 b8 | 0
//   1 growth     c c c c c c c | b2 b3 b4 b5 b6 b7 b8 | 0 1
//   5 growths    c c c c c c c | b6 b7 b8 | 0 1 1 1 1 1
//   8 growths    c c c c c c c | 0 1 1 1 1 1 1 1 1
//   empty        0 0 0 0 0 0 0   0 0 0 0 0 0 0 0 0
//
// A growth moves the uppermost movable bit of every slot into the path and shifts the others up. A
// newly inserted key has all movable bits. A slot without movable bits is copied to both halves of
// its bucket.
//
// The core is never 0. Only the lowest 16 bits of a hash choose the core: path and slot use at most
// 32 + movable_bits bits from the top.
#pragma once

#include "core/kernels/extension.hpp"
#include "simdbloom/layout.hpp"

namespace simdbloom::detail {

/// A growing table, as kernels see it.
struct GrowingTarget {
    std::byte* bits;
    std::uint64_t roots;
    std::uint64_t seed;  ///< the seed of the hash, already offset
    std::uint32_t growths;
    Prefetching prefetching;
};

struct GrowingKernels {
    KernelsFor<GrowingTarget> of12, of16, of20;  ///< by the bits of a slot
};
SIMDBLOOM_DECLARE_KERNELS(GrowingKernels, growing_kernels)

/// The bits of the core: a bucket has 63 or 127 alternates. With fewer alternates the table fills
/// less. Filling ended at a load of 0.86, 0.87 - 0.93, 0.90 - 0.95 and 0.94 - 0.95 with cores of 4,
/// 5, 6, 7 bits (0.4 to 80 million keys). With fewer movable bits, slots run out of them earlier.
constexpr unsigned growing_core_bits(unsigned slot_bits) noexcept {
    return slot_bits == 12 ? 6 : 7;
}
constexpr unsigned growing_movable_bits(unsigned slot_bits) noexcept {
    return slot_bits - growing_core_bits(slot_bits) - 1;
}
inline constexpr unsigned growing_max_movable_bits = 12;
/// With fewer roots, a root has too few keys for its share of them to be near the mean: the fullest
/// of 2^13 roots ended the filling at a load of 0.75 with 256 roots, at 0.90 with 1024.
inline constexpr std::uint64_t growing_min_roots = 1024;

template <unsigned slot_bits>
struct GrowingSlots {
    static constexpr unsigned core_bits = growing_core_bits(slot_bits),
                              movable_bits = growing_movable_bits(slot_bits);
    static constexpr std::uint64_t cores = (1u << core_bits) - 1;
    static constexpr std::uint32_t movable_mask = (1u << movable_bits) - 1,
                                   low_mask = 2 * movable_mask + 1;
    /// A bucket is one word of four slots, or two words of two slots.
    static constexpr unsigned words = slot_bits <= 16 ? 1 : 2, slots_per_word = 4 / words;
    static constexpr std::size_t word_bytes = slot_bits * slots_per_word / 8,
                                 bucket_bytes = words * word_bytes;
    static constexpr std::uint64_t ones = words == 2 ? 1 | std::uint64_t{1} << slot_bits
                                                     : 1 | std::uint64_t{1} << slot_bits |
                                                           std::uint64_t{1} << (2 * slot_bits) |
                                                           std::uint64_t{1} << (3 * slot_bits);
};

/// The leading zero bits before the root in the product of a hash with roots <<
/// growing_shift(roots).
SIMDBLOOM_INLINE unsigned growing_shift(std::uint64_t roots) noexcept {
    return static_cast<unsigned>(__builtin_clz(static_cast<std::uint32_t>(roots)));
}

/// The other bucket. The function is its own inverse.
SIMDBLOOM_INLINE std::uint64_t growing_other(std::uint64_t bucket, std::uint32_t core,
                                             std::uint64_t roots, unsigned growths) noexcept {
    const std::uint64_t root = bucket >> growths;
    return bucket + ((cuckoo_alternate(root, core, roots) - root) << growths);
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

/// The most slots of one key in the table. Further copies are stashed with their whole hash.
inline constexpr unsigned growing_max_copies = 7;

/// Puts a tag into one of its buckets, evicting others if necessary. Returns false and leaves the
/// table unchanged if growing_max_copies slots match already or 125 steps found no place.
/// Compiled once for the baseline.
bool growing_insert(const GrowingTarget&, unsigned slot_bits, const GrowingPlace& place) noexcept;

}  // namespace simdbloom::detail
