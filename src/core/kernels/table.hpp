// The boundary between filters and kernels: what a kernel is given, and the table of kernels of one
// ISA. Included by the ISA translation units: plain data only, no std containers.
#pragma once

#include "core/kernels/flatten.hpp"
#include "simdbloom/detail/layout_traits.hpp"
#include "simdbloom/detail/output.hpp"
#include "simdbloom/detail/strings.hpp"
#include "simdbloom/isa.hpp"

namespace simdbloom::detail {

/// Whether the lines of the next 64 keys are prefetched into the level-2 cache. `tuned` is `ahead`
/// to a kernel; who calls the kernel replaces it by what is faster (core/dispatch/tuner.hpp).
enum class Prefetch : std::uint8_t { none, ahead, tuned };

/// Set by the owner of the bits, see prefetching_of() in core/dispatch/tuner.hpp.
struct Prefetching {
    Prefetch way = Prefetch::none;
    std::uint8_t size = 0;  ///< of the bits: a number for each half power of two
};

/// What a kernel of a layout sees of a filter. Structures have targets of their own; every target
/// has `bits`, `seed` and `prefetching`. 8 bytes behind the bits can be read: a cuckoo bucket may
/// be loaded as a word and a d-left bucket as 16 bytes.
struct Target {
    std::byte* bits;
    std::uint64_t blocks;  ///< below 2^32
    std::uint64_t seed;    ///< already offset, see mix()
    std::uint32_t k;       ///< for layouts whose kernels loop over it
    Prefetching prefetching;
};

inline constexpr std::size_t chunk_keys = 64;

struct Batch {
    const std::uint64_t* keys;
    std::size_t size;
    bool hashed;                            ///< keys are hashes already
    const std::uint32_t* narrow = nullptr;  ///< for lookup, not null: the keys, in place of `keys`
    std::uint64_t sign = 0;                 ///< 2^31 where narrow keys are signed
};

/// The kernels of one layout, or of a structure with a target T of its own.
template <class T>
struct KernelsFor {
    /// Writes answers (nothing, ceil(n/8) bytes, or up to n uint32), returns how many are found.
    std::size_t (*lookup)(const T&, Batch, Output, void* out);
    /// Bit i of the result says that key i, of at most 64, was found. Key by key.
    std::uint64_t (*few)(const T&, const std::uint64_t* keys, std::size_t n, bool hashed);
    std::uint32_t few_below;          ///< fewer keys, at most 64, take less time through `few`
    std::uint32_t few_inserts_below;  ///< the same of inserts
    /// Returns how many keys went in: all, except into a full table. Null where keys never change.
    std::size_t (*insert)(const T&, Batch);
};
using Kernels = KernelsFor<Target>;

/// hashes[i] = the hash of string i, for strings that lie in these ways. The seed of XXH64, or the
/// secret of SipHash, low and high. All are null where strings are hashed one by one.
template <class Strings>
struct StringKernel {
    void (*hash)(const Strings&, std::size_t n, std::uint64_t low, std::uint64_t high,
                 std::uint64_t* hashes);
};
struct StringKernels : StringKernel<StringViews>,
                       StringKernel<StringOffsets<std::int32_t>>,
                       StringKernel<StringOffsets<std::int64_t>>,
                       StringKernel<InlinedStrings> {};

// DO(isa, ..) for each ISA that is compiled for this processor.
// clang-format off
#if defined(__x86_64__)
#define SIMDBLOOM_EACH_ISA(DO, ...)                                      \
    DO(scalar, __VA_ARGS__) DO(sse42, __VA_ARGS__) DO(avx2, __VA_ARGS__) \
    DO(avx512, __VA_ARGS__) DO(avx512bitalg, __VA_ARGS__)
#elif defined(__aarch64__)
#define SIMDBLOOM_EACH_ISA(DO, ...) DO(scalar, __VA_ARGS__) DO(neon, __VA_ARGS__)
#elif defined(__wasm__)
#define SIMDBLOOM_EACH_ISA(DO, ...) DO(scalar, __VA_ARGS__) DO(simd128, __VA_ARGS__)
#else
#define SIMDBLOOM_EACH_ISA(DO, ...) DO(scalar, __VA_ARGS__)
#endif
// clang-format on

// A struct Table of kernels exists once for each ISA. Three lines make it:
//   SIMDBLOOM_DECLARE_KERNELS(Table, name)        in the header that has the struct
//   SIMDBLOOM_SELECT_KERNELS(name)                in a source file: name(isa) is the table of isa
//   simdbloom_kernels(target name header.hpp)     in CMake: compiles the header for each ISA
// The header has a template make_kernels<O>() that returns the Table over the operations O. The
// object of an ISA exports one symbol, the table.
#define SIMDBLOOM_DECLARE_KERNELS(Table, name) \
    using name##_table = Table;                \
    SIMDBLOOM_EACH_ISA(SIMDBLOOM_EXTERN, name) \
    const Table& name(Isa isa);
#define SIMDBLOOM_EXTERN(isa, name) extern const name##_table isa##_##name;
#define SIMDBLOOM_DEFINE_KERNELS(isa, name)                          \
    namespace simdbloom::detail {                                    \
    constexpr name##_table isa##_##name = make_kernels<isa##_ops>(); \
    }

/// All kernels of the core for one ISA.
struct KernelTable {
    Kernels of[n_layouts][max_variants];  // [LayoutKind][variant_of(..)]
    /// hashes[i] = mix(keys[i], seed), or siphash(keys[i], {low, high}); hashes may be keys.
    void (*mix)(const std::uint64_t* keys, std::size_t n, std::uint64_t seed,
                std::uint64_t* hashes);
    void (*siphash)(const std::uint64_t* keys, std::size_t n, std::uint64_t low, std::uint64_t high,
                    std::uint64_t* hashes);
    StringKernels xxh64, sip_strings;
    std::size_t vector_bytes;  ///< 64: loads a line whole
};
SIMDBLOOM_DECLARE_KERNELS(KernelTable, kernels)

// The hash of one string, for those that are too long for a lane.
std::uint64_t xxh64_of_one(const char* bytes, std::size_t size, std::uint64_t seed,
                           std::uint64_t) noexcept;
std::uint64_t siphash_of_one(const char* bytes, std::size_t size, std::uint64_t low,
                             std::uint64_t high) noexcept;

/// Puts a tag, whose two buckets are full, into one of them, and moves others. Returns false, with
/// the table as it was, when no place was found. Dependent loads: compiled for the baseline alone.
bool cuckoo_evict(const Target&, unsigned fingerprint_bits, std::uint64_t bucket,
                  std::uint64_t other, std::uint32_t tag) noexcept;

/// Puts a remainder of r bits into a bucket, or raises its counter. Returns false if all are full.
bool dleft_place(std::byte* const (&bucket)[4], unsigned r, std::uint32_t remainder) noexcept;

}  // namespace simdbloom::detail
