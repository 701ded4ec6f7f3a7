// The Python classes Governor, JoinCounters, StarProbe and Worth: whether probing pays.

#include <pybind11/stl.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include "filter.hpp"

namespace simdbloom::python {

namespace {

void check_passed(std::uint64_t rows, std::uint64_t passed) {
    if (passed > rows)
        throw py::value_error("simdbloom: passed=" + std::to_string(passed) +
                              " is above rows=" + std::to_string(rows));
}

void define_governor(py::module_& module) {
    using Settings = Governor::Settings;
    const Settings usual;
    py::class_<Governor> type(
        module, "Governor",
        "Watches the share of rows that pass a filter, and pauses the probing where it does not "
        "pay; each vain try doubles the pause.\n\nstop_at: the share of a sample from which on "
        "probing stops, 0 to 1. sample_rows: the rows of a sample. first_pause, longest_pause: "
        "rows that are taken without probing. ValueError that names the value.");
    type.def(py::init([](double stop_at, std::uint64_t sample_rows, std::uint64_t first_pause,
                         std::uint64_t longest_pause) {
                 return Governor(Settings{stop_at, sample_rows, first_pause, longest_pause});
             }),
             py::kw_only(), "stop_at"_a = usual.stop_at, "sample_rows"_a = usual.sample_rows,
             "first_pause"_a = usual.first_pause, "longest_pause"_a = usual.longest_pause)
        .def_static(
            "for_costs",
            [](double filter_ns, double work_ns) {
                return Governor(Settings::for_costs(filter_ns, work_ns));
            },
            "filter_ns"_a, "work_ns"_a,
            "One whose stop_at suits these costs: filter_ns to probe a row, work_ns further on for "
            "a row that passes. ValueError unless both are positive and finite.")
        .def("should_probe", &Governor::should_probe, "rows"_a,
             "Whether to probe the next `rows` rows. If not, take all of them.")
        .def(
            "record",
            [](Governor& self, std::uint64_t rows, std::uint64_t passed) {
                check_passed(rows, passed);
                self.record(rows, passed);
            },
            "rows"_a, "passed"_a, "Says that `passed` of `rows` rows passed.")
        .def_property_readonly("paused", &Governor::paused, "Whether the probing is paused.")
        .def_property_readonly("pass_rate", &Governor::pass_rate,
                               "The share of the last whole sample that passed.")
        .def_property_readonly("skipped", &Governor::skipped, "The rows that were not probed.");
    const auto setting = [&](const char* name, const auto& member, const char* words) {
        type.def_property_readonly(
            name, [member](const Governor& self) { return self.settings().*member; }, words);
    };
    setting("stop_at", &Settings::stop_at, "The passing share of a sample that stops probing.");
    setting("sample_rows", &Settings::sample_rows, "The rows of a sample.");
    setting("first_pause", &Settings::first_pause, "The rows of the first pause.");
    setting("longest_pause", &Settings::longest_pause, "The most rows of a pause.");
}

void define_counters(py::module_& module) {
    using C = JoinCounters;
    py::class_<C>(module, "JoinCounters",
                  "What became of the rows that went through a filter; += adds those of another "
                  "thread.")
        .def(py::init<>())
        .def(
            "record",
            [](C& self, std::uint64_t rows, std::uint64_t passed,
               std::optional<std::uint64_t> joined) {
                check_passed(rows, passed);
                if (joined && *joined > passed)
                    throw py::value_error("simdbloom: joined=" + std::to_string(*joined) +
                                          " is above passed=" + std::to_string(passed));
                if (joined) self.record(rows, passed, *joined);
                else self.record(rows, passed);
            },
            "rows"_a, "passed"_a, "joined"_a = py::none(),
            "A batch: `passed` of `rows` passed, and `joined` of these have a partner, if known.")
        .def("skip", &C::skip, "rows"_a, "Counts rows that were taken without probing.")
        .def("saved_ns", &C::saved_ns, "work_ns"_a, "asking_ns"_a,
             "The ns that the filter has saved: work_ns for each row that did not pass, less "
             "asking_ns for each probed row.")
        .def_readonly("asked", &C::asked, "The rows that were probed.")
        .def_readonly("passed", &C::passed, "The probed rows that passed.")
        .def_readonly("skipped", &C::skipped, "The rows that were taken without probing.")
        .def_property_readonly("pass_rate", &C::pass_rate,
                               "The share of the probed rows that passed.")
        .def_property_readonly("measured_fpr", &C::measured_fpr,
                               "The false-positive rate of the rows whose join is known, or None.")
        .def(
            "__iadd__", [](C& self, const C& other) -> C& { return self += other; },
            py::is_operator());
    py::class_<Worth>(module, "Worth", "What probing a filter costs and saves.")
        .def_readonly("bytes", &Worth::bytes, "Of the filter.")
        .def_readonly("fpr", &Worth::fpr, "The share of the rows without a partner that pass.")
        .def_readonly("asking_ns", &Worth::asking_ns, "ns a row to probe it.")
        .def_readonly("gain_ns", &Worth::gain_ns, "ns a row that the filter saves.")
        .def_property_readonly("pays", &Worth::pays, "Whether the filter should be probed.");
}

class Star : public Guarded<StarProbe> {
public:
    Star(const py::iterable& filters, const std::optional<Governor>& governor)
        : Star(filters_of(filters), governor) {}

