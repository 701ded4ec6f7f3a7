// What a caller may choose about a filter besides its size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>
#include <optional>
#include <string>

#include "simdbloom/hash.hpp"
#include "simdbloom/isa.hpp"

namespace simdbloom {

/// What the keys of a filter are, so that whoever reads a saved one can tell how to ask it.
enum class KeyKind : std::uint8_t {
    unknown,
    integers,  ///< 64-bit integers, hashed as insert(uint64_t) does
    bytes,     ///< strings and bytes, hashed as insert(string_view) does
};

/// "unknown", "integers" or "bytes".
std::string to_string(KeyKind kind);

struct Options {
    /// Kernels to use; empty: default_isa().
    std::optional<Isa> isa{};
    /// Changes the hash of every key; filters with different seeds are unrelated. 0 with
    /// Hashing::seeded: drawn from the operating system. Not read with Hashing::keyed.
    std::uint64_t seed = 0;
    /// See Hashing. Hashes that the caller computes (insert_hashes, Hashers) are taken as they are.
    Hashing hashing = Hashing::fast;
    /// Of Hashing::keyed; empty: drawn from the operating system, see FilterBase::key().
    std::optional<HashKey> key{};
    /// Saved with the filter, and not held against what is inserted.
    KeyKind key_kind = KeyKind::unknown;
    /// Ask the kernel for 2 MiB pages (madvise) where the filter is at least that large.
    bool huge_pages = true;
    /// Upper limit on the filter's bytes, 0 for none. for_fpr() takes the best FPR that fits below
    /// it; with_bits_per_key() throws std::length_error if the size asked for is above it.
    std::size_t max_bytes = 0;
    /// The number of blocks is made a multiple of 2^fold_levels, so that the filter can be folded
    /// to a half that often. At most 16.
    unsigned fold_levels = 0;
    /// Where the bits live; nullptr: pages from the operating system. Must outlive the filter.
    /// What it gives is not held against the memory available.
    std::pmr::memory_resource* allocator = nullptr;
    /// The layout within the type's family, e.g. "register32:k=4"; empty: the family's default
    /// layout, and the best k by the exact model where k is free.
    std::string spec{};
};

/// Thrown when the bits cannot be allocated; what() gives the number of bytes. Bits of 16 MiB and
/// more are also held against what the machine and the control groups say is available, but only at
/// that moment: Linux finds the memory when it is written, and may end the process if others took
/// it by then.
class AllocationError : public std::bad_alloc {
public:
    explicit AllocationError(std::size_t bytes) noexcept;
    AllocationError(std::size_t bytes, std::size_t available) noexcept;
    const char* what() const noexcept override { return text_; }

private:
    char text_[120];
};

}  // namespace simdbloom
