#include "simdbloom/adapters/rocksdb.hpp"

#include <utility>
#include <vector>

#include "adapters/leveldb/compact.hpp"
#include "simdbloom/hash.hpp"

namespace simdbloom {
namespace {

// RocksDB's property of tables whose keys end in timestamps: the earliest timestamp.
constexpr const char* earliest_timestamp = "rocksdb.timestamp_min";
// Our property: the bytes of a timestamp removed from the keys.
constexpr const char* timestamp_taken_off = "simdbloom.Bloom.1.timestamp";

std::size_t size_of(const rocksdb::UserCollectedProperties& properties, const char* name) {
    const auto found = properties.find(name);
    return found == properties.end() ? 0 : found->second.size();
}

class Collector : public rocksdb::TablePropertiesCollector {
public:
    Collector(std::shared_ptr<const detail::CompactSizes> sizes, RocksDbPart part,
              std::size_t timestamp_bytes)
        : sizes_(std::move(sizes)), part_(std::move(part)), timestamp_bytes_(timestamp_bytes) {}

    rocksdb::Status AddUserKey(const rocksdb::Slice& key, const rocksdb::Slice&,
                               rocksdb::EntryType type, rocksdb::SequenceNumber,
                               std::uint64_t) override {
        if (type == rocksdb::kEntryRangeDeletion) given_up_ = true;
        if (key.size() < timestamp_bytes_) given_up_ = true;
        if (given_up_) return rocksdb::Status::OK();
        const rocksdb::Slice asked(key.data(), key.size() - timestamp_bytes_);
        const std::uint64_t hash = hash_bytes((part_ ? part_(asked) : asked).ToStringView());
        // Versions of a key are adjacent, and so are keys with the same part.
        if (!hashes_.empty() && hashes_.back() == hash) return rocksdb::Status::OK();
        return without_throwing([&] { hashes_.push_back(hash); });
    }

    rocksdb::Status Finish(rocksdb::UserCollectedProperties* properties) override {
        if (given_up_) return rocksdb::Status::OK();
        return without_throwing([&] {
            std::string filter;
            detail::compact_append(sizes_->layout(), sizes_->size_for(hashes_.size()), hashes_,
                                   filter);
            properties->emplace(rocksdb_property, std::move(filter));
            if (timestamp_bytes_ != 0)
                properties->emplace(timestamp_taken_off, std::string(timestamp_bytes_, '\0'));
        });
    }

    rocksdb::UserCollectedProperties GetReadableProperties() const override {
        return {{rocksdb_property, given_up_ ? "none" : std::to_string(hashes_.size()) + " keys"}};
    }
    const char* Name() const override { return rocksdb_property; }

private:
    /// RocksDB is not exception-safe. A table without a filter is correct too.
    template <class Work>
    rocksdb::Status without_throwing(const Work& work) noexcept {
        try {
            work();
            return rocksdb::Status::OK();
        } catch (...) {
            given_up_ = true;
            return rocksdb::Status::MemoryLimit();
        }
    }

    std::shared_ptr<const detail::CompactSizes> sizes_;
    RocksDbPart part_;
    std::size_t timestamp_bytes_;
    std::vector<std::uint64_t> hashes_;
    bool given_up_ = false;
};

class Factory : public rocksdb::TablePropertiesCollectorFactory {
public:
    explicit Factory(Collector empty) : empty_(std::move(empty)) {}
    rocksdb::TablePropertiesCollector* CreateTablePropertiesCollector(Context) override {
        return new Collector(empty_);
    }
    const char* Name() const override { return rocksdb_property; }

private:
    const Collector empty_;
};

bool may_contain(const rocksdb::TableProperties& table, std::uint64_t hash) {
    const auto& properties = table.user_collected_properties;
    const auto found = properties.find(rocksdb_property);
    if (found == properties.end()) return true;
    // A filter of keys with timestamps would not match keys without.
    if (size_of(properties, earliest_timestamp) != size_of(properties, timestamp_taken_off))
        return true;
    return detail::compact_may_contain(std::as_bytes(std::span(found->second)), hash);
}

}  // namespace

std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> make_rocksdb_collector(
    std::string_view spec, double bits_per_key, RocksDbPart part, std::size_t timestamp_bytes) {
    using Sizes = detail::CompactSizes;
    auto sizes = std::make_shared<Sizes>(spec, Sizes::Goal::bits_per_key, bits_per_key);
    return std::make_shared<Factory>(Collector(std::move(sizes), std::move(part), timestamp_bytes));
}

bool rocksdb_may_contain(const rocksdb::TableProperties& table, std::string_view key_or_part) {
    return may_contain(table, hash_bytes(key_or_part));
}

std::function<bool(const rocksdb::TableProperties&)> rocksdb_table_filter(
    std::string_view key_or_part) {
    return [hash = hash_bytes(key_or_part)](const rocksdb::TableProperties& table) {
        return may_contain(table, hash);
    };
}

}  // namespace simdbloom