    py::array select(const py::iterable& given, bool hashed) {
        std::vector<Keys> columns;
        for (const py::handle column : given) columns.emplace_back(column, hashed);
        if (columns.size() != filters_.size())
            throw py::value_error("simdbloom: " + std::to_string(columns.size()) + " columns for " +
                                  std::to_string(filters_.size()) + " filters");
        const std::size_t rows = rows_of_all(columns);
        py::array_t<std::uint32_t> found(static_cast<py::ssize_t>(rows));
        const std::size_t n = selected(columns, {found.mutable_data(), rows});
        found.resize({static_cast<py::ssize_t>(n)}, false);
        return found;
    }

private:
    Star(std::vector<JoinFilter> filters, const std::optional<Governor>& governor)
        : Guarded(filters, governor ? std::optional(governor->settings()) : std::nullopt),
          filters_(std::move(filters)) {}
    static std::vector<JoinFilter> filters_of(const py::iterable& given) {
        std::vector<JoinFilter> filters;
        for (const py::handle filter : given) {
            if (!py::isinstance<Join>(filter))
                throw py::type_error("simdbloom: " + repr_of(filter) + " is not a JoinFilter");
            filters.push_back(filter.cast<const Join&>().structure);
        }
        if (filters.empty()) throw py::value_error("simdbloom: a StarProbe of no filters");
        return filters;
    }
    static std::size_t rows_of_all(const std::vector<Keys>& columns) {
        const auto first = columns.front().rows();
        for (const Keys& column : columns) {
            if (!column.rows())
                throw py::type_error("simdbloom: StarProbe takes no streams, only columns");
            if (column.rows() != first)
                throw py::value_error("simdbloom: columns of " + std::to_string(*first) + " and " +
                                      std::to_string(*column.rows()) + " rows");
        }
        if (*first > std::numeric_limits<std::uint32_t>::max())
            throw std::length_error("simdbloom: more than 2^32 - 1 rows");
        return *first;
    }
    std::size_t selected(std::vector<Keys>& columns, std::span<std::uint32_t> out) {
        // Small enough that the order of the filters adapts within a call.
        constexpr std::size_t piece = 1 << 14;
        const NoGil no_gil;
        std::vector<std::vector<std::uint64_t>> values(columns.size());
        std::vector<std::vector<std::uint8_t>> valid(columns.size());
        std::vector<JoinColumn> all(columns.size()), some(columns.size());
        for (std::size_t i = 0; i < columns.size(); ++i) {
            values[i].resize(out.size());
            valid[i].resize((out.size() + 7) / 8);
            const Join filter(filters_[i]);
            columns[i].each(
                filter.row_hash(),
                [&](const Batch& batch) {
                    all[i] =
                        asked_rows(filters_[i].key_kind(), batch.rows).column(values[i], valid[i]);
                },
                std::numeric_limits<std::size_t>::max());
        }
        std::size_t found = 0;
        Signals between_pieces;
        for (std::size_t first = 0; first < out.size(); first += piece) {
            for (std::size_t i = 0; i < all.size(); ++i) {
                some[i] = all[i];
                some[i].values = all[i].values.subspan(first, std::min(piece, out.size() - first));
                some[i].valid_offset += first;
            }
            const auto to = out.subspan(found);
            const std::size_t here = [&] {
                const std::lock_guard lock(mutex_);
                return structure.select(some, to);
            }();
            for (std::uint32_t& row : to.first(here)) row += static_cast<std::uint32_t>(first);
            found += here;
            between_pieces();
        }
        return found;
    }

    std::vector<JoinFilter> filters_;
};

/// of(i) for each filter.
template <class Of>
auto each(const StarProbe& probe, const Of& of) {
    std::vector<std::decay_t<decltype(of(0))>> values;
    for (std::size_t i = 0; i < probe.order().size(); ++i) values.push_back(of(i));
    return values;
}

void define_star_probe(py::module_& module) {
    ClassOf<Star> type(
        module, "StarProbe",
        "Takes rows through several filters; that which passes the fewest is probed "
        "first.\n\nfilters: JoinFilters. governor: each filter gets a Governor with its settings. "
        "TypeError for other filters.");
    type.def(py::init<const py::iterable&, const std::optional<Governor>&>(), "filters"_a,
             py::kw_only(), "governor"_a = py::none());
    type.def(
        "select", &Star::select, "columns"_a, py::kw_only(), "hashed"_a = false,
        doc_with_keys("The rows that pass all filters, ascending, as uint32. columns: keys for "
                      "each filter, all of n rows; a NULL never passes. ValueError for columns of "
                      "different lengths or of another number.")
            .c_str());
    using P = const StarProbe&;
    define_property(type, "order",
                    "The numbers of the filters in the order in which they are probed.",
                    [](P p) { return std::vector(p.order().begin(), p.order().end()); });
    define_property(type, "pass_rates",
                    "Of each filter: the share of its rows that passed, of late.",
                    [](P p) { return each(p, [&](std::size_t i) { return p.pass_rate(i); }); });
    define_property(type, "counters", "Of each filter: JoinCounters.",
                    [](P p) { return each(p, [&](std::size_t i) { return p.counters(i); }); });
    define_property(type, "paused", "Of each filter: whether its governor pauses it.", [](P p) {
        return each(p, [&](std::size_t i) { return p.governor(i) && p.governor(i)->paused(); });
    });
}

}  // namespace

void define_star(py::module_& module) {
    define_governor(module);
    define_counters(module);
    define_star_probe(module);
}

}  // namespace simdbloom::python
