// The Python class Filter.
#pragma once

#include <pybind11/pybind11.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <utility>

#include "asking.hpp"
#include "simdbloom/any/any_filter.hpp"
#include "simdbloom/any/frozen.hpp"
#include "simdbloom/join/join.hpp"

namespace simdbloom::python {

/// Calls use(hashes, rows) for pieces of the rows that are not NULL, until it returns false.
/// Returns what the last call did.
using UseHashes =
    std::function<bool(std::span<const std::uint64_t> hashes, std::span<const std::uint32_t> rows)>;
bool each_hash(const JoinRows& rows, const UseHashes& use);

/// Any filter, with a readers-writer lock.
class Filter {
public:
    /// If the filter has no keys, the first ones decide its kind.
    explicit Filter(AnyFilter filter);
    /// For an empty filter.
    static std::shared_ptr<Filter> without_keys(AnyFilter filter);
    /// A read-only filter. `memory` owns its bits, if they belong to Python.
    explicit Filter(const FrozenFilter& filter, py::object memory = {})
        : asked_(filter), memory_(std::move(memory)) {}

    Asked asked() const { return {&asked_, row_hash(), mutex_}; }
    bool read_only() const noexcept { return own_ == nullptr; }
    /// For a caller without the GIL.
    KeyKind key_kind() const {
        const std::shared_lock lock(mutex_);
        return get().key_kind();
    }
    const AnyFilter& get() const noexcept { return *asked_.filter(); }
    RowHash row_hash() const;

    /// Calls use(filter) under the readers' lock, with the GIL, which is released while waiting for
    /// the lock.
    template <class Use>
    auto read(const Use& use) const {
        return locked<std::shared_lock<std::shared_mutex>>([&] { return use(get()); });
    }
    /// The same for long work: without the GIL.
    template <class Use>
    auto read_long(const Use& use) const {
        const NoGil no_gil;
        const std::shared_lock lock(mutex_);
        return use(get());
    }
    /// A new filter, made by use(filter).
    template <class Use>
    std::shared_ptr<Filter> derived(const Use& use) const {
        return std::make_shared<Filter>(read_long(use));
    }
    std::shared_ptr<Filter> copy() const {
        return derived([](const AnyFilter& filter) { return filter; });
    }
    /// As `read`, for changes. Throws ValueError if the filter is read-only.
    template <class Use>
    auto change(const Use& use) {
        AnyFilter& filter = changed();
        return locked<std::unique_lock<std::shared_mutex>>([&] { return use(filter); });
    }
    /// Calls use(filter, hashes, rows) for pieces of the keys that are not NULL, until it returns
    /// false. hashes[i] belongs to row rows[i]. Returns the number of rows.
    using ChangeHashes = std::function<bool(AnyFilter&, std::span<const std::uint64_t>,
                                            std::span<const std::uint64_t>)>;
    std::size_t change_hashes(Keys&& keys, bool inserts, const ChangeHashes& use);
    void insert(Keys&& keys);
    void add(const OneKey& key);
    void clear();
    void unite(const Filter& other);
    void add_counts(const Filter& other);
    void intersect(const Filter& other);

private:
    Filter(AnyFilter filter, bool is_new)
        : own_(std::make_shared<AnyFilter>(std::move(filter))),
          asked_(FrozenFilter(own_)),
          is_new_(is_new) {}
    AnyFilter& changed();
    KeyKind expect(KeyKind keys);
    void take_in(const Filter& other, const std::function<void(AnyFilter&)>& use);
    template <class Lock, class Use>
    auto locked(const Use& use) const {
        Lock lock(mutex_, std::try_to_lock);
        if (!lock) {
            const NoGil no_gil;
            lock.lock();
        }
        return use();
    }

