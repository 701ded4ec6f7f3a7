// Caches the filters of BLOBs, which a query passes again with every vector.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <span>
#include <unordered_map>

#include "simdbloom/any/serialize.hpp"

namespace simdbloom::duckdb {

/// An LRU cache of the filters of BLOBs. A BLOB is identified by its size, header and checksum.
/// DuckDB copies a BLOB for every vector, and reading all of it each time costs a hundred times the
/// probes (1.5 MiB: 180 ns a row of 100 million).
class FilterCache {
public:
    static constexpr std::size_t reference_bytes = 16;
    using Reference = std::array<std::byte, reference_bytes>;

    explicit FilterCache(std::size_t limit) noexcept : limit_(limit) {}

    /// The filter of a BLOB, or of a reference. Throws std::runtime_error for other bytes, and for
    /// a reference whose filter is no longer cached.
    FrozenFilter get(std::span<const std::byte> blob);
    /// The same without caching: for BLOBs that come once.
    FrozenFilter read(std::span<const std::byte> blob);
    /// A reference for get(), valid while the filter is cached. Throws as get() does.
    Reference reference(std::span<const std::byte> blob);

    /// The bytes of all cached filters.
    std::size_t bytes();
    /// Drops the least recently used filters, until at most so many bytes, or one filter, remain.
    void set_limit(std::size_t bytes);

private:
    static constexpr std::size_t header_bytes = 64, checksum_bytes = 8;
    struct Identity {
        std::size_t size;
        std::array<std::byte, header_bytes + checksum_bytes> ends;
        friend bool operator==(const Identity&, const Identity&) = default;
    };
    struct Entry {
        Identity identity;
        std::uint64_t name;  ///< a hash of the identity, stored in a reference
        FrozenFilter filter;

        std::size_t bytes() const { return filter->size_in_bytes() + sizeof(Entry) + 128; }
    };
    const Entry& entry_of(std::span<const std::byte> blob);
    const Entry* known(std::uint64_t name);
    void shrink();

    std::mutex mutex_;
    std::list<Entry> entries_;  // most recently used first
    std::unordered_map<std::uint64_t, std::list<Entry>::iterator> by_name_;
    std::size_t bytes_ = 0, limit_;
};

/// The cache of the process.
FilterCache& filter_cache();

}  // namespace simdbloom::duckdb
