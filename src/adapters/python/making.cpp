// Filters made, saved, loaded and viewed in memory, and their pickles.

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <string>
#include <utility>

#include "filter.hpp"
#include "simdbloom/any/serialize.hpp"
#include "simdbloom/detail/little_endian.hpp"

namespace simdbloom::python {

Secret secret_of(const py::bytes& secret) {
    const std::string_view bytes = secret;
    if (bytes.size() != 16)
        throw py::value_error("simdbloom: a secret of " + std::to_string(bytes.size()) +
                              " bytes, not 16");
    return {detail::load_le<std::uint64_t>(bytes.data()),
            detail::load_le<std::uint64_t>(bytes.data() + 8)};
}

namespace {

using Text = std::optional<std::string>;
using MaybeSecret = std::optional<py::bytes>;

py::bytes bytes_of_secret(const Secret& secret) {
    char bytes[16];
    detail::store_le(bytes, secret.low);
    detail::store_le(bytes + 8, secret.high);
    return {bytes, sizeof bytes};
}

Hashing hashing_of(const std::string& name) {
    for (const Hashing hashing : {Hashing::fast, Hashing::seeded, Hashing::keyed})
        if (to_string(hashing) == name) return hashing;
    throw py::value_error("simdbloom: hashing \"" + name + "\" is not fast, seeded or keyed");
}

// In the order of LoadFault.
constexpr const char* fault_names[] = {"too_short", "foreign", "version",  "layout",    "secret",
                                       "parameter", "size",    "checksum", "alignment", "limit",
                                       "memory",    "file",    "isa",      "unlike"};
static_assert(std::size(fault_names) == static_cast<std::size_t>(LoadFault::unlike) + 1);

std::shared_ptr<Filter> made(const std::string& spec, std::size_t n_keys,
                             std::optional<double> bits_per_key, std::optional<double> fpr,
                             std::optional<double> growth, std::optional<double> tightening,
                             Options options) {
    if (bits_per_key.has_value() == fpr.has_value())
        throw py::type_error("simdbloom: Filter takes either bits_per_key or fpr");
    if (growth || tightening) {
        if (!spec.starts_with("scalable") || !fpr)
            throw py::type_error(
                "simdbloom: growth and tightening need spec=\"scalable\" and "
                "fpr, not spec=\"" +
                spec + "\"");
        Scaling scaling{.first_capacity = n_keys, .fpr = *fpr};
        scaling.growth = growth.value_or(scaling.growth);
        scaling.tightening = tightening.value_or(scaling.tightening);
        options.spec = spec;
        const NoGil no_gil;
        return Filter::without_keys(AnyFilter(ScalableBloom(scaling, options)));
    }
    if (spec.starts_with("bloomier"))
        throw py::value_error("simdbloom: " + spec +
                              " needs all its keys at once: Map(keys, values)");
    if (spec.starts_with("fuse"))
        throw py::value_error("simdbloom: " + spec +
                              " needs all its keys at once: build_filter(keys, check_bits)");
    const NoGil no_gil;
    return Filter::without_keys(fpr ? make_filter_for_fpr(spec, n_keys, *fpr, options)
                                    : make_filter(spec, n_keys, *bits_per_key, options));
}

/// A view of a filter with a layout (plain), or of a fuse filter.
template <class Plain, class Fuse>
std::shared_ptr<Filter> viewed(const Plain& plain, const Fuse& fuse, py::object memory,
                               const std::filesystem::path* path) {
    Loaded<FrozenFilter> filter = [&] {
        const NoGil no_gil;
        return plain();
    }();
    if (filter) return std::make_shared<Filter>(*filter, std::move(memory));
    if (filter.error().fault == LoadFault::foreign)
        if (Loaded<BloomierMap> map = fuse())
            return std::make_shared<Filter>(FrozenFilter(AnyFilter(std::move(map).value())),
                                            std::move(memory));
    throw_load_error(filter.error(), path);
}

}  // namespace

Options options_of(const Text& isa, std::uint64_t seed, const std::string& hashing,
                   const MaybeSecret& secret, std::size_t max_bytes) {
    Options options;
    if (isa) options.isa = parse_isa(*isa);
    options.seed = seed;
    options.hashing = hashing_of(hashing);
    if (secret && options.hashing != Hashing::keyed)
        throw py::value_error("simdbloom: a secret needs hashing=\"keyed\", not \"" + hashing +
                              "\"");
    if (secret) options.secret = secret_of(*secret);
    options.max_bytes = max_bytes;
    return options;
}

std::filesystem::path path_of(const py::object& file, const char* method) {
    PyObject* bytes = nullptr;
    if (PyUnicode_Check(file.ptr()) == 0 && PyBytes_Check(file.ptr()) == 0 &&
        !py::hasattr(file, "__fspath__"))
        throw py::type_error("simdbloom: " + repr_of(file) +
                             (method == nullptr
                                  ? std::string(" is not a path")
                                  : std::string(" is neither a path nor has ") + method + "()"));
    if (PyUnicode_FSConverter(file.ptr(), &bytes) == 0) throw py::error_already_set();
    return py::cast<std::string>(py::reinterpret_steal<py::bytes>(bytes));
}

void save_to(const py::object& file, const std::function<void(const std::filesystem::path&)>& save,
             const std::function<py::bytes()>& bytes) {
    if (!py::hasattr(file, "write")) return save(path_of(file, "write"));
    py::object rest = py::memoryview(bytes());
    // A raw file may write less than it is given. Many a writer returns nothing.
    while (py::len(rest) != 0) {
        py::object written;
        try {
            written = file.attr("write")(rest);
        } catch (py::error_already_set& error) {
            if (!error.matches(PyExc_TypeError)) throw;
            py::raise_from(error, PyExc_TypeError,
                           ("simdbloom: write() of " + repr_of(file) +
                            " takes no bytes: open the file in binary mode")
                               .c_str());
            throw py::error_already_set();
        }
        if (written.is_none()) return;
        const auto n = written.cast<py::ssize_t>();
        if (n <= 0 || n > static_cast<py::ssize_t>(py::len(rest))) {
            PyErr_Format(PyExc_OSError, "simdbloom: write() of %R wrote %zd of %zu bytes",
                         file.ptr(), n, py::len(rest));
            throw py::error_already_set();
        }
        rest = rest[py::slice(n, static_cast<py::ssize_t>(py::len(rest)), 1)];
    }
}

py::object read_from(const py::object& file) {
    if (!py::hasattr(file, "read")) return {};
    py::object data = file.attr("read")();
    if (PyObject_CheckBuffer(data.ptr()) == 0)
        throw py::type_error("simdbloom: read() gave " + repr_of(py::type::of(data)) +
                             ", not bytes: open the file in binary mode");
    return data;
}

py::tuple unpickling(const py::object& self, const py::tuple& more) {
    return py::make_tuple(py::module_::import("simdbloom").attr("_unpickle"),
                          py::make_tuple(py::type::of(self), self.attr("to_bytes")()) + more);
}

void throw_load_error(const LoadError& error, const std::filesystem::path* path) {
    if (error.fault == LoadFault::file && path != nullptr) {
        // Python's open() raises the right class of OSError, with errno.
        const py::object name =
            py::module_::import("os").attr("fsdecode")(py::bytes(path->native()));
        py::module_::import("builtins").attr("open")(name, "rb").attr("close")();
        PyErr_SetString(PyExc_OSError, ("simdbloom: " + error.message).c_str());
    } else if (error.fault == LoadFault::memory) {
        PyErr_SetString(PyExc_MemoryError, ("simdbloom: " + error.message).c_str());
    } else {
        const py::object type = py::module_::import("simdbloom").attr("LoadError");
        const py::object raised = type("simdbloom: " + error.message);
        raised.attr("fault") = fault_names[static_cast<std::size_t>(error.fault)];
        PyErr_SetObject(type.ptr(), raised.ptr());
    }
    throw py::error_already_set();
}

void define_making(py::class_<Filter, std::shared_ptr<Filter>>& type) {
    type.def(
        py::init([](const std::string& spec, std::size_t n_keys, std::optional<double> bits_per_key,
                    std::optional<double> fpr, const Text& isa, std::uint64_t seed,
                    const std::string& hashing, const MaybeSecret& secret, std::size_t max_bytes,
                    unsigned fold_levels, bool huge_pages, std::optional<double> growth,
                    std::optional<double> tightening) {
            Options options = options_of(isa, seed, hashing, secret, max_bytes);
            options.fold_levels = fold_levels;
            options.huge_pages = huge_pages;
            return made(spec, n_keys, bits_per_key, fpr, growth, tightening, options);
        }),
        py::arg("spec"), py::arg("n_keys"), py::arg("bits_per_key") = py::none(), py::kw_only(),
        py::arg("fpr") = py::none(), py::arg("isa") = py::none(), py::arg("seed") = 0,
        py::arg("hashing") = "fast", py::arg("secret") = py::none(), py::arg("max_bytes") = 0,
        py::arg("fold_levels") = 0, py::arg("huge_pages") = true, py::arg("growth") = py::none(),
        py::arg("tightening") = py::none());
    type.def_property_readonly(
        "secret",
        [](const Filter& self) -> py::object {
            if (const RowHash hash = self.row_hash(); hash.secret)
                return bytes_of_secret(*hash.secret);
            return py::none();
        },
        "The 16 bytes of hashing='keyed', else None.");
}

namespace {

/// Defines a static method that reads a filter: read(from, options).
template <class From, class Read>
void define_reader(py::class_<Filter, std::shared_ptr<Filter>>& type, const char* name,
                   const char* argument, const char* doc, const Read& read) {
    type.def_static(
        name,
        [=](const From& from, const Text& isa, const MaybeSecret& secret, std::size_t max_bytes) {
            // A secret implies a keyed hash.
            return read(from, options_of(isa, 0, secret ? "keyed" : "fast", secret, max_bytes));
        },
        py::arg(argument), py::kw_only(), py::arg("isa") = py::none(),
        py::arg("secret") = py::none(), py::arg("max_bytes") = 0, doc);
}

/// load() without the GIL.
template <class Load>
std::shared_ptr<Filter> read_filter(const Load& load, const std::filesystem::path* path = nullptr) {
    Loaded<AnyFilter> filter = [&] {
        const NoGil no_gil;
        return load();
    }();
    return std::make_shared<Filter>(loaded(std::move(filter), path));
}

}  // namespace

void define_filter_saving(py::class_<Filter, std::shared_ptr<Filter>>& type) {
    using Path = std::filesystem::path;
    type.def(
        "to_bytes",
        [](const Filter& self) {
            return self.read([](const AnyFilter& f) { return bytes_of(f); });
        },
        "The bytes of the library's format, without the secret of a keyed hash.");
    type.def(
        "save",
        [](const Filter& self, const py::object& file) {
            save_to(
                file,
                [&](const Path& path) {
                    self.read_long([&](const AnyFilter& f) { save_file(f, path); });
                },
                [&] { return self.read([](const AnyFilter& f) { return bytes_of(f); }); });
        },
        py::arg("file"),
        "Writes the bytes of to_bytes() to a path, or leaves the file as it was: OSError. Or to an "
        "object with write().");
    define_reader<py::object>(
        type, "from_bytes", "data",
        "The filter of to_bytes(), from an object with a buffer. secret: of a keyed filter. "
        "max_bytes: LoadError for a larger filter, 0 for no limit.\n\nRaises LoadError, whose "
        "`fault` says what is wrong with the bytes, TypeError for no buffer, MemoryError.",
        [](const py::object& data, const Options& options) {
            const BufferOf buffer(data);
            return read_filter([&] { return load<AnyFilter>(buffer.bytes(), options); });
        });
    define_reader<py::object>(
        type, "load", "file",
        "The filter of a saved file: a path, or an object whose read() gives the bytes. Arguments "
        "and errors as of from_bytes; OSError (FileNotFoundError, ..) if the file cannot be read.",
        [](const py::object& file, const Options& options) {
            if (const py::object data = read_from(file)) {
                const BufferOf buffer(data);
                return read_filter([&] { return load<AnyFilter>(buffer.bytes(), options); });
            }
            const Path path = path_of(file, "read");
            return read_filter([&] { return load_file<AnyFilter>(path, options); }, &path);
        });
    define_reader<py::object>(
        type, "map", "path",
        "A read-only filter whose bits stay in the file. The file may be removed, but must not "
        "change or be cut. Errors as of load. Changes raise ValueError.",
        [](const py::object& file, const Options& options) {
            const Path path = path_of(file, nullptr);
            return viewed([&] { return map_file<FrozenFilter>(path, options); },
                          [&] { return map_file<BloomierMap>(path, options); }, py::object(),
                          &path);
        });
    define_reader<py::object>(
        type, "view", "buffer",
        "A read-only filter whose bits stay in the buffer, which must not change. They are copied "
        "if the buffer does not begin at a multiple of 64 bytes, as bytes objects do not.",
        [](const py::object& buffer, const Options& options) {
            const BufferOf held(buffer);
            // A memoryview holds the buffer for as long as the filter lives.
            const py::object memory =
                py::reinterpret_steal<py::object>(PyMemoryView_FromObject(buffer.ptr()));
            if (!memory) throw py::error_already_set();
            if (reinterpret_cast<std::uintptr_t>(held.bytes().data()) % 64 != 0) {
                Loaded<AnyFilter> copy = load<AnyFilter>(held.bytes(), options);
                return std::make_shared<Filter>(FrozenFilter(loaded(std::move(copy))));
            }
            return viewed([&] { return view<FrozenFilter>(held.bytes(), options); },
                          [&] { return view<BloomierMap>(held.bytes(), options); }, memory,
                          nullptr);
        });
    type.def("__reduce__", [](const py::object& self) {
        if (self.attr("hashing").cast<std::string>() == "keyed")
            throw py::type_error(
                "simdbloom: a keyed filter is not pickled, because its secret would go with it; "
                "save it, and load it with secret=");
        return unpickling(self);
    });
}

}  // namespace simdbloom::python
