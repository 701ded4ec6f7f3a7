// The Bloom filters of other systems, byte for byte: read, asked, built, united, written. Link with
// simdbloom::foreign. src/foreign/README.md says which bytes, by which specification, and where
// each format breaks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "simdbloom/export.hpp"
#include "simdbloom/key_kind.hpp"
#include "simdbloom/loaded.hpp"
#include "simdbloom/options.hpp"
#include "simdbloom/split_block.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

namespace foreign {
class Model;
}  // namespace foreign

/// Whose bytes a filter has.
enum class ForeignFormat : std::uint8_t {
    leveldb,         ///< LevelDB, "leveldb.BuiltinBloomFilter2"
    rocksdb,         ///< RocksDB from format_version 5 on: FastLocalBloom
    rocksdb_legacy,  ///< RocksDB up to format_version 4, full filters
    parquet,         ///< Parquet: header and bitset, as Arrow and parquet-java write them
    kudu,            ///< Kudu: a BlockBloomFilterPB
    impala,          ///< Impala: the directory of a run-time filter
    guava,           ///< Guava: BloomFilter.writeTo, both strategies
    spark_v1,        ///< Spark up to 4.0: BloomFilter.writeTo, version 1
    spark_v2,        ///< Spark from 4.1 on: version 2
    milvus,          ///< Milvus: an MBF1 blob
    bits_and_blooms  ///< github.com/bits-and-blooms/bloom/v3 in Go: WriteTo
};
/// "leveldb", "rocksdb", "rocksdb-legacy", .., "bits-and-blooms".
std::string_view to_string(ForeignFormat format) noexcept;
/// The format of that name. Throws std::invalid_argument that lists the names.
ForeignFormat parse_foreign_format(std::string_view name);
/// All of them, in the order of the enumeration.
std::span<const ForeignFormat> foreign_formats() noexcept;
/// Whether ForeignFilter::with_bits_per_key() makes filters of that format.
bool takes_bits_per_key(ForeignFormat format) noexcept;
/// The formats whose fixed bytes and lengths these bytes have. LevelDB and Impala are never named:
/// LevelDB's k is the last byte, which may be the end of a line of text, and Impala has no header.
std::vector<ForeignFormat> foreign_formats_of(std::span<const std::byte> bytes);

/// A filter of another system.
///
/// Integers are hashed as the system hashes its 64-bit integers: as eight little-endian bytes
/// everywhere. Text and bytes are hashed as they are. Values that a system turns into other bytes
/// (Parquet's INT32, big-endian keys of a key-value store) are given as these bytes.
///
/// None of the formats has a checksum. What is read has the structure that its format asks for, and
/// a flipped bit in it is a lost key or a false positive that nobody can see.
///
/// Several threads may call const members at the same time. A filter that was moved from may only
/// be assigned to or destroyed.
class ForeignFilter {
public:
    /// An empty filter with the size and the k that the system takes: LevelDB, both RocksDBs, both
    /// Sparks. Throws std::invalid_argument for zero keys, for bits that the system does not take
    /// and for systems that size by FPR; std::length_error beyond the format's limits or
    /// options.max_bytes. Of the options isa, huge_pages, max_bytes and allocator are read.
    static ForeignFilter with_bits_per_key(ForeignFormat format, std::size_t n_keys,
                                           double bits_per_key, const Options& options = {});
    /// The same by a false-positive rate: Parquet, Kudu, Impala, Guava, both Sparks, Milvus,
    /// bits-and-blooms. The system's formula gives the size; not every one meets its rate.
    static ForeignFilter for_fpr(ForeignFormat format, std::size_t n_keys, double fpr,
                                 const Options& options = {});

    ForeignFilter(const ForeignFilter& other);
    ForeignFilter(ForeignFilter&& other) noexcept;
    ForeignFilter& operator=(const ForeignFilter& other);
    ForeignFilter& operator=(ForeignFilter&& other) noexcept;
    ~ForeignFilter();

    ForeignFormat format() const noexcept;  ///< whose bytes it has
    /// The bytes of the bits, without header and trailer.
    std::size_t size_in_bytes() const noexcept;
    /// The bits that a key sets.
    unsigned k() const noexcept;
    /// The chance that a random absent key is found, from the bits that are set. Except for split
    /// blocks, it assumes that the k bits of a key are independent. Filters with double hashing
    /// find more absent keys, RocksDB's legacy filters up to twice as many.
    double estimated_fpr() const;
    /// What the bytes say besides, as "name value, name value": seed, strategy, domains.
    std::string details() const;

