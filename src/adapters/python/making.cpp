// Filters made, saved, loaded and viewed in memory, and their pickles.

#include <pybind11/stl.h>

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

py::bytes bytes_of_secret(const Secret& secret) {
    char bytes[16];
    detail::store_le(bytes, secret.low);
    detail::store_le(bytes + 8, secret.high);
    return {bytes, sizeof bytes};
}

namespace {

Hashing hashing_of(const std::string& name) {
    for (const Hashing hashing : {Hashing::fast, Hashing::seeded, Hashing::keyed})
        if (to_string(hashing) == name) return hashing;
    throw py::value_error("simdbloom: hashing \"" + name + "\" is not fast, seeded or keyed");
}

// In the order of LoadFault.
constexpr const char* fault_names[] = {
    "too_short", "foreign",   "structure", "version", "layout", "secret", "parameter", "size",
    "checksum",  "alignment", "limit",     "memory",  "file",   "isa",    "unlike"};
static_assert(std::size(fault_names) == static_cast<std::size_t>(LoadFault::unlike) + 1);

std::shared_ptr<Filter> made(const std::string& spec, std::size_t n_keys,
                             std::optional<double> bits_per_key, std::optional<double> fpr,
                             std::optional<double> growth, std::optional<double> tightening,
                             Options options) {
    check_size("Filter", bits_per_key, fpr);
    if (growth || tightening) {
        if (!spec.starts_with("scalable") || !fpr)
            throw py::type_error(
                "simdbloom: growth and tightening need spec=\"scalable\" and fpr, not spec=\"" +
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

/// A read-only filter: by plain() if it has a layout, else by fuse() if it is a fuse filter, else
/// by copy(), unless that is null: structures of several filters cannot be viewed in place.
template <class Plain, class Fuse, class Copy>
std::shared_ptr<Filter> viewed(const Plain& plain, const Fuse& fuse, const Copy& copy,
                               py::object memory, const std::filesystem::path* path) {
    const auto read = [](const auto& by) {
        const NoGil no_gil;
        return by();
    };
    const Loaded<FrozenFilter> filter = read(plain);
    if (filter) return std::make_shared<Filter>(*filter, std::move(memory));
    LoadError error = filter.error();
    if (error.fault == LoadFault::structure) {
        if (Loaded<BloomierMap> map = read(fuse))
            return std::make_shared<Filter>(FrozenFilter(AnyFilter(std::move(map).value())),
                                            std::move(memory));
        else if (map.error().fault != LoadFault::structure) error = map.error();
    }
    if constexpr (requires { copy(); })
        if (error.fault == LoadFault::structure) {
            if (Loaded<AnyFilter> whole = read(copy))
                return std::make_shared<Filter>(FrozenFilter(std::move(whole).value()));
            else error = whole.error();
        }
    throw_load_error(error, path);
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
        if (PyLong_Check(written.ptr()) == 0)
            throw py::type_error("simdbloom: write() of " + repr_of(file) + " returned " +
                                 repr_of(written) + ", not a number of bytes");
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

void define_making(ClassOf<Filter>& type) {
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
        "spec"_a, "n_keys"_a, "bits_per_key"_a = py::none(), py::kw_only(), "fpr"_a = py::none(),
        "isa"_a = py::none(), "seed"_a = 0, "hashing"_a = "fast", "secret"_a = py::none(),
        "max_bytes"_a = 0, "fold_levels"_a = 0, "huge_pages"_a = true, "growth"_a = py::none(),
        "tightening"_a = py::none());
}

void define_filter_saving(ClassOf<Filter>& type) {
    using Path = std::filesystem::path;
    define_saving(type);
    define_mapping(type, [](const Path& path, const Options& options) {
        return viewed([&] { return map_file<FrozenFilter>(path, options); },
                      [&] { return map_file<BloomierMap>(path, options); }, nullptr, py::object(),
                      &path);
    });
    using Bytes = std::span<const std::byte>;
    define_view(
        type,
        [](Bytes bytes, const Options& options) {
            return std::make_shared<Filter>(FrozenFilter(loaded(load<AnyFilter>(bytes, options))));
        },
        [](Bytes bytes, const Options& options, const py::object& memory) {
            return viewed([&] { return view<FrozenFilter>(bytes, options); },
                          [&] { return view<BloomierMap>(bytes, options); },
                          [&] { return load<AnyFilter>(bytes, options); }, memory, nullptr);
        });
}

}  // namespace simdbloom::python
