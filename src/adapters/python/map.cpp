// The Python class Map: a value for each key of a fixed set.

#include <pybind11/stl.h>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "filter.hpp"
#include "simdbloom/fixed/bloomier.hpp"

namespace simdbloom::python {

namespace {

using Map = Guarded<BloomierMap>;
using Values = py::array_t<std::uint32_t, py::array::c_style>;

/// Values as uint32. Throws ValueError for a value out of range.
Values values_of(py::handle object) {
    const py::array given = array_of(object);
    const char kind = given.dtype().kind();
    if (kind != 'u' && kind != 'i' && kind != 'b' && given.size() != 0)
        throw py::type_error("simdbloom: values are integers, not " + text_of(given.dtype()));
    if (given.ndim() != 1)
        throw py::value_error("simdbloom: values have " + std::to_string(given.ndim()) +
                              " dimensions, not one");
    const py::array values = given.attr("astype")("uint32");
    if (!py::module_::import("numpy").attr("array_equal")(values, given).cast<bool>())
        throw py::value_error("simdbloom: a value is below 0 or above 2^32 - 1");
    return values;
}

std::shared_ptr<Map> built(py::handle keys, py::handle values, std::optional<unsigned> value_bits,
                           unsigned check_bits, std::uint64_t seed, unsigned arity) {
    const Values given = values_of(values);
    const std::span all(given.data(), static_cast<std::size_t>(given.size()));
    Keys batch(keys);
    Options options;
    options.seed = seed;
    Kind kind;
    const HashedKeys of(batch, RowHash{seed, {}},
                        [&](const JoinRows& rows) { return kind.add(rows); });
    options.key_kind = kind.kind;
    if (const auto null = std::find(of.valid.begin(), of.valid.end(), false);
        null != of.valid.end())
        throw py::value_error("simdbloom: the key of row " +
                              std::to_string(null - of.valid.begin()) +
                              " is NULL and cannot have a value");
    if (!value_bits) {
        std::uint32_t any = 0;
        for (const std::uint32_t value : all) any |= value;
        value_bits = static_cast<unsigned>(std::bit_width(any));
    }
    const NoGil no_gil;
    return std::make_shared<Map>(BloomierMap::build(simdbloom::Keys::hashes(of.hashes), all,
                                                    *value_bits, check_bits, options,
                                                    {.arity = arity}));
}

py::tuple lookup(const Map& map, py::handle keys) {
    const BloomierMap& self = map.structure;  // never changes
    Keys batch(keys);
    const HashedKeys of(batch, hash_of_rows(self.key_hash()), self.key_kind());
    const std::size_t n = of.hashes.size();
    Values values(static_cast<py::ssize_t>(n));
    py::array_t<bool> found(static_cast<py::ssize_t>(n));
    {
        std::uint32_t* const out = values.mutable_data();
        bool* const flags = found.mutable_data();
        const NoGil no_gil;
        std::vector<std::uint8_t> bits((n + 7) / 8);
        (void)self.lookup(simdbloom::Keys::hashes(of.hashes), {out, n}, bits);
        for (std::size_t i = 0; i < n; ++i) {
            flags[i] = of.valid[i] && (bits[i / 8] >> (i % 8) & 1) != 0;
            if (!flags[i]) out[i] = 0;
        }
    }
    return py::make_tuple(values, found);
}

std::optional<std::uint32_t> value_of(const Map& self, py::handle key) {
    const OneKey one = one_key(key);  // owns the bytes of a UUID
    return std::visit([&](auto k) { return self.structure.value_of(k); },
                      one.in(self.structure.key_kind()));
}

}  // namespace

void define_map(py::module_& module) {
    ClassOf<Map> type(
        module, "Map",
        "A map from n keys to n integers below 2**32 that holds no keys. It is exact for its keys "
        "and finds an absent key at a rate of 2**-check_bits.\n\nvalue_bits: the width of a value, "
        "by default that of the largest. arity: 4 takes 5 % less space than 3 and one more load. "
        "Raises ValueError for a NULL key, a key with two values or a value out of range; "
        "TypeError and OverflowError as Filter.insert.");
    type.def(py::init(&built), "keys"_a, "values"_a, py::kw_only(), "value_bits"_a = py::none(),
             "check_bits"_a = 8, "seed"_a = 0, "arity"_a = 3)
        .def("lookup", &lookup, "keys"_a,
             "Two arrays of n: the value of each key (uint32, 0 for an absent key) and whether the "
             "key was found (bool). Errors as Filter.contains.")
        .def("__contains__",
             [](const Map& self, py::handle key) { return value_of(self, key).has_value(); })
        .def("__getitem__",
             [](const Map& self, const py::object& key) {
                 if (const auto value = value_of(self, key)) return *value;
                 PyErr_SetObject(PyExc_KeyError, key.ptr());
                 throw py::error_already_set();
             })
        .def("__len__", [](const Map& self) { return self.structure.n_keys(); })
        .def(
            "get",
            [](const Map& self, py::handle key, const py::object& otherwise) {
                const auto value = value_of(self, key);
                return value ? py::object(py::int_(*value)) : otherwise;
            },
            "key"_a, "default"_a = py::none(),
            "The value of one key, or `default` for an absent one. Errors as Filter.add.");
    define_call(type, "__repr__", "", [](const BloomierMap& map) {
        return "<simdbloom.Map " + map.spec() + " of " + std::to_string(map.n_keys()) + " keys>";
    });
    define_property(type, "value_bits", "The width of a value.", &BloomierMap::value_bits);
    define_property(type, "check_bits", "The width of a check.", &BloomierMap::check_bits);
    define_facts(type);
    type.attr("__iter__") = py::none();  // it has no keys to give
    define_saving(type);
    define_mapping(type, [](const std::filesystem::path& path, const Options& options) {
        return std::make_shared<Map>(
            loaded_by<BloomierMap>([&] { return map_file<BloomierMap>(path, options); }, &path));
    });
}

}  // namespace simdbloom::python
