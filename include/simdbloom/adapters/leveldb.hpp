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

namespace simdbloom {

/// The layout with the lowest FPR in filters as small as LevelDB's: it makes one for each 2 KiB of
/// file, of 20 to 60 keys as a rule. Up to 51 keys of 10 bits, blocked512 has the same.
inline constexpr std::string_view leveldb_policy_spec = "classic";

/// A policy whose filters have the layout `spec` ("classic", "blocked512", "split256", "sector512",
/// "zoned512", "register64" or "register32", with parameters or the k that is best for each number
/// of keys) and at least that many bits per key. Filters of classic and blocked512 take the bytes
/// asked for, those of other layouts whole blocks, and all of them one byte more.
///
/// The filters say of themselves what they are: every policy made here reads those of every other,
/// so that spec and size of an existing database may be changed at any time. Keys are hashed by
/// XXH64 with seed 0, so whoever chooses keys can make them pass (Hashing::fast). Bytes that are no
/// such filter are answered with "may match", and so is a filter for which there was no memory.
///
/// Throws std::invalid_argument naming a spec that is unknown or no Bloom filter, and bits_per_key
/// outside (0, 1024].
std::unique_ptr<const leveldb::FilterPolicy> make_leveldb_policy(std::string_view spec,
                                                                 double bits_per_key);

/// The same with the size, for each number of keys, that the exact model gives for that FPR. Throws
/// std::invalid_argument for an FPR outside (0, 1) or out of reach with 1024 bits per key.
std::unique_ptr<const leveldb::FilterPolicy> make_leveldb_policy_for_fpr(std::string_view spec,
                                                                         double fpr);

}  // namespace simdbloom
