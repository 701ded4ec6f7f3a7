#include "adapters/duckdb/filter_cache.hpp"

#include <cstring>
#include <stdexcept>

#include "adapters/duckdb/memory.hpp"
#include "simdbloom/detail/errors.hpp"
#include "simdbloom/detail/little_endian.hpp"
#include "simdbloom/hash.hpp"

namespace simdbloom::duckdb {
namespace {

constexpr char reference_magic[] = {'s', 'b', 'l', 'o', 'o', 'm', 'r', '1'};

}  // namespace

FilterCache& filter_cache() {
    static FilterCache filters(Memory::limit() / Memory::kept_part);
    return filters;
}

const FilterCache::Entry* FilterCache::known(std::uint64_t name) {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return &entries_.front();
}

void FilterCache::shrink() {
    while (bytes_ > limit_ && entries_.size() > 1) {
        bytes_ -= entries_.back().bytes();
        by_name_.erase(entries_.back().name);
        entries_.pop_back();
    }
}

const FilterCache::Entry& FilterCache::entry_of(std::span<const std::byte> blob) {
    if (blob.size() == reference_bytes &&
        std::memcmp(blob.data(), reference_magic, sizeof reference_magic) == 0) {
        const auto name = detail::load_le<std::uint64_t>(blob.data() + sizeof reference_magic);
        if (const Entry* entry = known(name)) return *entry;
        throw std::runtime_error(detail::to_text(
            "the filter of this reference is no longer cached: the limit is ", limit_, " bytes"));
    }
    Identity identity{blob.size(), {}};
    if (blob.size() >= identity.ends.size()) {
        std::memcpy(identity.ends.data(), blob.data(), header_bytes);
        std::memcpy(identity.ends.data() + header_bytes, blob.last(checksum_bytes).data(),
                    checksum_bytes);
    }
    const std::uint64_t name = hash_bytes(std::span<const std::byte>(identity.ends), identity.size);
    const Entry* const entry = known(name);
    if (entry != nullptr && entry->identity == identity) return *entry;
    FrozenFilter filter(load(blob).value());  // throws for invalid bytes
    if (entry != nullptr) throw std::runtime_error("two filters have one name");
    std::list<Entry> made;
    made.push_front({identity, name, std::move(filter)});
    by_name_.emplace(name, made.begin());
    entries_.splice(entries_.begin(), made);
    bytes_ += entries_.front().bytes();
    shrink();
    return entries_.front();
}

FrozenFilter FilterCache::get(std::span<const std::byte> blob) {
    const std::scoped_lock lock(mutex_);
    return entry_of(blob).filter;
}

FrozenFilter FilterCache::read(std::span<const std::byte> blob) {
    return blob.size() == reference_bytes ? get(blob) : FrozenFilter(load(blob).value());
}

FilterCache::Reference FilterCache::reference(std::span<const std::byte> blob) {
    const std::scoped_lock lock(mutex_);
    Reference reference;
    std::memcpy(reference.data(), reference_magic, sizeof reference_magic);
    detail::store_le(reference.data() + sizeof reference_magic, entry_of(blob).name);
    return reference;
}

std::size_t FilterCache::bytes() {
    const std::scoped_lock lock(mutex_);
    return bytes_;
}

void FilterCache::set_limit(std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    limit_ = bytes;
    shrink();
}

}  // namespace simdbloom::duckdb
