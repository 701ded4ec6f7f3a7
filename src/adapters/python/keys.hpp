// Views of Python's objects as batches of keys.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "simdbloom/join/arrow.hpp"
#include "simdbloom/join/join_rows.hpp"

namespace simdbloom::python {

namespace py = pybind11;
using namespace py::literals;

/// Releases the GIL until its destructor. A thread that is still at work when the interpreter ends
/// waits here for ever: Python would unwind the thread, and C++ would call terminate().
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

[[noreturn]] inline void throw_overflow(const std::string& message) {
    PyErr_SetString(PyExc_OverflowError, ("simdbloom: " + message).c_str());
    throw py::error_already_set();
}

inline std::string text_of(py::handle object) { return py::cast<std::string>(py::str(object)); }
/// Of a list its first items.
inline std::string repr_of(py::handle object) {
    return text_of(py::module_::import("reprlib").attr("repr")(object));
}

/// simdbloom/_columns.py.
inline py::object columns_module() { return py::module_::import("simdbloom._columns"); }

/// Rows of one batch: between two of them Ctrl-C and other signals are heard.
constexpr std::size_t piece_rows = std::size_t{1} << 20;
/// Runs Python's signal handlers if this is the main thread. Throws what they raise. Needs the GIL.
inline void hear_signals() {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

/// Hears signals between two batches, without the GIL.
class Signals {
public:
    void operator()() {
        // Waiting for the GIL takes 5 ms if another thread computes in Python.
        const auto now = std::chrono::steady_clock::now();
        if (now - heard_ < std::chrono::milliseconds(50)) return;
        heard_ = now;
        const py::gil_scoped_acquire gil;
        hear_signals();
    }

private:
    std::chrono::steady_clock::time_point heard_ = std::chrono::steady_clock::now();
};

/// Copies of texts, one behind the other.
class Texts {
public:
    /// Memory for `bytes` more, valid until the next call.
    char* room(std::size_t bytes) {
        if (capacity_ - size() < bytes) grow(bytes);
        return bytes_.get() + size();
    }
    /// The text in the first `bytes` of room().
    void add(std::size_t bytes) {
        ends_.push_back(ends_.back() + static_cast<std::int64_t>(bytes));
    }
    void add(std::string_view text) {
        if (!text.empty()) std::memcpy(room(text.size()), text.data(), text.size());
        add(text.size());
    }
    void reserve(std::size_t texts) { ends_.reserve(texts + 1); }
    KeyColumn column() const { return KeyColumn::strings(bytes_.get(), std::span(ends_)); }

private:
    struct Free {
        void operator()(char* bytes) const noexcept { std::free(bytes); }
    };
    std::size_t size() const noexcept { return static_cast<std::size_t>(ends_.back()); }
    void grow(std::size_t bytes);

    std::unique_ptr<char, Free> bytes_;  // realloc neither zeroes nor, of much memory, copies
    std::size_t capacity_ = 0;
    std::vector<std::int64_t> ends_{0};
};

/// A column of numpy or a sequence. Keeps the object, and copies of its keys if it needed any.
struct OwnedColumn {
    py::object object;
    std::vector<std::uint64_t> words{};
    std::vector<std::string_view> views{};
    Texts texts{};
    std::vector<std::uint8_t> valid{};
    std::int64_t unit = 0;                      ///< of times: the nanoseconds of a unit, else 0
    std::unique_ptr<OwnedColumn> dictionary{};  ///< of categoricals
    std::optional<KeyColumn> column{};
};

/// One batch of the keys of a call.
struct Batch {
    const JoinRows& rows;
    const KeyColumn* column;  ///< if the batch is one column of numpy or Python, else null
};

/// Several columns whose rows are the keys: the Python class Rows.
struct Columns {
    std::vector<py::object> columns;
    Nulls nulls;
};

/// The keys of a Python object. Made and destroyed with the GIL.
///
/// Numbers, fixed-width bytes and Arrow's buffers are not copied. Arrays that are strided,
/// misaligned or byte-swapped, float16 and other strings are. Sequences of numbers need 8 bytes a
/// row.
class Keys {
public:
    /// Throws TypeError for an object or a type that has no keys, OverflowError for an integer
    /// beyond 64 bits, ValueError for a multidimensional array.
    explicit Keys(py::handle object, bool hashed = false);

    /// Nothing for a stream, whose length is unknown before its end.
    std::optional<std::size_t> rows() const noexcept { return rows_; }
    /// Calls use(batch) for each batch, of at most `piece` rows but for Arrow's. Between two
    /// batches it hears signals. Call it without the GIL, and only once for a stream.
    void each(const RowHash& hash, const std::function<void(const Batch&)>& use,
              std::size_t piece = piece_rows);

private:
    bool take_arrow(py::handle object);
    bool take_arrow_if_it_can(py::handle object);

    using Capsule = std::pair<detail::ArrowOwner<ArrowSchema>, detail::ArrowOwner<ArrowArray>>;

    std::vector<std::unique_ptr<OwnedColumn>> columns_;
    std::variant<std::monostate, Capsule, detail::ArrowOwner<ArrowArrayStream>> arrow_;
    Nulls nulls_ = Nulls::differ;
    std::optional<std::size_t> rows_;
};

/// Throws TypeError that names both kinds unless such keys can probe a filter of that kind.
void check_asked(KeyKind filter, KeyKind asked);
/// The rows with keys converted for a filter of that kind. Throws as check_asked does.
JoinRows asked_rows(KeyKind filter, const JoinRows& rows);

/// The hashes of the keys, and whether each key is not NULL. Needs the GIL.
struct HashedKeys {
    std::vector<std::uint64_t> hashes{};
    std::vector<bool> valid{};

    /// rows_of(batch): the rows with keys converted for the filter.
    template <class RowsOf>
    HashedKeys(Keys& keys, const RowHash& hash, const RowsOf& rows_of) {
        const NoGil no_gil;
        keys.each(hash, [&](const Batch& batch) {
            const std::size_t before = hashes.size(), n = batch.rows.size();
            hashes.resize(before + n);
            std::vector<std::uint8_t> bits((n + 7) / 8);
            (void)rows_of(batch.rows).hashes(std::span(hashes).subspan(before), bits);
            for (std::size_t i = 0; i < n; ++i) valid.push_back((bits[i / 8] >> (i % 8) & 1) != 0);
        });
    }
    /// For keys that probe a filter of that kind. Throws as check_asked does.
    HashedKeys(Keys& keys, const RowHash& hash, KeyKind filter)
        : HashedKeys(keys, hash,
                     [filter](const JoinRows& rows) { return asked_rows(filter, rows); }) {}
    /// The hashes of the keys that are not NULL, and their rows.
    std::pair<std::vector<std::uint64_t>, std::vector<std::uint64_t>> without_nulls() && {
        std::vector<std::uint64_t> rows;
        for (std::size_t row = 0; row < hashes.size(); ++row) {
            if (!valid[row]) continue;
            hashes[rows.size()] = hashes[row];
            rows.push_back(row);
        }
        hashes.resize(rows.size());
        return {std::move(hashes), std::move(rows)};
    }
};

/// An object as an array. Rethrows errors of the object's __array__, which array::ensure hides.
py::array array_of(py::handle object);
/// Rows first .. first + n of a column of numpy or Python.
KeyColumn rows_of(const KeyColumn& column, std::size_t first, std::size_t n);
/// Text or bytes of a column of this module.
std::string_view text_at(const detail::ColumnPlace& place, std::size_t row);
/// The column of an array, a sequence or another iterable.
std::unique_ptr<OwnedColumn> column_of(py::handle object, bool hashed);

/// A date, a time or a duration: a count of units of so many nanoseconds.
struct OneTime {
    std::int64_t count, unit;
    bool is_instant;
};
/// Nothing for NaT and for objects that are not times. Throws TypeError for a time without a unit,
/// OverflowError for a count beyond 64 bits.
std::optional<OneTime> one_time(py::handle object);
/// The times of a sequence, NULLs included, in one unit. Throws OverflowError if no unit fits all.
void take_times(OwnedColumn& own, const std::vector<std::optional<OneTime>>& times);

/// None, and pandas' NA and NaT.
bool is_missing(py::handle object);
bool is_nan(py::handle object);
/// str, bytes and UUID.
bool is_text(py::handle object);
/// The bytes of a str or bytes object. UnicodeEncodeError for text that UTF-8 does not have.
std::string_view text_key(py::handle text);
/// The 16 bytes of a UUID in the order of its text.
py::bytes bytes_of_uuid(py::handle uuid);
/// Throws an error. %S of the format is the repr of the object.
[[noreturn]] void refuse(PyObject* error, const char* format, py::handle object);

/// Marks a row as NULL.
void set_null(OwnedColumn& column, std::size_t row, std::size_t rows);
/// The columns of n texts, of which NaN and what is missing are NULL. objects() gives the n
/// objects, or throws if they are no longer n: Python code may run in between.
using Objects = std::function<PyObject* const*()>;
KeyColumn take_objects(OwnedColumn& own, std::size_t n, const Objects& objects);
/// Strings of a fixed width, without trailing zeros, which are padding in numpy too. Throws
/// ValueError for code points that UTF-8 does not have.
KeyColumn take_padded(OwnedColumn& own, const py::array& array);
KeyColumn take_ucs4(OwnedColumn& own, const py::array& array);

/// One key: a number's 64 bits, a time, or a view of a string or bytes.
struct OneKey {
    using Plain = std::variant<std::uint64_t, std::string_view>;
    KeyKind kind;
    Plain plain;
    OneTime time{};
    py::object bytes{};  ///< of a UUID

    /// The key converted for a filter of that kind.
    Plain in(KeyKind filter) const;
};
OneKey one_key(py::handle object);
/// Whether it is meant as one key: not an array, an iterable, rows or a column of Arrow.
bool is_one_key(py::handle object);

/// The kind of the keys of a filter that is being filled.
struct Kind {
    KeyKind kind = KeyKind::unknown;
    bool is_new = true;  ///< no keys yet: the first ones decide the kind

    /// Admits keys of that kind. Throws TypeError that names both kinds if one filter cannot have
    /// both.
    void add(KeyKind keys);
    /// Of a filter with the keys of both. Throws std::invalid_argument if there can be none.
    Kind united_with(const Kind& other) const {
        if (is_new || other.is_new) return is_new ? other : *this;
        return {united(kind, other.kind), false};
    }
    /// Admits a batch, and converts its keys for the filter.
    JoinRows add(const JoinRows& rows) {
        if (rows.size() != 0) add(rows.key_kind());
        return rows.size() != 0 ? rows.as(kind) : rows;
    }
};

}  // namespace simdbloom::python
