// The Bloom filters of Parquet files: reads and writes them, finds them in a file, and tells which
// row groups can be skipped.
//
// Needs no other library: the filters are split256, and metadata is read by a small parser of
// Thrift's compact protocol. Specification: parquet-format, BloomFilter.md and parquet.thrift.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simdbloom/any/serialize.hpp"
#include "simdbloom/export.hpp"
#include "simdbloom/split_block.hpp"

SIMDBLOOM_EXPORTS_BEGIN
/// The Bloom filters of Parquet files.
namespace simdbloom::parquet {

/// How the values of a column are stored (parquet.thrift, Type).
enum class PhysicalType : std::uint8_t {
    boolean,
    int32,
    int64,
    int96,
    float32,
    float64,
    byte_array,
    fixed_len_byte_array
};
/// The name in the specification: "BOOLEAN", "INT32", .., "FLOAT", "DOUBLE", ..
std::string_view to_string(PhysicalType type) noexcept;

/// The hash of a value: XXH64, seed 0, of its PLAIN encoding (little-endian; a string without its
/// length). Pass it to insert_hash and contains_hash. 0.0 and -0.0 are two values. Dates, times,
/// decimals and unsigned numbers are hashed as their physical values.
std::uint64_t hash_value(bool value) noexcept;
std::uint64_t hash_value(std::int32_t value) noexcept;  ///< INT32
std::uint64_t hash_value(std::int64_t value) noexcept;  ///< INT64
std::uint64_t hash_value(float value) noexcept;         ///< FLOAT
std::uint64_t hash_value(double value) noexcept;        ///< DOUBLE
std::uint64_t hash_value(
    const std::array<std::uint32_t, 3>& int96) noexcept;    ///< the least significant word first
std::uint64_t hash_value(std::string_view bytes) noexcept;  ///< BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY
/// The hash of a value given as text: a decimal number, "true" or "false", 24 hexadecimal digits of
/// the bytes of an INT96, or the bytes themselves. A zero of FLOAT or DOUBLE has two hashes,
/// because 0.0 and -0.0 are equal. Throws std::invalid_argument for text that is not a value of the
/// type, for a NaN, and for bytes of another length than the fixed one.
std::vector<std::uint64_t> hash_text(PhysicalType type, std::int32_t type_length,
                                     std::string_view text);

/// Header and bitset as in a file. Throws std::length_error from 2^31 bytes on, the limit of the
/// header.
std::vector<std::byte> write_filter(const SplitBlockBloom& filter);

/// The filter of a column chunk that is being written. The number of distinct values is unknown, so
/// the filter starts with max_bytes and is folded when the row group is flushed.
class ChunkFilter {
public:
    /// The goals of the filter.
    struct Settings {
        /// The filter is folded while its FPR stays at most this.
        double fpr = 0.01;
        /// The size of the filter while it is built, a power of two from 32 to 2^30.
        std::size_t max_bytes = std::size_t{1} << 20;
        /// The filter is dropped if looking up an absent value reads more than this share of the
        /// bytes that are read without a filter.
        double read_at_most = 0.5;
    };
    /// The result for a chunk.
    struct Flushed {
        std::vector<std::byte> bytes;  ///< header and bitset; empty if the filter was dropped
        double fpr = 1;                ///< by the bits set
        std::string why;               ///< why it is written or dropped
    };

    /// Throws std::invalid_argument that names a setting out of its range.
    explicit ChunkFilter(const Settings& settings, Options options = {});
    ChunkFilter() : ChunkFilter(Settings{}) {}  ///< with the default settings

