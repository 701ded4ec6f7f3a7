// Filters by simdbloom of the tables (SST files) of a RocksDB database. Link with
// simdbloom::rocksdb.
//
// RocksDB 7 keeps the classes behind its own filters to itself: FilterBitsBuilder and
// FilterBitsReader are declared and not defined in its public headers, and a FilterPolicy of one's
// own can only choose among the built-in ones. So a Get cannot ask a filter of ours. RocksDB offers
// a collector, which sees every key of a table that is written and may keep bytes with it, and a
// callback by which an iterator leaves out tables. Together they make a filter for each table,
// which iterators ask, and the program itself.
//
//   options.table_properties_collector_factories.push_back(
//       simdbloom::make_rocksdb_collector("blocked512", 10));
//   rocksdb::ReadOptions read;
//   read.table_filter = simdbloom::rocksdb_table_filter(key);
//   std::unique_ptr<rocksdb::Iterator> it(db->NewIterator(read));
//   // Seek opens only tables that may hold the key.
//   for (it->Seek(key); it->Valid() && it->key() == key; it->Next()) ..
#pragma once

#include <rocksdb/slice.h>
#include <rocksdb/table_properties.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace simdbloom {

/// The part of a key that is put into the filter and asked for, e.g. a prefix; must be one and the
/// same for collector and questions. Must not throw.
using RocksDbPart = std::function<rocksdb::Slice(const rocksdb::Slice& key)>;

/// The name of the property that holds a table's filter.
inline constexpr const char* rocksdb_property = "simdbloom.Bloom.1";

/// Gives every table that is written from now on a filter of its keys, those deleted included, in
/// at least that many bits per key; specs as of make_leveldb_policy, which throws the same. A table
/// in which a range is deleted gets none: it hides keys that it does not hold. `timestamp_bytes`:
/// timestamp_size() of the comparator, where the column family has timestamps; keys and the part's
/// argument are then without them. A table whose timestamps are of another size is read as if it
/// had no filter.
std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> make_rocksdb_collector(
    std::string_view spec, double bits_per_key, RocksDbPart part = {},
    std::size_t timestamp_bytes = 0);

/// Whether the table may hold the key (without its timestamp), or a key with that part: true where
/// it has no filter.
bool rocksdb_may_contain(const rocksdb::TableProperties& table, std::string_view key_or_part);

/// For ReadOptions::table_filter of an iterator that is moved to this key, or keys with this part,
/// and no other: it may miss those.
std::function<bool(const rocksdb::TableProperties&)> rocksdb_table_filter(
    std::string_view key_or_part);

}  // namespace simdbloom
