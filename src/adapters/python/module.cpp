// The module _simdbloom, which the package simdbloom hands on.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

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

std::vector<std::string> names_of_isas() {
    std::vector<std::string> names;
    for (const Isa isa : usable_isas()) names.emplace_back(to_string(isa));
    return names;
}

void define_rows(py::module_& module) {
    py::class_<Columns>(module, "Rows",
                        "Rows of several columns as keys. nulls='equal': None equals None.")
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
             py::kw_only(), py::arg("nulls") = "differ");
}

}  // namespace

PYBIND11_MODULE(_simdbloom, module) {
    module.attr("__version__") = std::string(version);
    module.attr("LoadError") = py::exception<LoadError>(module, "LoadError", PyExc_ValueError);
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            if (thrown) std::rethrow_exception(thrown);
        } catch (const std::system_error& error) {
            throw_os_error(error);
        }
    });
    module.def("usable_isas", &names_of_isas,
               "The instruction sets that this machine has kernels for, the slowest first.");
    define_rows(module);
    define_filter(module);
    define_join(module);
    define_map(module);
    define_models(module);
}

}  // namespace simdbloom::python
