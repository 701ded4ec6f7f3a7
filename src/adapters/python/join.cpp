// JoinBuilder and JoinFilter of Python.

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <limits>
#include <memory>
#include <string>

#include "filter.hpp"
#include "simdbloom/join.hpp"

namespace simdbloom::python {

namespace {

/// A filter that a join asks: nobody changes it, so nobody waits for the lock. Rows are hashed with
/// the seed 0, which a filter of a builder has.
struct Join {
    JoinFilter filter;
    mutable std::shared_mutex mutex{};

    explicit Join(const JoinFilter& of) : filter(of) {}
    Asked asked() const { return {filter, RowHash{}, mutex}; }
};

class Builder {
public:
    Builder(const std::string& spec, std::size_t n_keys, std::optional<double> bits_per_key,
            std::optional<double> fpr, std::size_t max_bytes) {
        Options options;
        options.max_bytes = max_bytes;
        if (fpr && (bits_per_key || n_keys != 0))
            throw py::type_error(
                "simdbloom: JoinBuilder with fpr takes no n_keys and no bits_per_key");
        if (fpr) {
            builder_.reset(new JoinBuilder(JoinBuilder::for_fpr(spec, *fpr, options)));
        } else {
            builder_ =
                std::make_unique<JoinBuilder>(spec, n_keys, bits_per_key.value_or(12), options);
        }
    }

    void insert(Keys& keys) {
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
        if (high > py::int_(std::numeric_limits<std::int64_t>::max())) {
            PyErr_SetString(PyExc_OverflowError,
                            "simdbloom: a range from below 0 ends at most at 2**63 - 1");
            throw py::error_already_set();
        }
        return std::string(to_string(self.filter.prune(static_cast<std::int64_t>(of(low)),
                                                       static_cast<std::int64_t>(of(high)))));
    }
    return std::string(to_string(self.filter.prune(of(low), of(high))));
}

void define_builder(py::module_& module) {
    py::class_<Builder>(module, "JoinBuilder",
                        "A filter that is being built, by any number of threads.\n\n"
                        "spec: of the filter; 'auto' picks. n_keys, bits_per_key: its size; 0: "
                        "as many as come. fpr: a rate in their place. max_bytes: a limit of the "
                        "memory.")
        .def(py::init<const std::string&, std::size_t, std::optional<double>, std::optional<double>,
                      std::size_t>(),
             py::arg("spec") = "auto", py::arg("n_keys") = 0, py::arg("bits_per_key") = py::none(),
             py::kw_only(), py::arg("fpr") = py::none(), py::arg("max_bytes") = 0)
        .def(
            "insert",
            [](Builder& self, py::handle keys, bool hashed) {
                Keys batch(keys, hashed);
                self.insert(batch);
            },
            py::arg("keys"), py::kw_only(), py::arg("hashed") = false,
            of_keys("Inserts n keys, from any thread. ValueError after finish().").c_str())
        .def("unite", &Builder::unite, py::arg("part"),
             "Takes what part() of another builder gave. ValueError for one of another spec.")
        .def_property_readonly("rows", &Builder::rows, "The rows so far that were not NULL.")
        .def(
            "finish", [](Builder& self) { return self.finish(false); },
            "The filter. Call it once: ValueError after.")
        .def(
            "part", [](Builder& self) { return self.finish(true); },
            "The filter as a part that another builder unites. Call it once: ValueError after.");
}

}  // namespace

void define_join(py::module_& module) {
    py::class_<Join, std::shared_ptr<Join>> type(
        module, "JoinFilter", "A filter that a join asks: keys, a bitmap, or a filter.");
    type.def_property_readonly(
        "kind", [](const Join& self) { return std::string(to_string(self.filter.kind())); },
        "'all', 'none', 'list', 'bitmap', 'prefix' or 'filter'.");
    type.def_property_readonly(
        "key_kind", [](const Join& self) { return to_string(self.filter.key_kind()); },
        "What the keys are, as of Filter.");
    type.def_property_readonly(
        "why", [](const Join& self) { return self.filter.why(); },
        "Why it is of this kind, in words.");
    type.def_property_readonly(
        "size_in_bytes", [](const Join& self) { return self.filter.size_in_bytes(); },
        "Of keys or bits.");
    type.def(
        "estimated_fpr", [](const Join& self) { return self.filter.estimated_fpr(); },
        "The false-positive rate by the bits that are set.");
    type.def(
        "prune", &prune, py::arg("low"), py::arg("high"),
        "'none', 'maybe' or 'all': what passes of rows whose keys, integers, lie between the two, "
        "which are included. ValueError if low is above high, OverflowError beyond 64 bits.");
    type.def(
        "to_bytes", [](const Join& self) { return bytes_of(self.filter); },
        "The filter as bytes of the library's format.");
    type.def(
        "save",
        [](const Join& self, const std::filesystem::path& path) { save_file(self.filter, path); },
        py::arg("path"), "Writes the bytes of to_bytes() to a file. OSError if it cannot.");
    type.def_static(
        "from_bytes",
        [](py::handle data) {
            const BufferOf buffer(data);
            return std::make_shared<Join>(loaded(simdbloom::load<JoinFilter>(buffer.bytes())));
        },
        py::arg("data"), "The filter that to_bytes() gave. LoadError for other bytes.");
    type.def_static(
        "load",
        [](const std::filesystem::path& path) {
            return std::make_shared<Join>(loaded(simdbloom::load_file<JoinFilter>(path), &path));
        },
        py::arg("path"),
        "The filter of a file. OSError where it cannot be read, LoadError for its bytes.");
    type.def("__reduce__", &unpickling);
    type.def("__repr__",
             [](const Join& self) { return "<simdbloom.JoinFilter " + self.filter.why() + ">"; });
    define_asking(type);
    define_builder(module);
}

}  // namespace simdbloom::python