    /// Hashes are those of hash_value.
    void insert(std::uint64_t hash) { filter_.insert_hash(hash); }
    /// The same of many.
    void insert(std::span<const std::uint64_t> hashes) { filter_.insert(Keys::hashes(hashes)); }
    /// Ends a chunk whose pages, the dictionary's included, have that many bytes in the file, and
    /// clears the filter. Looking up an absent value reads the filter's B bytes and, with
    /// probability fpr, the chunk's C bytes, instead of C. The filter is dropped if B + fpr C
    /// exceeds read_at_most C at every fold.
    Flushed flush(std::uint64_t chunk_bytes);

private:
    Settings settings_;
    SplitBlockBloom filter_;
};

/// A filter from a file.
struct ReadFilter {
    SplitBlockBloom filter;  ///< its n_keys() is estimated from the bits
    std::size_t bytes = 0;   ///< header and bitset
};
/// The size of header and bitset of a filter, by the header at the beginning of `bytes`.
Loaded<std::uint64_t> filter_length(std::span<const std::byte> bytes) noexcept;
/// The filter at the beginning of `bytes`. Any bytes may be given. Uses the options isa,
/// huge_pages, max_bytes and allocator.
Loaded<ReadFilter> read_filter(std::span<const std::byte> bytes,
                               const Options& options = {}) noexcept;

/// A column of a row group.
struct ColumnChunk {
    std::string path;                           ///< in the schema, parts joined by dots
    PhysicalType type = PhysicalType::boolean;  ///< the type of its values
    std::int32_t type_length = 0;               ///< the length of FIXED_LEN_BYTE_ARRAY
    std::int64_t values = 0;                    ///< NULLs included
    std::optional<std::int64_t> filter_offset;  ///< the filter's place in the file, if it has one
    std::optional<std::int32_t> filter_length;  ///< not from every writer
};
/// A row group of a file.
struct RowGroup {
    std::int64_t rows = 0;             ///< number of rows
    std::vector<ColumnChunk> columns;  ///< in the order of the file
};
/// The metadata of a file.
struct Metadata {
    std::int64_t rows = 0;             ///< of the whole file
    std::string created_by;            ///< the program that wrote it
    std::vector<RowGroup> row_groups;  ///< in the order of the file
};
/// Reads the FileMetaData of a file, in Thrift's compact protocol. Any bytes may be given. The
/// result takes at most five times their memory.
Loaded<Metadata> parse_metadata(std::span<const std::byte> bytes) noexcept;

/// A Parquet file, read on demand. Several threads may call const members at the same time.
class File {
public:
    /// Reads the metadata, at most 256 MiB (LoadFault::limit). The fault is LoadFault::file if the
    /// file cannot be read, LoadFault::foreign if it is encrypted or not Parquet.
    static Loaded<File> open(const FileName& name) noexcept;
    File(File&&) noexcept;
    File& operator=(File&&) noexcept;
    ~File();

    /// The metadata of the file.
    const Metadata& metadata() const noexcept { return metadata_; }
    /// The index of the column in each row group. Throws std::invalid_argument that names it and
    /// the existing columns.
    std::size_t column(std::string_view path) const;

    /// Whether the metadata names a filter of that column chunk.
    bool has_filter(std::size_t row_group, std::size_t column) const noexcept;
    /// The filter of a column chunk. LoadFault::parameter if it has none.
    Loaded<SplitBlockBloom> read_filter(std::size_t row_group, std::size_t column,
                                        const Options& options = {}) const noexcept;

    /// False if the filter excludes the value from the column chunk. A filter that is missing,
    /// unreadable, or of another length than header and metadata say excludes nothing. Parquet has
    /// no checksum of metadata, headers or bits: undetected damage may lose a value. Reads the
    /// header and one block of 32 bytes, however long the filter is.
    bool may_contain(std::size_t row_group, std::size_t column, std::uint64_t hash) const;
    /// The row groups where may_contain() is true for one of the hashes, for example those of
    /// hash_text.
    std::vector<std::size_t> row_groups_with(std::size_t column,
                                             std::span<const std::uint64_t> hashes) const;
    /// The same of one hash.
    std::vector<std::size_t> row_groups_with(std::size_t column, std::uint64_t hash) const {
        return row_groups_with(column, {&hash, 1});
    }

private:
    struct Descriptor;
    struct Place;
    Loaded<Place> place_of(std::size_t row_group, std::size_t column) const;
    File(std::unique_ptr<Descriptor> descriptor, Metadata metadata) noexcept;
    std::unique_ptr<Descriptor> descriptor_;
    Metadata metadata_;
};

}  // namespace simdbloom::parquet
SIMDBLOOM_EXPORTS_END
