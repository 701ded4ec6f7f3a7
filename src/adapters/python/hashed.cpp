// The Python classes ConcurrentFilter and CodeTable, which are no AnyFilter.

#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <vector>

#include "simdbloom/textbook/code_table.hpp"
#include "structures.hpp"

namespace simdbloom::python {

namespace {

std::shared_ptr<Hashed<ConcurrentBloom>> concurrent(const std::string& spec, std::size_t n_keys,
                                                    std::optional<double> bits_per_key,
                                                    std::optional<double> fpr,
                                                    const Options& options) {
    using Made = Hashed<ConcurrentBloom>;
    if (bits_per_key) return std::make_shared<Made>(spec, n_keys, *bits_per_key, options);
    return std::make_shared<Made>(make_filter_for_fpr(spec, n_keys, *fpr, options));
}

std::shared_ptr<Hashed<CodeTable>> code_table(const std::string& spec, std::size_t n_keys,
                                              std::optional<double> bits_per_key,
                                              std::optional<double> fpr, Options options) {
    if (spec != "codes") options.spec = spec;
    return std::make_shared<Hashed<CodeTable>>(
        bits_per_key ? CodeTable::with_bits_per_key(n_keys, *bits_per_key, options)
                     : CodeTable::for_fpr(n_keys, *fpr, options));
}

template <class S>
using StructureType = py::class_<Hashed<S>, std::shared_ptr<Hashed<S>>>;

template <class S>
py::array insert_new_keys(Hashed<S>& self, py::handle keys, bool hashed) {
    Keys batch(keys, hashed);
    std::vector<std::uint8_t> fresh(batch.rows().value_or(0));
    fresh.resize(self.change(std::move(batch), [&](auto hashes, const auto& row) {
        for (std::size_t i = 0; i < hashes.size(); ++i) {
            if (fresh.size() <= row(i)) fresh.resize(2 * row(i) + 1);
            fresh[row(i)] = self.structure.insert_hash_if_new(hashes[i]);
        }
    }));
    return py::array(py::dtype::of<bool>(), fresh.size(), fresh.data());
}

/// Defines what both classes have. make(spec, n_keys, bits_per_key, fpr, options).
template <class S, class Make>
StructureType<S> define_structure(py::module_& module, const char* name, const char* doc,
                                  const Make& make) {
    using H = Hashed<S>;
    StructureType<S> type(module, name, doc);
    type.def(py::init([=](const std::string& spec, std::size_t n_keys,
                          std::optional<double> bits_per_key, std::optional<double> fpr,
                          const std::optional<std::string>& isa, std::uint64_t seed,
                          const std::string& hashing, const std::optional<py::bytes>& secret,
                          std::size_t max_bytes) {
                 if (bits_per_key.has_value() == fpr.has_value())
                     throw py::type_error(std::string("simdbloom: ") + name +
                                          " takes either bits_per_key or fpr");
                 const Options options = options_of(isa, seed, hashing, secret, max_bytes);
                 const NoGil no_gil;
                 return make(spec, n_keys, bits_per_key, fpr, options);
             }),
             py::arg("spec"), py::arg("n_keys"), py::arg("bits_per_key") = py::none(),
             py::kw_only(), py::arg("fpr") = py::none(), py::arg("isa") = py::none(),
             py::arg("seed") = 0, py::arg("hashing") = "fast", py::arg("secret") = py::none(),
             py::arg("max_bytes") = 0);
    define_with_keys(type, "insert", "Inserts n keys; None and NULL are skipped.", "",
                     [](H& self, py::handle keys, bool hashed) {
                         self.change(Keys(keys, hashed), [&](auto hashes, const auto&) {
                             self.structure.insert(simdbloom::Keys::hashes(hashes));
                         });
                     });
    define_with_keys(type, "insert_if_new",
                     "Inserts each key that is not found. Returns an array of n bools: whether the "
                     "key was new. False for a NULL.",
                     "", &insert_new_keys<S>);
    type.def(
        "add", [](H& self, py::handle key) { self.add_one(one_key(key)); }, py::arg("key"),
        "Inserts one key. Errors as of Filter.add.");
    type.def(
        "__contains__",
        [](const H& self, py::handle key) {
            const OneKey one = one_key(key);  // owns the bytes of a UUID
            const auto plain = one.in(self.key_kind());
            return self.read([&](const S& s) {
                return std::visit([&](auto k) { return s.contains(k); }, plain);
            });
        },
        py::arg("key"));
    define_asking(type);
    const auto property = [&](const char* of, const char* says, const auto& ask) {
        type.def_property_readonly(
            of, [ask](const H& self) { return self.read(ask); }, says);
    };
    property("spec", "The layout as text.", [](const S& s) { return s.spec(); });
    property("n_keys", "The number of keys it was made for.",
             [](const S& s) { return s.n_keys(); });
    property("size_in_bytes", "Of its bits.", [](const S& s) { return s.size_in_bytes(); });
    property("bits_per_key", "At n_keys keys.", [](const S& s) { return s.bits_per_key(); });
    property("seed", "Of the hash.", [](const S& s) { return s.seed(); });
    type.def_property_readonly(
        "key_kind", [](const H& self) { return to_string(self.key_kind()); },
        "The kind of the keys, see Filter.");
    type.def(
        "expected_fpr",
        [](const H& self) { return self.read([](const S& s) { return s.expected_fpr(); }); },
        "The false-positive rate at n_keys keys by the exact model.");
    type.def("__repr__", [=](const H& self) {
        return "<simdbloom." + std::string(name) + " " + self.structure.spec() + " of " +
               std::to_string(self.structure.size_in_bytes()) + " bytes>";
    });
    return type;
}

}  // namespace

void define_hashed(py::module_& module) {
    define_structure<ConcurrentBloom>(
        module, "ConcurrentFilter",
        "A Bloom filter that threads fill and probe at the same time, without a lock: "
        "ConcurrentFilter(spec, n_keys, bits_per_key) or ConcurrentFilter(spec, n_keys, fpr=rate), "
        "with the options of Filter. Of all insert_if_new of a key at most one says that it is "
        "new.",
        &concurrent)
        .def(
            "estimated_fpr",
            [](const Hashed<ConcurrentBloom>& self) {
                return self.read([](const auto& s) { return s.snapshot().estimated_fpr(); });
            },
            "The false-positive rate by the bits that are set now.")
        .def(
            "snapshot",
            [](const Hashed<ConcurrentBloom>& self) {
                AnyFilter filter = self.read([](const auto& s) { return s.snapshot(); });
                filter.set_key_kind(self.key_kind());
                return std::make_shared<Filter>(std::move(filter));
            },
            "A Filter of the keys so far.");
    define_structure<CodeTable>(
        module, "CodeTable",
        "A hash table of short codes (Bloom 1970, method 1), for comparison: CodeTable('codes', "
        "n_keys, bits_per_key) or CodeTable('codes', n_keys, fpr=rate); 'codes:c=9' has codes of "
        "9 bits. Options as of Filter.",
        &code_table)
        .def(
            "estimated_fpr",
            [](const Hashed<CodeTable>& self) {
                return self.read([](const auto& s) { return s.estimated_fpr(); });
            },
            "The false-positive rate at the present load.")
        .def_property_readonly(
            "stored",
            [](const Hashed<CodeTable>& self) {
                return self.read([](const auto& s) { return s.stored(); });
            },
            "The number of codes that are in.")
        .def_property_readonly(
            "load_factor",
            [](const Hashed<CodeTable>& self) {
                return self.read([](const auto& s) { return s.load(); });
            },
            "The share of the cells that are taken.");
}

}  // namespace simdbloom::python
