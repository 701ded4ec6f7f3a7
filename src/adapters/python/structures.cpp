// The Python classes ConcurrentFilter, CodeTable and SchemeBloom, which are no AnyFilter.

#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "simdbloom/detail/little_endian.hpp"
#include "simdbloom/textbook/code_table.hpp"
#include "simdbloom/textbook/scheme_bloom.hpp"
#include "simdbloom/textbook/string_hashes.hpp"
#include "structures.hpp"

namespace simdbloom::python {

namespace {

std::shared_ptr<Hashed<ConcurrentBloom>> concurrent(const std::string& spec, std::size_t n_keys,
                                                    std::optional<double> bits_per_key,
                                                    std::optional<double> fpr,
                                                    const Options& options) {
    return std::make_shared<Hashed<ConcurrentBloom>>(
        bits_per_key
            ? std::make_shared<ConcurrentBloom>(spec, n_keys, *bits_per_key, options)
            : std::make_shared<ConcurrentBloom>(make_filter_for_fpr(spec, n_keys, *fpr, options)));
}

std::shared_ptr<Hashed<CodeTable>> code_table(const std::string& spec, std::size_t n_keys,
                                              std::optional<double> bits_per_key,
                                              std::optional<double> fpr, Options options) {
    if (spec != "codes") options.spec = spec;
    return std::make_shared<Hashed<CodeTable>>(
        bits_per_key ? CodeTable::with_bits_per_key(n_keys, *bits_per_key, options)
                     : CodeTable::for_fpr(n_keys, *fpr, options));
}

/// Defines what both classes have. make(spec, n_keys, bits_per_key, fpr, options).
template <class S, class Make>
ClassOf<Hashed<S>> define_class(py::module_& module, const char* name, const char* doc,
                                const Make& make) {
    using H = Hashed<S>;
    ClassOf<H> type(module, name, doc);
    type.def(py::init([=](const std::string& spec, std::size_t n_keys,
                          std::optional<double> bits_per_key, std::optional<double> fpr,
                          const Text& isa, std::uint64_t seed, const std::string& hashing,
                          const MaybeSecret& secret, std::size_t max_bytes) {
                 check_size(name, bits_per_key, fpr);
                 const Options options = options_of(isa, seed, hashing, secret, max_bytes);
                 const NoGil no_gil;
                 return make(spec, n_keys, bits_per_key, fpr, options);
             }),
             "spec"_a, "n_keys"_a, "bits_per_key"_a = py::none(), py::kw_only(),
             "fpr"_a = py::none(), "isa"_a = py::none(), "seed"_a = 0, "hashing"_a = "fast",
             "secret"_a = py::none(), "max_bytes"_a = 0);
    define_filling(type);
    define_facts(type);
    define_call(type, "__repr__", "", [name](const S& s) {
        return "<simdbloom." + std::string(name) + " " + s.spec() + " of " +
               std::to_string(s.size_in_bytes()) + " bytes>";
    });
    return type;
}

void define_hashed(py::module_& module) {
    auto type = define_class<ConcurrentBloom>(
        module, "ConcurrentFilter",
        "A Bloom filter that threads fill and probe at the same time, without a lock: "
        "ConcurrentFilter(spec, n_keys, bits_per_key) or ConcurrentFilter(spec, n_keys, fpr=rate), "
        "with the options of Filter. Of all insert_if_new of a key at most one says that it is "
        "new.",
        &concurrent);
    define_call(type, "estimated_fpr", "The false-positive rate by the bits that are set now.",
                [](const ConcurrentBloom& s) { return s.snapshot().estimated_fpr(); });
    type.def(
        "snapshot",
        [](const Hashed<ConcurrentBloom>& self) {
            AnyFilter filter = self.read(&ConcurrentBloom::snapshot);
            filter.set_key_kind(self.key_kind());
            return std::make_shared<Filter>(std::move(filter));
        },
        "A Filter of the keys so far.");
    define_class<CodeTable>(
        module, "CodeTable",
        "A hash table of short codes (Bloom 1970, method 1), for comparison: CodeTable('codes', "
        "n_keys, bits_per_key) or CodeTable('codes', n_keys, fpr=rate); 'codes:c=9' has codes of 9 "
        "bits. Options as of Filter.",
        &code_table);
}

// SchemeBloom: one array of bits and hash functions of the user's choice.

py::object key_object(std::uint64_t key) { return py::int_(key); }
py::object key_object(std::string_view key) { return py::bytes(key.data(), key.size()); }

/// The low 64 bits of what a Python function returns. Takes the GIL.
template <class... Args>
std::uint64_t called(const py::object& function, const Args&... args) {
    const py::gil_scoped_acquire gil;
    const py::object given = function(args()...);
    const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(given.ptr()));
    if (!number) {
        PyErr_Clear();
        throw py::type_error("simdbloom: " + repr_of(function) + " gave " + repr_of(given) +
                             ", not an integer");
    }
    return PyLong_AsUnsignedLongLongMask(number.ptr());
}

/// A Python function of a key. Its copies share the object, which is let go with the GIL.
class Function {
public:
    explicit Function(py::object function)
        : function_(new py::object(std::move(function)), [](py::object* held) {
              const py::gil_scoped_acquire gil;
              delete held;
          }) {}
    template <class Key>
    std::uint64_t operator()(const Key& key) const {
        return called(*function_, [&] { return key_object(key); });
    }
    template <class Key>
    std::uint64_t operator()(const Key& key, std::uint64_t seed) const {
        return called(
            *function_, [&] { return key_object(key); }, [&] { return py::int_(seed); });
    }

private:
    std::shared_ptr<py::object> function_;
};

/// A hash of the library of bytes. An integer is its eight little-endian bytes.
struct Named {
    const char* name;
    std::uint64_t (*hash)(std::string_view key, std::uint64_t seed);

