// Columns of Apache Arrow as keys of a join, and answers as Arrow arrays. They go through Arrow's C
// data and stream interfaces, which are plain structs and need no library.
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

/// The rows of an Arrow array, which stays the caller's and must live as long as they do.
///
/// - Integers and booleans: their 64-bit values, sign- or zero-extended.
/// - Dates and timestamps: their numbers, in the unit of a filter that knows its kind, else as
///   they lie. A timestamp with a time zone is the same instant without it.
/// - Durations and times of day: their microseconds.
/// - Floats: join_key. Decimals of 128 bits: KeyColumn::decimals. So equal numbers of two types
///   have one key.
/// - Strings, binaries and views of both: hashes of their bytes.
/// - A dictionary: the keys of the values that it stands for.
/// - A struct, such as a record batch: its columns, those of structs inside it too. A NULL that is
///   a struct is a NULL in each of its columns.
///
/// Throws std::invalid_argument for a type that has no keys (with the format), for an array that
/// was released, for a column that is not there, and for impossible lengths, offsets, views and
/// indices: all of them are checked before it returns.
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

/// The rows of an Arrow stream, batch by batch. What the stream gave is released once: a batch by
/// the next call of next(), all by the destructor. A move leaves a stream at its end.
///
///     ArrowStream stream(from);
///     while (const JoinRows* rows = stream.next()) rows->insert_into(builder);
class ArrowStream {
public:
    /// Takes `stream` over, which is marked as released, and asks it for its schema. Throws
    /// std::invalid_argument for one that was released; std::runtime_error with the stream's own
    /// words if it fails.
    explicit ArrowStream(ArrowArrayStream& stream, ArrowSettings settings = {});

    /// The rows of the next batch, valid until the next call; null at the end. Throws
    /// std::runtime_error with the stream's own words if it fails, and is at its end then; as
    /// arrow_rows for a batch that is wrong.
    const JoinRows* next();
    /// The batch whose rows next() gave, for its other columns.
    const ArrowArray& batch() const noexcept { return *batch_; }
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

/// Hands over row numbers as an array of uint32 ("I"). Both structs are written and belong to the
/// caller, who calls their release.
void export_rows(std::vector<std::uint32_t> rows, ArrowSchema& schema, ArrowArray& array);
/// The same of a bitmap of n answers, as an array of booleans ("b"). Throws std::length_error if
/// the bitmap has fewer than n bits.
void export_bitmap(std::vector<std::uint8_t> bitmap, std::size_t n, ArrowSchema& schema,
                   ArrowArray& array);

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
