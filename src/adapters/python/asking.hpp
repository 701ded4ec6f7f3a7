// Lookups: batches of keys, and results as NumPy arrays or Arrow columns.
#pragma once

#include <pybind11/numpy.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "keys.hpp"
#include "simdbloom/join/join.hpp"

namespace simdbloom::python {

/// A filter to look keys up in. The lock is held for one batch at a time. No thread waits for the
/// lock while it holds the GIL, so the holder of the lock may wait for the GIL. Between two batches
/// a Python stream may probe or fill the same filter.
struct Asked {
    const JoinFilter* filter;
    RowHash hash;
    std::shared_mutex& mutex;
    /// In place of a JoinFilter: sets the bit of each row of the batch that is found. Throws
    /// TypeError for keys of a kind that the filter does not answer.
    std::function<void(const Batch&, std::span<std::uint8_t> bitmap)> bits{};
};

/// A numpy array of bool: whether key i is found. `out`: None, or the array to write to.
py::array contains(const Asked& asked, Keys&& keys, const py::object& out);
struct Bits {
    py::array bytes;   ///< of uint8; result i is bit i % 8 of byte i / 8
    std::size_t rows;  ///< the number of results
};
Bits bits_of(const Asked& asked, Keys&& keys, const py::object& out);
/// The numbers of the rows found, among all rows or those in `rows`, as uint32. With `out`, its
/// written part.
py::array select(const Asked& asked, Keys&& keys, const py::object& rows, const py::object& out);
std::size_t count(const Asked& asked, Keys&& keys);

/// An array that owns the values.
template <class T>
py::array array_from(std::vector<T>&& values, std::vector<py::ssize_t> shape,
                     const py::dtype& dtype = py::dtype::of<T>()) {
    auto* const all = new std::vector<T>(std::move(values));
    const py::capsule owner(all, [](void* p) { delete static_cast<std::vector<T>*>(p); });
    return py::array(dtype, std::move(shape), all->data(), owner);
}

/// Results as an Arrow column.
struct ArrowColumn {
    py::array values;
    std::size_t rows;
    bool is_bits;

    /// The result of __arrow_c_array__.
    py::tuple capsules() const;
};
void define_arrow_column(py::module_& module);

/// Appends the description of keys to a docstring. `out` describes the argument of that name.
inline std::string doc_with_keys(const std::string& what, const std::string& out = "") {
    return what +
           "\n\nkeys: n numbers, strings or bytes: a one-dimensional array, a list or another "
           "iterable, Rows, or an object with __arrow_c_array__ or __arrow_c_stream__. hashed: the "
           "keys are hashes (uint64) from hashes()." +
           (out.empty() ? "" : " out: " + out + " for the results; its written part is returned.") +
           "\n\nRaises TypeError for values that cannot be keys" + (out.empty() ? "" : " or out") +
           ", OverflowError for integers beyond 64 bits, ValueError for arrays of several "
           "dimensions" +
           (out.empty() ? "." : " and an out that is too short, read-only or not contiguous.");
}

/// Defines a call (self, keys, more.., hashed).
template <class Type, class Call, class... More>
void define_with_keys(Type& type, const char* name, const std::string& what, const std::string& out,
                      const Call& call, const More&... more) {
    type.def(name, call, "keys"_a, py::kw_only(), more..., "hashed"_a = false,
             doc_with_keys(what, out).c_str());
}

/// The keys of a call. A class that reads some in another way has an overload.
template <class Class>
Keys keys_for(const Class&, py::handle keys, bool hashed) {
    return Keys(keys, hashed);
}

/// Defines the lookups of a class whose `asked()` gives an Asked.
template <class Class>
void define_asking(py::class_<Class, std::shared_ptr<Class>>& type) {
    using Out = const py::object&;
    const auto out = "out"_a = py::none();
    define_with_keys(
        type, "contains", "An array of n bools: False is certain, True means maybe.",
        "an array of bool or uint8",
        [](Class& self, py::handle keys, Out to, bool hashed) {
            return contains(self.asked(), keys_for(self, keys, hashed), to);
        },
        out);
    define_with_keys(
        type, "bitmap",
        "The results as (n + 7) // 8 bytes (uint8) in Arrow's order: key i is bit i % 8 of byte i "
        "// 8.",
        "an array of uint8",
        [](Class& self, py::handle keys, Out to, bool hashed) {
            return bits_of(self.asked(), keys_for(self, keys, hashed), to).bytes;
        },
        out);
    define_with_keys(
        type, "select",
        "The positions of the keys found, as uint32, ascending. rows: an array of uint32 that "
        "limits the lookup to these rows, in its order (IndexError beyond n).",
        "an array of uint32 with room for every key looked up",
        [](Class& self, py::handle keys, Out rows, Out to, bool hashed) {
            return select(self.asked(), keys_for(self, keys, hashed), rows, to);
        },
        "rows"_a = py::none(), out);
    define_with_keys(type, "count", "The number of keys found.", "",
                     [](Class& self, py::handle keys, bool hashed) {
                         return count(self.asked(), keys_for(self, keys, hashed));
                     });
    define_with_keys(type, "contains_arrow", "The results of contains as an Arrow column.", "",
                     [](Class& self, py::handle keys, bool hashed) {
                         Bits bits =
                             bits_of(self.asked(), keys_for(self, keys, hashed), py::none());
                         return ArrowColumn{std::move(bits.bytes), bits.rows, true};
                     });
    define_with_keys(type, "select_arrow", "The positions of select as an Arrow column.", "",
                     [](Class& self, py::handle keys, bool hashed) {
                         py::array found = select(self.asked(), keys_for(self, keys, hashed),
                                                  py::none(), py::none());
                         const auto rows = static_cast<std::size_t>(found.size());
                         return ArrowColumn{std::move(found), rows, false};
                     });
}

}  // namespace simdbloom::python
