// Columns of numpy's arrays and of Python's sequences.

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "keys.hpp"
#include "simdbloom/join/join.hpp"

namespace simdbloom::python {

namespace {

std::string_view type_name(py::handle object) { return Py_TYPE(object.ptr())->tp_name; }
/// numpy takes a null pointer for None.
py::handle object_at(PyObject* const* objects, std::size_t row) {
    return objects[row] != nullptr ? objects[row] : Py_None;
}

constexpr char no_key[] =
    "simdbloom: %.200S is not a key: keys are numbers, strings, bytes, dates, times and UUIDs";

std::uint64_t integer_key(py::handle integer) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
    if (overflow == 0) return static_cast<std::uint64_t>(value);
    if (overflow > 0) {
        const auto large = PyLong_AsUnsignedLongLong(integer.ptr());
        if (PyErr_Occurred() == nullptr) return large;
        PyErr_Clear();
    }
    refuse(PyExc_OverflowError, "simdbloom: the key %.200S does not fit into 64 bits", integer);
}

bool is_decimal(py::handle object) { return type_name(object) == "decimal.Decimal"; }

/// The key of a decimal by its exact value, see KeyColumn::decimals.
std::uint64_t decimal_key(py::handle object) {
    const py::tuple parts = object.attr("as_tuple")();  // sign, digits, exponent
    if (object.attr("is_nan")().cast<bool>()) return join_key(std::nan(""));
    if (!py::isinstance<py::int_>(parts[2]))  // infinite
        return join_key(object.attr("__float__")().cast<double>());
    __extension__ __int128 all = 0;
    for (const py::handle digit : parts[1].cast<py::tuple>())
        if (__builtin_mul_overflow(all, 10, &all) ||
            __builtin_add_overflow(all, digit.cast<int>(), &all))
            refuse(PyExc_OverflowError, "simdbloom: the key %.200S does not fit into 128 bits",
                   object);
    if (parts[0].cast<int>() != 0) all = -all;
    // Doubles end at 10^-324 and 10^308.
    const auto scale = -std::clamp<long long>(parts[2].cast<long long>(), -1000, 1000);
    std::uint64_t value = 0;
    std::uint8_t valid = 0;
    const JoinRows row({KeyColumn::decimals(&all, static_cast<int>(scale), 1)});
    return row.column({&value, 1}, {&valid, 1}).values[0];
}

bool is_float(py::handle object) {
    if (PyLong_Check(object.ptr())) return false;
    return PyFloat_Check(object.ptr()) || is_decimal(object) ||
           (py::hasattr(object, "dtype") && object.attr("dtype").attr("kind").cast<char>() == 'f');
}

/// The key of a number, or nothing.
std::optional<std::uint64_t> number_key(py::handle object) {
    if (PyLong_Check(object.ptr())) return integer_key(object);
    if (PyFloat_Check(object.ptr())) return join_key(PyFloat_AS_DOUBLE(object.ptr()));
    if (is_decimal(object)) return decimal_key(object);
    if (py::hasattr(object, "dtype")) {
        const char kind = object.attr("dtype").attr("kind").cast<char>();
        if (kind == 'f' || kind == 'b') return join_key(object.attr("__float__")().cast<double>());
        if (kind == 'm' || kind == 'M') return {};
    }
    if (PyIndex_Check(object.ptr()) == 0) return {};
    const auto integer = py::reinterpret_steal<py::object>(PyNumber_Index(object.ptr()));
    if (!integer && PyErr_ExceptionMatches(PyExc_TypeError) != 0) {  // an array of several
        PyErr_Clear();
        return {};
    }
    if (!integer) throw py::error_already_set();
    return integer_key(integer);
}

void finish(OwnedColumn& column, const KeyColumn& keys) {
    column.column = column.valid.empty() ? keys : keys.with_validity(column.valid.data());
}
KeyColumn times(const KeyColumn& counts, std::int64_t unit, bool instants) {
    return instants ? KeyColumn::instants(counts, unit) : KeyColumn::durations(counts, unit);
}

/// The keys of n objects, which hold them. The first that is not missing decides the kind of all.
void take_objects_of_all_kinds(OwnedColumn& own, std::size_t n, const Objects& objects) {
    bool texts = false;
    for (std::size_t row = 0; row < n && !texts; ++row) {
        const py::handle key = object_at(objects(), row);
        if (is_missing(key) || is_nan(key)) continue;
        if (!is_text(key)) break;
        texts = true;
    }
    if (texts) return finish(own, take_objects(own, n, objects));
    // A copy holds every key while Python code runs.
    const py::tuple keys(n);
    PyObject* const* const items = objects();
    for (std::size_t row = 0; row < n; ++row)
        PyTuple_SET_ITEM(keys.ptr(), static_cast<Py_ssize_t>(row),
                         object_at(items, row).inc_ref().ptr());
    own.words.resize(n);
    bool floats = false, all_missing = true;
    std::optional<OneTime> first_time;
    std::vector<std::optional<OneTime>> all_times;
    for (std::size_t row = 0; row < n; ++row) {
        const py::handle key = keys[row];
        if (row % piece_rows == piece_rows - 1) hear_signals();
        if (is_missing(key)) {
            set_null(own, row, n);
            continue;
        }
        if (std::exchange(all_missing, false)) {
            first_time = one_time(key);
            if (first_time) all_times.resize(n);
        }
        if (first_time) {
            all_times[row] = one_time(key);
            if (!all_times[row] || all_times[row]->is_instant != first_time->is_instant)
                refuse(PyExc_TypeError,
                       "simdbloom: %.200S is among keys that are times of another sort", key);
        } else if (const auto word = number_key(key)) {
            own.words[row] = *word;
            floats = floats || is_float(key);
        } else {
            refuse(PyExc_TypeError,
                   is_text(key) || one_time(key)
                       ? "simdbloom: %.200S is among keys that are numbers"
                       : no_key,
                   key);
        }
    }
    if (first_time) {
        take_times(own, all_times);
        return finish(own, times(KeyColumn(own.words), own.unit, first_time->is_instant));
    }
    if (floats) return finish(own, KeyColumn(own.words).of_floats());
    finish(own, all_missing ? KeyColumn(own.words).untyped() : KeyColumn(own.words));
}

void take_sequence(OwnedColumn& own) {
    if (PyList_Check(own.object.ptr()) == 0 && PyTuple_Check(own.object.ptr()) == 0) {
        const auto keys = py::reinterpret_steal<py::object>(PyObject_GetIter(own.object.ptr()));
        if (!keys && PyErr_ExceptionMatches(PyExc_TypeError) != 0) {
            PyErr_Clear();
            refuse(PyExc_TypeError,
                   "simdbloom: %.200S is not iterable: put one key in a list, or call add(key), "
                   "key in filter",
                   own.object);
        }
        if (keys) own.object = py::reinterpret_steal<py::object>(PySequence_List(keys.ptr()));
        if (!keys || !own.object) throw py::error_already_set();
    }
    PyObject* const keys = own.object.ptr();
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(keys);
    take_objects_of_all_kinds(own, static_cast<std::size_t>(n), [keys, n] {
        if (PySequence_Fast_GET_SIZE(keys) != n)
            throw py::value_error("simdbloom: a list of " + std::to_string(n) + " keys has " +
                                  std::to_string(PySequence_Fast_GET_SIZE(keys)) +
                                  " while it is read");
        return PySequence_Fast_ITEMS(keys);
    });
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

/// Whether the values of an array of numbers can be read where they are.
bool is_plain(const py::array& array) {
    constexpr int together = py::array::c_style, aligned = py::detail::npy_api::NPY_ARRAY_ALIGNED_;
    constexpr int flags = together | aligned;
    const char order = array.dtype().byteorder();
    return Py_TYPE(array.ptr()) == py::detail::npy_api::get().PyArray_Type_ && array.ndim() == 1 &&
           (order == '=' || order == '|') && (array.flags() & flags) == flags &&
           numbers_of(array).has_value();
}

/// An array that column() of simdbloom/_columns.py gives.
void take_array(OwnedColumn& own, const py::array& array, bool hashed) {
    const char kind = array.dtype().kind();
    const auto n = static_cast<std::size_t>(array.size());
    if (hashed)
        return finish(own, KeyColumn::hashes({static_cast<const std::uint64_t*>(array.data()), n}));
    if (kind == 'O') {
        auto* const* const objects = static_cast<PyObject* const*>(array.data());
        return take_objects_of_all_kinds(own, n, [objects] { return objects; });
    }
    if (kind == 'm' || kind == 'M') {
        const KeyColumn counts = numbers<std::int64_t>(array);
        const bool all_missing =
            !own.valid.empty() &&
            std::ranges::all_of(own.valid, [](auto bits) { return bits == 0; });
        return finish(own, all_missing ? counts.untyped() : times(counts, own.unit, kind == 'M'));
    }
    if (kind == 'S') return finish(own, take_padded(own, array));
    if (kind == 'U') return finish(own, take_ucs4(own, array));
    if (kind == 'V')
        return finish(
            own, KeyColumn::fixed(array.data(), static_cast<std::size_t>(array.itemsize()), n));
    finish(own, numbers_of(array).value());
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
    if (py::isinstance<py::array>(object)) {
        const auto array = py::reinterpret_borrow<py::array>(object);
        if (is_plain(array) && (!hashed || py::isinstance<py::array_t<std::uint64_t>>(array))) {
            take_array(*own, array, hashed);
            return own;
        }
    } else if (!hashed && (PyList_Check(object.ptr()) != 0 || PyTuple_Check(object.ptr()) != 0)) {
        take_sequence(*own);
        return own;
    }
    const py::tuple made = columns_module().attr("column")(object, hashed);
    own->object = made[0];
    if (!made[1].is_none()) {
        const auto valid = made[1].cast<py::array_t<std::uint8_t>>();
        own->valid.assign(valid.data(), valid.data() + valid.size());
    }
    own->unit = made[2].cast<std::int64_t>();
    const bool is_array = py::isinstance<py::array>(own->object);
    if (!made[3].is_none()) {  // each category is hashed once
        own->dictionary = column_of(made[3], false);
        finish(*own, KeyColumn::dictionary(numbers_of(py::array(own->object)).value(),
                                           *own->dictionary->column));
    } else if (is_array) {
        take_array(*own, py::reinterpret_borrow<py::array>(own->object), hashed);
    } else {
        take_sequence(*own);
    }
    return own;
}

OneKey one_key(py::handle object) {
    if (PyUnicode_Check(object.ptr()) || PyBytes_Check(object.ptr()))
        return {KeyKind::bytes, text_key(object)};
    if (is_text(object)) {
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