    std::shared_ptr<AnyFilter> own_;
    JoinFilter asked_;
    py::object memory_;
    bool is_new_ = false;
    mutable std::shared_mutex mutex_;
};

/// The options of a filter by their Python names. Throws ValueError that names the value.
Options options_of(const std::optional<std::string>& isa, std::uint64_t seed,
                   const std::string& hashing, const std::optional<py::bytes>& secret,
                   std::size_t max_bytes);
Secret secret_of(const py::bytes& secret);

/// Raises OSError for a file, MemoryError for memory, else LoadError.
[[noreturn]] void throw_load_error(const LoadError& error, const std::filesystem::path* path);
template <class T>
T loaded(Loaded<T> from, const std::filesystem::path* path = nullptr) {
    if (!from) throw_load_error(from.error(), path);
    return std::move(from).value();
}

/// A bytes object, written by save(value, span).
template <class T>
py::bytes bytes_of(const T& value) {
    const std::size_t size = saved_size(value);
    auto bytes = py::reinterpret_steal<py::bytes>(
        PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
    if (!bytes) throw py::error_already_set();
    auto* const at = reinterpret_cast<std::byte*>(PyBytes_AS_STRING(bytes.ptr()));
    save(value, std::span(at, size));
    return bytes;
}
/// What __reduce__ returns: pickles have the bytes of to_bytes(). more: further arguments of
/// from_bytes().
py::tuple unpickling(const py::object& self, const py::tuple& more = py::tuple());
/// The bytes of a contiguous buffer.
class BufferOf {
public:
    /// Throws TypeError for an object without a buffer, BufferError for a strided one.
    explicit BufferOf(py::handle object) {
        if (PyObject_CheckBuffer(object.ptr()) == 0)
            throw py::type_error("simdbloom: " + repr_of(object) +
                                 " is neither bytes nor another buffer");
        if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_SIMPLE) != 0)
            throw py::error_already_set();
    }
    BufferOf(const BufferOf&) = delete;
    BufferOf& operator=(const BufferOf&) = delete;
    ~BufferOf() { PyBuffer_Release(&buffer_); }
    std::span<const std::byte> bytes() const noexcept {
        return {static_cast<const std::byte*>(buffer_.buf), static_cast<std::size_t>(buffer_.len)};
    }

private:
    Py_buffer buffer_{};
};

/// A path. Throws TypeError for what is neither a path nor a file, that is, has no such method.
std::filesystem::path path_of(const py::object& file, const char* method);
/// Writes to a path by save(path), or bytes() to an object with write().
void save_to(const py::object& file, const std::function<void(const std::filesystem::path&)>& save,
             const std::function<py::bytes()>& bytes);
/// What read() of a file object gives; null for a path.
py::object read_from(const py::object& file);

/// Defines to_bytes, save, from_bytes, load and pickling. content(object) is the T to save;
/// object(T) holds a loaded T.
template <class T, class Type, class Content, class Object>
void define_saving(Type& type, const Content& content, const Object& object) {
    using Class = typename Type::type;
    using Path = std::filesystem::path;
    type.def(
        "to_bytes", [=](const Class& self) { return bytes_of(content(self)); },
        "The bytes of the library's format.");
    type.def(
        "save",
        [=](const Class& self, const py::object& file) {
            save_to(
                file, [&](const Path& path) { save_file(content(self), path); },
                [&] { return bytes_of(content(self)); });
        },
        py::arg("file"),
        "Writes the bytes of to_bytes() to a path, or to an object with write(). OSError if that "
        "fails.");
    type.def_static(
        "from_bytes",
        [=](py::handle data) { return object(loaded(simdbloom::load<T>(BufferOf(data).bytes()))); },
        py::arg("data"), "The object of to_bytes(). LoadError for invalid bytes.");
    type.def_static(
        "load",
        [=](const py::object& file) {
            if (const py::object data = read_from(file))
                return object(loaded(simdbloom::load<T>(BufferOf(data).bytes())));
            const Path path = path_of(file, "read");
            return object(loaded(simdbloom::load_file<T>(path), &path));
        },
        py::arg("file"),
        "The object of a saved file: a path, or an object whose read() gives the bytes. OSError if "
        "it cannot be read, LoadError for invalid bytes.");
    type.def("__reduce__", [](const py::object& self) { return unpickling(self); });
}

void define_calls(py::module_& module);
void define_facts(py::class_<Filter, std::shared_ptr<Filter>>& type);
void define_filter(py::module_& module);
void define_foreign(py::module_& module);
void define_hashed(py::module_& module);
void define_making(py::class_<Filter, std::shared_ptr<Filter>>& type);
void define_filter_saving(py::class_<Filter, std::shared_ptr<Filter>>& type);
void define_join(py::module_& module);
void define_map(py::module_& module);
void define_models(py::module_& module);

}  // namespace simdbloom::python
