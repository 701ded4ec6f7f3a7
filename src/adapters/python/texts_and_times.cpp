// Keys that are not numbers: texts, as objects of Python and in arrays of a fixed width, and dates
// and times of Python, numpy and pandas, as counts of units of so many nanoseconds.

#include <pybind11/pybind11.h>

#include <datetime.h>

#include <algorithm>
#include <limits>
#include <new>
#include <string>

#include "keys.hpp"

namespace simdbloom::python {

namespace {

/// Writes up to 4 bytes; returns their end.
char* put_utf8(char* out, std::uint32_t code) {
    const auto put = [&](std::uint32_t byte) { *out++ = static_cast<char>(byte); };
    if (code < 0x80) {
        put(code);
        return out;
    }
    if (code < 0x800) {
        put(0xC0 | code >> 6);
    } else {
        if (code < 0x10000) {
            put(0xE0 | code >> 12);
        } else {
            put(0xF0 | code >> 18);
            put(0x80 | (code >> 12 & 0x3F));
        }
        put(0x80 | (code >> 6 & 0x3F));
    }
    put(0x80 | (code & 0x3F));
    return out;
}

constexpr std::int64_t no_time = std::numeric_limits<std::int64_t>::min();  // NaT

std::int64_t since_1970(PyObject* date) {
    const auto days = py::handle(date).attr("toordinal")().cast<std::int64_t>();
    return days - 719'163;  // of 1970-01-01
}

std::int64_t microseconds(std::int64_t hour, std::int64_t minute, std::int64_t second,
                          std::int64_t microsecond) {
    return ((hour * 60 + minute) * 60 + second) * 1'000'000 + microsecond;
}

}  // namespace

[[noreturn]] void refuse(PyObject* error, const char* format, py::handle object) {
    auto text = py::reinterpret_steal<py::object>(PyObject_Repr(object.ptr()));
    if (!text) {  // as of an object whose __init__ was not called
        PyErr_Clear();
        text = py::str(repr_of(object));
    }
    PyErr_Format(error, format, text.ptr());
    throw py::error_already_set();
}

void Texts::grow(std::size_t bytes) {
    const std::size_t more = std::max<std::size_t>(2 * capacity_, capacity_ + bytes);
    void* const grown = std::realloc(bytes_.get(), more);
    if (grown == nullptr) throw std::bad_alloc();
    (void)bytes_.release();
    bytes_.reset(static_cast<char*>(grown));
    capacity_ = more;
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
    return PyUnicode_Check(object.ptr()) || PyBytes_Check(object.ptr()) ||
           (std::string_view(Py_TYPE(object.ptr())->tp_name) == "UUID" &&
            py::hasattr(py::type::of(object), "bytes"));
}

py::bytes bytes_of_uuid(py::handle uuid) { return uuid.attr("bytes"); }

bool is_missing(py::handle object) {
    if (object.is_none()) return true;
    const std::string_view type = Py_TYPE(object.ptr())->tp_name;
    if (type == "NAType" || type == "NaTType") return true;
    // Only NaT is unequal to itself.
    return (type == "numpy.datetime64" || type == "numpy.timedelta64") &&
           object.attr("__ne__")(object).cast<bool>();
}

bool is_nan(py::handle object) {
    return PyFloat_Check(object.ptr()) &&
           PyFloat_AS_DOUBLE(object.ptr()) != PyFloat_AS_DOUBLE(object.ptr());
}

void set_null(OwnedColumn& column, std::size_t row, std::size_t rows) {
    if (column.valid.empty()) column.valid.assign((rows + 7) / 8, 0xFF);
    column.valid[row / 8] &= static_cast<std::uint8_t>(~(1u << (row % 8)));
}

KeyColumn take_objects(OwnedColumn& own, std::size_t n, const Objects& objects) {
    // An object's head and text lie apart from those of its neighbours: 24 ahead hides the misses.
    constexpr std::size_t ahead = 24;
    own.texts.reserve(n);
    PyObject* const* items = objects();
    for (std::size_t row = 0; row < n; ++row) {
        if (row % piece_rows == piece_rows - 1) {
            hear_signals();
            items = objects();
        }
        if (n - row > ahead) {
            const char* const later = reinterpret_cast<const char*>(items[row + ahead]);
            __builtin_prefetch(later);
            __builtin_prefetch(later + 64);
        }
        const py::handle key = items[row] != nullptr ? items[row] : Py_None;
        if (PyUnicode_CheckExact(key.ptr()) && PyUnicode_IS_COMPACT_ASCII(key.ptr())) {
            own.texts.add({reinterpret_cast<const char*>(PyUnicode_1BYTE_DATA(key.ptr())),
                           static_cast<std::size_t>(PyUnicode_GET_LENGTH(key.ptr()))});
        } else if (PyUnicode_Check(key.ptr()) || PyBytes_Check(key.ptr())) {
            own.texts.add(text_key(key));
        } else if (is_missing(key) || is_nan(key)) {  // pandas marks missing strings by NaN
            set_null(own, row, n);
            own.texts.add({});
        } else if (is_text(key)) {
            const auto uuid =
                py::reinterpret_borrow<py::object>(key);  // until its Python code ends
            own.texts.add(text_key(bytes_of_uuid(uuid)));
            items = objects();
        } else {
            refuse(PyExc_TypeError, "simdbloom: %.200S is among keys that are strings or bytes",
                   key);
        }
    }
    return own.texts.column();
}

KeyColumn take_padded(OwnedColumn& own, const py::array& array) {
    const auto n = static_cast<std::size_t>(array.size());
    const auto width = static_cast<std::size_t>(array.itemsize());
    const char* const bytes = static_cast<const char*>(array.data());
    std::size_t full = 0;
    while (full < n && width != 0 && bytes[full * width + width - 1] != '\0') ++full;
    if (full == n) return KeyColumn::fixed(bytes, width, n);
    own.views.reserve(n);
    for (std::size_t row = 0; row < n; ++row) {
        const char* const text = bytes + row * width;
        std::size_t size = width;
        while (size != 0 && text[size - 1] == '\0') --size;
        own.views.emplace_back(text, size);
    }
    return KeyColumn(own.views);
}

KeyColumn take_ucs4(OwnedColumn& own, const py::array& array) {
    const auto n = static_cast<std::size_t>(array.size());
    const auto width = static_cast<std::size_t>(array.itemsize()) / sizeof(std::uint32_t);
    const auto* codes = static_cast<const std::uint32_t*>(array.data());
    own.texts.reserve(n);
    for (std::size_t row = 0; row < n; ++row, codes += width) {
        char* const begin = own.texts.room(4 * width);
        // ASCII, most often, in vectors.
        std::uint32_t all = 0;
        for (std::size_t i = 0; i < width; ++i) {
            all |= codes[i];
            begin[i] = static_cast<char>(codes[i]);
        }
        std::size_t length = width;
        while (length != 0 && codes[length - 1] == 0) --length;
        char* end = all < 0x80 ? begin + length : begin;
        for (std::size_t i = 0; all >= 0x80 && i < length; ++i) {
            const std::uint32_t code = codes[i];
            if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
                throw py::value_error("simdbloom: row " + std::to_string(row) +
                                      " has the code point " + std::to_string(code) +
                                      ", which UTF-8 does not have");
            end = put_utf8(end, code);
        }
        own.texts.add(static_cast<std::size_t>(end - begin));
    }
    return own.texts.column();
}

std::optional<OneTime> one_time(py::handle object) {
    if (PyDateTimeAPI == nullptr) PyDateTime_IMPORT;
    if (PyDateTimeAPI == nullptr) throw py::error_already_set();
    PyObject* const given = object.ptr();
    // pandas' types are Python's with nanoseconds.
    if (PyDateTime_Check(given) && py::hasattr(object, "to_datetime64"))
        return one_time(object.attr("to_datetime64")());
    if (PyDelta_Check(given) && py::hasattr(object, "to_timedelta64"))
        return one_time(object.attr("to_timedelta64")());
    if (PyDateTime_Check(given)) {
        py::object utc = py::reinterpret_borrow<py::object>(object);
        if (!object.attr("utcoffset")().is_none())
            utc = (object - object.attr("utcoffset")()).attr("replace")("tzinfo"_a = py::none());
        PyObject* const at = utc.ptr();
        const std::int64_t in_day =
            microseconds(PyDateTime_DATE_GET_HOUR(at), PyDateTime_DATE_GET_MINUTE(at),
                         PyDateTime_DATE_GET_SECOND(at), PyDateTime_DATE_GET_MICROSECOND(at));
        return OneTime{since_1970(at) * 86'400'000'000 + in_day, 1'000, true};
    }
    if (PyDate_Check(given)) return OneTime{since_1970(given), 86'400'000'000'000, true};
    if (PyDelta_Check(given))
        return OneTime{PyDateTime_DELTA_GET_DAYS(given) * std::int64_t{86'400'000'000} +
                           PyDateTime_DELTA_GET_SECONDS(given) * std::int64_t{1'000'000} +
                           PyDateTime_DELTA_GET_MICROSECONDS(given),
                       1'000, false};
    if (PyTime_Check(given)) {
        if (!object.attr("tzinfo").is_none())
            throw py::type_error("simdbloom: " + repr_of(object) +
                                 " is a time of day with a time zone and without a date");
        return OneTime{
            microseconds(PyDateTime_TIME_GET_HOUR(given), PyDateTime_TIME_GET_MINUTE(given),
                         PyDateTime_TIME_GET_SECOND(given), PyDateTime_TIME_GET_MICROSECOND(given)),
            1'000, false};
    }
    if (!py::hasattr(object, "dtype") || py::isinstance<py::array>(object)) return {};
    const char kind = object.attr("dtype").attr("kind").cast<char>();
    if (kind != 'm' && kind != 'M') return {};
    const py::object array = py::module_::import("numpy").attr("atleast_1d")(object);
    const py::tuple times = columns_module().attr("times")(array);
    const auto counts = times[0].cast<py::array_t<std::int64_t>>();
    // NaT is not a key.
    if (counts.at(0) == no_time) return {};
    return OneTime{counts.at(0), times[1].cast<std::int64_t>(), kind == 'M'};
}

void take_times(OwnedColumn& own, const std::vector<std::optional<OneTime>>& times) {
    std::int64_t unit = std::numeric_limits<std::int64_t>::max();
    for (const auto& time : times)
        if (time && time->unit < unit) unit = time->unit;
    own.words.assign(times.size(), 0);
    for (std::size_t row = 0; row < times.size(); ++row) {
        if (!times[row]) continue;
        std::int64_t count;
        if (times[row]->unit % unit != 0 ||
            __builtin_mul_overflow(times[row]->count, times[row]->unit / unit, &count))
            throw_overflow("the time of row " + std::to_string(row) +
                           " is not a whole number of 64 bits of " + std::to_string(unit) +
                           " ns, the unit of another row");
        own.words[row] = static_cast<std::uint64_t>(count);
    }
    own.unit = unit;
}

}  // namespace simdbloom::python
