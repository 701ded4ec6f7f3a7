// Batches of keys that a filter is asked about, and answers as arrays of numpy.
#pragma once

#include <pybind11/numpy.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <shared_mutex>

#include "keys.hpp"
#include "simdbloom/join.hpp"

namespace simdbloom::python {

/// A filter that is asked. A lock is taken for a batch at a time. No thread waits for a lock while
/// it has the GIL, so one that has the lock may wait for the GIL. Between two batches a stream of
/// Python's may ask or fill the same filter.
struct Asked {
    const JoinFilter& filter;
    RowHash hash;
    std::shared_mutex& mutex;
};

/// A numpy array of bool: whether key i is found. `out`: None, or the array to write to.
py::array contains(const Asked& asked, Keys& keys, const py::object& out);
/// Bit i % 8 of byte i / 8, as an array of uint8.
py::array bitmap(const Asked& asked, Keys& keys, const py::object& out);
/// The numbers of the rows that are found, of all or of those in `rows`, as an array of uint32.
/// With `out` the part of it that was written.
py::array select(const Asked& asked, Keys& keys, const py::object& rows, const py::object& out);
std::size_t count(const Asked& asked, Keys& keys);

/// Defines the four of them, with their docstrings, for a class whose `asked()` gives an Asked.
template <class Class>
void define_asking(py::class_<Class, std::shared_ptr<Class>>& type) {
    type.def(
        "contains",
        [](Class& self, py::handle keys, const py::object& out, bool hashed) {
            Keys batch(keys, hashed);
            return contains(self.asked(), batch, out);
        },
        py::arg("keys"), py::kw_only(), py::arg("out") = py::none(), py::arg("hashed") = false,
        "A bool for each key: False if it is not there, True if it may be.");
    type.def(
        "bitmap",
        [](Class& self, py::handle keys, const py::object& out, bool hashed) {
            Keys batch(keys, hashed);
            return bitmap(self.asked(), batch, out);
        },
        py::arg("keys"), py::kw_only(), py::arg("out") = py::none(), py::arg("hashed") = false,
        "A bit for each key: bit i % 8 of byte i // 8, as Arrow has them.");
    type.def(
        "select",
        [](Class& self, py::handle keys, const py::object& rows, const py::object& out,
           bool hashed) {
            Keys batch(keys, hashed);
            return select(self.asked(), batch, rows, out);
        },
        py::arg("keys"), py::kw_only(), py::arg("rows") = py::none(), py::arg("out") = py::none(),
        py::arg("hashed") = false,
        "The numbers, ascending, of the keys that are found; of `rows` only, where given.");
    type.def(
        "count",
        [](Class& self, py::handle keys, bool hashed) {
            Keys batch(keys, hashed);
            return count(self.asked(), batch);
        },
        py::arg("keys"), py::kw_only(), py::arg("hashed") = false, "How many keys are found.");
}

}  // namespace simdbloom::python
