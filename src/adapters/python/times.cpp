// Dates and times of Python, numpy and pandas, as counts of units of so many nanoseconds.

#include <pybind11/pybind11.h>

#include <datetime.h>

#include <limits>
#include <string>

#include "keys.hpp"

namespace simdbloom::python {

namespace {

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
