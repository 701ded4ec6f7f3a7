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

/// Calls use() under the lock, with the GIL, which is released while waiting for the lock.
template <class Lock, class Use>
auto locked(std::shared_mutex& mutex, const Use& use) {
    Lock lock(mutex, std::try_to_lock);
    if (!lock) {
        const NoGil no_gil;
        lock.lock();
    }
    return use();
}

/// What rows are hashed with for a filter.
inline RowHash hash_of_rows(const detail::KeyHash& hash) {
    RowHash of{hash.seed(), {}};
    if (hash.keyed()) of.secret = hash.secret();
    return of;
}

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
    RowHash row_hash() const { return hash_of_rows(get().key_hash()); }
    /// Of filters without keys the kind is open. Needs the lock.
    bool is_new() const noexcept { return is_new_; }
    std::shared_mutex& mutex() const noexcept { return mutex_; }

    /// Calls use(filter) under the readers' lock, with the GIL.
    template <class Use>
    auto read(const Use& use) const {
        return locked<std::shared_lock<std::shared_mutex>>(mutex_, [&] { return use(get()); });
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
        return locked<std::unique_lock<std::shared_mutex>>(mutex_, [&] { return use(filter); });
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

    std::shared_ptr<AnyFilter> own_;
    JoinFilter asked_;
    py::object memory_;
    bool is_new_ = false;
    mutable std::shared_mutex mutex_;
};

/// Defines `hashes`. hash_of(self) gives the hash of rows and the kind of the keys.
template <class Type, class HashOf>
void define_hashes(Type& type, const HashOf& hash_of) {
    type.def(
        "hashes",
        [=](const typename Type::type& self, py::handle keys) {
            Keys batch(keys);
            const auto [hash, kind] = hash_of(self);
            const HashedKeys of(batch, hash, [kind = kind](const JoinRows& rows) {
                return asked_rows(kind, rows);
            });
            return py::array_t<std::uint64_t>(static_cast<py::ssize_t>(of.hashes.size()),
                                              of.hashes.data());
        },
        py::arg("keys"),
        "The n hashes of the keys under this seed and secret, as uint64. Every call of a structure "
        "with that seed and secret takes them with hashed=True.");
}

/// A JoinFilter. It never changes, so no thread waits for the lock.
struct Join {
    JoinFilter filter;
    mutable std::shared_mutex mutex{};

    explicit Join(const JoinFilter& of) : filter(of) {}
    /// A list or bitmap comes from a builder, which hashes rows with seed 0.
    RowHash row_hash() const {
        return filter.filter() != nullptr ? hash_of_rows(filter.filter()->key_hash()) : RowHash{};
    }
    Asked asked() const { return {&filter, row_hash(), mutex}; }
};

/// The options of a filter by their Python names. Throws ValueError that names the value.
Options options_of(const std::optional<std::string>& isa, std::uint64_t seed,
                   const std::string& hashing, const std::optional<py::bytes>& secret,
                   std::size_t max_bytes);
Secret secret_of(const py::bytes& secret);
py::bytes bytes_of_secret(const Secret& secret);
/// The hashes of the keys of a structure that will be made with these options, NULLs left out. Sets
/// the kind of the keys, and the seed or secret that must be drawn.
std::vector<std::uint64_t> hashes_for_new(py::handle keys, bool hashed, Options& options);

/// Defines `secret`. hash_of(self) gives the hash of rows.
template <class Type, class HashOf>
void define_secret(Type& type, const HashOf& hash_of) {
    type.def_property_readonly(
        "secret",
        [=](const typename Type::type& self) -> py::object {
            if (const RowHash hash = hash_of(self); hash.secret)
                return bytes_of_secret(*hash.secret);
            return py::none();
        },
        "The 16 bytes of hashing='keyed', else None.");
}

/// Raises OSError for a file, MemoryError for memory, else LoadError.
[[noreturn]] void throw_load_error(const LoadError& error, const std::filesystem::path* path);
template <class T>
T loaded(Loaded<T> from, const std::filesystem::path* path = nullptr) {
    if (!from) throw_load_error(from.error(), path);
    return std::move(from).value();
}
/// Of load(), which needs no GIL.
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

