// The boundary between filters and kernels: what a kernel is given, and the table of kernels of one
// ISA. Included by the ISA translation units: plain data only, no std containers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simdbloom/detail/layout_traits.hpp"
#include "simdbloom/detail/output.hpp"
#include "simdbloom/detail/strings.hpp"

// Everything that a kernel calls is compiled into it, but not under sanitizers, whose checks would
// make that minutes a file.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SIMDBLOOM_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SIMDBLOOM_SANITIZED
#endif
#ifdef SIMDBLOOM_SANITIZED
#define SIMDBLOOM_KERNEL
#define SIMDBLOOM_UNROLLS false
#else
#ifndef SIMDBLOOM_KERNEL  // empty for tests/mutate/run, which compiles often
#define SIMDBLOOM_KERNEL [[gnu::flatten]]
#endif
#define SIMDBLOOM_UNROLLS true
#endif

namespace simdbloom::detail {

/// What a BloomierMap has in addition, see simdbloom/detail/fuse.hpp. Target::blocks are then the
/// starts.
struct FuseTarget {
    std::uint64_t seed = 0;
    std::uint32_t window = 0;
    std::uint8_t slot_bits = 0, value_bits = 0, check_bits = 0;
};

/// What a kernel sees of a filter. At least 8 bytes behind the bits can be read, because a cuckoo
/// bucket may be loaded as a word and a d-left bucket as 16 bytes.
struct Target {
    std::byte* bits;
    std::uint64_t blocks;  ///< below 2^32; of a growing table the roots
    std::uint64_t seed;    ///< already offset, see mix()
    std::uint32_t k;  ///< for layouts whose kernels loop over it; of a growing table the growths
    bool prefetches;  ///< lines are prefetched, see core/dispatch/tuning.hpp
    std::uint64_t* random = nullptr;  ///< for inserts into cuckoo tables: the eviction walk's state
    FuseTarget fuse{};
};

inline constexpr std::size_t chunk_keys = 64;

struct Batch {
    const std::uint64_t* keys;
    std::size_t size;
    bool hashed;                            ///< keys are hashes already
    const std::uint32_t* narrow = nullptr;  ///< for lookup, not null: the keys, in place of `keys`
    std::uint64_t sign = 0;                 ///< 2^31 where narrow keys are signed
};

/// The kernels of one layout.
struct Kernels {
    /// Writes the answers to `out` (nothing, ceil(n/8) bytes, or at most n uint32) and returns how
    /// many keys were found.
    std::size_t (*lookup)(const Target&, Batch, Output, void* out);
    /// Bit i of the result says that key i, of at most 64, was found. For a handful of keys, one
    /// after the other.
    std::uint64_t (*few)(const Target&, const std::uint64_t* keys, std::size_t n, bool hashed);
    std::uint32_t
        few_below;  ///< batches of fewer keys than this, at most 64, take less time through `few`
    std::uint32_t few_inserts_below;  ///< the same of inserts
    /// Returns how many keys went in: all of them, except into a table that is full.
    std::size_t (*insert)(const Target&, Batch);
    /// hashes[i] = mix(keys[i], seed), or siphash(keys[i], {low, high}), for n keys. The two arrays
    /// may be the same. Both are the same for every layout.
    void (*mix)(const std::uint64_t* keys, std::size_t n, std::uint64_t seed,
                std::uint64_t* hashes);
    void (*siphash)(const std::uint64_t* keys, std::size_t n, std::uint64_t low, std::uint64_t high,
                    std::uint64_t* hashes);
};

/// The kernels of a BloomierMap; probe.insert is null.
struct MapKernels {
    Kernels probe;
    /// Writes n values and, unless `bitmap` is null, ceil(n/8) bytes. Returns how many keys were
    /// found.
    std::size_t (*values)(const Target&, Batch, std::uint32_t* values, std::uint8_t* bitmap);
};
/// hashes[i] = the hash of string i, for strings that lie in these ways. The seed of XXH64, or the
/// secret of SipHash, low and high. All are null where strings are hashed one by one.
struct StringKernels {
    template <class Strings>
    using Kernel = void(const Strings&, std::size_t n, std::uint64_t low, std::uint64_t high,
                        std::uint64_t* hashes);
    Kernel<StringViews>* views;
    Kernel<StringOffsets<std::int32_t>>* offsets32;
    Kernel<StringOffsets<std::int64_t>>* offsets64;
    Kernel<InlinedStrings>* inlined;
};

/// How the slots of a BloomierMap are loaded: 32 or 64 bits at a time, from a whole byte on or from
/// any bit on.
enum class SlotLoad : std::uint8_t { bytes32, bits32, bytes64, bits64 };

/// A set of keys without false positives of a hash (join/key_sets.hpp). A key's place in the order
/// is key ^ flip, its cell is place >> shift.
struct KeySetTarget {
    const void* data = nullptr;  ///< a list: std::uint64_t keys. A bitmap: words of 64 cells,
                                 ///< little-endian, with bit `first` as their lowest
    std::uint64_t first = 0;     ///< the lowest cell
    std::uint64_t size = 0;      ///< of a list the keys, else the cells, at most 2^63
    std::uint64_t flip = 0;
    std::uint32_t shift = 0;
    bool prefetches = false;  ///< of a bitmap, as in Target
};
struct KeySetKernels {
    /// As Kernels::lookup does.
    using Lookup = std::size_t(const KeySetTarget&, const std::uint64_t* keys, std::size_t n,
                               Output, void* out);
    Lookup *list, *bitmap;
    /// Whether one of the keys lies in the cells. Stops at the first one.
    bool (*any_inside)(const KeySetTarget&, const std::uint64_t* keys, std::size_t n);
};

/// All kernels of one ISA.
struct KernelTable {
    Kernels of[n_layouts][max_variants];  // [LayoutKind][variant_of(..)]
    MapKernels fuse3[4], fuse4[4];        // [SlotLoad]
    Kernels growing12, growing16, growing20;
    StringKernels xxh64, siphash;
    KeySetKernels key_sets;
};

// DO(isa) for each ISA that is compiled for this processor.
#if defined(__x86_64__)
#define SIMDBLOOM_EACH_ISA(DO) DO(scalar) DO(sse42) DO(avx2) DO(avx512) DO(avx512bitalg)
#elif defined(__aarch64__)
#define SIMDBLOOM_EACH_ISA(DO) DO(scalar) DO(neon)
#elif defined(__wasm__)
#define SIMDBLOOM_EACH_ISA(DO) DO(scalar) DO(simd128)
#else
#define SIMDBLOOM_EACH_ISA(DO) DO(scalar)
#endif

// The one symbol each ISA object exports.
#define SIMDBLOOM_EXTERN(isa) extern const KernelTable isa##_kernels;
SIMDBLOOM_EACH_ISA(SIMDBLOOM_EXTERN)
#undef SIMDBLOOM_EXTERN

// The hash of one string, for those that are too long for a lane.
std::uint64_t xxh64_of_one(const char* bytes, std::size_t size, std::uint64_t seed,
                           std::uint64_t) noexcept;
std::uint64_t siphash_of_one(const char* bytes, std::size_t size, std::uint64_t low,
                             std::uint64_t high) noexcept;

/// Puts a tag into one of its buckets and moves others if it must. Returns false, with the table as
/// it was, when no place was found. Compiled once for the baseline, because it follows one
/// dependent load after another.
bool cuckoo_place(const Target&, unsigned fingerprint_bits, std::uint64_t bucket,
                  std::uint32_t tag) noexcept;

/// Puts a remainder of r bits into one of its four buckets, or raises its counter where it is
/// already there. Returns false if all four are full.
bool dleft_place(std::byte* const (&bucket)[4], unsigned r, std::uint32_t remainder) noexcept;

}  // namespace simdbloom::detail
