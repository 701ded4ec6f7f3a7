// The Python classes JoinBuilder and JoinFilter.

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <limits>
#include <memory>
#include <string>

#include "filter.hpp"
#include "simdbloom/join/join.hpp"

namespace simdbloom::python {

namespace {

/// It never changes, so no thread waits for the lock. Filters of a builder hash rows with seed 0.
struct Join {
    JoinFilter filter;
    mutable std::shared_mutex mutex{};

    explicit Join(const JoinFilter& of) : filter(of) {}
    Asked asked() const { return {&filter, RowHash{}, mutex}; }
};

class Builder {
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

    void insert(Keys&& keys) {
        const NoGil no_gil;
        keys.each(RowHash{}, [&](const Batch& batch) {
            const std::shared_lock lock(mutex_);
            Kind kind{there().key_kind(), there().key_kind() == KeyKind::unknown};
            if (batch.rows.size() != 0) kind.add(batch.rows.key_kind());
            batch.rows.insert_into(there());
        });
    }
    void unite(const Join& part) {
        const NoGil no_gil;
        const std::unique_lock lock(mutex_);
        there().unite(part.filter);
    }
    std::shared_ptr<Join> finish(bool part) {
        const NoGil no_gil;
        const std::unique_lock lock(mutex_);
        auto join =
            std::make_shared<Join>(part ? std::move(there()).part() : std::move(there()).finish());
        builder_.reset();
        return join;
    }
    std::uint64_t rows() {
        const NoGil no_gil;
        const std::shared_lock lock(mutex_);
        return there().rows();
    }

private:
    JoinBuilder& there() {
        if (!builder_) throw std::invalid_argument("simdbloom: this builder was finished before");
        return *builder_;
    }

    std::unique_ptr<JoinBuilder> builder_;
    std::shared_mutex mutex_;
};

std::string prune(const Join& self, const py::int_& low, const py::int_& high) {
    check_asked(self.filter.key_kind(), KeyKind::integers);
    const auto of = [](const py::int_& number) {
        return std::get<std::uint64_t>(one_key(number).plain);
    };
    if (low < py::int_(0)) {
        if (high > py::int_(std::numeric_limits<std::int64_t>::max()))
            throw_overflow("a range from below 0 ends at most at 2**63 - 1");
        return std::string(to_string(self.filter.prune(static_cast<std::int64_t>(of(low)),
                                                       static_cast<std::int64_t>(of(high)))));
    }
    return std::string(to_string(self.filter.prune(of(low), of(high))));
}

void define_builder(py::module_& module) {
    py::class_<Builder> type(
        module, "JoinBuilder",
        "Builds a filter, from any number of threads.\n\n"
        "spec: the filter's; 'auto' chooses. n_keys, bits_per_key: its size; n_keys=0 allows any "
        "number. fpr: a rate instead of a size. max_bytes: a limit on its memory.");
    define_with_keys(
        type, "insert", "Inserts n keys, from any thread. ValueError after finish().", "",
        [](Builder& self, py::handle keys, bool hashed) { self.insert(Keys(keys, hashed)); });
    type.def(py::init<const std::string&, std::size_t, std::optional<double>, std::optional<double>,
                      std::size_t>(),
             py::arg("spec") = "auto", py::arg("n_keys") = 0, py::arg("bits_per_key") = py::none(),
             py::kw_only(), py::arg("fpr") = py::none(), py::arg("max_bytes") = 0)
        .def("unite", &Builder::unite, py::arg("part"),
             "Adds the part() of another builder. ValueError for another spec.")
        .def_property_readonly("rows", &Builder::rows,
                               "The number of rows so far, NULLs not counted.")
        .def(
            "finish", [](Builder& self) { return self.finish(false); },
            "The filter. A second call raises ValueError.")
        .def(
            "part", [](Builder& self) { return self.finish(true); },
            "The filter as a part for unite() of another builder. A second call raises "
            "ValueError.");
}

}  // namespace

void define_join(py::module_& module) {
    py::class_<Join, std::shared_ptr<Join>> type(
        module, "JoinFilter", "What a join probes: a list of keys, a bitmap, or a filter.");
    const auto property = [&](const char* name, const char* doc, const auto& of) {
        type.def_property_readonly(
            name, [of](const Join& self) { return of(self.filter); }, doc);
    };
    using F = const JoinFilter&;
    property("kind", "'all', 'none', 'list', 'bitmap', 'prefix' or 'filter'.",
             [](F f) { return std::string(to_string(f.kind())); });
    property("key_kind", "The kind of the keys, see Filter.",
             [](F f) { return to_string(f.key_kind()); });
    property("why", "The reason for this kind, in words.", [](F f) { return f.why(); });
    property("size_in_bytes", "The size of its keys or bits.",
             [](F f) { return f.size_in_bytes(); });
    type.def(
        "estimated_fpr", [](const Join& self) { return self.filter.estimated_fpr(); },
        "The false-positive rate by the bits that are set.");
    type.def("prune", &prune, py::arg("low"), py::arg("high"),
             "'none', 'maybe' or 'all': which rows with integer keys from low to high pass. "
             "ValueError if low is above high, OverflowError beyond 64 bits.");
    type.def("__repr__",
             [](const Join& self) { return "<simdbloom.JoinFilter " + self.filter.why() + ">"; });
    define_saving<JoinFilter>(
        type, [](const Join& self) -> F { return self.filter; },
        [](const JoinFilter& filter) { return std::make_shared<Join>(filter); });
    define_asking(type);
    define_builder(module);
}

}  // namespace simdbloom::python
