// inspect.signature() of every call, and errors of wrong calls in one line. The module's part of
// simdbloom/_calls.py, which makes the texts.

#include <cstdlib>
#include <cstring>
#include <string>

#include "filter.hpp"

namespace simdbloom::python {

namespace {

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

/// The function of an attribute of a class or of the module; null for what is none of pybind11's.
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

}  // namespace

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

}  // namespace simdbloom::python
