// The Python class ForeignFilter: the Bloom filters of other systems, byte for byte.

#include "simdbloom/foreign/foreign.hpp"

#include <pybind11/stl.h>

#include <memory>
#include <string>

#include "structures.hpp"

namespace simdbloom::python {

namespace {

using Path = std::filesystem::path;

using Foreign = Plain<ForeignFilter>;

std::string name_of(const ForeignFilter& filter) { return std::string(to_string(filter.format())); }

using Shared = std::shared_ptr<Foreign>;

Shared shared(ForeignFilter filter) {
    std::string owner = "a filter of " + name_of(filter);
    return std::make_shared<Foreign>(std::move(filter), std::move(owner));
}
void unite(Foreign& self, const Foreign& other) {
    const ForeignFilter more = other.read([](const ForeignFilter& f) { return f; });
    self.write([&](ForeignFilter& f) { f |= more; });
}

Shared made_foreign(const std::string& format, std::size_t n_keys,
                    std::optional<double> bits_per_key, std::optional<double> fpr, const Text& isa,
                    std::size_t max_bytes) {
    check_size("ForeignFilter", bits_per_key, fpr);
    const ForeignFormat as = parse_foreign_format(format);
    const Options options = options_of(isa, 0, "fast", {}, max_bytes);
    const NoGil no_gil;
    return shared(fpr ? ForeignFilter::for_fpr(as, n_keys, *fpr, options)
                      : ForeignFilter::with_bits_per_key(as, n_keys, *bits_per_key, options));
}

KeyKind kind_of_name(const Text& name) {
    if (!name) return KeyKind::unknown;
    for (const KeyKind kind : {KeyKind::integers, KeyKind::bytes})
        if (to_string(kind) == *name) return kind;
    throw py::value_error("simdbloom: keys=\"" + *name + "\" is not integers or bytes");
}

Shared of_filter(const Filter& from, const std::string& format) {
    const ForeignFormat as = parse_foreign_format(format);
    return shared(from.read([&](const AnyFilter& f) {
        const auto* const split = f.get_if<SplitBlockBloom>();
        if (split == nullptr)
            throw py::value_error("simdbloom: " + f.spec() + " has not the bits of " + format +
                                  ", as split256 of text has");
        if (f.key_kind() != KeyKind::bytes)
            throw py::type_error("simdbloom: a filter of kind " + to_string(f.key_kind()) +
                                 " cannot become one of " + format + ", only one of bytes");
        return ForeignFilter::from_split_blocks(as, *split, KeyKind::bytes);
    }));
}

std::shared_ptr<Filter> to_filter(const Foreign& self) {
    return std::make_shared<Filter>(self.read([](const ForeignFilter& f) {
        if (f.split_blocks() == nullptr)
            throw py::value_error("simdbloom: a filter of " + name_of(f) +
                                  " has the bits of no filter of simdbloom");
        AnyFilter own(*f.split_blocks());
        own.set_key_kind(KeyKind::bytes);
        return own;
    }));
}

/// Reads bytes or a file: read(from, format..) with the format or without.
template <class From>
Shared read_as(const From& from, const Text& format, const Options& options,
               Loaded<ForeignFilter> (*as)(From, ForeignFormat, const Options&) noexcept,
               Loaded<ForeignFilter> (*any)(From, const Options&) noexcept,
               const Path* path = nullptr) {
    std::optional<ForeignFormat> named;
    if (format) named = parse_foreign_format(*format);
    return shared(loaded_by<ForeignFilter>(
        [&] { return named ? as(from, *named, options) : any(from, options); }, path));
}

Shared from_buffer(py::handle data, const Text& format, const Text& isa, std::size_t max_bytes) {
    const BufferOf buffer(data);
    return read_as<std::span<const std::byte>>(buffer.bytes(), format,
                                               options_of(isa, 0, "fast", {}, max_bytes),
                                               &read_foreign, &read_foreign);
}

void define_reading(ClassOf<Foreign>& type) {
    const auto format = "format"_a = py::none(), isa = "isa"_a = py::none();
    const auto max_bytes = "max_bytes"_a = 0;
    type.def_static("from_bytes", &from_buffer, "data"_a, format, py::kw_only(), isa, max_bytes,
                    "The filter that a system wrote. format: its name, which 'leveldb' and "
                    "'impala' need. LoadError for other bytes; a flipped bit of a filter is not "
                    "noticed.");
    type.def_static(
        "load",
        [](const py::object& file, const Text& as, const Text& on, std::size_t limit) {
            if (const py::object data = read_from(file)) return from_buffer(data, as, on, limit);
            const Path path = path_of(file, "read");
            return read_as<const FileName&>(path, as, options_of(on, 0, "fast", {}, limit),
                                            &read_foreign_file, &read_foreign_file, &path);
        },
        "file"_a, format, py::kw_only(), isa, max_bytes,
        "The same of a path, or of an object whose read() gives the bytes. OSError if it cannot be "
        "read.");
    define_writing(type, "The bytes that the system writes.", [](const Foreign& self) {
        return bytes_from(self.read([](const auto& f) { return f.write(); }));
    });
    type.def("__reduce__", [](const py::object& self) {
        return unpickling(self, py::make_tuple(self.attr("format")));
    });
    type.def(
        "convert",
        [](const Foreign& self, const std::string& to, const Text& keys) {
            const ForeignFormat as = parse_foreign_format(to);
            const KeyKind kind = kind_of_name(keys);
            return shared(loaded(self.read([&](const auto& f) { return convert(f, as, kind); })));
        },
        "to"_a, py::kw_only(), "keys"_a = py::none(),
        "The same keys in another format that has the same bits. keys: 'integers' or 'bytes', "
        "which 'milvus' must be told. LoadError that says what differs.");
    type.def_static("from_filter", &of_filter, "filter"_a, "format"_a,
                    "A split256 Filter of text or bytes with seed 0 as 'parquet' or 'milvus'.");
    type.def("to_filter", &to_filter,
             "The bits of 'parquet' or 'milvus' as a split256 Filter, which finds text and bytes.");
}

}  // namespace

void define_foreign(py::module_& module) {
    ClassOf<Foreign> type(
        module, "ForeignFilter",
        "A Bloom filter of another system: its bits, hashes and bytes.\n\nformat: one of "
        "foreign_formats(). n_keys, and bits_per_key or fpr, which the system takes: its formula "
        "gives the size. Keys are integers, hashed as 64 bits, or text and bytes. isa, max_bytes: "
        "as of Filter. Raises ValueError that names the argument.");
    type.def(py::init(&made_foreign), "format"_a, "n_keys"_a, "bits_per_key"_a = py::none(),
             py::kw_only(), "fpr"_a = py::none(), "isa"_a = py::none(), "max_bytes"_a = 0);
    define_filling(type);
    define_reading(type);
    define_copying(type);
    define_operator(type, "__ior__", "__or__", &unite);
    define_facts(type);
    define_property(type, "format", "The name of its format.", &name_of);
    define_property(type, "details", "What its bytes say besides: seed, strategy, ..",
                    &ForeignFilter::details);
    define_call(type, "__repr__", "", [](const ForeignFilter& f) {
        return "<simdbloom.ForeignFilter of " + name_of(f) + ", " +
               std::to_string(f.size_in_bytes()) + " bytes>";
    });
    module.def(
        "foreign_formats", [] { return names_of(foreign_formats()); },
        "The names of the formats of ForeignFilter.");
    module.def(
        "foreign_formats_of",
        [](py::handle data) {
            const BufferOf buffer(data);
            return names_of(foreign_formats_of(buffer.bytes()));
        },
        "data"_a,
        "The formats whose fixed bytes and lengths these bytes have; never 'leveldb' and "
        "'impala'.");
}

}  // namespace simdbloom::python