    /// Inserts an integer.
    void insert(std::uint64_t key) { insert(Keys(&key, 1)); }
    /// Inserts text or bytes.
    void insert(std::string_view key) { insert(Keys(std::span(&key, 1))); }
    template <detail::LossyKey K>
    void insert(K) = delete;
    /// Whether the integer is found.
    bool contains(std::uint64_t key) const { return count(Keys(&key, 1)) != 0; }
    /// Whether the text is found.
    bool contains(std::string_view key) const { return count(Keys(std::span(&key, 1))) != 0; }
    template <detail::LossyKey K>
    bool contains(K) const = delete;

    /// Inserts the keys. Throws std::invalid_argument for hashes and for keys with a hasher, as all
    /// members do that take a batch.
    void insert(const Keys& keys);
    std::size_t count(const Keys& keys) const;  ///< how many are found
    /// Bit i % 8 of byte i / 8 says whether key i is found. Returns how many are found. Throws
    /// std::length_error if the bitmap has fewer than ceil(n / 8) bytes, std::invalid_argument if
    /// it overlaps the keys.
    std::size_t contains(const Keys& keys, std::span<std::uint8_t> bitmap) const;
    /// Writes the positions of the keys found, ascending, and returns how many they are. Throws
    /// std::length_error without room for all n, std::invalid_argument if the room overlaps the
    /// keys.
    std::size_t select(const Keys& keys, std::span<std::uint32_t> positions) const;

    /// ORs a filter of the same format, size, k and seed into this one, whose keys it then has too.
    /// Throws std::invalid_argument that says what differs.
    ForeignFilter& operator|=(const ForeignFilter& other);

    /// The bytes that the system writes. Throws std::length_error beyond what its header can say.
    std::vector<std::byte> write() const;

    /// The bits of Parquet and Milvus, whose hashes are XXH64 with seed 0: a split256. Else null.
    const SplitBlockBloom* split_blocks() const noexcept;
    /// A filter of Parquet or Milvus with these bits. `keys` says what they are, which Milvus
    /// writes down. Throws std::invalid_argument for other formats, for a filter that has another
    /// hash or seed, and for a number of blocks that Milvus does not take.
    static ForeignFilter from_split_blocks(ForeignFormat format, SplitBlockBloom filter,
                                           KeyKind keys);

    // For the library's own code.
    explicit ForeignFilter(std::unique_ptr<foreign::Model> model) noexcept;
    const foreign::Model& model() const noexcept { return *model_; }

private:
    const Keys& unhashed(const Keys& keys) const;

    std::unique_ptr<foreign::Model> model_;
};

/// The filter that a system wrote. Any bytes may be given; nothing is thrown, and no more memory is
/// taken than there are bytes. Of the options isa, huge_pages, max_bytes and allocator are read.
Loaded<ForeignFilter> read_foreign(std::span<const std::byte> bytes, ForeignFormat format,
                                   const Options& options = {}) noexcept;
/// The same where foreign_formats_of(bytes) is one format; else LoadFault::foreign that names them.
Loaded<ForeignFilter> read_foreign(std::span<const std::byte> bytes,
                                   const Options& options = {}) noexcept;

/// The same of a file. The fault is LoadFault::file where it cannot be read.
Loaded<ForeignFilter> read_foreign_file(const FileName& name, ForeignFormat format,
                                        const Options& options = {}) noexcept;
/// The same where foreign_formats_of() names one format for the bytes.
Loaded<ForeignFilter> read_foreign_file(const FileName& name, const Options& options = {}) noexcept;
/// Writes write() to a file, as save_file of a filter of ours does.
void save_file(const ForeignFilter& filter, const FileName& name);

/// The same keys in the bytes of another system, if that puts the same hash to the same bits:
/// Parquet and Milvus, Kudu and Impala. Else LoadFault::unlike that says what differs. Where only
/// the new format says what its keys are, `keys` has to.
Loaded<ForeignFilter> convert(const ForeignFilter& filter, ForeignFormat to,
                              KeyKind keys = KeyKind::unknown) noexcept;

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
