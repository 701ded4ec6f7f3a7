// Columns of numpy's arrays and of Python's sequences.

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "keys.hpp"
#include "simdbloom/join/join.hpp"

namespace simdbloom::python {

namespace {

[[noreturn]] void refuse(PyObject* error, const char* format, py::handle object) {
    PyErr_Format(error, format, object.ptr());
    throw py::error_already_set();
}

constexpr char no_key[] =
    "simdbloom: %R is not a key: keys are numbers, strings, bytes, dates, times and "
    "UUIDs";

std::uint64_t integer_key(py::handle integer) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
    if (overflow == 0) return static_cast<std::uint64_t>(value);
    if (overflow > 0) {
        const auto large = PyLong_AsUnsignedLongLong(integer.ptr());
        if (PyErr_Occurred() == nullptr) return large;
        PyErr_Clear();
    }
    refuse(PyExc_OverflowError, "simdbloom: the key %R does not fit into 64 bits", integer);
}

std::string_view text_key(py::handle text) {
    if (PyUnicode_Check(text.ptr())) {
        Py_ssize_t size = 0;
        const char* const utf8 = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
        if (utf8 == nullptr) throw py::error_already_set();
        return {utf8, static_cast<std::size_t>(size)};
    }
    return {PyBytes_AS_STRING(text.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(text.ptr()))};
}
bool is_text(py::handle object) {
    return PyUnicode_Check(object.ptr()) || PyBytes_Check(object.ptr());
}
bool is_uuid(py::handle object) {
    return std::string_view(Py_TYPE(object.ptr())->tp_name) == "UUID" &&
           py::hasattr(object, "bytes");
}
/// The 16 bytes of a UUID in the order of its text.
py::bytes bytes_of_uuid(py::handle uuid) { return uuid.attr("bytes"); }

/// None, and pandas' NA and NaT.
bool is_missing(py::handle object) {
    const std::string_view type = Py_TYPE(object.ptr())->tp_name;
    if (object.is_none() || type == "NAType" || type == "NaTType") return true;
    // Only NaT is unequal to itself.
    return (type == "numpy.datetime64" || type == "numpy.timedelta64") &&
           object.attr("__ne__")(object).cast<bool>();
}

bool is_float(py::handle object) {
    if (PyLong_Check(object.ptr())) return false;
    return PyFloat_Check(object.ptr()) ||
           (py::hasattr(object, "dtype") && object.attr("dtype").attr("kind").cast<char>() == 'f');
}

/// The key of a number, or nothing.
std::optional<std::uint64_t> number_key(py::handle object) {
    if (PyLong_Check(object.ptr())) return integer_key(object);
    if (PyFloat_Check(object.ptr())) return join_key(PyFloat_AS_DOUBLE(object.ptr()));
    if (py::hasattr(object, "dtype")) {
        const char kind = object.attr("dtype").attr("kind").cast<char>();
        if (kind == 'f' || kind == 'b') return join_key(object.attr("__float__")().cast<double>());
        if (kind == 'm' || kind == 'M') return {};
    }
    if (PyIndex_Check(object.ptr()) == 0) return {};
    const auto integer = py::reinterpret_steal<py::object>(PyNumber_Index(object.ptr()));
    if (!integer) throw py::error_already_set();
    return integer_key(integer);
}

void set_null(OwnedColumn& column, std::size_t row, std::size_t rows) {
    if (column.valid.empty()) column.valid.assign((rows + 7) / 8, 0xFF);
    column.valid[row / 8] &= static_cast<std::uint8_t>(~(1u << (row % 8)));
}

void finish(OwnedColumn& column, const KeyColumn& keys) {
    column.column = column.valid.empty() ? keys : keys.with_validity(column.valid.data());
}
KeyColumn times(const KeyColumn& counts, std::int64_t unit, bool instants) {
    return instants ? KeyColumn::instants(counts, unit) : KeyColumn::durations(counts, unit);
}

/// A copy of the sequence holds every key for as long as its bytes are used.
void take_sequence(OwnedColumn& own) {
    own.object = py::reinterpret_steal<py::object>(PySequence_Tuple(own.object.ptr()));
    if (!own.object) throw py::error_already_set();
    const py::tuple keys = own.object;
    const std::size_t n = keys.size();
    // The first key that is not missing decides the kind of all.
    const bool texts = std::any_of(keys.begin(), keys.end(), [](py::handle key) {
        return is_text(key) || (!PyLong_Check(key.ptr()) && is_uuid(key));
    });
    bool floats = false, all_missing = true;
    std::optional<OneTime> first_time;
    for (const py::handle key : keys)
        if (!texts && !is_missing(key)) {
            first_time = one_time(key);
            break;
        }
    std::vector<std::optional<OneTime>> all_times(first_time ? n : 0);
    if (texts) own.texts.resize(n);
    else own.words.resize(n);
    PyObject* const* const items = PySequence_Fast_ITEMS(keys.ptr());
    for (std::size_t row = 0; row < n; ++row) {
        const py::handle key = items[row];
        if (row % piece_rows == piece_rows - 1) hear_signals();
        if (n - row > 16) __builtin_prefetch(items[row + 16]);
        if (texts && PyUnicode_CheckExact(key.ptr()) && PyUnicode_IS_COMPACT_ASCII(key.ptr())) {
            own.texts[row] = {reinterpret_cast<const char*>(PyUnicode_1BYTE_DATA(key.ptr())),
                              static_cast<std::size_t>(PyUnicode_GET_LENGTH(key.ptr()))};
        } else if (texts && is_text(key)) {
            own.texts[row] = text_key(key);
        } else if (texts && is_uuid(key)) {
            own.utf8.reserve(16 * n);  // never moves
            own.texts[row] = {own.utf8.data() + own.utf8.size(), 16};
            const py::bytes bytes = bytes_of_uuid(key);
            const std::string_view view = text_key(bytes);
            own.utf8.insert(own.utf8.end(), view.begin(), view.end());
            // Among strings pandas marks a missing one by NaN.
        } else if (is_missing(key) ||
                   (texts && PyFloat_Check(key.ptr()) &&
                    PyFloat_AS_DOUBLE(key.ptr()) != PyFloat_AS_DOUBLE(key.ptr()))) {
            set_null(own, row, n);
        } else if (first_time) {
            all_times[row] = one_time(key);
            if (!all_times[row] || all_times[row]->is_instant != first_time->is_instant)
                refuse(PyExc_TypeError,
                       "simdbloom: %R is among keys that are times of another "
                       "sort",
                       key);
        } else if (texts) {
            refuse(PyExc_TypeError, "simdbloom: %R is among keys that are strings or bytes", key);
        } else if (const auto word = number_key(key)) {
            own.words[row] = *word;
            floats = floats || is_float(key);
            all_missing = false;
        } else {
            refuse(PyExc_TypeError, no_key, key);
        }
    }
    if (texts) return finish(own, KeyColumn(own.texts));
    if (first_time) {
        take_times(own, all_times);
        return finish(own, times(KeyColumn(own.words), own.unit, first_time->is_instant));
    }
    if (floats) return finish(own, KeyColumn(own.words).of_floats());
    finish(own, all_missing ? KeyColumn(own.words).untyped() : KeyColumn(own.words));
}

/// The array itself if its values are aligned, contiguous and in native byte order, else a copy
/// that is.
py::array ordered(py::array array) {
    constexpr int together = py::array::c_style, aligned = py::detail::npy_api::NPY_ARRAY_ALIGNED_;
    if (!array.dtype().attr("isnative").cast<bool>())
        array = array.attr("astype")(array.dtype().attr("newbyteorder")("="));
    if ((array.flags() & together) == 0 || (array.flags() & aligned) == 0)
        array = py::module_::import("numpy").attr("require")(array, py::none(),
                                                             py::make_tuple("C", "A"));
    return array;
}

template <class T>
KeyColumn numbers(const py::array& array) {
    return KeyColumn(
        std::span(static_cast<const T*>(array.data()), static_cast<std::size_t>(array.size())));
}

std::optional<KeyColumn> numbers_of(const py::array& array) {
    const char kind = array.dtype().kind();
    const auto size = array.itemsize();
    if (kind == 'b') return numbers<std::uint8_t>(array);
    if (kind == 'i' && size == 1) return numbers<std::int8_t>(array);
    if (kind == 'u' && size == 1) return numbers<std::uint8_t>(array);
    if (kind == 'i' && size == 2) return numbers<std::int16_t>(array);
    if (kind == 'u' && size == 2) return numbers<std::uint16_t>(array);
    if (kind == 'i' && size == 4) return numbers<std::int32_t>(array);
    if (kind == 'u' && size == 4) return numbers<std::uint32_t>(array);
    if (kind == 'i') return numbers<std::int64_t>(array);
    if (kind == 'u') return numbers<std::uint64_t>(array);
    if (kind == 'f' && size == 4) return numbers<float>(array);
    if (kind == 'f' && size == 8) return numbers<double>(array);
    return {};
}

void take_valid(OwnedColumn& own, const py::object& flags) {
    const py::array_t<std::uint8_t> valid =
        py::module_::import("numpy").attr("packbits")(flags, py::arg("bitorder") = "little");
    own.valid.assign(valid.data(), valid.data() + valid.size());
}
/// The mask of a masked array.
void take_mask(OwnedColumn& own) {
    const py::module_ numpy = py::module_::import("numpy");
    const py::object mask = numpy.attr("ma").attr("getmaskarray")(own.object);
    take_valid(own, numpy.attr("logical_not")(mask));
}

/// pandas' categoricals, as an array, an index or a series.
bool is_categorical(py::handle object) {
    return py::hasattr(object, "dtype") &&
           std::string_view(Py_TYPE(object.attr("dtype").ptr())->tp_name) == "CategoricalDtype";
}
/// Each category is hashed once. The code -1 is a missing value.
void take_categorical(OwnedColumn& own) {
    const py::object values =
        py::hasattr(own.object, "codes") ? own.object : own.object.attr("array");
    own.dictionary = column_of(values.attr("categories"), false);
    const py::array codes = ordered(array_of(values.attr("codes")));
    own.object = codes;
    take_valid(own, codes.attr("__ge__")(0));
    finish(own, KeyColumn::dictionary(*numbers_of(codes), *own.dictionary->column));
}

void take_array(OwnedColumn& own, py::array array, bool hashed) {
    if (array.ndim() != 1)
        throw py::value_error("simdbloom: an array of " + std::to_string(array.ndim()) +
                              " dimensions, where keys have one");
    const auto n = static_cast<std::size_t>(array.size());
    const char kind = array.dtype().kind();
    if (kind == 'f' && array.itemsize() == 2) array = array.attr("astype")("float32");
    if (kind == 'O') {
        if (!own.valid.empty())
            throw py::type_error("simdbloom: a masked array of objects has no keys");
        array = ordered(std::move(array));
        auto* const* const objects = static_cast<PyObject* const*>(array.data());
        py::tuple all(n);
        // numpy takes a null pointer for None.
        for (std::size_t row = 0; row < n; ++row)
            PyTuple_SET_ITEM(
                all.ptr(), static_cast<Py_ssize_t>(row),
                py::handle(objects[row] != nullptr ? objects[row] : Py_None).inc_ref().ptr());
        own.object = std::move(all);
        return take_sequence(own);
    }
    array = ordered(std::move(array));
    own.object = array;
    if (hashed) {
        if (kind != 'u' || array.itemsize() != 8)
            throw py::type_error("simdbloom: hashes are uint64, not " + text_of(array.dtype()));
        return finish(own, KeyColumn::hashes({static_cast<const std::uint64_t*>(array.data()), n}));
    }
    if (kind == 'm' || kind == 'M') {
        const TimeArray in_unit = time_array(array);
        own.object = in_unit.values;
        const KeyColumn counts = numbers<std::int64_t>(in_unit.values);
        const auto* const values = static_cast<const std::int64_t*>(in_unit.values.data());
        bool all_missing = true;
        for (std::size_t row = 0; row < n; ++row)
            if (values[row] == std::numeric_limits<std::int64_t>::min()) set_null(own, row, n);
            else all_missing = false;
        if (all_missing) return finish(own, counts.untyped());
        return finish(own, times(counts, in_unit.unit, kind == 'M'));
    }
    if (const auto column = numbers_of(array)) return finish(own, *column);
    if (kind == 'S' || kind == 'U') {
        if (kind == 'S') take_padded(own, array);
        else take_ucs4(own, array);
        return finish(own, KeyColumn(own.texts));
    }
    if (kind == 'V' && array.dtype().attr("fields").is_none())
        return finish(
            own, KeyColumn::fixed(array.data(), static_cast<std::size_t>(array.itemsize()), n));
    refuse(PyExc_TypeError, "simdbloom: an array of %S has no keys", array.dtype());
}

template <class Work>
void kind_errors_as_type_errors(const Work& work) {
    try {
        work();
    } catch (const std::invalid_argument& refused) {
        throw py::type_error(refused.what());
    }
}

}  // namespace

