// Batches of keys that a filter is asked about, and answers as arrays of numpy.
#pragma once

#include <pybind11/numpy.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <utility>

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
struct Bits {
    py::array bytes;   ///< of uint8; answer i is bit i % 8 of byte i / 8
    std::size_t rows;  ///< the number of answers
};
Bits bits_of(const Asked& asked, Keys& keys, const py::object& out);
/// The numbers of the rows that are found, of all or of those in `rows`, as an array of uint32.
/// With `out` the part of it that was written.
py::array select(const Asked& asked, Keys& keys, const py::object& rows, const py::object& out);
std::size_t count(const Asked& asked, Keys& keys);

/// Answers as a column of Arrow's.
struct ArrowColumn {
    py::array values;
    std::size_t rows;
    bool is_bits;

    /// Of __arrow_c_array__.
    py::tuple capsules() const;
};
void define_arrow_column(py::module_& module);

/// A docstring of a call that takes keys, and perhaps an `out`.
inline std::string of_keys(const char* what, const std::string& out = "") {
    return std::string(what) +
           "\n\nkeys: n numbers, strings or bytes: an array of one dimension, a list or another "
           "iterable, Rows, or what has __arrow_c_array__ or __arrow_c_stream__. hashed: they are "
           "hashes (uint64) of hashes()." +
           (out.empty() ? ""
                        : " out: " + out +
                              ", to which the answers go; the part that was written is returned.") +
           "\n\nRaises TypeError for what is no key" + (out.empty() ? "" : " or no such out") +
           ", OverflowError for an integer beyond 64 bits, ValueError for an array that has not "
           "one "
           "dimension" +
           (out.empty() ? "." : " and an out that is too short, read-only or not contiguous.");
}

/// Defines what is asked, for a class whose `asked()` gives an Asked.
template <class Class>
void define_asking(py::class_<Class, std::shared_ptr<Class>>& type) {
    type.def(
        "contains",
        [](Class& self, py::handle keys, const py::object& out, bool hashed) {
            Keys batch(keys, hashed);
            return contains(self.asked(), batch, out);
        },
        py::arg("keys"), py::kw_only(), py::arg("out") = py::none(), py::arg("hashed") = false,
        of_keys("An array of n bools: False if a key is not there, True if it may be.",
                "an array of bool or uint8")
            .c_str());
    type.def(
        "bitmap",
        [](Class& self, py::handle keys, const py::object& out, bool hashed) {
            Keys batch(keys, hashed);
            return bits_of(self.asked(), batch, out).bytes;
        },
        py::arg("keys"), py::kw_only(), py::arg("out") = py::none(), py::arg("hashed") = false,
        of_keys(
            "The answers as (n + 7) // 8 bytes (uint8): bit i % 8 of byte i // 8 is that of key "
            "i, as Arrow has them.",
            "an array of uint8")
            .c_str());
    type.def(
        "select",
        [](Class& self, py::handle keys, const py::object& rows, const py::object& out,
           bool hashed) {
            Keys batch(keys, hashed);
            return select(self.asked(), batch, rows, out);
        },
        py::arg("keys"), py::kw_only(), py::arg("rows") = py::none(), py::arg("out") = py::none(),
        py::arg("hashed") = false,
        of_keys("The numbers of the keys that are found, as uint32, ascending. rows: an array of "
                "uint32: only these keys are asked, in its order (IndexError for one beyond n).",
                "an array of uint32 with room for all that are asked")
            .c_str());
    type.def(
        "count",
        [](Class& self, py::handle keys, bool hashed) {
            Keys batch(keys, hashed);
            return count(self.asked(), batch);
        },
        py::arg("keys"), py::kw_only(), py::arg("hashed") = false,
        of_keys("How many of the n keys are found.").c_str());
    type.def(
        "contains_arrow",
        [](Class& self, py::handle keys, bool hashed) {
            Keys batch(keys, hashed);
            Bits bits = bits_of(self.asked(), batch, py::none());
            return ArrowColumn{std::move(bits.bytes), bits.rows, true};
        },
        py::arg("keys"), py::kw_only(), py::arg("hashed") = false,
        of_keys("The answers of contains as a column of n bools of Arrow's.").c_str());
    type.def(
        "select_arrow",
        [](Class& self, py::handle keys, bool hashed) {
            Keys batch(keys, hashed);
            py::array found = select(self.asked(), batch, py::none(), py::none());
            const auto rows = static_cast<std::size_t>(found.size());
            return ArrowColumn{std::move(found), rows, false};
        },
        py::arg("keys"), py::kw_only(), py::arg("hashed") = false,
        of_keys("The row numbers of select as a column of uint32 of Arrow's.").c_str());
}

}  // namespace simdbloom::python
