#include "filter.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "simdbloom/cardinality.hpp"

namespace simdbloom::python {

namespace {

bool all_zeros(std::span<const std::byte> bytes) {
    return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace

bool has_no_keys(const AnyFilter& filter) {
    if (const auto* const base = filter.get_if<FilterBase>()) return all_zeros(base->bytes());
    return std::visit(
        []<class F>(const F& f) {
            if constexpr (requires { f.stored(); }) return f.stored() == 0;
            else return false;
        },
        filter.variant());
}
bool has_no_keys(const FilterBank& bank) { return all_zeros(bank.bytes()); }
bool has_no_keys(const CompactBank& bank) {
    return std::ranges::all_of(bank.banks(), [](const auto& its) { return has_no_keys(its); });
}

std::optional<simdbloom::Keys> keys_in_place(const KeyColumn& column) {
    const detail::ColumnPlace& place = column.place();
    if (place.valid != nullptr || place.words != nullptr || place.converts()) return {};
    const auto values = [&]<class T>(T) {
        return std::span(static_cast<const T*>(place.data), place.size);
    };
    using enum detail::ColumnType;
    if (place.type == word) return values(std::uint64_t{});
    if (place.type == hash) return simdbloom::Keys::hashes(values(std::uint64_t{}));
    if (place.type == i32) return values(std::int32_t{});
    if (place.type == u32) return values(std::uint32_t{});
    if (place.type == views) return values(std::string_view{});
    if (place.type != offsets64) return {};
    return simdbloom::Keys::strings(
        std::span(static_cast<const std::int64_t*>(place.data), place.size + 1), place.bytes);
}

void each_hash(const JoinRows& rows, const UseHashes& use) {
    constexpr std::size_t piece = 2048;
    std::array<std::uint32_t, piece> numbers;
    std::array<std::uint64_t, piece> hashes;
    if (rows.size() > std::numeric_limits<std::uint32_t>::max())
        throw std::length_error("simdbloom: " + std::to_string(rows.size()) +
                                " rows, more than 2^32 - 1");
    const JoinFilter no_nulls = JoinFilter::accept_all();
    for (std::size_t first = 0; first < rows.size(); first += piece) {
        auto here = std::span(numbers).first(std::min(piece, rows.size() - first));
        std::iota(here.begin(), here.end(), static_cast<std::uint32_t>(first));
        here = here.first(rows.select(no_nulls, here, here));
        rows.hashes(here, hashes);
        use(std::span<const std::uint64_t>(hashes).first(here.size()), here);
    }
}

// A read-only structure is not changed.
Filter::Filter(const FrozenFilter& filter, py::object memory)
    : Hashed(std::shared_ptr<AnyFilter>(std::make_shared<FrozenFilter>(filter),
                                        const_cast<AnyFilter*>(&*filter)),
             true, std::move(memory)) {}

namespace {

/// Locks both, the one with the lower address first.
template <class Use>
void with_both(std::shared_mutex& changed, std::shared_mutex& read, const Use& use) {
    const NoGil no_gil;
    std::unique_lock writer(changed, std::defer_lock);
    std::shared_lock reader(read, std::defer_lock);
    std::lock(writer, reader);
    use();
}

}  // namespace

void Filter::take_in(const Filter& other, const std::function<void(AnyFilter&)>& use) {
    AnyFilter& filter = get();
    with_both(mutex_, other.mutex_, [&] {
        const Kind both = kind().united_with(other.kind());
        use(filter);
        set_kind(both);
    });
}

void Filter::unite(const Filter& other) {
    if (&other == this) return (void)get();
    take_in(other, [&](AnyFilter& filter) { filter |= other.get(); });
}

void Filter::add_counts(const Filter& other) {
    if (&other == this) return add_counts(*other.copy());
    take_in(other, [&](AnyFilter& filter) {
        auto* const counts = filter.get_if<CountingBloom>();
        const auto* const more = other.get().get_if<CountingBloom>();
        if (counts == nullptr || more == nullptr)
            throw std::invalid_argument("simdbloom: " + filter.spec() + " += " +
                                        other.get().spec() + ": only counting filters are added");
        *counts += *more;
    });
}

void Filter::intersect(const Filter& other) {
    AnyFilter& filter = get();
    if (&other != this) with_both(mutex_, other.mutex_, [&] { filter &= other.get(); });
}

namespace {

using Type = ClassOf<Filter>;

std::size_t try_insert(Filter& self, py::handle keys, bool hashed) {
    std::size_t inserted = 0;
    bool is_full = false;
    self.fill(Keys(keys, hashed), [&](auto hashes, const auto&) {
        if (is_full) return;
        const std::size_t here = self.get().try_insert(simdbloom::Keys::hashes(hashes));
        inserted += here;
        is_full = here != hashes.size();
    });
    return inserted;
}

std::size_t erase(Filter& self, py::handle keys, bool hashed) {
    std::size_t erased = 0;
    self.take(Keys(keys, hashed), [&](auto hashes, const auto&) {
        erased += self.get().erase(simdbloom::Keys::hashes(hashes));
    });
    return erased;
}

void define_keys(Type& type) {
    define_filling(type);
    define_with_keys(type, "try_insert",
                     "Inserts keys up to the first that has no room. Returns how many are in.", "",
                     &try_insert);
    define_with_keys(type, "erase",
                     "Removes one copy of each key. Returns how many were there. Erase only keys "
                     "that were inserted. ValueError for a layout that cannot erase.",
                     "", &erase);
    type.def(
        "discard",
        [](Filter& self, py::handle key) {
            const OneKey one = one_key(key);
            return self.change([&](AnyFilter& f) {
                return std::visit([&](auto k) { return f.erase(k); }, one.in(f.key_kind()));
            });
        },
        "key"_a,
        "Removes one copy of a key that was inserted. Returns False if it is not there. ValueError "
        "for a layout that cannot erase.");
    type.def("clear", &Filter::clear,
             "Removes all keys. ValueError for a filter that is read-only or built of all its keys "
             "at once.");
}

void define_sets(Type& type) {
    define_copying(type);
    define_operator(type, "__ior__", "__or__", &Filter::unite);
    define_operator(type, "__iand__", "__and__", &Filter::intersect);
    define_operator(type, "__iadd__", "__add__", &Filter::add_counts);
    type.def(
        "accept_all", [](Filter& self) { self.change([](AnyFilter& f) { f.accept_all(); }); },
        "Makes the filter find every key, until clear().");
    type.def(
        "folded",
        [](const Filter& self, std::uint64_t parts) {
            return self.derived([&](const AnyFilter& f) { return f.folded(parts); });
        },
        "parts"_a,
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
        "fpr"_a,
        "The filter folded as often as estimated_fpr() stays at most fpr. ValueError outside (0, "
        "1).");
}

using F = const AnyFilter&;

/// Defines a property for the structures that have ask(structure). AttributeError for others.
template <class Value, class Ask>
void fact(Type& type, const char* name, const char* doc, const Ask& ask) {
    type.def_property_readonly(
        name,
        [name, ask](const Filter& self) {
            const auto value = self.read([&](F f) -> std::optional<Value> {
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

/// How often each key is in a counting filter at most. ValueError for another filter.
py::array_t<std::uint8_t> count_estimate(const Filter& self, py::handle keys, bool hashed) {
    Keys batch(keys, hashed);
    const HashedKeys of(batch, self.row_hash(), kind_of(self));
    const std::size_t n = of.hashes.size();
    py::array_t<std::uint8_t> counts(static_cast<py::ssize_t>(n));
    std::uint8_t* const out = counts.mutable_data();
    self.read([&](F f) {
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

void define_facts_of_some(Type& type) {
    define_call(type, "estimated_keys",
                "(keys, error): the number of distinct keys by the bits that are set, and its "
                "standard error. ValueError for a layout whose bits do not tell.",
                [](F f) {
                    const Cardinality n = simdbloom::estimated_keys(f);
                    return std::pair(n.keys, n.standard_error);
                });
    fact<std::uint64_t>(type, "stored", "The number of keys that are in, copies included.",
                        IF_VALID(s.stored()));
    fact<double>(type, "load_factor", "The share of the slots that are taken.", IF_VALID(s.load()));
    fact<std::uint64_t>(type, "saturated", "The number of counters at their maximum.",
                        IF_VALID(s.saturated()));
    fact<double>(type, "fpr_bound", "The false-positive rate that no insert exceeds at this size.",
                 IF_VALID(s.fpr_bound()));
    define_with_keys(type, "count_estimate",
                     "An array of n counts (uint8): how often each key is in, or more often, up to "
                     "the counters' maximum. ValueError for a filter that does not count.",
                     "", &count_estimate);
    define_worth(type, [](const Filter& self, const Workload& workload) {
        return self.read([&](F f) { return worth(f, workload); });
    });
    define_call(type, "__repr__", "", [](F f) {
        return "<simdbloom.Filter " + f.spec() + " of " + std::to_string(f.size_in_bytes()) +
               " bytes for " + std::to_string(f.n_keys()) + " keys>";
    });
}

}  // namespace

void define_filter(py::module_& module) {
    Type type(module, "Filter",
              "A filter of any layout: Filter(spec, n_keys, bits_per_key) or Filter(spec, n_keys, "
              "fpr=rate).\n\nspec: 'split256', 'sector512', 'cuckoo12', ..: a layout, with "
              "parameters as in 'classic:k=8'. n_keys: the number of keys to size it for. isa: the "
              "kernels, by default the best of usable_isas(). hashing: 'fast', 'seeded' or "
              "'keyed'; a seed or the 16 secret bytes are drawn unless given. max_bytes: "
              "MemoryError beyond, 0 for no limit. fold_levels: how often it can be halved. "
              "huge_pages: ask for them if it is large. growth, tightening: 'scalable' makes each "
              "further filter for growth times the keys and tightening times the false-positive "
              "rate.\n\nRaises ValueError that names the argument.");
    define_making(type);
    define_keys(type);
    define_sets(type);
    define_facts(type);
    define_facts_of_some(type);
    define_filter_saving(type);
}

}  // namespace simdbloom::python