py::array array_of(py::handle object) {
    if (py::isinstance<py::array>(object)) return py::reinterpret_borrow<py::array>(object);
    return py::module_::import("numpy").attr("asarray")(object);
}

std::unique_ptr<OwnedColumn> column_of(py::handle object, bool hashed) {
    auto own =
        std::make_unique<OwnedColumn>(OwnedColumn{py::reinterpret_borrow<py::object>(object)});
    if (!hashed && is_categorical(object)) {
        take_categorical(*own);
        return own;
    }
    const bool is_array = py::isinstance<py::array>(object) || py::hasattr(object, "__array__") ||
                          PyObject_CheckBuffer(object.ptr()) != 0;
    if (is_array) {
        auto array = array_of(object);
        if (py::isinstance<py::array>(object) && py::hasattr(object, "_mask")) take_mask(*own);
        take_array(*own, std::move(array), hashed);
    } else if (hashed) {
        refuse(PyExc_TypeError, "simdbloom: hashes are an array of uint64 of numpy, not %R",
               py::type::of(object));
    } else {
        take_sequence(*own);
    }
    return own;
}

OneKey one_key(py::handle object) {
    if (is_text(object)) return {KeyKind::bytes, text_key(object)};
    if (is_uuid(object)) {
        OneKey key{KeyKind::bytes, std::string_view(), {}, bytes_of_uuid(object)};
        key.plain = text_key(key.bytes);
        return key;
    }
    const bool is_number = PyLong_Check(object.ptr()) || PyFloat_Check(object.ptr());
    if (const auto time = is_number ? std::nullopt : one_time(object)) {
        const KeyColumn column =
            times(std::span<const std::int64_t>(&time->count, 1), time->unit, time->is_instant);
        return {column.key_kind(), std::uint64_t{0}, *time};
    }
    if (const auto word = number_key(object))
        return {is_float(object) ? KeyKind::floats : KeyKind::integers, *word};
    refuse(PyExc_TypeError, no_key, object);
}

OneKey::Plain OneKey::in(KeyKind filter) const {
    check_asked(filter, kind);
    if (time.unit == 0) return plain;
    return time_key(time.count, time.unit, is_instant(filter) ? filter : kind);
}

void Kind::add(KeyKind keys) {
    if (keys == KeyKind::unknown) return;
    if (!is_new) kind_errors_as_type_errors([&] { keys = kind_after(kind, keys); });
    kind = keys;
    is_new = false;
}

void check_asked(KeyKind filter, KeyKind asked) {
    kind_errors_as_type_errors([&] { check_may_ask(filter, asked); });
}

JoinRows asked_rows(KeyKind filter, const JoinRows& rows) {
    if (rows.size() == 0) return rows;
    check_asked(filter, rows.key_kind());
    return rows.as(filter);
}

}  // namespace simdbloom::python
