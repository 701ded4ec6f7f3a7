#include "keys.hpp"

#include <string>
#include <utility>

namespace simdbloom::python {

namespace {

bool has(py::handle object, const char* name) { return py::hasattr(object, name); }

/// Moves an Arrow struct out of its capsule.
template <class T>
detail::ArrowOwner<T> from_capsule(py::handle capsule, const char* name) {
    auto* const content = static_cast<T*>(PyCapsule_GetPointer(capsule.ptr(), name));
    if (content == nullptr) throw py::error_already_set();
    if (content->release == nullptr)
        throw py::value_error(std::string("simdbloom: the capsule ") + name + " was used before");
    return detail::ArrowOwner<T>(*content);
}

std::string name_of(py::handle object) {
    return py::cast<std::string>(py::type::of(object).attr("__name__"));
}

/// __array__ turns an Arrow column of integers with NULLs into floats, which lose keys; not so for
/// pandas.
void refuse_arrow(py::handle column) {
    if (py::isinstance<py::array>(column)) return;
    const auto module = py::cast<std::string>(py::type::of(column).attr("__module__"));
    if (!module.starts_with("pandas.") &&
        (has(column, "__arrow_c_array__") || has(column, "__arrow_c_stream__")))
        throw py::type_error("simdbloom: Rows does not take Arrow columns (" + name_of(column) +
                             "): pass an Arrow table, whose columns make rows");
}

}  // namespace

bool Keys::take_arrow(py::handle object) {
    if (py::isinstance<py::array>(object)) return false;
    if (has(object, "__arrow_c_array__")) {
        const py::tuple pair = object.attr("__arrow_c_array__")();
        if (pair.size() != 2)
            throw py::value_error("simdbloom: __arrow_c_array__ gave " +
                                  std::to_string(pair.size()) + " capsules, not 2");
        Capsule capsule{from_capsule<ArrowSchema>(pair[0], "arrow_schema"),
                        from_capsule<ArrowArray>(pair[1], "arrow_array")};
        if (capsule.second->length < 0)
            throw py::value_error("simdbloom: an Arrow array of " +
                                  std::to_string(capsule.second->length) + " rows");
        rows_ = static_cast<std::size_t>(capsule.second->length);
        arrow_ = std::move(capsule);
    } else if (has(object, "__arrow_c_stream__")) {
        const py::object capsule = object.attr("__arrow_c_stream__")();
        arrow_ = from_capsule<ArrowArrayStream>(capsule, "arrow_array_stream");
    }
    return arrow_.index() != 0;
}

/// pandas implements the interface by pyarrow, which may be missing.
bool Keys::take_arrow_if_it_can(py::handle object) {
    try {
        return take_arrow(object);
    } catch (py::error_already_set& error) {
        if (!error.matches(PyExc_ImportError) || !has(object, "__array__")) throw;
        return false;
    }
}

Keys::Keys(py::handle object, bool hashed) {
    if (PyUnicode_Check(object.ptr()) || PyBytes_Check(object.ptr()) ||
        PyByteArray_Check(object.ptr()))
        throw py::type_error("simdbloom: " + name_of(object) +
                             " is one key, not a batch: put it in a list, or call add(key), "
                             "key in filter");
    if (py::isinstance<Columns>(object)) {
        const auto& rows = object.cast<const Columns&>();
        nulls_ = rows.nulls;
        for (const py::object& column : rows.columns) {
            refuse_arrow(column);
            columns_.push_back(column_of(column, hashed));
        }
    } else if (take_arrow_if_it_can(object)) {
        if (hashed) throw py::type_error("simdbloom: hashes are an array of uint64 of numpy");
        return;
    } else {
        columns_.push_back(column_of(object, hashed));
    }
    rows_ = columns_.front()->column->size();
}

void Keys::each(const RowHash& hash, const std::function<void(const Batch&)>& use) {
    const ArrowSettings settings{nulls_, hash, {}};
    if (const auto* const capsule = std::get_if<Capsule>(&arrow_)) {
        const JoinRows rows = arrow_rows(*capsule->first, *capsule->second, settings);
        use({rows, nullptr});
    } else if (auto* const given = std::get_if<detail::ArrowOwner<ArrowArrayStream>>(&arrow_)) {
        ArrowStream stream(*given->get(), settings);
        while (const JoinRows* const rows = stream.next()) use({*rows, nullptr});
    } else {
        std::vector<KeyColumn> columns;
        for (const auto& column : columns_) columns.push_back(*column->column);
        const JoinRows rows(std::move(columns), nulls_, hash);
        const bool is_one = columns_.size() == 1 && nulls_ == Nulls::differ;
        use({rows, is_one ? &*columns_.front()->column : nullptr});
    }
}

}  // namespace simdbloom::python
