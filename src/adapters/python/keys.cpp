#include "keys.hpp"

#include <algorithm>
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

/// The bytes of a row where the column lies: its value, its offset or its view.
std::size_t width_of(const detail::ColumnPlace& place) {
    using enum detail::ColumnType;
    if (place.type == i8 || place.type == u8) return 1;
    if (place.type == i16 || place.type == u16) return 2;
    if (place.type == i32 || place.type == u32 || place.type == f32) return 4;
    if (place.type == views) return sizeof(std::string_view);
    return place.type == fixed ? place.width : 8;
}

}  // namespace

std::string_view text_at(const detail::ColumnPlace& place, std::size_t row) {
    if (place.type == detail::ColumnType::views)
        return static_cast<const std::string_view*>(place.data)[row];
    if (place.type == detail::ColumnType::offsets64) {
        const auto* const offset = static_cast<const std::int64_t*>(place.data) + row;
        return {place.bytes + offset[0], static_cast<std::size_t>(offset[1] - offset[0])};
    }
    return {static_cast<const char*>(place.data) + row * place.width, place.width};
}

bool is_one_key(py::handle object) {
    if (is_text(object) || py::isinstance(object, py::module_::import("numpy").attr("generic")))
        return true;
    if (PyObject_CheckBuffer(object.ptr()) != 0 || py::isinstance<Columns>(object)) return false;
    for (const char* name :
         {"__iter__", "__getitem__", "__array__", "__arrow_c_array__", "__arrow_c_stream__"})
        if (has(object, name)) return false;
    return true;
}

KeyColumn rows_of(const KeyColumn& column, std::size_t first, std::size_t n) {
    detail::ColumnPlace rows = column.place();
    rows.data = static_cast<const char*>(rows.data) + first * width_of(rows);
    rows.size = n;
    rows.valid_offset += first;
    return rows;
}

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
                             " is one key, not a batch: put it in a list, or call add(key), key in "
                             "filter");
    if (py::isinstance<Columns>(object)) {
        const auto& rows = object.cast<const Columns&>();
        nulls_ = rows.nulls;
        for (const py::object& column : rows.columns)
            columns_.push_back(column_of(columns_module().attr("column_of_rows")(column), hashed));
    } else if (take_arrow_if_it_can(object)) {
        if (hashed) throw py::type_error("simdbloom: hashes are an array of uint64 of numpy");
        return;
    } else {
        columns_.push_back(column_of(object, hashed));
    }
    rows_ = columns_.front()->column->size();
}

void Keys::each(const RowHash& hash, const std::function<void(const Batch&)>& use,
                std::size_t piece) {
    const ArrowSettings settings{nulls_, hash, {}};
    Signals between_batches;
    if (const auto* const capsule = std::get_if<Capsule>(&arrow_)) {
        const JoinRows rows = arrow_rows(*capsule->first, *capsule->second, settings);
        use({rows, nullptr});
    } else if (auto* const given = std::get_if<detail::ArrowOwner<ArrowArrayStream>>(&arrow_)) {
        ArrowStream stream(*given->get(), settings);
        while (const JoinRows* const rows = stream.next()) {
            use({*rows, nullptr});
            between_batches();
        }
    } else {
        const bool is_one = columns_.size() == 1 && nulls_ == Nulls::differ;
        std::vector<KeyColumn> columns;
        for (const auto& column : columns_) columns.push_back(*column->column);
        // All columns have one length, or JoinRows throws.
        const JoinRows all(columns, nulls_, hash);
        if (all.size() <= piece) return use({all, is_one ? &columns.front() : nullptr});
        for (std::size_t first = 0; first < all.size(); first += piece) {
            const std::size_t n = std::min(piece, all.size() - first);
            std::vector<KeyColumn> here;
            for (const KeyColumn& column : columns) here.push_back(rows_of(column, first, n));
            use({JoinRows(here, nulls_, hash), is_one ? &here.front() : nullptr});
            between_batches();
        }
    }
}

}  // namespace simdbloom::python
