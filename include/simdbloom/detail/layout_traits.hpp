// Every layout in one place: its traits, and which bits of which block a hash sets.
//
// A 64-bit hash h chooses the block (h >> 32) * blocks >> 32. Its low 32 bits, x, choose the
// pattern. Bit b of a block is bit b % 64 of the block's 64-bit word b / 64; where words have 32
// bits, it is bit b % 32 of word b / 32. Words are little-endian on every machine: bit b is bit b %
// 8 of byte b / 8. The code here is scalar and simple on purpose. Operations on single keys use it,
// and the batch kernels are tested against it.
//
// A new layout is an enumerator, a row of layout_traits, a case of with_kind and, unless it is a
// table, its bit_position; and a kernel (src/README.md has the recipe).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace simdbloom {

/// The layouts. Their order means nothing, and no file holds these numbers.
enum class LayoutKind : std::uint8_t {
    classic,      ///< k probes anywhere in one bit array (Bloom 1970)
    register32,   ///< k bits in one 32-bit word (Lang et al. 2019, "register-blocked")
    register64,   ///< k bits in one 64-bit word
    split256,     ///< one bit in each of 8 32-bit words (Parquet BloomFilter.md; Apple 2021)
    sector512,    ///< one bit in each of the 8 64-bit words of a cache line (Lang et al. 2019,
                  ///< "sectorized")
    zoned512,     ///< in each of z groups of a line's words, k/z bits of one word (Lang et al.
                  ///< 2019, "cache-sectorized")
    blocked512,   ///< k bits anywhere in one cache line (Putze et al. 2007)
    cuckoo8,      ///< buckets of 4 fingerprints of 8 bits (Fan et al. 2014)
    cuckoo12,     ///< the same with 12 bits
    cuckoo16,     ///< the same with 16 bits
    counting,     ///< k 4-bit counters anywhere in one array (Fan et al. 2000)
    counting512,  ///< k 4-bit counters anywhere in one cache line
    dleft12,      ///< four buckets of 8 cells, each a remainder of 12 bits and a 2-bit counter
                  ///< (Bonomi et al. 2006)
    dleft14,      ///< the same with 14 bits, the paper's
    dleft16,      ///< the same with 16 bits
    split512,     ///< one bit in each of the 16 32-bit words of a cache line
};

namespace detail {

/// The types of filters: each has the layouts of one family.
enum class Family : std::uint8_t {
    classic,           ///< ClassicBloom
    register_blocked,  ///< RegisterBlockedBloom
    split_block,       ///< SplitBlockBloom
    cache_line,        ///< CacheLineBloom
    cuckoo,            ///< CuckooFilter
    counting,          ///< CountingBloom
    dleft,             ///< DLeftCounting
};

/// What is known of a layout before its parameters are. Bloom and counting filters set cells: bits,
/// or counters of 4 bits. A block has `zones` of equal size, and a zone has words. A key takes one
/// word of each zone and sets k / zones cells of it.
///
///     block   word word word word | word word word word     two zones of 4 words each
///     key           ^^            |                ^^       k / 2 cells of each of two words
struct LayoutTraits {
    LayoutKind kind;
    std::string_view name;
    Family family;
    std::uint8_t format_code;       ///< its number in saved filters, for ever
    unsigned block_bits;            ///< of the unit that a hash addresses
    unsigned k_min, k_max, k_step;  ///< k_step 0: the zones; k_max 0: a table, which has no k
    unsigned zones;                 ///< 0: the parameter z, 2 or 4
    unsigned word_bits;
    unsigned fingerprint_bits = 0;  ///< of tables
    bool anywhere = false;          ///< each probe goes to a block of its own
    unsigned variants = 1;          ///< the number of values of k and z with kernels of their own

