// Keeps the filters of BLOBs that come again with every vector of a query.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <span>
#include <unordered_map>

#include "simdbloom/serialize.hpp"

namespace simdbloom::duckdb {

/// Keeps the filters of the BLOBs that were used last. A BLOB with the size, header and checksum of
/// an earlier one is taken for that one, wherever it lies. DuckDB copies a BLOB for every vector,
/// and reading all of it each time costs a hundred times the probes (1.5 MiB: 180 ns a row of 100
/// million).
class FilterCache {
public:
    static constexpr std::size_t reference_bytes = 16;
    using Reference = std::array<std::byte, reference_bytes>;

    explicit FilterCache(std::size_t limit) noexcept : limit_(limit) {}

    /// The filter of a BLOB, or of a reference to one. Throws std::runtime_error for bytes that are
    /// neither, and for a reference whose filter is not kept any more.
    FrozenFilter get(std::span<const std::byte> blob);
    /// The same without keeping what is read: for BLOBs that come once.
    FrozenFilter read(std::span<const std::byte> blob);
    /// A reference by which get() finds the filter for as long as it is kept. Throws as get() does.
    Reference reference(std::span<const std::byte> blob);

    /// The bytes of all filters that are kept.
    std::size_t bytes();
    /// Drops the filters that were used longest ago, until at most so many bytes, or one filter,
    /// are kept.
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
        std::uint64_t name;  ///< a hash of the identity: what a reference holds
        FrozenFilter filter;

        std::size_t bytes() const { return filter->size_in_bytes() + sizeof(Entry) + 128; }
    };
    const Entry& entry_of(std::span<const std::byte> blob);
    const Entry* known(std::uint64_t name);
    void shrink();

    std::mutex mutex_;
    std::list<Entry> entries_;  // the last used first
    std::unordered_map<std::uint64_t, std::list<Entry>::iterator> by_name_;
    std::size_t bytes_ = 0, limit_;
};

/// The kept filters of the process.
FilterCache& filter_cache();

}  // namespace simdbloom::duckdb
