// The module _simdbloom, which the package simdbloom re-exports.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <system_error>
#include <utility>

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
        "Bytes that cannot be loaded. `fault` says why: 'too_short', 'foreign', 'structure', "
        "'version', 'layout', 'secret', 'parameter', 'size', 'checksum', 'alignment', 'limit', "
        "'isa' or 'unlike'.",
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

// inspect.signature() of every call, and errors of wrong calls in one line: the part of the module.
// simdbloom/_calls.py makes the texts.

PyCFunctionWithKeywords dispatcher = nullptr;  // of pybind11: one for all of its functions
PyObject* explain = nullptr;

/// Calls a function of pybind11. `explain` may replace the TypeError of a wrong call.
PyObject* explained_call(PyObject* self, PyObject* args, PyObject* named) {
    PyObject* const result = dispatcher(self, args, named);
    if (result != nullptr || PyErr_ExceptionMatches(PyExc_TypeError) == 0) return result;
    try {
        py::error_already_set error;
        const py::object better = py::handle(explain)(
            py::str(error.value()), py::handle(args),
            named != nullptr ? py::reinterpret_borrow<py::object>(named) : py::object(py::dict()));
        if (better.is_none()) error.restore();
        else PyErr_SetObject(PyExceptionInstance_Class(better.ptr()), better.ptr());
    } catch (py::error_already_set& error) {
        error.restore();
    }
    return nullptr;
}

/// The function of an attribute of a class or of the module; null if pybind11 did not make it.
PyCFunctionObject* function_of(py::object attribute) {
    if (PyInstanceMethod_Check(attribute.ptr()) != 0)
        attribute =
            py::reinterpret_borrow<py::object>(PyInstanceMethod_GET_FUNCTION(attribute.ptr()));
    else if (std::strcmp(Py_TYPE(attribute.ptr())->tp_name, "staticmethod") == 0)
        attribute = attribute.attr("__func__");
    if (PyCFunction_Check(attribute.ptr()) == 0) return nullptr;
    auto* const function = reinterpret_cast<PyCFunctionObject*>(attribute.ptr());
    constexpr int flags = METH_VARARGS | METH_KEYWORDS;
    return (function->m_ml->ml_flags & flags) == flags ? function : nullptr;
}

void describe(const py::object& owner, const py::function& doc_of) {
    const py::dict members(owner.attr("__dict__"));
    for (const auto& [name, member] : members) {
        auto* const function = function_of(py::reinterpret_borrow<py::object>(member));
        if (function == nullptr || function->m_ml->ml_doc == nullptr) continue;
        const auto doc = doc_of(py::str(function->m_ml->ml_doc)).cast<std::string>();
        char* const copy = strdup(doc.c_str());  // pybind11 frees it
        if (copy == nullptr) throw std::bad_alloc();
        std::free(const_cast<char*>(std::exchange(function->m_ml->ml_doc, copy)));
        void* const given = reinterpret_cast<void*>(function->m_ml->ml_meth);
        if (given == reinterpret_cast<void*>(&explained_call)) continue;
        dispatcher = reinterpret_cast<PyCFunctionWithKeywords>(given);
        function->m_ml->ml_meth =
            reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&explained_call));
    }
}

/// Defines _describe, which simdbloom/__init__.py calls once.
void define_calls(py::module_& module) {
    module.def("_describe", [module](const py::function& doc_of, const py::function& explain_of) {
        if (explain != nullptr) return;
        explain = explain_of.inc_ref().ptr();
        const py::dict members(module.attr("__dict__"));
        for (const auto& [name, member] : members)
            if (PyType_Check(member.ptr()) != 0)
                describe(py::reinterpret_borrow<py::object>(member), doc_of);
        describe(module, doc_of);
    });
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
    define_structures(module);
    define_map(module);
    define_calls(module);
    refuse_objects_without_init(module);
    module.attr("__name__") = "simdbloom._simdbloom";
}

}  // namespace simdbloom::python
