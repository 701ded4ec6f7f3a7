#include "adapters/duckdb/parsed_filters.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "simdbloom/hash.hpp"
#include "simdbloom/little_endian.hpp"

namespace simdbloom::duckdb {
namespace {

constexpr char reference_magic[] = {'s', 'b', 'l', 'o', 'o', 'm', 'r', '1'};

}  // namespace

template <class Projection, class Value>
const ParsedFilters::Entry* ParsedFilters::known(Projection projection, const Value& value) {
    const auto found = std::ranges::find(entries_, value, projection);
    if (found == entries_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found);
    return &entries_.front();
}

const ParsedFilters::Entry& ParsedFilters::entry_of(std::span<const std::byte> blob) {
    if (blob.size() == reference_bytes && std::memcmp(blob.data(), reference_magic, sizeof reference_magic) == 0) {
        Reference reference;
        std::memcpy(reference.data(), blob.data(), reference_bytes);
        if (const Entry* entry = known(&Entry::reference, reference)) return *entry;
        throw std::runtime_error("the filter of this reference is not kept any more; make bloom_ref in the query that uses it");
    }
    Identity identity{blob.size(), {}};
    if (blob.size() >= identity.ends.size()) {
        std::memcpy(identity.ends.data(), blob.data(), header_bytes);
        std::memcpy(identity.ends.data() + header_bytes, blob.last(checksum_bytes).data(), checksum_bytes);
        if (const Entry* entry = known(&Entry::identity, identity)) return *entry;
    }
    FrozenFilter filter(load(blob).value());  // throws for what is none
    Reference reference;
    std::memcpy(reference.data(), reference_magic, sizeof reference_magic);
    detail::store_le(reference.data() + sizeof reference_magic, hash_bytes(std::span<const std::byte>(identity.ends), identity.size));
    entries_.push_front({identity, reference, std::move(filter)});
    if (entries_.size() > kept) entries_.pop_back();
    return entries_.front();
}

FrozenFilter ParsedFilters::get(std::span<const std::byte> blob) {
    const std::scoped_lock lock(mutex_);
    return entry_of(blob).filter;
}

ParsedFilters::Reference ParsedFilters::reference(std::span<const std::byte> blob) {
    const std::scoped_lock lock(mutex_);
    return entry_of(blob).reference;
}

}  // namespace simdbloom::duckdb
