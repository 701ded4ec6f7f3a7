// Filling one Bloom filter on several threads.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "simdbloom/any_filter.hpp"

namespace simdbloom {

/// How threads share a filter that they fill. The bits are those of insert(keys), whichever is
/// taken.
enum class BuildMethod : std::uint8_t {
    automatic,  ///< what measured best for the layout, the size and the number of keys, on one
                ///< thread where that is few
    atomic,     ///< every thread its share of the keys, bits set with relaxed atomic ORs; needs no
                ///< memory
    partitioned,  ///< keys exchanged so that every thread owns a range of blocks; 16 bytes a key of
                  ///< up to 2^17 keys a thread. Not for classic
    merged,  ///< every thread a filter of its own, ORed together at the end; (threads - 1) times
             ///< the filter's memory
};

/// "automatic", "atomic", "partitioned" or "merged".
std::string_view to_string(BuildMethod method) noexcept;

namespace detail {
struct BuildAccess {
    /// Inserts on this thread with relaxed atomic ORs; others may do so at the same time.
    static void insert_beside_others(FilterBase& filter, std::span<const std::uint64_t> keys,
                                     bool hashed);
    static void run(FilterBase& filter, std::span<const std::uint64_t> keys, bool hashed,
                    unsigned threads, BuildMethod method);
};
}  // namespace detail

/// Inserts all keys on `threads` threads, the caller's among them, and returns when they are in.
/// Nothing else may use the filter meanwhile. Throws std::invalid_argument for zero threads and for
/// `partitioned` on a classic filter, std::bad_alloc and std::system_error as memory and threads
/// run out, before the first bit is set.
///
/// `merged` asks for the memory of all copies at once, which is held against what is available
/// (AllocationError): each of them alone might be granted, and the process ended when it writes.
template <class F>
requires std::derived_from<F, BloomInterface<F>>
void parallel_insert(F& filter, std::span<const std::uint64_t> keys, unsigned threads,
                     BuildMethod method = BuildMethod::automatic) {
    detail::BuildAccess::run(filter, keys, false, threads, method);
}
template <class F>
requires std::derived_from<F, BloomInterface<F>>
void parallel_insert_hashes(F& filter, std::span<const std::uint64_t> hashes, unsigned threads,
                            BuildMethod method = BuildMethod::automatic) {
    detail::BuildAccess::run(filter, hashes, true, threads, method);
}

/// The same; std::invalid_argument for a filter of counters or fingerprints, whose keys go in one
/// after the other.
void parallel_insert(AnyFilter& filter, std::span<const std::uint64_t> keys, unsigned threads,
                     BuildMethod method = BuildMethod::automatic);
void parallel_insert_hashes(AnyFilter& filter, std::span<const std::uint64_t> hashes,
                            unsigned threads, BuildMethod method = BuildMethod::automatic);

}  // namespace simdbloom
