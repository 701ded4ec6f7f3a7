// What the Python class Filter tells of itself.

#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "filter.hpp"
#include "simdbloom/cardinality.hpp"

namespace simdbloom::python {

namespace {

using Type = py::class_<Filter, std::shared_ptr<Filter>>;
using F = const AnyFilter&;

/// A call without arguments that computes `ask(filter)` without the GIL.
template <class Ask>
void computed(Type& type, const char* name, const char* doc, const Ask& ask) {
    type.def(
        name, [ask](const Filter& self) { return self.read_long(ask); }, doc);
}
/// A property that `ask` reads from the filter.
template <class Ask>
void property(Type& type, const char* name, const char* doc, const Ask& ask) {
    type.def_property_readonly(
        name, [ask](const Filter& self) { return self.read(ask); }, doc);
}

/// The property of the structures for which ask(filter) is defined. AttributeError for others.
template <class Value, class Ask>
void fact(Type& type, const char* name, const char* doc, const Ask& ask) {
    type.def_property_readonly(
        name,
        [name, ask](const Filter& self) {
            const auto value = self.read_long([&](F f) -> std::optional<Value> {
                return std::visit(
                    [&]<class G>(const G& of) -> std::optional<Value> {
                        if constexpr (std::is_invocable_v<Ask, const G&>) return ask(of);
                        else return std::nullopt;
                    },
                    f.variant());
            });
            if (value) return *value;
            throw py::attribute_error("simdbloom: " + self.read([](F f) { return f.spec(); }) +
                                      " has no " + name);
        },
        doc);
}

/// Of the counting structures: how often each key is in the filter at most.
py::array_t<std::uint8_t> count_estimate(const Filter& self, py::handle keys, bool hashed) {
    Keys batch(keys, hashed);
    const HashedKeys of(batch, self.row_hash(),
                        [&](const JoinRows& rows) { return asked_rows(self.key_kind(), rows); });
    const std::size_t n = of.hashes.size();
    py::array_t<std::uint8_t> counts(static_cast<py::ssize_t>(n));
    std::uint8_t* const out = counts.mutable_data();
    self.read_long([&](F f) {
        std::visit(
            [&]<class G>(const G& filter) {
                if constexpr (requires { filter.count_estimate_hash(0); })
                    for (std::size_t i = 0; i < n; ++i)
                        out[i] = of.valid[i] ? static_cast<std::uint8_t>(
                                                   filter.count_estimate_hash(of.hashes[i]))
                                             : std::uint8_t{0};
                else throw py::value_error("simdbloom: " + filter.spec() + " does not count keys");
            },
            f.variant());
    });
    return counts;
}

}  // namespace

void define_facts(Type& type) {
    property(type, "spec", "The layout as text.", [](F f) { return f.spec(); });
    property(type, "n_keys", "The number of keys it was made for.", [](F f) { return f.n_keys(); });
    property(type, "size_in_bytes", "Of its bits.", [](F f) { return f.size_in_bytes(); });
    property(type, "bits_per_key", "At n_keys keys.", [](F f) { return f.bits_per_key(); });
    property(type, "seed", "Of the hash.", [](F f) { return f.seed(); });
    property(type, "key_kind",
             "The kind of the keys, which the first ones decide: 'integers', 'floats', 'bytes' "
             "(text too), 'days' to 'nanoseconds', 'durations', 'rows' of several columns, "
             "'other', or 'unknown'. The filter refuses probes of another kind.",
             [](F f) { return to_string(f.key_kind()); });
    property(type, "isa", "The instruction set of its kernels.",
             [](F f) { return std::string(to_string(f.isa())); });
    property(type, "hashing", "'fast', 'seeded' or 'keyed'.",
             [](F f) { return to_string(f.hashing()); });
    type.def_property_readonly("read_only", &Filter::read_only,
                               "Whether the bits lie in a mapped file or in the caller's buffer.");
    computed(type, "expected_fpr", "The false-positive rate at n_keys keys by the exact model.",
             [](F f) { return f.expected_fpr(); });
    computed(type, "estimated_fpr", "The false-positive rate by the bits that are set now.",
             [](F f) { return f.estimated_fpr(); });
    computed(type, "estimated_keys",
             "(keys, error): the number of distinct keys by the bits that are set, and its "
             "standard error. ValueError for a layout whose bits do not tell.",
             [](F f) {
                 const Cardinality n = simdbloom::estimated_keys(f);
                 return std::pair(n.keys, n.standard_error);
             });
    fact<std::uint64_t>(type, "stored", "The number of keys that are in, copies included.",
                        [](const auto& f) -> decltype(f.stored()) { return f.stored(); });
    fact<double>(type, "load_factor", "The share of the slots that are taken.",
                 [](const auto& f) -> decltype(f.load()) { return f.load(); });
    fact<std::uint64_t>(type, "saturated", "The number of counters at their maximum.",
                        [](const auto& f) -> decltype(f.saturated()) { return f.saturated(); });
    fact<double>(type, "fpr_bound", "The false-positive rate that no insert exceeds at this size.",
                 [](const auto& f) -> decltype(f.fpr_bound()) { return f.fpr_bound(); });
    define_with_keys(type, "count_estimate",
                     "An array of n counts (uint8): how often each key is in, or more often, up to "
                     "the counters' maximum. ValueError for a filter that does not count.",
                     "", &count_estimate);
    define_worth(type, [](const Filter& self, const Workload& workload) {
        return self.read_long([&](F f) { return worth(f, workload); });
    });
    type.def("__repr__", [](const Filter& self) {
        return self.read([](F f) {
            return "<simdbloom.Filter " + f.spec() + " of " + std::to_string(f.size_in_bytes()) +
                   " bytes for " + std::to_string(f.n_keys()) + " keys>";
        });
    });
}

}  // namespace simdbloom::python
