// What a caller may choose about a filter besides its size.
#pragma once

#include <new>
#include <optional>

#include "simdbloom/detail/isa_names.hpp"
#include "simdbloom/hash.hpp"

// <memory_resource> doubles the time to compile split_block.hpp: include it to set the allocator.
#if defined(__GLIBCXX__) && !_GLIBCXX_INLINE_VERSION
namespace std::pmr {
class memory_resource;
}
#else
#include <memory_resource>
#endif

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

enum class KeyKind : std::uint8_t;  // key_kind.hpp

/// The choices, each with a default.
struct Options {
    /// The instruction set whose kernels the filter uses. Empty: default_isa(), or what is faster
    /// for the filter's size on this machine (src/core/dispatch/README.md).
    std::optional<Isa> isa{};
    /// Changes the hash of every key: filters with different seeds are unrelated. With
    /// Hashing::seeded the operating system draws one in place of 0. Not read with Hashing::keyed.
    std::uint64_t seed = 0;
    /// How keys are hashed, but for hashes that the caller computes (Keys::hashes, Hashers).
    Hashing hashing = Hashing::fast;
    /// The secret of Hashing::keyed. Empty: the operating system draws it (FilterBase::secret()).
    std::optional<Secret> secret{};
    /// What the keys are (key_kind.hpp), by default unknown. Rows that say what they are (JoinRows,
    /// Arrow) are checked against it; plain integers, strings and hashes are not.
    KeyKind key_kind{};
    /// Ask the operating system for pages of 2 MiB (madvise), for filters of at least that size.
    bool huge_pages = true;
    /// The most bytes that the filter may take, 0 for no limit. for_fpr() takes the lowest FPR that
    /// fits into it; with_bits_per_key() throws std::length_error if the size asked for is larger.
    std::size_t max_bytes = 0;
    /// Rounds the blocks up to a multiple of 2^fold_levels, for as many halvings. At most 16.
    unsigned fold_levels = 0;
    /// Where the bits are allocated. nullptr: pages from the operating system. The resource must
    /// outlive the filter; its memory is not held against the memory available.
    std::pmr::memory_resource* allocator = nullptr;
    /// The layout within the family of the type, e.g. "register32:k=4". Empty: the default layout
    /// of the family. Where the spec leaves k open, the best k by the exact model is taken.
    std::string spec{};
};

/// Thrown when the bits cannot be allocated. Bits of 16 MiB and more are also held against the
/// memory available to the machine and the control groups: Linux finds memory when it is written,
/// and may end the process if others took it by then.
class AllocationError : public std::bad_alloc {
public:
    explicit AllocationError(std::uint64_t bytes) noexcept;                  ///< of so many bytes
    AllocationError(std::uint64_t bytes, std::uint64_t available) noexcept;  ///< so many are left
    const char* what() const noexcept override { return text_; }  ///< says how many bytes

private:
    char text_[120];
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
