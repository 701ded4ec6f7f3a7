// The header before the bits of a Bloom filter in a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "simdbloom/any/serialize.hpp"
#include "simdbloom/split_block.hpp"

namespace simdbloom::parquet {

inline constexpr std::size_t block_bytes = 32;

struct FilterHeader {
    std::int64_t bytes = -1;  ///< the bytes of the bits that follow
    std::size_t size = 0;     ///< the bytes of the header

    std::uint64_t blocks() const noexcept {
        return static_cast<std::uint64_t>(bytes) / block_bytes;
    }
    std::uint64_t whole() const noexcept { return size + static_cast<std::uint64_t>(bytes); }
};

/// Throws MalformedError for bytes that do not begin with a header, and for algorithms outside the
/// specification.
FilterHeader parse_filter_header(std::span<const std::byte> bytes);

/// The filter behind the header. `fill` reads its bits into place, or returns an error.
using FillBits = std::function<std::optional<LoadError>(std::span<std::byte>)>;
Loaded<SplitBlockBloom> filter_of(const FilterHeader& header, const Options& options,
                                  const FillBits& fill);

}  // namespace simdbloom::parquet
