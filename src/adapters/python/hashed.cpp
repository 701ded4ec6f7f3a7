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

/// Defines what both classes have. make(spec, n_keys, bits_per_key, fpr, options).
template <class S, class Make>
ClassOf<Hashed<S>> define_structure(py::module_& module, const char* name, const char* doc,
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

}  // namespace

void define_hashed(py::module_& module) {
    auto type = define_structure<ConcurrentBloom>(
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
    define_structure<CodeTable>(
        module, "CodeTable",
        "A hash table of short codes (Bloom 1970, method 1), for comparison: CodeTable('codes', "
        "n_keys, bits_per_key) or CodeTable('codes', n_keys, fpr=rate); 'codes:c=9' has codes of 9 "
        "bits. Options as of Filter.",
        &code_table);
}

}  // namespace simdbloom::python
