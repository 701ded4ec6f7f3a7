// How structures of Python are made with options, and saved and loaded.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "keys.hpp"
#include "simdbloom/any/serialize.hpp"

namespace simdbloom::python {

using Text = std::optional<std::string>;
using MaybeSecret = std::optional<py::bytes>;

/// The options of a filter by their Python names. Throws ValueError that names the value.
Options options_of(const Text& isa, std::uint64_t seed, const std::string& hashing,
                   const MaybeSecret& secret, std::size_t max_bytes);
/// Throws TypeError that names the class unless exactly one size is given.
inline void check_size(const std::string& name, std::optional<double> bits_per_key,
                       std::optional<double> fpr) {
    if (bits_per_key.has_value() == fpr.has_value())
        throw py::type_error("simdbloom: " + name + " takes either bits_per_key or fpr");
}
Secret secret_of(const py::bytes& secret);
py::bytes bytes_of_secret(const Secret& secret);
/// The names of formats or instruction sets.
template <class Range>
std::vector<std::string> names_of(const Range& range) {
    std::vector<std::string> names;
    for (const auto& one : range) names.emplace_back(to_string(one));
    return names;
}
/// Raises OSError for a file, MemoryError for memory, else LoadError.
[[noreturn]] void throw_load_error(const LoadError& error, const std::filesystem::path* path);
template <class T>
T loaded(Loaded<T> from, const std::filesystem::path* path = nullptr) {
    if (!from) throw_load_error(from.error(), path);
    return std::move(from).value();
}
/// The structure that load() gives. load() runs without the GIL.
template <class T, class Load>
T loaded_by(const Load& load, const std::filesystem::path* path = nullptr) {
    Loaded<T> from = [&] {
        const NoGil no_gil;
        return load();
    }();
    return loaded(std::move(from), path);
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
inline py::bytes bytes_from(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
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

/// The path. Throws TypeError for an object that is not a path; the message says that the object
/// has no such method either, unless `method` is null.
std::filesystem::path path_of(const py::object& file, const char* method);
/// Writes to a path by save(path), or bytes() to an object with write().
void save_to(const py::object& file, const std::function<void(const std::filesystem::path&)>& save,
             const std::function<py::bytes()>& bytes);
/// What read() of a file object gives; null for a path.
py::object read_from(const py::object& file);

/// Defines a static method that reads a structure: read(from, options).
template <class Type, class Read>
void define_reader(Type& type, const char* name, const char* argument, const char* doc,
                   const Read& read) {
    type.def_static(
        name,
        [=](const py::object& from, const Text& isa, const MaybeSecret& secret,
            std::size_t max_bytes) {
            // A secret implies a keyed hash.
            return read(from, options_of(isa, 0, secret ? "keyed" : "fast", secret, max_bytes));
        },
        py::arg(argument), py::kw_only(), "isa"_a = py::none(), "secret"_a = py::none(),
        "max_bytes"_a = 0, doc);
}

/// Defines `map`: map(path, options).
template <class Type, class Map>
void define_mapping(Type& type, const Map& map) {
    define_reader(type, "map", "path",
                  "The object of a saved file, read-only: its bits stay in the file, which may be "
                  "removed, but must not change or be cut. Errors as of load. Changes raise "
                  "ValueError.",
                  [=](const py::object& file, const Options& options) {
                      return map(path_of(file, nullptr), options);
                  });
}

/// Defines `view`: copy(bytes, options), view(bytes, options, memory).
template <class Type, class Copy, class View>
void define_view(Type& type, const Copy& copy, const View& view) {
    define_reader(
        type, "view", "buffer",
        "The object of to_bytes(), read-only: its bits stay in the buffer, which must not change. "
        "They are copied if the buffer does not begin at a multiple of 64 bytes, as bytes objects "
        "do not, and if the structure has several filters.",
        [=](const py::object& buffer, const Options& options) {
            const BufferOf held(buffer);
            if (reinterpret_cast<std::uintptr_t>(held.bytes().data()) % 64 != 0)
                return copy(held.bytes(), options);
            // A memoryview holds the buffer for as long as the structure lives.
            const auto memory =
                py::reinterpret_steal<py::object>(PyMemoryView_FromObject(buffer.ptr()));
            if (!memory) throw py::error_already_set();
            return view(held.bytes(), options, memory);
        });
}

/// Whether a secret would have to go with a pickle.
template <class T>
bool is_keyed(const T& value) {
    if constexpr (requires { value.key_hash(); }) return value.key_hash().keyed();
    else return value.filter() != nullptr && is_keyed(*value.filter());
}

/// Defines to_bytes and save. bytes(self) gives the bytes.
template <class Type, class Bytes>
void define_writing(Type& type, const char* doc, const Bytes& bytes) {
    using Class = typename Type::type;
    type.def("to_bytes", bytes, doc);
    type.def(
        "save",
        [=](const Class& self, const py::object& file) {
            save_to(
                file,
                [&](const std::filesystem::path& path) {
                    self.read([&](const auto& value) { save_file(value, path); });
                },
                [&] { return bytes(self); });
        },
        "file"_a,
        "Writes the bytes of to_bytes() to a path, or leaves the file as it was: OSError. Or to an "
        "object with write().");
}

/// Defines to_bytes, save, from_bytes, load and pickling.
template <class Type>
void define_saving(Type& type) {
    using Class = typename Type::type;
    using T = typename Class::Of;
    using Path = std::filesystem::path;
    define_writing(type, "The bytes of the library's format, without the secret of a keyed hash.",
                   [](const Class& self) {
                       return self.held([](const T& value) { return bytes_of(value); });
                   });
    const auto of_buffer = [=](const py::object& data, const Options& options) {
        const BufferOf buffer(data);
        return std::make_shared<Class>(
            loaded_by<T>([&] { return load<T>(buffer.bytes(), options); }));
    };
    define_reader(
        type, "from_bytes", "data",
        "The object of to_bytes(), from an object with a buffer. secret: of a keyed hash. "
        "max_bytes: LoadError for a larger one, 0 for no limit.\n\nRaises LoadError, whose `fault` "
        "says what is wrong with the bytes, TypeError for no buffer, MemoryError.",
        of_buffer);
    define_reader(
        type, "load", "file",
        "The object of a saved file: a path, or an object whose read() gives the bytes. Arguments "
        "and errors as of from_bytes; OSError (FileNotFoundError, ..) if the file cannot be read.",
        [=](const py::object& file, const Options& options) {
            if (const py::object data = read_from(file)) return of_buffer(data, options);
            const Path path = path_of(file, "read");
            return std::make_shared<Class>(
                loaded_by<T>([&] { return load_file<T>(path, options); }, &path));
        });
    type.def("__reduce__", [=](const py::object& self) {
        if (self.cast<const Class&>().held([](const T& value) { return is_keyed(value); }))
            throw py::type_error(
                "simdbloom: what has a keyed hash is not pickled, because its secret would go with "
                "it; save it, and load it with secret=");
        return unpickling(self);
    });
}

}  // namespace simdbloom::python
