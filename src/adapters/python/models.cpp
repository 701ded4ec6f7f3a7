// The exact models and the advice, for Python.

#include <pybind11/stl.h>

#include <string>

#include "filter.hpp"
#include "simdbloom/advice/advice.hpp"
#include "simdbloom/cardinality.hpp"
#include "simdbloom/detail/geometry.hpp"
#include "simdbloom/fixed/bloomier.hpp"
#include "simdbloom/fpr.hpp"

namespace simdbloom::python {

namespace {

/// Throws ValueError for a structure whose size its keys decide.
Layout layout_of(const std::string& spec) {
    for (const char* name : {"growing", "scalable", "fuse", "bloomier"})
        if (spec.starts_with(name))
            throw py::value_error("simdbloom: spec \"" + spec +
                                  "\" has no size before its keys are known");
    return Layout::parse(spec);
}

double expected_fpr(const std::string& spec, std::size_t n_keys, double bits_per_key) {
    const auto g = detail::size_for_bits(layout_of(spec), n_keys, bits_per_key, {});
    return fpr::expected(g.layout, n_keys, g.blocks);
}

double bits_for_fpr(const std::string& spec, std::size_t n_keys, double rate) {
    const auto g = detail::size_for_fpr(layout_of(spec), n_keys, rate, {});
    return static_cast<double>(g.blocks) * g.layout.block_bits() / static_cast<double>(n_keys);
}

}  // namespace

std::vector<std::uint64_t> hashes_for_new(py::handle keys, bool hashed, Options& options) {
    if (options.hashing == Hashing::keyed && !options.secret) options.secret = Secret::random();
    if (options.hashing == Hashing::seeded && options.seed == 0)
        options.seed = Secret::random().low;
    Keys batch(keys, hashed);
    Kind kind;
    HashedKeys of(batch, {options.seed, options.secret},
                  [&](const JoinRows& rows) { return kind.add(rows); });
    options.key_kind = kind.kind;
    return std::move(of).without_nulls().first;
}

namespace {

/// Builds a fuse filter of all its keys.
std::shared_ptr<Filter> build_filter(py::handle keys, unsigned check_bits, std::uint64_t seed,
                                     const std::string& hashing, const MaybeSecret& secret,
                                     bool hashed, unsigned arity) {
    Options options = options_of({}, seed, hashing, secret, 0);
    const auto hashes = hashes_for_new(keys, hashed, options);
    const NoGil no_gil;
    return std::make_shared<Filter>(AnyFilter(BloomierMap::build_filter(
        simdbloom::Keys::hashes(hashes), check_bits, options, {.arity = arity})));
}

void define_advice(py::module_& module) {
    using Choice = Advice::Choice;
    py::class_<Choice>(module, "Choice", "A filter that advise() compared, or none.")
        .def_readonly("spec", &Choice::spec, "The layout, as Filter() takes it; '': no filter.")
        .def_readonly("bits_per_key", &Choice::bits_per_key, "The space, as Filter() takes it.")
        .def_property_readonly(
            "isa", [](const Choice& c) { return std::string(to_string(c.isa)); },
            "The fastest instruction set for it.")
        .def_readonly("bytes", &Choice::bytes, "The size of the filter.")
        .def_readonly("fpr", &Choice::fpr, "The false-positive rate by the exact model.")
        .def_readonly("insert_ns", &Choice::insert_ns, "Time of an insert in ns a key.")
        .def_readonly("lookup_ns", &Choice::lookup_ns, "Time of a lookup in ns a probe.")
        .def_readonly("total_ns", &Choice::total_ns,
                      "Total time in ns a probe, with its share of the inserts.")
        .def("__repr__", [](const Choice& c) {
            return "<simdbloom.Choice " + (c.is_none() ? "no filter" : c.spec) + ", " +
                   std::to_string(c.total_ns) + " ns a probe>";
        });
    py::class_<Advice>(module, "Advice", "What advise() found: the least total first.")
        .def_readonly("ranking", &Advice::ranking, "The choices, the least total time first.")
        .def_readonly("noise", &Advice::noise,
                      "Totals that differ by less than this share are equal within noise.")
        .def_property_readonly(
            "best", [](const Advice& a) { return a.best(); }, "The choice of the least total time.")
        .def_property_readonly("why", &Advice::why,
                               "A few sentences: the best, its gain, the runner-up.")
        .def("as_good", &Advice::as_good,
             "The choices whose total is within the noise of the best one's.");
    py::class_<FilterTimes>(module, "FilterTimes",
                            "Times of lookups and inserts, measured on this machine.")
        .def_static(
            "measure",
            [](std::uint64_t n_keys, std::uint64_t least_keys, double max_bits_per_key,
               std::uint64_t max_bytes, std::uint64_t table_bytes, bool erase, bool grow,
               bool merge, bool all_at_once) {
                const NoGil no_gil;
                return FilterTimes::measure({n_keys, 0, 1, 0, max_bits_per_key, max_bytes,
                                             table_bytes, erase, grow, merge, all_at_once},
                                            least_keys);
            },
            "n_keys"_a, py::kw_only(), "least_keys"_a = 0, "max_bits_per_key"_a = 20,
            "max_bytes"_a = 0, "table_bytes"_a = 0, "erase"_a = false, "grow"_a = false,
            "merge"_a = false, "all_at_once"_a = false,
            "Measures the filters that advise() compares for these arguments, in one to two "
            "seconds: filters of n_keys keys, or of least_keys to n_keys keys.")
        .def(
            "predicted",
            [](const FilterTimes& self, const std::string& spec, const std::string& isa,
               std::uint64_t bytes) {
                const PredictedTimes times = predicted_times(self, spec, parse_isa(isa), bytes);
                return py::make_tuple(times.absent, times.present, times.insert);
            },
            "spec"_a, "isa"_a, "bytes"_a,
            "(absent, present, insert): ns a lookup of an absent and of a present key, and ns an "
            "insert, for a filter of so many bytes. ValueError for a spec that was not measured.")
        .def_property_readonly("noise", &FilterTimes::noise,
                               "Times that differ by less than this share are equal within noise.");
    module.def(
        "advise",
        [](std::uint64_t n_keys, double work_ns, std::optional<double> probes, double hits,
           double max_bits_per_key, std::uint64_t max_bytes, std::uint64_t table_bytes, bool erase,
           bool grow, bool merge, bool all_at_once, const FilterTimes* times) {
            const double all = std::numeric_limits<double>::infinity();
            const Workload workload{n_keys,
                                    work_ns,
                                    probes.value_or(all),
                                    hits,
                                    max_bits_per_key,
                                    max_bytes,
                                    table_bytes,
                                    erase,
                                    grow,
                                    merge,
                                    all_at_once};
            const NoGil no_gil;
            return times != nullptr ? advise(workload, *times) : advise(workload);
        },
        "n_keys"_a, "work_ns"_a, py::kw_only(), "probes"_a = py::none(), "hits"_a = 0,
        "max_bits_per_key"_a = 20, "max_bytes"_a = 0, "table_bytes"_a = 0, "erase"_a = false,
        "grow"_a = false, "merge"_a = false, "all_at_once"_a = false, "times"_a = py::none(),
        "The filter of least total time for a workload on this machine, by `times`, or measured "
        "now in one to two seconds.\n\nwork_ns: the cost of a probe that passes, in ns. probes: "
        "their number, None for any. hits: the share of present keys. max_bits_per_key, max_bytes: "
        "limits. table_bytes: of the table behind the filter. erase, grow, merge: what the filter "
        "must support. all_at_once: all keys are known before the first probe.\n\nRaises "
        "ValueError that names the argument.");
}

}  // namespace

void define_models(py::module_& module) {
    module.def(
        "expected_fpr", &expected_fpr, "spec"_a, "n_keys"_a, "bits_per_key"_a,
        "The false-positive rate of n_keys keys at bits_per_key bits, by the exact model. For "
        "every spec with a layout: not for 'growing16' and 'scalable', whose keys decide the size, "
        "nor for 'fuse', whose rate is 2**-check_bits.\n\nRaises ValueError that names the "
        "argument.");
    module.def(
        "bits_for_fpr", &bits_for_fpr, "spec"_a, "n_keys"_a, "fpr"_a,
        "The fewest bits a key whose false-positive rate, by the exact model, is at most fpr. "
        "Specs and errors as of expected_fpr.");
    module.def(
        "build_filter", &build_filter, "keys"_a, "check_bits"_a = 8, py::kw_only(), "seed"_a = 0,
        "hashing"_a = "fast", "secret"_a = py::none(), "hashed"_a = false, "arity"_a = 3,
        doc_with_keys("A fuse filter of n keys that never change: the least space, about "
                      "1.13 * check_bits bits a key. Its false-positive rate is 2**-check_bits. "
                      "ValueError for check_bits above 32. arity: 4 takes 5 % less space than 3 "
                      "and one more load.")
            .c_str());
    const auto cardinality = [&](const char* name, const char* doc,
                                 Cardinality (*of)(const AnyFilter&, const AnyFilter&)) {
        module.def(
            name,
            [of](const Filter& a, const Filter& b) {
                const NoGil no_gil;
                std::shared_lock first(a.mutex(), std::defer_lock);
                std::shared_lock second(b.mutex(), std::defer_lock);
                if (&a == &b) first.lock();
                else std::lock(first, second);
                const Cardinality n = of(a.get(), b.get());
                return std::pair(n.keys, n.standard_error);
            },
            "a"_a, "b"_a, doc);
    };
    cardinality("estimated_union",
                "(keys, error): the number of distinct keys in either filter by the bits that are "
                "set, and its standard error. ValueError for filters that cannot be united.",
                &estimated_union);
    cardinality("estimated_intersection",
                "(keys, error): the same of the keys in both, which may come out below 0.",
                &estimated_intersection);
    define_advice(module);
}

}  // namespace simdbloom::python
