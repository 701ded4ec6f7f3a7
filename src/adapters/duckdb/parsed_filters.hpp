// Filters of BLOBs that come again with every vector of a query.
#pragma once

#include <array>
#include <cstddef>
#include <list>
#include <mutex>
#include <span>

#include "simdbloom/serialize.hpp"

namespace simdbloom::duckdb {

/// Keeps the filters of the last few BLOBs. One with size, header and checksum of an earlier one is taken for it, wherever it lies: DuckDB
/// copies a BLOB for every vector, and to read it all each time costs a hundred times the probes (1.5 MiB: 180 ns a row of 100 million).
class ParsedFilters {
public:
    static constexpr std::size_t reference_bytes = 16;
    using Reference = std::array<std::byte, reference_bytes>;

    /// Of a filter, or of a reference to one. Throws std::runtime_error for bytes that are neither, and for a reference whose filter is not kept
    /// any more.
    FrozenFilter get(std::span<const std::byte> blob);
    /// What get() knows the filter by for as long as it is kept. Throws as get().
    Reference reference(std::span<const std::byte> blob);

private:
    static constexpr std::size_t header_bytes = 64, checksum_bytes = 8, kept = 64;
    struct Identity {
        std::size_t size;
        std::array<std::byte, header_bytes + checksum_bytes> ends;
        friend bool operator==(const Identity&, const Identity&) = default;
    };
    struct Entry {
        Identity identity;
        Reference reference;
        FrozenFilter filter;
    };
    const Entry& entry_of(std::span<const std::byte> blob);
    template <class Projection, class Value>
    const Entry* known(Projection projection, const Value& value);

    std::mutex mutex_;
    std::list<Entry> entries_;  // the last used first
};

}  // namespace simdbloom::duckdb
