#include "adapters/duckdb/parsed_filters.hpp"

#include <algorithm>
#include <cstring>

namespace simdbloom::duckdb {

FrozenFilter ParsedFilters::get(std::span<const std::byte> blob) {
    if (blob.size() < header_bytes + checksum_bytes) return FrozenFilter(load(blob).value());  // throws
    Identity identity{blob.data(), blob.size(), {}};
    std::memcpy(identity.ends.data(), blob.data(), header_bytes);
    std::memcpy(identity.ends.data() + header_bytes, blob.last(checksum_bytes).data(), checksum_bytes);

    const std::scoped_lock lock(mutex_);
    const auto known = std::ranges::find(entries_, identity, &Entry::identity);
    if (known != entries_.end()) {
        entries_.splice(entries_.begin(), entries_, known);
    } else {
        ++parsed_;
        entries_.push_front({identity, FrozenFilter(load(blob).value())});
        if (entries_.size() > kept) entries_.pop_back();
    }
    return entries_.front().filter;
}

}  // namespace simdbloom::duckdb
