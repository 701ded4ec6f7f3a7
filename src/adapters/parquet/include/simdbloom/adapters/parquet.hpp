// The Bloom filters of Parquet files: they are read, written, found in a file, and asked which row
// groups can be skipped.
//
// Needs no library: the filters are split256, and a small reader of Thrift's compact protocol reads
// the metadata. Specification: parquet-format, BloomFilter.md and parquet.thrift.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simdbloom/export.hpp"
#include "simdbloom/serialize.hpp"
#include "simdbloom/split_block.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom::parquet {

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

/// The hash of a value in a Bloom filter: XXH64, seed 0, of its PLAIN encoding (little-endian; of
/// strings the bytes without their length). It goes to insert_hash and contains_hash. 0.0 and -0.0
/// are two values. Dates, times, decimals and unsigned numbers are hashed as their physical values.
std::uint64_t hash_value(bool value) noexcept;
std::uint64_t hash_value(std::int32_t value) noexcept;
std::uint64_t hash_value(std::int64_t value) noexcept;
std::uint64_t hash_value(float value) noexcept;
std::uint64_t hash_value(double value) noexcept;
std::uint64_t hash_value(
    const std::array<std::uint32_t, 3>& int96) noexcept;  ///< the least significant word first
std::uint64_t hash_value(
    std::string_view bytes) noexcept;  ///< of BYTE_ARRAY and FIXED_LEN_BYTE_ARRAY
/// The hash of a value that is given as text: a decimal number, "true" or "false", 24 hexadecimal
/// digits of the bytes of an INT96, or the bytes themselves. One hash, but two for a zero of FLOAT
/// or DOUBLE: its encodings 0.0 and -0.0 are equal and have different hashes. Throws
/// std::invalid_argument for text that is no such value, for a NaN, and for bytes whose length is
/// not the fixed one.
std::vector<std::uint64_t> hash_text(PhysicalType type, std::int32_t type_length,
                                     std::string_view text);

/// Header and bitset as they stand in a file. Throws std::length_error for 2^31 bytes and more,
/// which the header cannot say.
std::vector<std::byte> write_filter(const SplitBlockBloom& filter);

/// The filter of a column chunk that is being written. How many distinct values come is not known,
/// so that it is built for max_bytes and folded when the row group is flushed.
class ChunkFilter {
public:
    /// What the filter is to be.
    struct Settings {
        /// Folded as long as the FPR stays at most this.
        double fpr = 0.01;
        /// A power of two from 32 to 2^30. What the filter takes while it is built.
        std::size_t max_bytes = std::size_t{1} << 20;
        /// Dropped unless whoever looks for an absent value reads at most this share of the bytes
        /// that would be read without the filter.
        double read_at_most = 0.5;
    };
    /// What is to be written of a chunk.
    struct Flushed {
        std::vector<std::byte> bytes;  ///< header and bitset; empty where the filter was dropped
        double fpr = 1;                ///< by the bits that are set
        std::string why;               ///< a sentence: why it is written, or why not
    };

    /// Throws std::invalid_argument that names a setting out of its range.
    explicit ChunkFilter(const Settings& settings, Options options = {});
    ChunkFilter() : ChunkFilter(Settings{}) {}

    /// The values, by hash_value.
    void insert(std::uint64_t hash) { filter_.insert_hash(hash); }
    void insert(std::span<const std::uint64_t> hashes) { filter_.insert(Keys::hashes(hashes)); }
    /// Ends a chunk whose pages, the dictionary's too, take that many bytes in the file. The filter
    /// is empty again. A look-up of an absent value reads the filter's B bytes and, with
    /// the probability fpr, the chunk's C, in place of C: it is dropped if B + fpr C is more than
    /// read_at_most C for every fold of it.
    Flushed flush(std::uint64_t chunk_bytes);

private:
    Settings settings_;
    SplitBlockBloom filter_;
};

/// A filter that was read.
struct ReadFilter {
    SplitBlockBloom filter;  ///< its n_keys() is estimated from the bits
    std::size_t bytes = 0;   ///< of header and bitset
};
/// The number of bytes of header and bitset of a filter, from its header, with which `bytes` begin.
Loaded<std::uint64_t> filter_length(std::span<const std::byte> bytes) noexcept;
/// The filter with which `bytes` begin. Any bytes may be given. Of the options isa, huge_pages,
/// max_bytes and allocator are read.
Loaded<ReadFilter> read_filter(std::span<const std::byte> bytes,
                               const Options& options = {}) noexcept;

/// A column of a row group.
struct ColumnChunk {
    std::string path;                           ///< in the schema, parts joined by dots
    PhysicalType type = PhysicalType::boolean;  ///< of its values
    std::int32_t type_length = 0;               ///< of FIXED_LEN_BYTE_ARRAY
    std::int64_t values = 0;                    ///< NULLs included
    std::optional<std::int64_t> filter_offset;  ///< of the filter in the file; none without one
    std::optional<std::int32_t> filter_length;  ///< some writers leave it out
};
/// A row group of a file.
struct RowGroup {
    std::int64_t rows = 0;             ///< how many rows it has
    std::vector<ColumnChunk> columns;  ///< in the order of the file
};
/// What a file says of itself.
struct Metadata {
    std::int64_t rows = 0;             ///< of the whole file
    std::string created_by;            ///< the program that wrote it
    std::vector<RowGroup> row_groups;  ///< in the order of the file
};
/// Reads the FileMetaData of a file, in Thrift's compact protocol. Any bytes may be given. The
/// result takes at most five times their memory.
Loaded<Metadata> parse_metadata(std::span<const std::byte> bytes) noexcept;

/// A Parquet file. Only what is asked for is read from disk. Several threads may call const members
/// at the same time.
class File {
public:
    /// Reads the metadata, at most 256 MiB (LoadFault::limit). The fault is LoadFault::file where
    /// the file cannot be read, and LoadFault::foreign where it is no Parquet file or an encrypted
    /// one.
    static Loaded<File> open(const std::filesystem::path& path) noexcept;
    File(File&&) noexcept;
    File& operator=(File&&) noexcept;
    ~File();

    /// What the file says of itself.
    const Metadata& metadata() const noexcept { return metadata_; }
    /// The number of the column in its row groups. Throws std::invalid_argument that names it and
    /// the columns that there are.
    std::size_t column(std::string_view path) const;

    /// Whether the metadata name a filter of that column chunk.
    bool has_filter(std::size_t row_group, std::size_t column) const noexcept;
    /// The filter of a column chunk that has one (else LoadFault::parameter).
    Loaded<SplitBlockBloom> read_filter(std::size_t row_group, std::size_t column,
                                        const Options& options = {}) const noexcept;

    /// False if the filter of the column chunk says that the chunk does not hold the value. A
    /// filter excludes nothing if it does not exist, cannot be read, or is not as long as header
    /// and metadata say. Parquet has no checksum of metadata, headers or bits: where these are
    /// damaged and can still be read, a value may be lost. Reads the header and one block of 32
    /// bytes, however long the filter is.
    bool may_contain(std::size_t row_group, std::size_t column, std::uint64_t hash) const;
    /// The row groups for which may_contain() one of the hashes is true, e.g. those of hash_text.
    std::vector<std::size_t> row_groups_with(std::size_t column,
                                             std::span<const std::uint64_t> hashes) const;
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
