// Columns of Apache Arrow as keys of a join, and answers as Arrow arrays. They go through Arrow's C
// data interface, which is plain structs and needs no library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "simdbloom/export.hpp"
#include "simdbloom/join.hpp"

// The structs of Arrow's specification "The Arrow C data interface". A program that defines them
// elsewhere defines this macro too.
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
extern "C" {
/// The type of an array, by Arrow's specification.
struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    std::int64_t flags;
    std::int64_t n_children;
    struct ArrowSchema** children;
    struct ArrowSchema* dictionary;
    void (*release)(struct ArrowSchema*);
    void* private_data;
};
/// The buffers of an array, by Arrow's specification.
struct ArrowArray {
    std::int64_t length;
    std::int64_t null_count;
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    const void** buffers;
    struct ArrowArray** children;
    struct ArrowArray* dictionary;
    void (*release)(struct ArrowArray*);
    void* private_data;
};
}
#endif

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// The keys of an Arrow array.
///
/// - Integers, booleans, dates, times, timestamps and durations: their 64-bit values, sign- or
///   zero-extended. Units of time are not converted.
/// - Floats: join_key. So equal numbers of two types have one key.
/// - Strings, binaries and decimals: hashes of their bytes.
/// - A dictionary: the keys of the values that it stands for.
class ArrowKeys {
public:
    /// What strings are hashed with: the filter's seed() or, if its hashing is keyed, its secret().
    struct Hash {
        std::uint64_t seed = 0;
        std::optional<Secret> secret{};
    };

    /// Reads the array. The array stays the caller's, and its buffers must live for as long as
    /// column() is used. Throws std::invalid_argument for a type that has no keys (with the
    /// format), for an array that was released, and for impossible lengths, offsets and indices.
    ArrowKeys(const ArrowSchema& schema, const ArrowArray& array, const Hash& hash);
    ArrowKeys(const ArrowSchema& schema, const ArrowArray& array)
        : ArrowKeys(schema, array, Hash()) {}

    ArrowKeys(const ArrowKeys&) = default;
    ArrowKeys(ArrowKeys&&) noexcept = default;
    /// Leaves the keys as they were if it throws. A move leaves no rows behind.
    ArrowKeys& operator=(const ArrowKeys& other) { return *this = ArrowKeys(other); }
    ArrowKeys& operator=(ArrowKeys&&) noexcept = default;

    /// The keys as a column. Valid for as long as this object and the array live.
    JoinColumn column() const noexcept {
        std::span<const std::uint64_t> values = borrowed_;
        if (values.empty()) values = values_;
        return {values, hashed_, own_valid_.empty() ? valid_ : own_valid_.data(), valid_offset_};
    }

private:
    void read_values(const ArrowSchema& schema, const ArrowArray& array, const Hash& hash);
    void read_dictionary(const ArrowSchema& schema, const ArrowArray& array, const Hash& hash);

    detail::ZeroedByMove<std::vector<std::uint64_t>> values_;
    detail::ZeroedByMove<std::span<const std::uint64_t>>
        borrowed_;  // 64-bit values, used where they lie
    detail::ZeroedByMove<std::vector<std::uint8_t>> own_valid_;  // of a dictionary
    const std::uint8_t* valid_ = nullptr;
    std::size_t valid_offset_ = 0;
    bool hashed_ = false;
};

/// Hands over row numbers as an array of uint32 ("I"), or a bitmap of n answers as an array of
/// booleans ("b"). Both structs are written and belong to the caller, who calls their release.
/// Throws std::length_error if the bitmap has fewer than n bits.
void export_rows(std::vector<std::uint32_t> rows, ArrowSchema& schema, ArrowArray& array);
void export_bitmap(std::vector<std::uint8_t> bitmap, std::size_t n, ArrowSchema& schema,
                   ArrowArray& array);

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
