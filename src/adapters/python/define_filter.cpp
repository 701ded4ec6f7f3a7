// The members of the Python class Filter.

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <string>
#include <vector>

#include "filter.hpp"

namespace simdbloom::python {

namespace {

using Type = py::class_<Filter, std::shared_ptr<Filter>>;

std::size_t try_insert(Filter& self, py::handle keys, bool hashed) {
    std::size_t inserted = 0;
    (void)self.change_hashes(Keys(keys, hashed), true, [&](AnyFilter& f, auto hashes, auto) {
        const std::size_t here = f.try_insert(simdbloom::Keys::hashes(hashes));
        inserted += here;
        return here == hashes.size();
    });
    return inserted;
}

py::array insert_if_new(Filter& self, py::handle keys, bool hashed) {
    Keys batch(keys, hashed);
    std::vector<std::uint8_t> fresh(batch.rows().value_or(0));
    const auto insert = [&](AnyFilter& f, auto hashes, auto rows) {
        for (std::size_t i = 0; i < hashes.size(); ++i) {
            if (fresh.size() <= rows[i]) fresh.resize(2 * rows[i] + 1);
            fresh[rows[i]] = f.insert_hash_if_new(hashes[i]);
        }
        return true;
    };
    fresh.resize(self.change_hashes(std::move(batch), true, insert));
    return py::array(py::dtype::of<bool>(), fresh.size(), fresh.data());
}

std::size_t erase(Filter& self, py::handle keys, bool hashed) {
    std::size_t erased = 0;
    (void)self.change_hashes(Keys(keys, hashed), false, [&](AnyFilter& f, auto hashes, auto) {
        erased += f.erase(simdbloom::Keys::hashes(hashes));
        return true;
    });
    return erased;
}

void define_keys(Type& type) {
    define_with_keys(
        type, "insert",
        "Inserts n keys; None and NULL are skipped. ValueError if the filter is "
        "read-only or full: the message says how many of the first keys are in.",
        "", [](Filter& self, py::handle keys, bool hashed) { self.insert(Keys(keys, hashed)); });
    define_with_keys(type, "try_insert",
                     "Inserts keys up to the first that has no room. Returns how many are in.", "",
                     &try_insert);
    define_with_keys(type, "insert_if_new",
                     "Inserts each key that the filter does not find. Returns an array of n bools: "
                     "whether the key was new. False for a NULL.",
                     "", &insert_if_new);
    define_with_keys(type, "erase",
                     "Removes one copy of each key. Returns how many were there. Erase only keys "
                     "that were inserted. ValueError for a layout that cannot erase.",
                     "", &erase);
    define_hashes(type, [](const Filter& self) {
        return self.read([&](const AnyFilter& f) {
            return std::pair(hash_of_rows(f.key_hash()), f.key_kind());
        });
    });
    type.def(
        "add", [](Filter& self, py::handle key) { self.add(one_key(key)); }, py::arg("key"),
        "Inserts one number, string, bytes, date or time. TypeError for another value, "
        "OverflowError for an integer beyond 64 bits, ValueError if the filter is full or "
        "read-only.");
    type.def(
        "discard",
        [](Filter& self, py::handle key) {
            const OneKey one = one_key(key);
            return self.change([&](AnyFilter& f) {
                return std::visit([&](auto k) { return f.erase(k); }, one.in(f.key_kind()));
            });
        },
        py::arg("key"),
        "Removes one copy of a key that was inserted. Returns False if it is not there. ValueError "
        "for a layout that cannot erase.");
    type.def(
        "__contains__",
        [](const Filter& self, py::handle key) {
            const OneKey one = one_key(key);
            return self.read([&](const AnyFilter& f) {
                return std::visit([&](auto k) { return f.contains(k); }, one.in(f.key_kind()));
            });
        },
        py::arg("key"));
    type.def("clear", &Filter::clear,
             "Removes all keys. ValueError for a filter that is read-only or built of all its keys "
             "at once.");
}

/// An operator that changes its left side, and one that changes a copy of it.
void define_set_operator(Type& type, const char* in_place, const char* on_a_copy,
                         void (Filter::*change)(const Filter&)) {
    type.def(
        in_place,
        [=](std::shared_ptr<Filter> self, const Filter& other) {
            (self.get()->*change)(other);
            return self;
        },
        py::is_operator());
    type.def(
        on_a_copy,
        [=](const Filter& self, const Filter& other) {
            auto both = self.copy();
            (both.get()->*change)(other);
            return both;
        },
        py::is_operator());
}

void define_sets(Type& type) {
    type.def("copy", &Filter::copy,
             "A filter of its own with the same keys, also of a mapped or viewed one.");
    type.def("__copy__", &Filter::copy);
    type.def("__deepcopy__", [](const Filter& self, py::handle) { return self.copy(); });
    define_set_operator(type, "__ior__", "__or__", &Filter::unite);
    define_set_operator(type, "__iand__", "__and__", &Filter::intersect);
    define_set_operator(type, "__iadd__", "__add__", &Filter::add_counts);
    type.def(
        "accept_all", [](Filter& self) { self.change([](AnyFilter& f) { f.accept_all(); }); },
        "Makes the filter find every key, until clear().");
    type.def(
        "folded",
        [](const Filter& self, std::uint64_t parts) {
            return self.derived([&](const AnyFilter& f) { return f.folded(parts); });
        },
        py::arg("parts"),
        "The same keys in a filter smaller by the factor parts. ValueError unless parts divides "
        "the number of blocks and the layout can be folded.");
    type.def(
        "folded_to_fpr",
        [](const Filter& self, double fpr) {
            if (!(fpr > 0 && fpr < 1))
                throw py::value_error("simdbloom: fpr=" + text_of(py::float_(fpr)) +
                                      " is not inside (0, 1)");
            return self.derived([&](const AnyFilter& f) { return f.folded_to_fpr(fpr); });
        },
        py::arg("fpr"),
        "The filter folded as often as estimated_fpr() stays at most fpr. ValueError outside "
        "(0, 1).");
}

}  // namespace

void define_filter(py::module_& module) {
    Type type(module, "Filter",
              "A filter of any layout: Filter(spec, n_keys, bits_per_key) or "
              "Filter(spec, n_keys, fpr=rate).\n\n"
              "spec: 'split256', 'sector512', 'cuckoo12', ..: a layout, with parameters as in "
              "'classic:k=8'. n_keys: the number of keys to size it for. isa: the kernels, by "
              "default the best of usable_isas(). hashing: 'fast', 'seeded' or 'keyed'; a seed or "
              "the 16 secret bytes are drawn unless given. max_bytes: MemoryError beyond, 0 for "
              "no limit. fold_levels: how often it can be halved. huge_pages: ask for them if it "
              "is large. growth, tightening: of 'scalable', the keys and the rate of each filter "
              "over those of the one before.\n\nRaises ValueError that names the argument.");
    define_making(type);
    define_keys(type);
    define_asking(type);
    define_sets(type);
    define_facts(type);
    define_filter_saving(type);
}

}  // namespace simdbloom::python
