// What the class Filter of Python has.

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <string>
#include <vector>

#include "filter.hpp"
#include "simdbloom/cardinality.hpp"

namespace simdbloom::python {

namespace {

using Type = py::class_<Filter, std::shared_ptr<Filter>>;

/// Calls f(key) with one key, whatever it is, as a filter of that kind has it.
template <class F>
auto with_key(const OneKey& key, KeyKind kind, const F& f) {
    return std::visit(f, key.in(kind));
}

/// The rows with the keys that they have in the filter.
JoinRows asked_rows(const Filter& filter, const JoinRows& rows) {
    const KeyKind kind = filter.key_kind();
    if (rows.size() != 0) check_asked(kind, rows.key_kind());
    return rows.as(rows.size() != 0 ? kind : KeyKind::unknown);
}

void define_keys(Type& type) {
    type.def(
        "insert",
        [](Filter& self, py::handle keys, bool hashed) {
            Keys batch(keys, hashed);
            self.insert(batch);
        },
        py::arg("keys"), py::kw_only(), py::arg("hashed") = false,
        of_keys("Inserts n keys. None and NULL are no keys. ValueError if the filter is full or "
                "read-only; if it is full, the message says how many went in, the first ones.")
            .c_str());
    type.def(
        "try_insert",
        [](Filter& self, py::handle keys, bool hashed) {
            Keys batch(keys, hashed);
            std::size_t taken = 0;
            (void)self.change_hashes(batch, true, [&](AnyFilter& f, auto hashes, auto) {
                const std::size_t here = f.try_insert(simdbloom::Keys::hashes(hashes));
                taken += here;
                return here == hashes.size();
            });
            return taken;
        },
        py::arg("keys"), py::kw_only(), py::arg("hashed") = false,
        of_keys("Inserts keys up to the first that finds no place. Returns how many went in.")
            .c_str());
    type.def(
        "insert_if_new",
        [](Filter& self, py::handle keys, bool hashed) {
            Keys batch(keys, hashed);
            std::vector<std::uint8_t> fresh(batch.rows().value_or(0));
            const std::size_t n =
                self.change_hashes(batch, true, [&](AnyFilter& f, auto hashes, auto rows) {
                    for (std::size_t i = 0; i < hashes.size(); ++i) {
                        if (fresh.size() <= rows[i]) fresh.resize(2 * rows[i] + 1);
                        fresh[rows[i]] = f.insert_hash_if_new(hashes[i]);
                    }
                    return true;
                });
            fresh.resize(n);
            py::array_t<bool> result(static_cast<py::ssize_t>(n));
            std::copy(fresh.begin(), fresh.end(), result.mutable_data());
            return result;
        },
        py::arg("keys"), py::kw_only(), py::arg("hashed") = false,
        of_keys(
            "Inserts each key that the filter does not find. Returns an array of n bools: whether "
            "the key was new. False for a NULL.")
            .c_str());
    type.def(
        "erase",
        [](Filter& self, py::handle keys, bool hashed) {
            Keys batch(keys, hashed);
            std::size_t erased = 0;
            (void)self.change_hashes(batch, false, [&](AnyFilter& f, auto hashes, auto) {
                erased += f.erase(simdbloom::Keys::hashes(hashes));
                return true;
            });
            return erased;
        },
        py::arg("keys"), py::kw_only(), py::arg("hashed") = false,
        of_keys("Removes one copy of each key. Returns how many were there. Erase only what was "
                "inserted. ValueError for a layout that cannot erase.")
            .c_str());
    type.def(
        "hashes",
        [](const Filter& self, py::handle keys) {
            Keys batch(keys);
            std::vector<std::uint64_t> all;
            {
                const RowHash hash = self.row_hash();
                const NoGil no_gil;
                batch.each(hash, [&](const Batch& b) {
                    const std::size_t before = all.size();
                    all.resize(before + b.rows.size());
                    (void)asked_rows(self, b.rows).hashes(std::span(all).subspan(before));
                });
            }
            return py::array_t<std::uint64_t>(static_cast<py::ssize_t>(all.size()), all.data());
        },
        py::arg("keys"),
        of_keys(
            "The n hashes of the keys under this filter's seed and secret, as uint64. All calls "
            "of filters of that seed and secret take them with hashed=True.")
            .c_str());
    type.def(
        "add", [](Filter& self, py::handle key) { self.add(one_key(key)); }, py::arg("key"),
        "Inserts one number, string, bytes, date or time. TypeError for what is no key, "
        "OverflowError for an integer beyond 64 bits, ValueError if the filter is full or "
        "read-only.");
    type.def(
        "discard",
        [](Filter& self, py::handle key) {
            const OneKey one = one_key(key);
            return self.change([&](AnyFilter& f) {
                return with_key(one, f.key_kind(), [&](auto k) { return f.erase(k); });
            });
        },
        py::arg("key"),
        "Removes one copy of a key that was inserted. Returns False if it is not "
        "there. ValueError for a layout that cannot erase.");
    type.def(
        "__contains__",
        [](const Filter& self, py::handle key) {
            const OneKey one = one_key(key);
            return self.read([&](const AnyFilter& f) {
                return with_key(one, f.key_kind(), [&](auto k) { return f.contains(k); });
            });
        },
        py::arg("key"));
    type.def("clear", &Filter::clear,
             "Removes all keys. ValueError for a filter that is read-only or made of all "
             "its keys at once.");
}

void define_sets(Type& type) {
    type.def(
        "copy",
        [](const Filter& self) {
            return std::make_shared<Filter>(
                self.read_long([](const AnyFilter& f) { return AnyFilter(f); }));
        },
        "A filter of its own with the same keys, also of one that is mapped or viewed.");
    type.def("__copy__", [](py::object self) { return self.attr("copy")(); });
    type.def("__deepcopy__", [](py::object self, py::handle) { return self.attr("copy")(); });
    type.def(
        "__ior__",
        [](std::shared_ptr<Filter> self, const Filter& other) {
            self->unite(other);
            return self;
        },
        py::is_operator());
    type.def(
        "__iand__",
        [](std::shared_ptr<Filter> self, const Filter& other) {
            self->intersect(other);
            return self;
        },
        py::is_operator());
    type.def(
        "__or__",
        [](const Filter& self, const Filter& other) {
            auto both = std::make_shared<Filter>(
                self.read_long([](const AnyFilter& f) { return AnyFilter(f); }));
            both->unite(other);
            return both;
        },
        py::is_operator());
    type.def(
        "__and__",
        [](const Filter& self, const Filter& other) {
            auto both = std::make_shared<Filter>(
                self.read_long([](const AnyFilter& f) { return AnyFilter(f); }));
            both->intersect(other);
            return both;
        },
        py::is_operator());
    type.def(
        "accept_all", [](Filter& self) { self.change([](AnyFilter& f) { f.accept_all(); }); },
        "Makes the filter find every key, until clear().");
    type.def(
        "folded",
        [](const Filter& self, std::uint64_t parts) {
            return std::make_shared<Filter>(
                self.read_long([&](const AnyFilter& f) { return f.folded(parts); }));
        },
        py::arg("parts"),
        "A filter of the same keys with a parts-th of the size. ValueError if the number "
        "of blocks is no multiple of parts, or the layout cannot be folded.");
    type.def(
        "folded_to_fpr",
        [](const Filter& self, double fpr) {
            return std::make_shared<Filter>(
                self.read_long([&](const AnyFilter& f) { return f.folded_to_fpr(fpr); }));
        },
        py::arg("fpr"),
        "The filter folded as often as estimated_fpr() stays at most fpr. ValueError "
        "outside (0, 1).");
    type.def(
        "estimated_keys",
        [](const Filter& self) {
            const Cardinality n =
                self.read_long([](const AnyFilter& f) { return simdbloom::estimated_keys(f); });
            return py::make_tuple(n.keys, n.standard_error);
        },
        "(keys, error): the number of distinct keys by the bits that are set, and its "
        "standard error. ValueError for a layout whose bits do not say.");
}

/// A property that `ask` reads from the filter.
template <class Ask>
void property(Type& type, const char* name, const Ask& ask, const char* doc) {
    type.def_property_readonly(
        name, [ask](const Filter& self) { return self.read(ask); }, doc);
}

void define_facts(Type& type) {
    using F = const AnyFilter&;
    property(
        type, "spec", [](F f) { return f.spec(); }, "The layout as text.");
    property(
        type, "n_keys", [](F f) { return f.n_keys(); }, "The keys it was made for.");
    property(
        type, "size_in_bytes", [](F f) { return f.size_in_bytes(); }, "Of its bits.");
    property(
        type, "bits_per_key", [](F f) { return f.bits_per_key(); }, "For n_keys keys.");
    property(
        type, "seed", [](F f) { return f.seed(); }, "Of the hash.");
    property(
        type, "key_kind", [](F f) { return to_string(f.key_kind()); },
        "What the keys are, as the first ones said: 'integers', 'floats', 'bytes' (text too), "
        "'days' to 'nanoseconds', 'durations', 'rows' of several columns, 'other', or 'unknown'. "
        "The filter refuses questions of another kind.");
    property(
        type, "isa", [](F f) { return std::string(to_string(f.isa())); },
        "The instruction set whose kernels give the answers.");
    property(
        type, "hashing", [](F f) { return to_string(f.hashing()); },
        "'fast', 'seeded' or 'keyed'.");
    type.def_property_readonly("read_only", &Filter::read_only,
                               "Whether the bits lie in a mapped file or in somebody's buffer.");
    type.def(
        "expected_fpr",
        [](const Filter& self) { return self.read_long([](F f) { return f.expected_fpr(); }); },
        "The false-positive rate by the exact model, for n_keys keys.");
    type.def(
        "estimated_fpr",
        [](const Filter& self) { return self.read_long([](F f) { return f.estimated_fpr(); }); },
        "The false-positive rate by the bits that are set now.");
    type.def("__repr__", [](const Filter& self) {
        return self.read([](F f) {
            return "<simdbloom.Filter " + f.spec() + " of " + std::to_string(f.size_in_bytes()) +
                   " bytes for " + std::to_string(f.n_keys()) + " keys>";
        });
    });
}

}  // namespace

void define_filter(py::module_& module) {
    Type type(module, "Filter",
              "A filter of any layout: Filter(spec, n_keys, bits_per_key) or "
              "Filter(spec, n_keys, fpr=rate).\n\n"
              "spec: 'split256', 'sector512', 'cuckoo12', ..: a layout, with parameters as in "
              "'classic:k=8'. n_keys: for which it is sized. isa: the kernels, by default the best "
              "of usable_isas(). hashing: 'fast', 'seeded' (a seed is drawn unless given) or "
              "'keyed' (by 16 secret bytes, drawn unless given). max_bytes: MemoryError beyond, 0 "
              "for no limit. fold_levels: how often it can be halved. huge_pages: asked for where "
              "it is large.\n\nRaises ValueError that names the argument.");
    define_making(type);
    define_keys(type);
    define_asking(type);
    define_sets(type);
    define_facts(type);
    define_saving(type);
}

}  // namespace simdbloom::python
