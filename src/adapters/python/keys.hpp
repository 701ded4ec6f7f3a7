// Python's objects as batches of keys, where they lie.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "simdbloom/arrow.hpp"
#include "simdbloom/join_rows.hpp"

namespace simdbloom::python {

namespace py = pybind11;

/// No GIL for as long as it lives. A thread that is still at work when the interpreter ends stays
/// here for ever: Python would end the thread by an unwinding that C++ answers with terminate().
class NoGil {
public:
    NoGil() : thread_(PyEval_SaveThread()) {}
    NoGil(const NoGil&) = delete;
    NoGil& operator=(const NoGil&) = delete;
    ~NoGil() {
        try {
            PyEval_RestoreThread(thread_);
        } catch (...) {
            for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
        }
    }

private:
    PyThreadState* thread_;
};

inline std::string text_of(py::handle object) { return py::cast<std::string>(py::str(object)); }

/// A column that numpy or a sequence gave. It keeps the object, and what had to be made of it.
struct OwnedColumn {
    py::object object;
    std::vector<std::uint64_t> words{};
    std::vector<std::string_view> texts{};
    std::vector<char> utf8{};
    std::vector<std::uint8_t> valid{};
    std::int64_t unit = 0;  ///< of times: the nanoseconds that one of `words` counts
    std::optional<KeyColumn> column{};
};

/// One batch of the keys of a call.
struct Batch {
    const JoinRows& rows;
    const KeyColumn* column;  ///< of a batch that is one column of numpy or Python, else null
};

/// Several columns whose rows are the keys: the class Rows of Python.
struct Columns {
    std::vector<py::object> columns;
    Nulls nulls;
};

/// What a Python object says are keys. Made and destroyed with the GIL.
///
/// Numbers, fixed-width bytes and Arrow's buffers stay where they are. Copied are arrays that are
/// strided, misaligned or in the other byte order, float16, and strings of UCS-4; of other strings
/// 16 bytes a row are made, and of sequences of numbers 8.
class Keys {
public:
    /// Throws TypeError for an object or a type that has no keys, OverflowError for an integer that
    /// does not fit into 64 bits, ValueError for an array of several dimensions.
    explicit Keys(py::handle object, bool hashed = false);

    /// Nothing for a stream, which says only at its end how many it had.
    std::optional<std::size_t> rows() const noexcept { return rows_; }
    /// Calls use(batch) for each batch. To be called without the GIL, and once for a stream.
    void each(const RowHash& hash, const std::function<void(const Batch&)>& use);

private:
    bool take_arrow(py::handle object);
    bool take_arrow_if_it_can(py::handle object);

    using Capsule = std::pair<detail::ArrowOwner<ArrowSchema>, detail::ArrowOwner<ArrowArray>>;

    std::vector<std::unique_ptr<OwnedColumn>> columns_;
    std::variant<std::monostate, Capsule, detail::ArrowOwner<ArrowArrayStream>> arrow_;
    Nulls nulls_ = Nulls::differ;
    std::optional<std::size_t> rows_;
};

/// An object as an array. Throws what the object's own __array__ raises, which array::ensure hides.
py::array array_of(py::handle object);
/// The column of an array, a sequence or another iterable.
std::unique_ptr<OwnedColumn> column_of(py::handle object, bool hashed);

/// A date, a time or a length of time: a count of units of so many nanoseconds.
struct OneTime {
    std::int64_t count, unit;
    bool is_instant;
};
/// Nothing for what is none, and for NaT. Throws TypeError for a time without a unit, OverflowError
/// for one that no number of 64 bits has.
std::optional<OneTime> one_time(py::handle object);
/// The times of a sequence, NULLs among them, in one unit. Throws OverflowError if there is none.
void take_times(OwnedColumn& own, const std::vector<std::optional<OneTime>>& times);
/// An array of numpy's datetime64 or timedelta64, and its unit. Errors as of one_time.
struct TimeArray {
    py::array values;
    std::int64_t unit;
};
TimeArray time_array(py::array array);

/// One key: a number as its 64 bits, a time, or a string or bytes as a string, which points into
/// the object.
struct OneKey {
    using Plain = std::variant<std::uint64_t, std::string_view>;
    KeyKind kind;
    Plain plain;
    OneTime time{};

    /// As a filter of that kind has it.
    Plain in(KeyKind filter) const;
};
OneKey one_key(py::handle object);

/// Throws TypeError that names both unless a filter of that kind answers about such keys.
void check_asked(KeyKind filter, KeyKind asked);

/// What the keys of a filter are that is being filled.
struct Kind {
    KeyKind kind = KeyKind::unknown;
    bool is_new = true;  ///< there are no keys yet: the first ones say it

    /// Takes keys of that kind. Throws TypeError that names both if they cannot be keys of one
    /// filter.
    void add(KeyKind keys);
    /// Takes a batch, and gives it the keys that it has in the filter.
    JoinRows add(const JoinRows& rows) {
        if (rows.size() != 0) add(rows.key_kind());
        return rows.size() != 0 ? rows.as(kind) : rows;
    }
};

}  // namespace simdbloom::python