/// A path. Throws TypeError for what is neither a path nor a file, that is, has no such method.
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
        [=](const py::object& from, const std::optional<std::string>& isa,
            const std::optional<py::bytes>& secret, std::size_t max_bytes) {
            // A secret implies a keyed hash.
            return read(from, options_of(isa, 0, secret ? "keyed" : "fast", secret, max_bytes));
        },
        py::arg(argument), py::kw_only(), py::arg("isa") = py::none(),
        py::arg("secret") = py::none(), py::arg("max_bytes") = 0, doc);
}

/// Defines `view`: copy(bytes, options), view(bytes, options, memory).
template <class Type, class Copy, class View>
void define_view(Type& type, const Copy& copy, const View& view) {
    define_reader(
        type, "view", "buffer",
        "The object of to_bytes(), read-only: its bits stay in the buffer, which must not change. "
        "They are copied if the buffer does not begin at a multiple of 64 bytes, as bytes objects "
        "do not.",
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

/// Defines to_bytes, save, from_bytes, load and pickling. read(self, use) calls use(T) under the
/// lock, if there is one, with the GIL; object(T) holds a loaded T.
template <class T, class Type, class Content, class Object>
void define_saving(Type& type, const Content& read, const Object& object) {
    using Class = typename Type::type;
    using Path = std::filesystem::path;
    const auto bytes = [=](const Class& self) {
        return read(self, [](const T& value) { return bytes_of(value); });
    };
    type.def("to_bytes", bytes,
             "The bytes of the library's format, without the secret of a keyed hash.");
    type.def(
        "save",
        [=](const Class& self, const py::object& file) {
            save_to(
                file,
                [&](const Path& path) {
                    read(self, [&](const T& value) {
                        const NoGil no_gil;
                        save_file(value, path);
                    });
                },
                [&] { return bytes(self); });
        },
        py::arg("file"),
        "Writes the bytes of to_bytes() to a path, or leaves the file as it was: OSError. Or to an "
        "object with write().");
    const auto of_buffer = [=](const py::object& data, const Options& options) {
        const BufferOf buffer(data);
        return object(loaded_by<T>([&] { return load<T>(buffer.bytes(), options); }));
    };
    define_reader(
        type, "from_bytes", "data",
        "The object of to_bytes(), from an object with a buffer. secret: of a keyed hash. "
        "max_bytes: LoadError for a larger one, 0 for no limit.\n\nRaises LoadError, whose "
        "`fault` says what is wrong with the bytes, TypeError for no buffer, MemoryError.",
        of_buffer);
    define_reader(
        type, "load", "file",
        "The object of a saved file: a path, or an object whose read() gives the bytes. Arguments "
        "and errors as of from_bytes; OSError (FileNotFoundError, ..) if the file cannot be read.",
        [=](const py::object& file, const Options& options) {
            if (const py::object data = read_from(file)) return of_buffer(data, options);
            const Path path = path_of(file, "read");
            return object(loaded_by<T>([&] { return load_file<T>(path, options); }, &path));
        });
    type.def("__reduce__", [=](const py::object& self) {
        if (read(self.cast<const Class&>(), [](const T& value) { return is_keyed(value); }))
            throw py::type_error(
                "simdbloom: what has a keyed hash is not pickled, because its secret would go "
                "with it; save it, and load it with secret=");
        return unpickling(self);
    });
}

/// Defines `worth`. of(self, workload) gives a Worth.
template <class Type, class Of>
void define_worth(Type& type, const Of& of) {
    type.def(
        "worth",
        [=](typename Type::type& self, double work_ns, double hits) {
            Workload workload;
            workload.work_ns = work_ns;
            workload.hits = hits;
            return of(self, workload);
        },
        py::arg("work_ns"), py::kw_only(), py::arg("hits") = 0,
        "Probes the filter for some milliseconds: a Worth, which says whether it pays. work_ns: ns "
        "that a row that passes costs further on. hits: the share of rows with a partner. "
        "ValueError for numbers that make no sense.");
}

void define_bank(py::module_& module);
void define_calls(py::module_& module);
void define_exchange(py::module_& module);
void define_facts(py::class_<Filter, std::shared_ptr<Filter>>& type);
void define_filter(py::module_& module);
void define_foreign(py::module_& module);
void define_hashed(py::module_& module);
void define_making(py::class_<Filter, std::shared_ptr<Filter>>& type);
void define_filter_saving(py::class_<Filter, std::shared_ptr<Filter>>& type);
void define_join(py::module_& module);
void define_map(py::module_& module);
void define_models(py::module_& module);
void define_schemes(py::module_& module);
void define_star(py::module_& module);

}  // namespace simdbloom::python
