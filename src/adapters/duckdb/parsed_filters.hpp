// Filters of BLOBs that come again with every vector of a query.
#pragma once

#include <array>
#include <cstddef>
#include <list>
#include <mutex>
#include <span>

#include "simdbloom/serialize.hpp"

namespace simdbloom::duckdb {

/// Keeps the filters of the last few BLOBs. One that stands where an earlier one stood, with its header and checksum, is taken for
/// the same: to read it all again would cost more than the probes.
class ParsedFilters {
public:
    /// Throws std::runtime_error for bytes that are no filter.
    FrozenFilter get(std::span<const std::byte> blob);
    /// How many BLOBs were read.
    std::uint64_t parsed() const noexcept { return parsed_; }

private:
    static constexpr std::size_t header_bytes = 64, checksum_bytes = 8, kept = 16;
    struct Identity {
        const std::byte* place;
        std::size_t size;
        std::array<std::byte, header_bytes + checksum_bytes> ends;
        friend bool operator==(const Identity&, const Identity&) = default;
    };
    struct Entry {
        Identity identity;
        FrozenFilter filter;
    };
    std::mutex mutex_;
    std::list<Entry> entries_;  // the last used first
    std::uint64_t parsed_ = 0;
};

}  // namespace simdbloom::duckdb
