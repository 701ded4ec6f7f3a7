#include "asking.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace simdbloom::python {

namespace {

/// The caller's array. Throws TypeError for another type, ValueError for a read-only, strided or
/// multidimensional array.
template <class T>
std::span<T> writable(const py::object& out, bool also_bool = false) {
    const auto dtype = py::dtype::of<T>();
    if (!py::isinstance<py::array>(out))
        throw py::type_error("simdbloom: out=" + repr_of(out) + " is not a NumPy array");
    auto array = py::reinterpret_borrow<py::array>(out);
    const bool fits = array.itemsize() == sizeof(T) &&
                      (array.dtype().kind() == 'u' || (also_bool && array.dtype().kind() == 'b'));
    if (!fits || !array.dtype().attr("isnative").template cast<bool>())
        throw py::type_error("simdbloom: out is an array of " + text_of(array.dtype()) +
                             ", not of " + (also_bool ? "bool" : text_of(dtype)));
    const char* const fault = !array.writeable()                          ? "is read-only"
                              : array.ndim() != 1                         ? "has not one dimension"
                              : (array.flags() & py::array::c_style) == 0 ? "is strided"
                              : reinterpret_cast<std::uintptr_t>(array.data()) % alignof(T) != 0
                                  ? "is misaligned"
                                  : nullptr;
    if (fault != nullptr)
        throw py::value_error("simdbloom: out, an array of shape " + text_of(array.attr("shape")) +
                              ", " + fault);
    return {static_cast<T*>(array.mutable_data()), static_cast<std::size_t>(array.size())};
}

/// Memory for results: the caller's array, an array of known size, or one that grows with a stream.
template <class T>
class Room {
public:
    Room(std::optional<std::size_t> size, const py::object& out, const py::dtype& dtype)
        : dtype_(dtype) {
        if (!out.is_none()) {
            array_ = py::reinterpret_borrow<py::array>(out);
            given_ = writable<T>(out, dtype.kind() == 'b');
        } else if (size) {
            array_ = py::array(dtype, *size);
            given_ = {static_cast<T*>(array_.mutable_data()), *size};
        } else {
            grows_ = true;
        }
    }

    /// Memory for n more behind the first `used`. Needs no GIL.
    std::span<T> behind(std::size_t used, std::size_t n) {
        if (grows_) {
            grown_.resize(used + n);
            return std::span(grown_).subspan(used);
        }
        if (given_.size() - used < n)
            throw std::length_error("simdbloom: out has room for " + std::to_string(given_.size()) +
                                    " results, but there are at least " + std::to_string(used + n));
        return given_.subspan(used, n);
    }
    /// The first `used` results. Needs the GIL.
    py::array first(std::size_t used, bool is_out) {
        if (grows_) {
            grown_.resize(used);
            return array_from(std::move(grown_), {static_cast<py::ssize_t>(used)}, dtype_);
        }
        if (is_out)
            return array_[py::slice(0, static_cast<py::ssize_t>(used), 1)]
                .template cast<py::array>();
        if (used != given_.size()) array_.resize({static_cast<py::ssize_t>(used)}, false);
        return std::move(array_);
    }

private:
    py::dtype dtype_;
    py::array array_;
    std::span<T> given_{};
    std::vector<T> grown_{};
    bool grows_ = false;
};

/// Calls use(rows, filter) for each batch without the GIL and under the lock of readers.
template <class Use>
void each_locked(const Asked& asked, Keys& keys, const Use& use, std::size_t piece = piece_rows) {
    const NoGil no_gil;
    keys.each(
        asked.hash,
        [&](const Batch& batch) {
            const std::shared_lock lock(asked.mutex);
            const std::size_t n = batch.rows.size();
            if (asked.filter != nullptr) {
                if (n != 0) check_asked(asked.filter->key_kind(), batch.rows.key_kind());
                return use(batch.rows, *asked.filter);
            }
            // Rows that are not found become NULLs, which no filter lets pass.
            std::vector<std::uint8_t> bits((n + 7) / 8);
            asked.bits(batch, bits);
            const auto found = KeyColumn::booleans(bits.data(), n).with_validity(bits.data());
            use(JoinRows({found}), JoinFilter::accept_all());
        },
        piece);
}

}  // namespace

py::array contains(const Asked& asked, Keys&& keys, const py::object& out) {
    Room<std::uint8_t> room(keys.rows(), out, py::dtype::of<bool>());
    std::size_t done = 0;
    each_locked(asked, keys, [&](const JoinRows& rows, const JoinFilter& filter) {
        (void)rows.bytes(filter, room.behind(done, rows.size()));
        done += rows.size();
    });
    return room.first(done, !out.is_none());
}