    std::uint64_t operator()(std::string_view key, std::uint64_t seed) const {
        return hash(key, seed);
    }
    std::uint64_t operator()(std::uint64_t key, std::uint64_t seed) const {
        char bytes[8];
        detail::store_le(bytes, key);
        return hash({bytes, sizeof bytes}, seed);
    }
};
template <class H>
std::uint64_t hash_by(std::string_view key, std::uint64_t seed) {
    return H{}(key, seed);
}
constexpr Named hashes[] = {{"xxh64", &hash_by<BytesHasher>},
                            {"fnv1a", &hash_by<Fnv1a>},
                            {"bkdr", &hash_by<Bkdr>},
                            {"djb2", &hash_by<Djb2>},
                            {"sdbm", &hash_by<Sdbm>}};

struct AnyHash {
    std::variant<Named, Function> of;

    template <class Key>
    std::uint64_t operator()(const Key& key, std::uint64_t seed) const {
        return std::visit([&](const auto& hash) { return hash(key, seed); }, of);
    }
};

using AnyScheme =
    std::variant<SchemeBloom<Functions<Function>>, SchemeBloom<Seeds<AnyHash>>,
                 SchemeBloom<DoubleHashing<AnyHash>>, SchemeBloom<EnhancedDoubleHashing<AnyHash>>,
                 SchemeBloom<TripleHashing<AnyHash>>>;
// In the order of AnyScheme.
constexpr const char* scheme_names[] = {"functions", "seeds", "double", "enhanced", "triple"};
static_assert(std::size(scheme_names) == std::variant_size_v<AnyScheme>);

/// A SchemeBloom whose scheme is chosen at run time.
struct Schemes {
    AnyScheme filter;

