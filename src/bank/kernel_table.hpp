// The kernels of a bank.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/kernels/extension.hpp"

namespace simdbloom::detail {

/// The most rows of a key: k of `classic`.
inline constexpr std::size_t bank_max_rows = 30;
/// The most keys of a chunk, whose rows are prefetched while those of the chunk before are read.
inline constexpr std::size_t bank_max_chunk = 32;
/// Counts of up to 2^16 - 1 keys are kept as that many bit planes before they are added up.
inline constexpr std::size_t bank_planes = 16;
/// The planes, and the bitmaps of eight keys.
inline constexpr std::size_t bank_scratch = bank_planes + 8;

/// A bank, as kernels see it.
struct BankTarget {
    /// offsets[8 * r + i] = where row r of hash i begins, in bytes, for n <= 8 hashes.
    using Rows = void(const BankTarget&, const std::uint64_t* hashes, std::size_t n,
                      std::uint64_t* offsets);

    std::byte* bits;
    Rows* rows;
    std::uint64_t blocks, sets;
    std::uint64_t words;      ///< of a bitmap
    std::uint64_t row_bytes;  ///< 1, 2, 4, or 8 * words
    std::uint32_t k, zones;
    std::uint32_t chunk;         ///< 8, 16 or 32 keys
    std::uint32_t rows_of_line;  ///< 2 where rows 2 i and 2 i + 1 lie in one line, else 1
    bool far = false;            ///< prefetches into the level-2 cache
};

struct BankKernels {
    BankTarget::Rows* rows[n_layouts];  ///< [LayoutKind]; null where a layout is not of bits
    BankTarget::Rows* pairs;            ///< of paired512
    /// Writes t.words words a key.
    void (*contains)(const BankTarget& t, const std::uint64_t* hashes, std::size_t n,
                     std::byte* bitmaps);
    /// Adds to counts[s], for each set s. `scratch`: bank_scratch * t.words words of any content.
    void (*count)(const BankTarget& t, const std::uint64_t* hashes, std::size_t n,
                  std::byte* scratch, std::uint64_t* counts);
    /// Bit i says whether word i of n <= 64 is not 0.
    std::uint64_t (*nonzero)(const std::byte* words, std::size_t n);
};
SIMDBLOOM_DECLARE_KERNELS(BankKernels, bank_kernels)

}  // namespace simdbloom::detail