    constexpr bool is_table() const noexcept {
        return family == Family::cuckoo || family == Family::dleft;
    }
    constexpr unsigned cell_bits() const noexcept { return family == Family::counting ? 4 : 1; }
    constexpr bool fixed_k() const noexcept { return k_min == k_max; }
};

// clang-format off
inline constexpr LayoutTraits layout_traits[] = {
    // kind, name, family, format code, block bits (a cuckoo bucket: 4 fingerprints; d-left: 4 x 8
    // cells of remainder and counter), k from, to, in steps of, zones, bits of a word, bits of a
    // fingerprint, anywhere, variants
    {LayoutKind::classic, "classic", Family::classic,
                 1,  64,  1, 30, 1,  1,  64, 0, true},
    {LayoutKind::register32, "register32", Family::register_blocked,
                 2,  32,  1,  8, 1,  1,  32, 0, false, 8},
    {LayoutKind::register64, "register64", Family::register_blocked,
                 3,  64,  1,  8, 1,  1,  64, 0, false, 8},
    {LayoutKind::split256, "split256", Family::split_block,
                 4, 256,  8,  8, 1,  8,  32},
    {LayoutKind::sector512, "sector512", Family::cache_line,
                 5, 512,  8,  8, 1,  8,  64},
    {LayoutKind::zoned512, "zoned512", Family::cache_line,
                 6, 512,  0,  8, 0,  0,  64, 0, false, 6},
    {LayoutKind::blocked512, "blocked512", Family::cache_line,
                 7, 512,  1, 16, 1,  1, 512},
    {LayoutKind::cuckoo8, "cuckoo8", Family::cuckoo,
                 8,  32,  0,  0, 1,  1,   0,  8},
    {LayoutKind::cuckoo12, "cuckoo12", Family::cuckoo,
                 9,  48,  0,  0, 1,  1,   0, 12},
    {LayoutKind::cuckoo16, "cuckoo16", Family::cuckoo,
                10,  64,  0,  0, 1,  1,   0, 16},
    {LayoutKind::counting, "counting", Family::counting,
                11,  64,  1, 30, 1,  1,  64, 0, true},
    {LayoutKind::counting512, "counting512", Family::counting,
                12, 512,  1, 16, 1,  1, 512},
    {LayoutKind::dleft12, "dleft12", Family::dleft,
                14, 448,  0,  0, 1,  1,   0, 12},
    {LayoutKind::dleft14, "dleft14", Family::dleft,
                13, 512,  0,  0, 1,  1,   0, 14},
    {LayoutKind::dleft16, "dleft16", Family::dleft,
                15, 576,  0,  0, 1,  1,   0, 16},
    {LayoutKind::split512, "split512", Family::cache_line,
                16, 512, 16, 16, 1, 16,  32},
};
// clang-format on
inline constexpr std::size_t n_layouts = sizeof layout_traits / sizeof *layout_traits;
static_assert(
    [] {
        for (std::size_t i = 0; i < n_layouts; ++i)
            if (layout_traits[i].kind != static_cast<LayoutKind>(i)) return false;
        return true;
    }(),
    "row i of layout_traits is that of enumerator i");

constexpr const LayoutTraits& traits_of(LayoutKind kind) noexcept {
    return layout_traits[static_cast<std::size_t>(kind)];
}

/// work.operator()<kind>() of the kind: the compiler warns here of a layout that has no case.
template <class Work>
constexpr decltype(auto) with_kind(LayoutKind kind, Work&& work) {
    using enum LayoutKind;
    switch (kind) {
        case classic:
            return work.template operator()<classic>();
        case register32:
            return work.template operator()<register32>();
        case register64:
            return work.template operator()<register64>();
        case split256:
            return work.template operator()<split256>();
        case sector512:
            return work.template operator()<sector512>();
        case zoned512:
            return work.template operator()<zoned512>();
        case blocked512:
            return work.template operator()<blocked512>();
        case cuckoo8:
            return work.template operator()<cuckoo8>();
        case cuckoo12:
            return work.template operator()<cuckoo12>();
        case cuckoo16:
            return work.template operator()<cuckoo16>();
        case counting:
            return work.template operator()<counting>();
        case counting512:
            return work.template operator()<counting512>();
        case dleft12:
            return work.template operator()<dleft12>();
        case dleft14:
            return work.template operator()<dleft14>();
        case dleft16:
            return work.template operator()<dleft16>();
        case split512:
            return work.template operator()<split512>();
    }
    __builtin_unreachable();
}

/// The same among the layouts of one family: the kinds are compared one after the other.
template <Family family, std::size_t row = 0, class Work>
constexpr decltype(auto) with_kind_of(LayoutKind kind, Work&& work) {
    constexpr std::size_t here = [] {
        std::size_t i = row;
        while (layout_traits[i].family != family) ++i;
        return i;
    }();
    constexpr bool last = [] {
        for (std::size_t i = here + 1; i < n_layouts; ++i)
            if (layout_traits[i].family == family) return false;
        return true;
    }();
    if constexpr (last) {
        return work.template operator()<layout_traits[here].kind>();
    } else {
        if (kind == layout_traits[here].kind)
            return work.template operator()<layout_traits[here].kind>();
        return with_kind_of<family, here + 1>(kind, work);
    }
}

/// The most variants that a layout has. The kernels of a variant are compiled for its k and z, with
/// the loops unrolled. A layout whose kernels loop over k has one variant.
inline constexpr unsigned max_variants = 8;
/// The variant of a layout whose k is set. Variants of zoned512: k = 2, 4, 6, 8 with z = 2, then k
/// = 4, 8 with z = 4.
constexpr unsigned variant_of(LayoutKind kind, unsigned k, unsigned groups) noexcept {
    if (traits_of(kind).variants == 1) return 0;
    if (kind == LayoutKind::zoned512) return groups == 2 ? k / 2 - 1 : 4 + k / 4 - 1;
    return k - 1;
}

#define SIMDBLOOM_INLINE [[gnu::always_inline]] constexpr

// The eight odd salts of the Parquet specification, then eight more for layouts of up to 16 lanes.
inline constexpr std::uint32_t salts[16] = {0x47b6137bu, 0x44974d91u, 0x8824ad5bu, 0xa2b7289du,
                                            0x705495c7u, 0x2df1424bu, 0x9efc4947u, 0x5c6bfb31u,
                                            0x9e3779b1u, 0x85ebca77u, 0xc2b2ae3du, 0x27d4eb2fu,
                                            0x165667b1u, 0xd6e8feb9u, 0xcc9e2d51u, 0x1b873593u};

// Spreads 32 pattern bits over 64. Any 32 neighbouring bits of the product are a bijection of x or
// a good hash of it. A product of x with a 32-bit factor does not have that property: it gave
// sector512 1.07 to 1.13 times the ideal FPR.
inline constexpr std::uint64_t spread_multiplier = 0x9E3779B97F4A7C15u;
SIMDBLOOM_INLINE std::uint64_t spread(std::uint32_t x) noexcept { return x * spread_multiplier; }

SIMDBLOOM_INLINE std::uint64_t block_index(std::uint64_t hash, std::uint64_t blocks) noexcept {
    return ((hash >> 32) * blocks) >> 32;
}

// A word of the register layouts takes its fields from x itself as long as k fields fit into 32
// bits.
inline constexpr unsigned register32_direct_k = 6, register64_direct_k = 5;

/// Of the spread pattern: the word of the line that group g of the zoned layout uses, and the bit
/// of probe i in its word. From the top there are, for each group, the number of the word (2 bits
/// for one of 4 words with z = 2, 1 bit for one of 2 words with z = 4), then k fields of 6 bits: at
/// most 4 + 48 = 52 bits.
SIMDBLOOM_INLINE unsigned zoned_word(std::uint64_t p, unsigned g, unsigned groups) noexcept {
    const unsigned word_bits = groups == 2 ? 2 : 1, group_words = 8 / groups;
    return g * group_words +
           (static_cast<unsigned>(p >> (64 - word_bits * (g + 1))) & (group_words - 1));
}
SIMDBLOOM_INLINE unsigned zoned_bit(std::uint64_t p, unsigned i) noexcept {
    return static_cast<unsigned>(p >> (64 - 4 - 6 * (i + 1))) & 63u;
}

/// The bit of the block that probe i of k uses for pattern x, for the blocked Bloom layouts.
template <LayoutKind kind>
SIMDBLOOM_INLINE unsigned bit_position(std::uint32_t x, unsigned i, unsigned k,
                                       unsigned groups) noexcept {
    if constexpr (kind == LayoutKind::register32) {
        return k <= register32_direct_k ? (x >> (5 * i)) & 31u
                                        : static_cast<unsigned>(spread(x) >> (59 - 5 * i)) & 31u;
    } else if constexpr (kind == LayoutKind::register64) {
        return k <= register64_direct_k ? (x >> (6 * i)) & 63u
                                        : static_cast<unsigned>(spread(x) >> (58 - 6 * i)) & 63u;
    } else if constexpr (kind == LayoutKind::split256 || kind == LayoutKind::split512) {
        return 32 * i + ((x * salts[i]) >> 27);
    } else if constexpr (kind == LayoutKind::sector512) {
        return 64 * i +
               (static_cast<unsigned>(spread(x) >> (8 * i)) & 63u);  // the low six bits of byte i
    } else if constexpr (kind == LayoutKind::zoned512) {
        const std::uint64_t p = spread(x);
        return 64 * zoned_word(p, i / (k / groups), groups) + zoned_bit(p, i);
    } else if constexpr (kind == LayoutKind::counting512) {
        return ((x * salts[i]) >> 25) * 4;  // the lowest bit of one of 128 counters
    } else {
        static_assert(kind == LayoutKind::blocked512);
        return (x * salts[i]) >> 23;
    }
}

inline constexpr std::uint64_t classic_multiplier = 0xFFFEB81Bu;
inline constexpr std::uint32_t cuckoo_multiplier = 0x9E3779B1u;

/// The probes of the classic layout. A probe is bit g % 64 of word (g >> 32) * words >> 32. The
/// first g is the hash, and this function gives each g from the one before. It is a generator by
/// multiply-with-carry (Marsaglia 1994) whose state is the 64-bit hash of the key.
///
/// Double hashing, g + i * step, costs an addition in place of the product. But two keys that share
/// a position and a step share all positions. With 24 bits a key, 10 keys had 420 times the FPR of
/// k independent functions, and 1000 keys still 2 times.
///
/// The multiplier is near 2^32. So the upper half of g, a carry, takes nearly every value. But it
/// is nearly the value of the lower half before it, and therefore no probe uses upper bits of the
/// lower half.
SIMDBLOOM_INLINE std::uint64_t classic_next(std::uint64_t g) noexcept {
    return (g & 0xFFFFFFFFu) * classic_multiplier + (g >> 32);
}

/// A probe of `counting` is a probe of classic that takes counter g % 16 of the word. Returns the
/// lowest bit of the counter in the word. (With the upper bits of g % 2^32 the FPR was 1.2 times as
/// high with 10 keys.)
SIMDBLOOM_INLINE unsigned counting_bit(std::uint64_t g) noexcept {
    return static_cast<unsigned>(g << 2) & 60u;
}

/// The fingerprint, from 1 to 2^bits - 1. 0 marks an empty slot, so an absent key matches a slot
/// with probability 1 / (2^bits - 1).
SIMDBLOOM_INLINE std::uint32_t cuckoo_tag(std::uint32_t x, unsigned bits) noexcept {
    return 1 + static_cast<std::uint32_t>((x * ((std::uint64_t{1} << bits) - 1)) >> 32);
}

// d-left: the block (h >> 32) * blocks >> 32 and the remainder cuckoo_tag(x, bits) are what the
// paper calls the true fingerprint. The bucket in subtable s is bucket s of the block (block + s *
// stride) mod blocks. For each s that is a permutation of the fingerprints, because a remainder and
// its stride do not change. So two keys that share a cell in one subtable share it in all.
SIMDBLOOM_INLINE std::uint64_t dleft_stride(std::uint32_t remainder,
                                            std::uint64_t blocks) noexcept {
    return (std::uint64_t{remainder * cuckoo_multiplier} * blocks) >> 32;
}
SIMDBLOOM_INLINE std::uint64_t dleft_next(std::uint64_t block, std::uint64_t stride,
                                          std::uint64_t blocks) noexcept {
    const std::uint64_t sum = block + stride;
    return sum >= blocks ? sum - blocks : sum;
}

/// The other bucket of a tag: (H(tag) - bucket) mod buckets. The function is its own inverse for
/// any number of buckets.
SIMDBLOOM_INLINE std::uint64_t cuckoo_alternate(std::uint64_t bucket, std::uint32_t tag,
                                                std::uint64_t buckets) noexcept {
    const std::uint64_t h = (std::uint64_t{tag * cuckoo_multiplier} * buckets) >> 32;
    return h >= bucket ? h - bucket : h + buckets - bucket;
}

}  // namespace detail
}  // namespace simdbloom