Bits bits_of(const Asked& asked, Keys&& keys, const py::object& out) {
    if (!keys.rows()) {  // the batches of a stream end inside of bytes
        const py::array flags = contains(asked, std::move(keys), py::none());
        const py::array_t<std::uint8_t> bits =
            py::module_::import("numpy").attr("packbits")(flags, "bitorder"_a = "little");
        const std::span all(bits.data(), static_cast<std::size_t>(bits.size()));
        Room<std::uint8_t> room(all.size(), out, bits.dtype());
        std::ranges::copy(all, room.behind(0, all.size()).begin());
        return {room.first(all.size(), !out.is_none()), static_cast<std::size_t>(flags.size())};
    }
    static_assert(piece_rows % 8 == 0);
    Room<std::uint8_t> room((*keys.rows() + 7) / 8, out, py::dtype::of<std::uint8_t>());
    std::size_t done = 0;
    each_locked(asked, keys, [&](const JoinRows& rows, const JoinFilter& filter) {
        (void)rows.bitmap(filter, room.behind(done / 8, (rows.size() + 7) / 8));
        done += rows.size();
    });
    return {room.first((done + 7) / 8, !out.is_none()), done};
}

py::array select(const Asked& asked, Keys&& keys, const py::object& list, const py::object& out) {
    std::span<const std::uint32_t> listed;
    py::array_t<std::uint32_t, py::array::c_style> owner;
    if (!list.is_none()) {
        if (!keys.rows()) throw py::type_error("simdbloom: rows cannot select from a stream");
        const py::array array = array_of(list);
        if (array.ndim() != 1 || array.dtype().kind() != 'u' || array.itemsize() != 4)
            throw py::type_error(
                "simdbloom: rows is a one-dimensional array of uint32, not one of " +
                text_of(array.dtype()) + " and shape " + text_of(array.attr("shape")));
        owner = array;
        listed = {owner.data(), static_cast<std::size_t>(owner.size())};
    }
    const auto size = list.is_none() ? keys.rows() : std::optional(listed.size());
    Room<std::uint32_t> room(size, out, py::dtype::of<std::uint32_t>());
    std::size_t found = 0, done = 0;
    each_locked(
        asked, keys,
        [&](const JoinRows& rows, const JoinFilter& filter) {
            if (!list.is_none()) {
                found = rows.select(filter, listed, room.behind(0, listed.size()));
                return;
            }
            if (rows.size() > std::numeric_limits<std::uint32_t>::max() - done)
                throw std::length_error("simdbloom: more than 2^32 - 1 rows");
            const auto here = room.behind(found, rows.size());
            const std::size_t n = rows.select(filter, here);
            if (done != 0)
                for (std::uint32_t& row : here.first(n)) row += static_cast<std::uint32_t>(done);
            found += n;
            done += rows.size();
        },
        list.is_none() ? piece_rows : std::numeric_limits<std::size_t>::max());
    return room.first(found, !out.is_none());
}

std::size_t count(const Asked& asked, Keys&& keys) {
    std::size_t found = 0;
    each_locked(asked, keys, [&](const JoinRows& rows, const JoinFilter& filter) {
        found += rows.count(filter);
    });
    return found;
}

namespace {

/// An Arrow struct that a capsule owns until a consumer moves it out.
template <class T>
py::object capsule_of(std::unique_ptr<T> content, const char* name) {
    py::capsule capsule(content.get(), name, [](PyObject* object) {
        const std::unique_ptr<T> owned(
            static_cast<T*>(PyCapsule_GetPointer(object, PyCapsule_GetName(object))));
        if (owned->release != nullptr) owned->release(owned.get());
    });
    (void)content.release();
    return capsule;
}

template <class T>
std::vector<T> copy_of(const py::array& array) {
    const auto* const values = static_cast<const T*>(array.data());
    return {values, values + array.size()};
}

}  // namespace

py::tuple ArrowColumn::capsules() const {
    auto schema = std::make_unique<ArrowSchema>();
    auto array = std::make_unique<ArrowArray>();
    if (is_bits) export_bitmap(copy_of<std::uint8_t>(values), rows, *schema, *array);
    else export_rows(copy_of<std::uint32_t>(values), *schema, *array);
    detail::ArrowOwner<ArrowArray> until_owned(*array);
    py::object first = capsule_of(std::move(schema), "arrow_schema");
    *array = *until_owned;
    until_owned.forget();
    return py::make_tuple(first, capsule_of(std::move(array), "arrow_array"));
}

void define_arrow_column(py::module_& module) {
    py::class_<ArrowColumn>(module, "ArrowColumn",
                            "Results as an Arrow column: bools or row numbers (uint32).")
        .def(
            "__arrow_c_array__",
            [](const ArrowColumn& self, py::handle) { return self.capsules(); },
            "requested_schema"_a = py::none(),
            "Two capsules with a copy, for pyarrow.array(), polars.Series() and others.")
        .def("__len__", [](const ArrowColumn& self) { return self.rows; })
        .def("__repr__", [](const ArrowColumn& self) {
            return "<simdbloom.ArrowColumn of " + std::to_string(self.rows) +
                   (self.is_bits ? " bools>" : " row numbers>");
        });
}

}  // namespace simdbloom::python
