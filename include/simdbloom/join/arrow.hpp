// Columns of Apache Arrow as keys of a join, and answers as Arrow arrays, by Arrow's C data and
// stream interfaces, which are plain structs and need no library.
#pragma once

#include "simdbloom/join/join_rows.hpp"

// The structs of Arrow's specification "The Arrow C data interface". A program that defines them
// elsewhere defines this macro too.
/// @cond
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

// The struct of "The Arrow C stream interface".
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
extern "C" {
/// Arrays of one type, one after the other, by Arrow's specification.
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
    int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
    const char* (*get_last_error)(struct ArrowArrayStream*);
    void (*release)(struct ArrowArrayStream*);
    void* private_data;
};
}
#endif
/// @endcond

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// What the rows of an Arrow array are.
struct ArrowSettings {
    Nulls nulls = Nulls::differ;  ///< what NULL equals
    RowHash hash{};               ///< of what is hashed
    /// Of an array of structs the columns, by name. Empty: all, in their order.
    std::vector<std::string> columns{};
};

/// The rows of an Arrow array, which stays the caller's and must outlive them. Keys are:
///
/// - integers and booleans: their 64-bit values, sign- or zero-extended;
/// - dates and timestamps: their numbers, in the unit of the filter if it knows its kind. A
///   timestamp with a time zone is the same instant without it;
/// - durations and times of day: their microseconds;
/// - floats: join_key; decimals of 128 bits: KeyColumn::decimals;
/// - strings, binaries and views of both: hashes of their bytes;
/// - a dictionary: the keys of its values;
/// - a struct, such as a record batch: its columns, recursively. A NULL struct is a NULL in each of
///   its columns.
///
/// Throws std::invalid_argument for a type that has no keys (naming the format), an array that was
/// released, a missing column, and impossible lengths, offsets, views and indices, all of which are
/// checked.
JoinRows arrow_rows(const ArrowSchema& schema, const ArrowArray& array,
                    const ArrowSettings& settings = {});

namespace detail {

/// Releases a struct of Arrow's once.
template <class T>
class ArrowOwner {
public:
    ArrowOwner() = default;
    /// Leaves `from` marked as released, as a move does by Arrow's specification.
    explicit ArrowOwner(T& from) noexcept : value_(from) { from.release = nullptr; }
    ArrowOwner(ArrowOwner&& other) noexcept : value_(std::exchange(other.value_, T{})) {}
    ArrowOwner& operator=(ArrowOwner&& other) noexcept {
        if (this == &other) return *this;
        release();
        value_ = std::exchange(other.value_, T{});
        return *this;
    }
    ~ArrowOwner() { release(); }

    T* operator->() noexcept { return &value_; }
    const T& operator*() const noexcept { return value_; }
    T* get() noexcept { return &value_; }
    void release() noexcept {
        if (value_.release != nullptr) value_.release(&value_);
        forget();
    }
    void forget() noexcept { value_.release = nullptr; }

private:
    T value_{};
};

}  // namespace detail

/// The rows of an Arrow stream, batch by batch. next() releases the batch before, the destructor
/// all that is left. A stream that was moved from is at its end.
///
///     ArrowStream stream(from);
///     while (const JoinRows* rows = stream.next()) rows->insert_into(builder);
class ArrowStream {
public:
    /// Takes `stream` over, marks it as released, and gets its schema. Throws std::invalid_argument
    /// if it was released, and std::runtime_error with the stream's message if it fails.
    explicit ArrowStream(ArrowArrayStream& stream, ArrowSettings settings = {});

    /// The rows of the next batch, valid until the next call; null at the end. If the stream fails,
    /// throws std::runtime_error with its message, and is at its end. For a wrong batch throws as
    /// arrow_rows.
    const JoinRows* next();
    const ArrowArray& batch() const noexcept { return *batch_; }     ///< whose rows next() gave
    const ArrowSchema& schema() const noexcept { return *schema_; }  ///< of all batches

private:
    template <class T>
    void ask(int (*get)(ArrowArrayStream*, T*), detail::ArrowOwner<T>& out, const char* what);

    ArrowSettings settings_;
    detail::ArrowOwner<ArrowArrayStream> stream_;
    detail::ArrowOwner<ArrowSchema> schema_;
    detail::ArrowOwner<ArrowArray> batch_;
    std::optional<JoinRows> rows_;
};

/// Exports row numbers as an array of uint32 ("I"). The caller releases both structs.
void export_rows(std::vector<std::uint32_t> rows, ArrowSchema& schema, ArrowArray& array);
/// Exports a bitmap of n answers as booleans ("b"). Throws std::length_error for fewer bits.
void export_bitmap(std::vector<std::uint8_t> bitmap, std::size_t n, ArrowSchema& schema,
                   ArrowArray& array);

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
