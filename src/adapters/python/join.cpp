// The Python classes JoinBuilder and JoinFilter.

#include <pybind11/stl.h>

#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "filter.hpp"
#include "simdbloom/join/saved_union.hpp"

namespace simdbloom::python {

namespace {

class Builder : public Locked<Builder> {
public:
    Builder(const std::string& spec, std::size_t n_keys, std::optional<double> bits_per_key,
            std::optional<double> fpr, std::size_t max_bytes) {
        Options options;
        options.max_bytes = max_bytes;
        if (fpr && (bits_per_key || n_keys != 0))
            throw py::type_error("simdbloom: JoinBuilder takes fpr, or n_keys and bits_per_key");
        if (fpr) builder_.reset(new JoinBuilder(JoinBuilder::for_fpr(spec, *fpr, options)));
        else builder_.reset(new JoinBuilder(spec, n_keys, bits_per_key.value_or(12), options));
    }

    JoinBuilder& get() const {
        if (!builder_) throw std::invalid_argument("simdbloom: this builder was finished before");
        return *builder_;
    }
    void insert(Keys&& keys) {
        const NoGil no_gil;
        keys.each(RowHash{}, [&](const Batch& batch) {
            const std::shared_lock lock(mutex_);
            Kind kind{get().key_kind(), get().key_kind() == KeyKind::unknown};
            if (batch.rows.size() != 0) kind.add(batch.rows.key_kind());
            batch.rows.insert_into(get());
        });
    }
    void unite(const Join& part) {
        write([&](JoinBuilder& builder) { builder.unite(part.structure); });
    }
    /// Makes a C from use(builder). After that the builder is finished.
    template <class C, class Use>
    std::shared_ptr<C> finished(const Use& use) {
        return write([&](JoinBuilder& builder) {
            auto made = std::make_shared<C>(std::invoke(use, std::move(builder)));
            builder_.reset();
            return made;
        });
    }
    /// Unites saved bytes by simdbloom::unite_saved. After that the builder is finished.
    Loaded<std::size_t> unite_saved(std::vector<std::byte>& into, std::span<const std::byte> other,
                                    const Options& options) {
        return write([&](JoinBuilder& builder) {
            auto united = simdbloom::unite_saved(into, other, builder, options);
            builder_.reset();
            return united;
        });
    }

private:
    std::unique_ptr<JoinBuilder> builder_;
};

std::string prune(const Join& self, const py::int_& low, const py::int_& high) {
    check_asked(self.structure.key_kind(), KeyKind::integers);
    const auto of = [](const py::int_& number) {
        return std::get<std::uint64_t>(one_key(number).plain);
    };
    if (low < py::int_(0)) {
        if (high > py::int_(std::numeric_limits<std::int64_t>::max()))
            throw_overflow("a range from below 0 ends at most at 2**63 - 1");
        return std::string(to_string(self.structure.prune(static_cast<std::int64_t>(of(low)),
                                                          static_cast<std::int64_t>(of(high)))));
    }
    return std::string(to_string(self.structure.prune(of(low), of(high))));
}

void define_builder(py::module_& module) {
    ClassOf<Builder> type(
        module, "JoinBuilder",
        "Builds a filter, from any number of threads.\n\nspec: the filter's; 'auto' chooses. "
        "n_keys, bits_per_key: its size; n_keys=0 allows any number. fpr: a rate instead of a "
        "size. max_bytes: a limit on its memory.");
    define_with_keys(
        type, "insert", "Inserts n keys, from any thread. ValueError after finish().", "",
        [](Builder& self, py::handle keys, bool hashed) { self.insert(Keys(keys, hashed)); });
    type.def(py::init<const std::string&, std::size_t, std::optional<double>, std::optional<double>,
                      std::size_t>(),
             "spec"_a = "auto", "n_keys"_a = 0, "bits_per_key"_a = py::none(), py::kw_only(),
             "fpr"_a = py::none(), "max_bytes"_a = 0)
        .def("unite", &Builder::unite, "part"_a,
             "Adds the part() of another builder. ValueError for another spec.")
        .def("announce", reading<Builder, std::size_t>(&JoinBuilder::announce), "n"_a,
             "Announces n more partitions, before their rows, and returns the number of the first. "
             "finish() accepts all rows unless every partition is sealed.")
        .def("seal", reading<Builder, std::size_t>(&JoinBuilder::seal), "partition"_a,
             "All rows of that partition are in. IndexError for one that was not announced, "
             "ValueError for one that is sealed.")
        .def("keep_at_most", writing<Builder, std::size_t>(&JoinBuilder::keep_at_most), "bytes"_a,
             "Keeps at most so many bytes of keys; a filter takes them all where they are more. "
             "ValueError without max_bytes, and where no keys are kept.")
        .def("use_times", writing<Builder, const FilterTimes&>(&JoinBuilder::use_times), "times"_a,
             "Lets finish() choose the filter by these times. ValueError for a builder that does "
             "not choose.")
        .def(
            "finish", [](Builder& self) { return self.finished<Join>(&JoinBuilder::finish); },
            "The filter. A second call raises ValueError.")
        .def(
            "part", [](Builder& self) { return self.finished<Join>(&JoinBuilder::part); },
            "The filter as a part for unite() of another builder. A second call raises ValueError.")
        .def(
            "filter", [](Builder& self) { return self.finished<Filter>(&JoinBuilder::filter); },
            "A Filter that can be united with others. ValueError for a builder that keeps its "
            "keys, as 'auto' does, and unless all partitions are sealed.");
    define_property(type, "rows", "The number of rows so far, NULLs not counted.",
                    &JoinBuilder::rows);
    define_property(type, "unsealed", "The number of partitions that are not sealed.",
                    &JoinBuilder::unsealed);
    define_property(type, "key_kind", "The kind of the keys, see Filter.",
                    [](const JoinBuilder& b) { return to_string(b.key_kind()); });
    define_worth(type, [](Builder& self, const Workload& workload) {
        return self.write([&](const JoinBuilder& b) { return b.worth(workload); });
    });
}

py::bytes united_bytes(py::handle into, py::handle other, Builder* rather,
                       const MaybeSecret& secret, std::size_t max_bytes) {
    const BufferOf first(into), second(other);
    const Options options = options_of({}, 0, secret ? "keyed" : "fast", secret, max_bytes);
    std::vector<std::byte> bytes(first.bytes().begin(), first.bytes().end());
    loaded(rather != nullptr ? rather->unite_saved(bytes, second.bytes(), options)
                             : unite_saved(bytes, second.bytes(), options));
    return bytes_from(bytes);
}

void define_saved_parts(py::module_& module) {
    module.def("unite_saved", &united_bytes, "into"_a, "other"_a, py::kw_only(),
               "rather"_a = py::none(), "secret"_a = py::none(), "max_bytes"_a = 0,
               "The bytes of the union of two saved Bloom filters, JoinFilters or parts, without "
               "loading them.\n\nrather: a new JoinBuilder like those of the parts, for lists and "
               "bitmaps that cannot be united as bytes; the call finishes it. secret: of a keyed "
               "hash. max_bytes: of a bitmap. LoadError, with fault 'unlike' for filters that "
               "cannot be united.");
    module.def(
        "save_part",
        [](const Join& filter, std::size_t part, std::size_t parts) {
            return bytes_from(save_part(filter.structure, part, parts));
        },
        "filter"_a, "part"_a, "parts"_a,
        "The bytes of part number `part` of `parts`, for unite_saved(). JoinFilter.from_bytes() of "
        "a union that lacks a part accepts all rows. IndexError unless part < parts.");
    module.def(
        "missing_parts",
        [](py::handle data) {
            const BufferOf buffer(data);
            return loaded(missing_parts(buffer.bytes()));
        },
        "data"_a,
        "The numbers of the parts that are missing in the bytes of save_part() or of a union of "
        "parts. LoadError for other bytes.");
}

}  // namespace

void define_join(py::module_& module) {
    ClassOf<Join> type(module, "JoinFilter",
                       "What a join probes: a list of keys, a bitmap, or a filter.");
    using F = const JoinFilter&;
    define_property(type, "kind", "'all', 'none', 'list', 'bitmap', 'prefix' or 'filter'.",
                    [](F f) { return std::string(to_string(f.kind())); });
    define_property(type, "why", "The reason for this kind, in words.", &JoinFilter::why);
    type.def_property_readonly(
        "range",
        [](const Join& self) -> py::object {
            if (!self.structure.range()) return py::none();
            const auto [low, high, is_signed] = *self.structure.range();
            if (!is_signed) return py::make_tuple(low, high);
            return py::make_tuple(static_cast<std::int64_t>(low), static_cast<std::int64_t>(high));
        },
        "(low, high), the least and the greatest integer key, or None if unknown.");
    define_facts(type);
    type.def_static(
        "accept_all", [] { return std::make_shared<Join>(JoinFilter::accept_all()); },
        "In place of a filter that was given up: every row passes that is not NULL.");
    type.def_static(
        "accept_none", [] { return std::make_shared<Join>(JoinFilter::accept_none()); },
        "The filter of an empty build side: no row passes.");
    define_worth(type, [](const Join& self, const Workload& workload) {
        return self.read([&](F f) { return f.worth(workload); });
    });
    type.def("prune", &prune, "low"_a, "high"_a,
             "'none', 'maybe' or 'all': which rows with integer keys from low to high pass. "
             "ValueError if low is above high, OverflowError beyond 64 bits.");
    define_call(type, "__repr__", "", [](F f) { return "<simdbloom.JoinFilter " + f.why() + ">"; });
    define_saving(type);
    define_asking(type);
    define_builder(module);
    define_saved_parts(module);
}

}  // namespace simdbloom::python