    template <class Use>
    auto with(const Use& use) const {
        return std::visit(use, filter);
    }
    void insert(const auto& keys) {
        std::visit([&](auto& f) { f.insert(keys); }, filter);
    }
    bool contains(const auto& key) const {
        return with([&](const auto& f) { return f.contains(key); });
    }
    std::size_t contains(const auto& keys, std::span<std::uint8_t> bitmap) const {
        return with([&](const auto& f) { return f.contains(keys, bitmap); });
    }
    double estimated_fpr() const {
        return with([](const auto& f) { return f.estimated_fpr(); });
    }
    std::uint64_t bits() const {
        return with([](const auto& f) { return f.bits(); });
    }
    unsigned k() const {
        return with([](const auto& f) { return f.k(); });
    }
    std::size_t size_in_bytes() const {
        return with([](const auto& f) { return f.size_in_bytes(); });
    }
    const char* name() const { return scheme_names[filter.index()]; }
};

AnyHash hash_of(const py::object& hash) {
    if (PyCallable_Check(hash.ptr()) != 0) return {Function(hash)};
    if (PyUnicode_Check(hash.ptr()) != 0)
        for (const Named& named : hashes)
            if (hash.cast<std::string>() == named.name) return {named};
    throw py::value_error("simdbloom: hash=" + repr_of(hash) +
                          " is neither a function nor xxh64, fnv1a, bkdr, djb2 or sdbm");
}

template <std::size_t i = 1>
AnyScheme named_scheme(const std::string& name, std::uint64_t bits, unsigned k, std::uint64_t seed,
                       const AnyHash& hash) {
    if constexpr (i == std::variant_size_v<AnyScheme>) {
        throw py::value_error("simdbloom: scheme=\"" + name +
                              "\" is not seeds, double, enhanced or triple");
    } else {
        using Bloom = std::variant_alternative_t<i, AnyScheme>;
        using Scheme = std::decay_t<decltype(std::declval<Bloom>().scheme())>;
        if (name == scheme_names[i]) return Bloom(bits, Scheme(k, seed, hash));
        return named_scheme<i + 1>(name, bits, k, seed, hash);
    }
}

std::shared_ptr<Plain<Schemes>> made_scheme(std::uint64_t bits, const py::object& scheme,
                                            std::optional<unsigned> k, const py::object& hash,
                                            std::uint64_t seed) {
    const auto of = [&]() -> AnyScheme {
        if (PyUnicode_Check(scheme.ptr()) != 0) {
            if (!k) throw py::type_error("simdbloom: scheme=" + repr_of(scheme) + " needs k");
            return named_scheme(scheme.cast<std::string>(), bits, *k, seed, hash_of(hash));
        }
        if (!py::hasattr(scheme, "__iter__"))
            throw py::type_error("simdbloom: scheme=" + repr_of(scheme) +
                                 " is neither a name nor a list of functions");
        std::vector<Function> functions;
        for (const py::handle function : py::iter(scheme)) {
            if (PyCallable_Check(function.ptr()) == 0)
                throw py::type_error("simdbloom: " + repr_of(function) + " is not a function");
            functions.emplace_back(py::reinterpret_borrow<py::object>(function));
        }
        if (k.value_or(functions.size()) != functions.size())
            throw py::value_error("simdbloom: k=" + std::to_string(*k) + " of " +
                                  std::to_string(functions.size()) + " functions");
        return SchemeBloom(bits, Functions(std::move(functions)));
    };
    return std::make_shared<Plain<Schemes>>(Schemes{of()}, "a SchemeBloom");
}

void define_schemes(py::module_& module) {
    ClassOf<Plain<Schemes>> type(
        module, "SchemeBloom",
        "The textbook's Bloom filter, to compare hash functions: one array of bits, k probes a "
        "key.\n\nbits: of the array. scheme: a list of functions of a key, whose result modulo "
        "bits is a probe; or 'seeds', 'double', 'enhanced' or 'triple': k probes from one hash "
        "under k seeds, or two or three. hash: 'xxh64', 'fnv1a', 'bkdr', 'djb2', 'sdbm', where an "
        "integer is eight little-endian bytes, or a function of a key and a seed. Functions get an "
        "int from 0 to 2**64 - 1 or bytes, and give an int, whose low 64 bits count; they must not "
        "use the filter.\n\nRaises TypeError and ValueError that name the argument.");
    type.def(py::init(&made_scheme), "bits"_a, "scheme"_a, "k"_a = py::none(), py::kw_only(),
             "hash"_a = "xxh64", "seed"_a = 0);
    define_filling(type);
    define_facts(type);
    using S = const Schemes&;
    define_property(type, "bits", "The number of bits of the array.", &Schemes::bits);
    define_property(type, "scheme", "'functions', 'seeds', 'double', 'enhanced' or 'triple'.",
                    &Schemes::name);
    type.def(
        "to_bytes",
        [](const Plain<Schemes>& self) {
            return bytes_from(self.read([](S s) {
                return s.with(
                    [](const auto& f) { return std::vector(f.bytes().begin(), f.bytes().end()); });
            }));
        },
        "The array: bit i is bit i % 8 of byte i // 8.");
    type.def(
        "expected_fpr",
        [](const Plain<Schemes>& self, std::uint64_t n_keys) {
            return self.read(
                [&](S s) { return s.with([&](const auto& f) { return f.expected_fpr(n_keys); }); });
        },
        "n_keys"_a, "The false-positive rate at n_keys keys and k ideal functions.");
    type.def(
        "clear",
        [](Plain<Schemes>& self) {
            self.write([](Schemes& s) { std::visit([](auto& f) { f.clear(); }, s.filter); });
        },
        "Removes all keys: the array is zeros.");
    define_call(type, "__repr__", "", [](S s) {
        return "<simdbloom.SchemeBloom of " + std::to_string(s.bits()) + " bits, " +
               std::to_string(s.k()) + " probes by " + s.name() + ">";
    });
}

}  // namespace

void define_structures(py::module_& module) {
    define_hashed(module);
    define_schemes(module);
}

}  // namespace simdbloom::python
