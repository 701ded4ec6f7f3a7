// The Python class FilterBank: many Bloom filters of one size, asked with one key.

#include "simdbloom/bank/filter_bank.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "simdbloom/any/serialize.hpp"
#include "structures.hpp"

namespace simdbloom::python {

namespace {

class Bank : public Hashed<FilterBank> {
public:
    const bool read_only;

    /// `memory` owns the bits of a view, if they belong to Python.
    explicit Bank(FilterBank bank, bool is_view = false, py::object memory = {})
        : Hashed(std::move(bank)), read_only(is_view), memory_(std::move(memory)) {
        const KeyKind kind = structure.key_kind();
        const bool is_new =
            kind == KeyKind::unknown &&
            std::ranges::all_of(structure.bytes(), [](std::byte b) { return b == std::byte{0}; });
        set_kind({kind, is_new});
    }
    /// Changes by use(bank). Throws ValueError if the bank is read-only.
    template <class Use>
    auto change_sets(const Use& use) {
        if (read_only)
            throw py::value_error("simdbloom: this bank is read-only; copy() makes a writable one");
        return write(use);
    }

private:
    py::object memory_;
};

using SharedBank = std::shared_ptr<Bank>;
using BankType = py::class_<Bank, SharedBank>;

SharedBank new_bank(FilterBank bank) { return std::make_shared<Bank>(std::move(bank)); }

/// Throws TypeError for what is not a filter, ValueError for filters of which no bank is made.
SharedBank of_filters(const py::iterable& given, const std::optional<std::string>& isa,
                      std::size_t max_bytes) {
    std::vector<std::shared_ptr<Filter>> filters;
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
    KeyKind kind = KeyKind::unknown;
    bool is_new = true;
    for (const auto& filter : filters) {
        const auto* const base = filter->get().get_if<FilterBase>();
        if (base == nullptr)
            throw std::invalid_argument("simdbloom: " + filter->get().spec() +
                                        " has no layout of bits, which a bank needs");
        parts.push_back(base);
        if (filter->is_new()) continue;
        kind = is_new ? base->key_kind() : united(kind, base->key_kind());
        is_new = false;
    }
    FilterBank bank = FilterBank::of(parts, options);
    bank.set_key_kind(kind);
    return new_bank(std::move(bank));
}

void insert_into(Bank& self, std::size_t set, py::handle keys, bool hashed) {
    // Refuses the set before the keys decide the kind.
    self.change_sets([&](FilterBank& bank) { bank.insert(set, std::span<const std::uint64_t>()); });
    self.change(Keys(keys, hashed), [&](auto hashes, const auto&) {
        self.structure.insert(set, simdbloom::Keys::hashes(hashes));
        self.structure.set_key_kind(self.key_kind());
    });
}

/// Calls use(bank, key) without the GIL.
template <class Use>
auto with_one(const Bank& self, py::handle key, const Use& use) {
    const OneKey one = one_key(key);  // owns the bytes of a UUID
    const OneKey::Plain plain = one.in(self.key_kind());
    return self.read([&](const FilterBank& bank) {
        return std::visit([&](const auto& k) { return use(bank, k); }, plain);
    });
}

template <class T>
py::array array_from(std::vector<T>&& values, std::vector<py::ssize_t> shape) {
    auto* const all = new std::vector<T>(std::move(values));
    const py::capsule owner(all, [](void* p) { delete static_cast<std::vector<T>*>(p); });
    return py::array(py::dtype::of<T>(), std::move(shape), all->data(), owner);
}

py::array bitmap_of(const Bank& self, py::handle keys, bool hashed) {
    // As wide as the bank is now, even if other threads add sets.
    const std::size_t width = self.read([](const auto& bank) { return bank.bitmap_bytes(); });
    std::vector<std::uint8_t> all, some;
    if (!hashed && is_one_key(keys)) {
        with_one(self, keys, [&](const FilterBank& bank, const auto& key) {
            all.resize(bank.bitmap_bytes());
            bank.contains(key, all);
        });
        all.resize(width);
        return array_from(std::move(all), {static_cast<py::ssize_t>(width)});
    }
    Keys batch(keys, hashed);
    all.resize(batch.rows().value_or(0) * width);
    const std::size_t n = self.ask(std::move(batch), [&](auto hashes, const auto& row) {
        if (hashes.empty()) return;  // all are NULL
        const std::size_t bytes = self.structure.bitmap_bytes();
        some.resize(hashes.size() * bytes);
        self.structure.contains(simdbloom::Keys::hashes(hashes), some);
        if (const std::size_t end = (row(hashes.size() - 1) + 1) * width; all.size() < end)
            all.resize(2 * end);
        for (std::size_t i = 0; i < hashes.size(); ++i)
            std::copy_n(&some[i * bytes], std::min(bytes, width), &all[row(i) * width]);
    });
    all.resize(n * width);
    return array_from(std::move(all),
                      {static_cast<py::ssize_t>(n), static_cast<py::ssize_t>(width)});
}

py::object flags_of(const Bank& self, py::handle keys, bool hashed) {
    const std::size_t sets = self.read([](const auto& bank) { return bank.sets(); });
    return py::module_::import("numpy")
        .attr("unpackbits")(bitmap_of(self, keys, hashed), py::arg("axis") = -1,
                            py::arg("count") = sets, py::arg("bitorder") = "little")
        .attr("view")("bool");
}

std::vector<std::uint64_t> counts_of(const Bank& self, py::handle keys, bool hashed) {
    std::vector<std::uint64_t> counts(self.read([](const auto&bank) { return bank.sets(); })), some;
    self.ask(Keys(keys, hashed), [&](auto hashes, const auto&) {
        some.resize(self.structure.sets());
        self.structure.count_per_set(simdbloom::Keys::hashes(hashes), some);
        for (std::size_t s = 0; s < std::min(some.size(), counts.size()); ++s) counts[s] += some[s];
    });
    return counts;
}

py::array count_per_set(const Bank& self, py::handle keys, bool hashed) {
    auto counts = counts_of(self, keys, hashed);
    const auto n = static_cast<py::ssize_t>(counts.size());
    return array_from(std::move(counts), {n});
}

py::array of_sets(std::vector<std::uint32_t>&& sets) {
    const auto n = static_cast<py::ssize_t>(sets.size());
    return array_from(std::move(sets), {n});
}

py::array select_sets(const Bank& self, py::handle keys, std::uint64_t least, bool hashed) {
    const auto counts = counts_of(self, keys, hashed);
    std::vector<std::uint32_t> sets;
    for (std::size_t s = 0; s < counts.size(); ++s)
        if (counts[s] >= least) sets.push_back(static_cast<std::uint32_t>(s));
    return of_sets(std::move(sets));
}

void define_making_banks(BankType& type) {
    using Make = FilterBank (*)(std::size_t, std::size_t, double, const Options&);
    const struct {
        const char *name, *size, *doc;
        Make make;
    } ways[] = {
        {"with_bits_per_key", "bits_per_key", "A bank whose sets have so many bits a key.",
         &FilterBank::with_bits_per_key},
        {"for_fpr", "fpr",
         "The smallest bank in which the expected false-positive rate of each set is at most fpr, "
         "or the best that fits into max_bytes.",
         &FilterBank::for_fpr}};
    for (const auto& way : ways)
        type.def_static(
            way.name,
            [make = way.make](std::size_t sets, std::size_t n_keys, double size,
                              const std::string& spec, const std::optional<std::string>& isa,
                              std::uint64_t seed, const std::string& hashing,
                              const std::optional<py::bytes>& secret, std::size_t max_bytes,
                              bool huge_pages) {
                Options options = options_of(isa, seed, hashing, secret, max_bytes);
                options.spec = spec;
                options.huge_pages = huge_pages;
                const NoGil no_gil;
                return new_bank(make(sets, n_keys, size, options));
            },
            py::arg("sets"), py::arg("n_keys"), py::arg(way.size), py::kw_only(),
            py::arg("spec") = "blocked512", py::arg("isa") = py::none(), py::arg("seed") = 0,
            py::arg("hashing") = "fast", py::arg("secret") = py::none(), py::arg("max_bytes") = 0,
            py::arg("huge_pages") = true,
            (std::string(way.doc) +
             " sets: their number. n_keys: of each set. spec: a layout of bits. The others as of "
             "Filter; max_bytes is for the whole bank. ValueError that names the argument.")
                .c_str());
    type.def_static("of", &of_filters, py::arg("filters"), py::kw_only(),
                    py::arg("isa") = py::none(), py::arg("max_bytes") = 0,
                    "The bank of filters of one layout, size, seed and secret, whose bits are "
                    "copied: filter s is set s. ValueError that names the filter that differs.");
    const auto copy = [](const Bank& self) {
        return new_bank(self.read([](const FilterBank& bank) { return bank; }));
    };
    type.def("copy", copy, "A bank of its own with the same keys, also of a mapped one.");
    type.def("__copy__", copy);
    type.def("__deepcopy__", [=](const Bank& self, py::handle) { return copy(self); });
    define_saving<FilterBank>(
        type, [](const Bank& self, const auto& use) { return self.held(use); }, &new_bank);
    define_reader(
        type, "map", "path",
        "A read-only bank whose bits stay in the file. The file may be removed, but must "
        "not change or be cut. Errors as of load. Changes raise ValueError.",
        [](const py::object& file, const Options& options) {
            const std::filesystem::path path = path_of(file, nullptr);
            return std::make_shared<Bank>(
                loaded_by<FilterBank>([&] { return map_file<FilterBank>(path, options); }, &path),
                true);
        });
    using Bytes = std::span<const std::byte>;
    define_view(
        type,
        [](Bytes bytes, const Options& options) {
            return std::make_shared<Bank>(loaded(load<FilterBank>(bytes, options)), true);
        },
        [](Bytes bytes, const Options& options, const py::object& memory) {
            return std::make_shared<Bank>(loaded(view<FilterBank>(bytes, options)), true, memory);
        });
}

void define_lookups(BankType& type) {
    const std::string one = " keys: n keys, or one key, whose result has one dimension less.";
    define_with_keys(
        type, "contains",
        "An array of n rows of len(bank) bools: whether each set may have the key." + one, "",
        &flags_of);
    define_with_keys(type, "bitmap",
                     "The same as bits: n rows of 8 bytes (uint8) for every 64 sets begun. Set s "
                     "is bit s % 8 of byte s // 8." +
                         one,
                     "", &bitmap_of);
    define_with_keys(type, "count_per_set",
                     "An array of len(bank) numbers (uint64): how many of the n keys each set may "
                     "have.",
                     "", &count_per_set);
    type.def("select_sets", &select_sets, py::arg("keys"), py::arg("least"), py::kw_only(),
             py::arg("hashed") = false,
             doc_with_keys("The sets that may have at least `least` of the n keys, ascending, as "
                           "uint32.")
                 .c_str());
    type.def(
        "select",
        [](const Bank& self, py::handle key) {
            return of_sets(with_one(
                self, key, [](const auto& bank, const auto& k) { return bank.select(k); }));
        },
        py::arg("key"),
        "The sets that may have one key, ascending, as uint32. Errors as of Filter.add.");
    type.def(
        "count",
        [](const Bank& self, py::handle key) {
            return with_one(self, key,
                            [](const auto& bank, const auto& k) { return bank.count(k); });
        },
        py::arg("key"), "How many sets may have one key. Errors as of Filter.add.");
    define_hashes(type, [](const Bank& self) { return std::pair(self.hash(), self.key_kind()); });
}

void define_sets(BankType& type) {
    type.def("insert", &insert_into, py::arg("set"), py::arg("keys"), py::kw_only(),
             py::arg("hashed") = false,
             doc_with_keys("Inserts n keys into a set, from 0 on; None and NULL are skipped. "
                           "IndexError for a set that is not there, ValueError if the bank is "
                           "read-only.")
                 .c_str());
    type.def(
        "add_set",
        [](Bank& self) {
            return self.change_sets([](FilterBank& bank) { return bank.add_set(); });
        },
        "Adds an empty set and returns its number. The 9th, 17th, 33rd and 65th copy the bank, "
        "and so does every 64th from there on.");
    type.def(
        "clear_set",
        [](Bank& self, std::size_t set) {
            self.change_sets([&](FilterBank& bank) { bank.clear_set(set); });
        },
        py::arg("set"), "Removes the keys of a set. IndexError for a set that is not there.");
    type.def(
        "resize",
        [](Bank& self, std::size_t sets) {
            self.change_sets([&](FilterBank& bank) { bank.resize(sets); });
        },
        py::arg("sets"),
        "Removes sets from the end, or adds empty ones. ValueError for 0 and beyond max_bytes.");
    type.def(
        "clear",
        [](Bank& self) {
            self.change_sets([](FilterBank& bank) {
                bank.clear();
                bank.set_key_kind(KeyKind::unknown);
            });
            self.set_kind({});
        },
        "Removes all keys of all sets.");
}

void define_bank_facts(BankType& type) {
    using B = const FilterBank&;
    const auto property = [&](const char* name, const char* doc, const auto& of) {
        type.def_property_readonly(
            name, [of](const Bank& self) { return self.read(of); }, doc);
    };
    property("spec", "The layout of each set as text.", [](B b) { return b.spec(); });
    property("n_keys", "The number of keys that each set was made for.",
             [](B b) { return b.n_keys(); });
    property("rows", "The bits of each set.", [](B b) { return b.rows(); });
    property("bits_per_key", "Of a set at n_keys keys.", [](B b) { return b.bits_per_key(); });
    property("size_in_bytes", "Of the bits of all sets.", [](B b) { return b.size_in_bytes(); });
    property("seed", "Of the hash.", [](B b) { return b.seed(); });
    property("isa", "The instruction set of its kernels.",
             [](B b) { return std::string(to_string(b.isa())); });
    property("hashing", "'fast', 'seeded' or 'keyed'.", [](B b) { return to_string(b.hashing()); });
    define_secret(type, [](const Bank& self) { return self.hash(); });
    type.def_property_readonly(
        "key_kind", [](const Bank& self) { return to_string(self.key_kind()); },
        "The kind of the keys, see Filter.");
    type.def_readonly("read_only", &Bank::read_only,
                      "Whether the bits lie in a mapped file or in the caller's buffer.");
    type.def("__len__", [](const Bank& self) { return self.read([](B b) { return b.sets(); }); });
    type.def(
        "expected_fpr",
        [](const Bank& self) { return self.read([](B b) { return b.expected_fpr(); }); },
        "The false-positive rate of a set at n_keys keys by the exact model.");
    type.def("__repr__", [](const Bank& self) {
        return self.read([](B b) {
            return "<simdbloom.FilterBank of " + std::to_string(b.sets()) + " sets, " + b.spec() +
                   " for " + std::to_string(b.n_keys()) + " keys each>";
        });
    });
}

}  // namespace

void define_bank(py::module_& module) {
    BankType type(
        module, "FilterBank",
        "Many Bloom filters of one layout and size, the sets, asked with one key: made by "
        "for_fpr, with_bits_per_key or of. Sets are numbered from 0; len() is their number. "
        "All sets have keys of one kind, seed and secret.");
    define_making_banks(type);
    define_sets(type);
    define_lookups(type);
    define_bank_facts(type);
}

}  // namespace simdbloom::python
