// Filters by simdbloom for the tables (SST files) of a RocksDB database. Link with
// simdbloom::rocksdb.
//
// RocksDB 7 does not let a Get use our filters: its public headers declare FilterBitsBuilder and
// FilterBitsReader but do not define them, and a user's FilterPolicy can only choose a built-in
// filter. But a collector sees every key of a table that is written, and can store bytes in the
// table. And a callback leaves tables out of an iterator. Together they give each table a filter,
// for iterators and for the program itself.
//
//   options.table_properties_collector_factories.push_back(
//       simdbloom::make_rocksdb_collector(simdbloom::default_spec, 10));
//   rocksdb::ReadOptions read;
//   read.table_filter = simdbloom::rocksdb_table_filter(key);
//   std::unique_ptr<rocksdb::Iterator> it(db->NewIterator(read));
//   // Seek opens only tables that may hold the key.
//   for (it->Seek(key); it->Valid() && it->key() == key; it->Next()) ..
#pragma once

#include <rocksdb/slice.h>
#include <rocksdb/table_properties.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "simdbloom/detail/layouts/blocked.hpp"
#include "simdbloom/export.hpp"
#include "simdbloom/options.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// The part of a key that is inserted and looked up, for example a prefix. It must be the same
/// function for the collector and for lookups. It must not throw.
using RocksDbPart = std::function<rocksdb::Slice(const rocksdb::Slice& key)>;

/// The name of the property that holds a table's filter.
inline constexpr const char* rocksdb_property = "simdbloom.Bloom.1";

/// Gives every new table a filter of its keys, deleted keys included, with at least that many bits
/// per key. Specs and errors are those of make_leveldb_policy. A table with a deleted range gets no
/// filter, because it hides keys that it does not hold.
///
/// If the column family has timestamps, `timestamp_bytes` is timestamp_size() of the comparator.
/// Keys, and the argument of the part, are then without timestamps. A table whose timestamps have
/// another size is read as if it had no filter.
std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> make_rocksdb_collector(
    std::string_view spec, double bits_per_key, RocksDbPart part = {},
    std::size_t timestamp_bytes = 0);

/// Whether the table may hold the key (without its timestamp), or a key with that part. True for a
/// table without a filter.
bool rocksdb_may_contain(const rocksdb::TableProperties& table, std::string_view key_or_part);

/// For ReadOptions::table_filter of an iterator that visits only this key, or only keys with this
/// part. The iterator may miss other keys.
std::function<bool(const rocksdb::TableProperties&)> rocksdb_table_filter(
    std::string_view key_or_part);

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
