// The Python classes FilterBank and CompactBank: many Bloom filters, asked with one key.

#include <pybind11/stl.h>

#include <algorithm>
#include <concepts>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "filter.hpp"

namespace simdbloom::python {

namespace {

template <class B>
using Bank = Hashed<B>;

template <class B>
void insert_into(Bank<B>& self, std::size_t set, py::handle keys, bool hashed) {
    // Refuses the set before the keys decide the kind.
    self.write([&](B& bank) { bank.insert(set, std::span<const std::uint64_t>()); });
    self.fill(Keys(keys, hashed), [&](auto hashes, const auto&) {
        self.get().insert(set, simdbloom::Keys::hashes(hashes));
    });
}

template <class T>
py::array row_of(std::vector<T>&& values) {
    const auto n = static_cast<py::ssize_t>(values.size());
    return array_from(std::move(values), {n});
}

template <class B>
py::array bitmap_of(const Bank<B>& self, py::handle keys, bool hashed) {
    // As wide as the bank is now, even if other threads add sets.
    const std::size_t width = self.read([](const auto& bank) { return bank.bitmap_bytes(); });
    std::vector<std::uint8_t> all, some;
    if (!hashed && is_one_key(keys)) {
        self.with(one_key(keys), [&](const B& bank, const auto& key) {
            all.resize(bank.bitmap_bytes());
            bank.contains(key, all);
        });
        all.resize(width);
        return row_of(std::move(all));
    }
    Keys batch(keys, hashed);
    all.resize(batch.rows().value_or(0) * width);
    const std::size_t n = self.ask(std::move(batch), [&](auto hashes, const auto& row) {
        if (hashes.empty()) return;  // all are NULL
        const std::size_t bytes = self.get().bitmap_bytes();
        some.resize(hashes.size() * bytes);
        self.get().contains(simdbloom::Keys::hashes(hashes), some);
        if (const std::size_t end = (row(hashes.size() - 1) + 1) * width; all.size() < end)
            all.resize(2 * end);
        for (std::size_t i = 0; i < hashes.size(); ++i)
            std::copy_n(&some[i * bytes], std::min(bytes, width), &all[row(i) * width]);
    });
    all.resize(n * width);
    return array_from(std::move(all),
                      {static_cast<py::ssize_t>(n), static_cast<py::ssize_t>(width)});
}

template <class B>
py::object flags_of(const Bank<B>& self, py::handle keys, bool hashed) {
    const std::size_t sets = self.read([](const auto& bank) { return bank.sets(); });
    return py::module_::import("numpy")
        .attr("unpackbits")(bitmap_of(self, keys, hashed), "axis"_a = -1, "count"_a = sets,
                            "bitorder"_a = "little")
        .attr("view")("bool");
}

template <class B>
std::vector<std::uint64_t> counts_of(const Bank<B>& self, py::handle keys, bool hashed) {
    std::vector<std::uint64_t> counts(self.read([](const auto&bank) { return bank.sets(); })), some;
    self.ask(Keys(keys, hashed), [&](auto hashes, const auto&) {
        some.resize(self.get().sets());
        self.get().count_per_set(simdbloom::Keys::hashes(hashes), some);
        for (std::size_t s = 0; s < std::min(some.size(), counts.size()); ++s) counts[s] += some[s];
    });
    return counts;
}

template <class B>
py::array count_per_set(const Bank<B>& self, py::handle keys, bool hashed) {
    return row_of(counts_of(self, keys, hashed));
}

template <class B>
py::array select_sets(const Bank<B>& self, py::handle keys, std::uint64_t least, bool hashed) {
    const auto counts = counts_of(self, keys, hashed);
    std::vector<std::uint32_t> sets;
    for (std::size_t s = 0; s < counts.size(); ++s)
        if (counts[s] >= least) sets.push_back(static_cast<std::uint32_t>(s));
    return row_of(std::move(sets));
}

/// The n_keys of each set. Throws TypeError or ValueError that names the set with a wrong one.
std::vector<std::size_t> sizes_of(const py::iterable& given) {
    std::vector<std::size_t> sizes;
    if (py::hasattr(given, "ndim") && given.attr("ndim").cast<int>() != 1)
        throw py::value_error("simdbloom: n_keys has the shape " + repr_of(given.attr("shape")) +
                              ": give one number a set");
    for (const py::handle size : given) {
        const auto text = [&] {
            return "simdbloom: n_keys[" + std::to_string(sizes.size()) + "]=" + repr_of(size);
        };
        if (PyIndex_Check(size.ptr()) == 0) throw py::type_error(text() + " is not an integer");
        const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(size.ptr()));
        if (!number) throw py::error_already_set();
        sizes.push_back(PyLong_AsSize_t(number.ptr()));
        if (PyErr_Occurred() != nullptr) {
            PyErr_Clear();
            sizes.pop_back();
            throw py::value_error(text() + " is below 0 or above 2^64 - 1");
        }
    }
    return sizes;
}

/// A bank with copies of the filters. Throws TypeError for an object that is not a Filter,
/// ValueError for a filter that cannot be a set of the bank.
std::shared_ptr<Bank<FilterBank>> of_filters(const py::iterable& given, const Text& isa,
                                             std::size_t max_bytes) {
    std::vector<std::shared_ptr<const Filter>> filters;
    for (const py::handle filter : given) {
        if (!py::isinstance<Filter>(filter))
            throw py::type_error("simdbloom: " + repr_of(filter) + " is not a Filter");
        filters.push_back(filter.cast<std::shared_ptr<Filter>>());
    }
    const Options options = options_of(isa, 0, "fast", {}, max_bytes);
    const NoGil no_gil;
    // Each once and by its address, so that no two threads wait for each other.
    std::map<const Filter*, std::shared_lock<std::shared_mutex>> locks;
    for (const auto& filter : filters) locks.try_emplace(filter.get());
    for (auto& [filter, lock] : locks) lock = std::shared_lock(filter->mutex());
    std::vector<const FilterBase*> parts;
    Kind kind;
    for (const auto& filter : filters) {
        const auto* const base = filter->get().get_if<FilterBase>();
        if (base == nullptr)
            throw std::invalid_argument("simdbloom: " + filter->get().spec() +
                                        " has no layout of bits, which a bank needs");
        parts.push_back(base);
        kind = kind.united_with(filter->kind());
    }
    FilterBank bank = FilterBank::of(parts, options);
    bank.set_key_kind(kind.kind);
    return std::make_shared<Bank<FilterBank>>(std::move(bank));
}

std::size_t number_of(std::size_t given) { return given; }
std::vector<std::size_t> number_of(const py::iterable& given) { return sizes_of(given); }

/// Defines with_bits_per_key and for_fpr. `numbers`: the arguments before the size, which
/// give the number of the sets and of their keys.
template <class B, class... Given>
void define_making(ClassOf<Bank<B>>& type, const std::string& numbers_doc,
                   const std::same_as<py::arg> auto&... numbers) {
    const auto define = [&](const char* name, const char* size, const char* doc, auto* make) {
        type.def_static(
            name,
            [make](const Given&... given, double bits_or_fpr, const std::string& spec,
                   const Text& isa, std::uint64_t seed, const std::string& hashing,
                   const MaybeSecret& secret, std::size_t max_bytes, bool huge_pages) {
                Options options = options_of(isa, seed, hashing, secret, max_bytes);
                options.spec = spec;
                options.huge_pages = huge_pages;
                const auto plain = std::tuple(number_of(given)...);
                const NoGil no_gil;
                return std::make_shared<Bank<B>>(std::apply(
                    [&](const auto&... n) { return make(n..., bits_or_fpr, options); }, plain));
            },
            numbers..., py::arg(size), py::kw_only(), "spec"_a = std::string(default_spec),
            "isa"_a = py::none(), "seed"_a = 0, "hashing"_a = "fast", "secret"_a = py::none(),
            "max_bytes"_a = 0, "huge_pages"_a = true,
            (std::string(doc) + numbers_doc +
             " spec: a layout of bits, or paired512. The others as of Filter; max_bytes is for the "
             "whole bank. ValueError that names the argument.")
                .c_str());
    };
    define("with_bits_per_key", "bits_per_key", "A bank whose sets have so many bits a key.",
           &B::with_bits_per_key);
    define("for_fpr", "fpr",
           "The smallest bank in which the expected false-positive rate of each set is at most "
           "fpr, or the best that fits into max_bytes.",
           &B::for_fpr);
}

template <class B>
void define_keeping(ClassOf<Bank<B>>& type) {
    using Bytes = std::span<const std::byte>;
    define_copying(type);
    define_saving(type);
    const auto read_only = [](B bank, const py::object& memory = {}) {
        return std::make_shared<Bank<B>>(std::make_shared<B>(std::move(bank)), true, memory);
    };
    define_mapping(type, [=](const std::filesystem::path& path, const Options& options) {
        return read_only(loaded_by<B>([&] { return map_file<B>(path, options); }, &path));
    });
    define_view(
        type,
        [=](Bytes bytes, const Options& options) {
            return read_only(loaded(load<B>(bytes, options)));
        },
        [=](Bytes bytes, const Options& options, const py::object& memory) {
            return read_only(loaded(view<B>(bytes, options)), memory);
        });
}

template <class B>
void define_lookups(ClassOf<Bank<B>>& type) {
    const std::string one = " keys: n keys, or one key, whose result has one dimension less.";
    define_with_keys(
        type, "contains",
        "An array of n rows of len(bank) bools: whether each set may have the key." + one, "",
        &flags_of<B>);
    define_with_keys(type, "bitmap",
                     "The same as bits: n rows of 8 bytes (uint8) for every 64 sets begun. Set s "
                     "is bit s % 8 of byte s // 8." +
                         one,
                     "", &bitmap_of<B>);
    define_with_keys(type, "count_per_set",
                     "An array of len(bank) numbers (uint64): how many of the n keys each set may "
                     "have.",
                     "", &count_per_set<B>);
    type.def("select_sets", &select_sets<B>, "keys"_a, "least"_a, py::kw_only(), "hashed"_a = false,
             doc_with_keys("The sets that may have at least `least` of the n keys, ascending, as "
                           "uint32.")
                 .c_str());
    type.def(
        "select",
        [](const Bank<B>& self, py::handle key) {
            return row_of(self.with(one_key(key),
                                    [](const B& bank, const auto& k) { return bank.select(k); }));
        },
        "key"_a, "The sets that may have one key, ascending, as uint32. Errors as of Filter.add.");
    type.def(
        "count",
        [](const Bank<B>& self, py::handle key) {
            return self.with(one_key(key),
                             [](const B& bank, const auto& k) { return bank.count(k); });
        },
        "key"_a, "How many sets may have one key. Errors as of Filter.add.");
    define_hashes(type);
}

template <class B>
void define_sets(ClassOf<Bank<B>>& type) {
    type.def("insert", &insert_into<B>, "set"_a, "keys"_a, py::kw_only(), "hashed"_a = false,
             doc_with_keys("Inserts n keys into a set, from 0 on; None and NULL are skipped. "
                           "IndexError for a set that is not there, ValueError if the bank is "
                           "read-only.")
                 .c_str());
    type.def("clear_set", writing<Bank<B>, std::size_t>(&B::clear_set), "set"_a,
             "Removes the keys of a set. IndexError for a set that is not there.");
    type.def("clear", &Bank<B>::clear, "Removes all keys of all sets.");
}

/// Defines what both classes have, and returns the class.
template <class B, class... Given>
ClassOf<Bank<B>> define_class(py::module_& module, const char* name, const char* doc,
                              const std::string& numbers_doc,
                              const std::same_as<py::arg> auto&... numbers) {
    ClassOf<Bank<B>> type(module, name, doc);
    define_making<B, Given...>(type, numbers_doc, numbers...);
    define_keeping(type);
    define_sets(type);
    define_lookups(type);
    define_facts(type);
    type.def("__len__", reading<Bank<B>>(&B::sets));
    return type;
}

void define_filter_bank(py::module_& module) {
    auto type = define_class<FilterBank, std::size_t, std::size_t>(
        module, "FilterBank",
        "Many Bloom filters of one layout and size, the sets, asked with one key: made by for_fpr, "
        "with_bits_per_key or of. Sets are numbered from 0; len() is their number. All sets have "
        "keys of one kind, seed and secret; spec, n_keys, bits_per_key and expected_fpr() "
        "describe one set.",
        " sets: their number. n_keys: of each set.", "sets"_a, "n_keys"_a);
    type.def_static("of", &of_filters, "filters"_a, py::kw_only(), "isa"_a = py::none(),
                    "max_bytes"_a = 0,
                    "The bank of filters of one layout, size, seed and secret, whose bits are "
                    "copied: filter s is set s. ValueError that names the filter that differs.");
    using Self = Bank<FilterBank>;
    type.def("add_set", writing<Self>(&FilterBank::add_set),
             "Adds an empty set and returns its number. The 9th, 17th, 33rd and 65th copy the "
             "bank, and so does every 64th from there on.");
    type.def(
        "resize", writing<Self, std::size_t>(&FilterBank::resize), "sets"_a,
        "Removes sets from the end, or adds empty ones. ValueError for 0 and beyond max_bytes.");
    define_property(type, "rows", "The bits of each set.", &FilterBank::rows);
    define_call(type, "__repr__", "", [](const FilterBank& b) {
        return "<simdbloom.FilterBank " + b.spec() + ", sets: " + std::to_string(b.sets()) +
               ", keys of each: " + std::to_string(b.n_keys()) + ">";
    });
}

void define_compact_bank(py::module_& module) {
    auto type = define_class<CompactBank, py::iterable>(
        module, "CompactBank",
        "A FilterBank for sets of unequal size, made by for_fpr or with_bits_per_key: sets of "
        "similar size share a bank. It reads the bytes of a FilterBank too.",
        " n_keys: of each set, from 0 on.", "n_keys"_a);
    using Self = Bank<CompactBank>;
    using B = const CompactBank&;
    type.def(
        "add_set", writing<Self, std::size_t>(&CompactBank::add_set), "n_keys"_a,
        "Adds an empty set for n_keys keys and returns its number. ValueError beyond max_bytes.");
    type.def("resize", writing<Self, std::size_t, std::size_t>(&CompactBank::resize), "sets"_a,
             "n_keys"_a = 0,
             "Removes sets from the end, or adds empty ones for n_keys keys each. ValueError for 0 "
             "sets and beyond max_bytes.");
    define_property(type, "specs",
                    "The layout of each bank as text, of the one with the largest sets first.",
                    [](B b) {
                        std::vector<std::string> specs;
                        for (const FilterBank& bank : b.banks()) specs.push_back(bank.spec());
                        return specs;
                    });
    type.def_property_readonly(
        "n_keys",
        [](const Self& self) {
            auto keys = self.read([](B b) {
                std::vector<std::uint64_t> of(b.sets());
                for (std::size_t s = 0; s < of.size(); ++s) of[s] = b.n_keys(s);
                return of;
            });
            return row_of(std::move(keys));
        },
        "An array of len(bank) numbers (uint64): the keys that each set was made for.");
    type.def("expected_fpr", reading<Self, std::size_t>(&CompactBank::expected_fpr), "set"_a,
             "The false-positive rate of a set with its number of keys by the exact model. "
             "IndexError for a set that is not there.");
    define_call(type, "__repr__", "", [](B b) {
        return "<simdbloom.CompactBank, sets: " + std::to_string(b.sets()) +
               ", banks: " + std::to_string(b.banks().size()) +
               ", bytes: " + std::to_string(b.size_in_bytes()) + ">";
    });
}

}  // namespace

void define_bank(py::module_& module) {
    define_filter_bank(module);
    define_compact_bank(module);
}

}  // namespace simdbloom::python
