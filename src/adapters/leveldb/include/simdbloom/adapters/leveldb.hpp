// simdbloom's Bloom filters in a LevelDB database. Link with simdbloom::leveldb.
//
//   const auto policy = simdbloom::make_leveldb_policy("classic", 10);
//   leveldb::Options options;
//   options.filter_policy = policy.get();   // in place of leveldb::NewBloomFilterPolicy(10);
//                                           // must outlive the database
#pragma once

#include <leveldb/filter_policy.h>

#include <memory>
#include <string_view>

#include "simdbloom/export.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// The layout with the lowest FPR in filters as small as LevelDB's. LevelDB makes one filter for
/// each 2 KiB of file, usually 20 to 60 keys.
inline constexpr std::string_view leveldb_policy_spec = "classic";

/// A policy whose filters have the layout `spec` and at least that many bits per key. `spec` is a
/// layout of src/adapters/leveldb/README.md, "The bytes", with parameters or with the best k for
/// each number of keys. Filters have whole blocks, or any number of bytes where that page says so,
/// and one byte more.
///
/// Each filter names its layout, and every policy made here reads the filters of every other. So
/// spec and size of an existing database may be changed at any time. Keys are hashed by XXH64 with
/// seed 0: an adversary who chooses keys can make absent keys pass (Hashing::fast). Other bytes
/// match every key, and so does a filter that ran out of memory.
///
/// Throws std::invalid_argument for a spec that is unknown or not a Bloom filter, and for
/// bits_per_key outside (0, 1024].
std::unique_ptr<const leveldb::FilterPolicy> make_leveldb_policy(std::string_view spec,
                                                                 double bits_per_key);

/// The same, sized by the exact model for that FPR at each number of keys. Throws
/// std::invalid_argument for an FPR outside (0, 1) or out of reach with 1024 bits per key.
std::unique_ptr<const leveldb::FilterPolicy> make_leveldb_policy_for_fpr(std::string_view spec,
                                                                         double fpr);

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
