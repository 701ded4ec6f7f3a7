// The module _simdbloom, which the package simdbloom re-exports.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstring>
#include <string>
#include <system_error>
#include <vector>

#include "filter.hpp"
#include "simdbloom/isa.hpp"
#include "simdbloom/version.hpp"

namespace simdbloom::python {

namespace {

/// An OSError of the right class: OSError(ENOENT, ..) is a FileNotFoundError.
void throw_os_error(const std::system_error& error) {
    const py::object args = py::make_tuple(error.code().value(), error.what());
    PyErr_SetObject(PyExc_OSError, args.ptr());
}

// What the compiler may use everywhere; kernels of more are chosen at run time.
#if defined(__AVX512BW__) && defined(__AVX512VL__)
constexpr char isa_floor[] = "x86-64-v4";
#elif defined(__AVX2__)
constexpr char isa_floor[] = "x86-64-v3";
#elif defined(__SSE4_2__)
constexpr char isa_floor[] = "x86-64-v2";
#elif defined(__x86_64__)
constexpr char isa_floor[] = "x86-64";
#elif defined(__aarch64__)
constexpr char isa_floor[] = "armv8-a";
#else
constexpr char isa_floor[] = "generic";
#endif

void define_load_error(py::module_& module) {
    const auto type = py::reinterpret_steal<py::object>(PyErr_NewExceptionWithDoc(
        "simdbloom.LoadError",
        "Bytes that cannot be loaded. `fault` says why: 'too_short', 'foreign', 'version', "
        "'layout', 'secret', 'parameter', 'size', 'checksum', 'alignment', 'limit', 'isa' or "
        "'unlike'.",
        PyExc_ValueError, nullptr));
    if (!type) throw py::error_already_set();
    module.attr("LoadError") = type;
}

constexpr char unmade[] = "simdbloom: __init__ of this object was not called";

/// pybind11 calls this operator only for a method of an object whose __init__ was not called
/// (`Filter.__new__(Filter)`).
void refuse_objects_without_init(py::module_& module) {
    const py::dict members(module.attr("__dict__"));
    for (const auto& [name, member] : members) {
        auto* const type = reinterpret_cast<PyTypeObject*>(member.ptr());
        if (PyType_Check(member.ptr()) == 0 || py::detail::get_type_info(type) == nullptr) continue;
        py::detail::get_type_info(type)->operator_new = [](std::size_t) -> void* {
            throw py::type_error(unmade);
        };
    }
}

void define_rows(py::module_& module) {
    py::class_<Columns>(module, "Rows",
                        "Rows of several columns as keys, for every call with keys.\n\ncolumns: "
                        "arrays and lists of one length. nulls: 'differ': a row with a None is "
                        "neither inserted nor found; 'equal': None equals None.")
        .def(py::init([](const py::args& columns, const std::string& nulls) {
                 if (nulls != "equal" && nulls != "differ")
                     throw py::value_error("simdbloom: nulls=\"" + nulls +
                                           "\" is not equal or differ");
                 if (columns.empty()) throw py::type_error("simdbloom: rows of no columns");
                 Columns rows{{}, nulls == "equal" ? Nulls::equal : Nulls::differ};
                 for (const py::handle column : columns)
                     rows.columns.push_back(py::reinterpret_borrow<py::object>(column));
                 return rows;
             }),
             py::kw_only(), "nulls"_a = "differ");
}

}  // namespace

PYBIND11_MODULE(_simdbloom, module) {
    // Classes and messages name the package.
    module.attr("__name__") = "simdbloom";
    module.attr("__version__") = std::string(version);
    module.attr("isa_floor") = isa_floor;
    define_load_error(module);
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            if (thrown) std::rethrow_exception(thrown);
        } catch (const std::system_error& error) {
            throw_os_error(error);
        } catch (const py::cast_error& error) {
            // Of a shared pointer to an object that was not made.
            if (std::strstr(error.what(), "non-held") == nullptr) throw;
            PyErr_SetString(PyExc_TypeError, unmade);
        }
    });
    module.def(
        "usable_isas", [] { return names_of(usable_isas()); },
        "The instruction sets whose kernels this machine can run, the slowest first.");
    define_rows(module);
    define_arrow_column(module);
    define_star(module);
    define_filter(module);
    define_models(module);
    define_join(module);
    define_bank(module);
    define_exchange(module);
    define_foreign(module);
    define_hashed(module);
    define_schemes(module);
    define_map(module);
    define_calls(module);
    refuse_objects_without_init(module);
    module.attr("__name__") = "simdbloom._simdbloom";
}

}  // namespace simdbloom::python
