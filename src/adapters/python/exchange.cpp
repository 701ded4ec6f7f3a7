// What machines send each other: the Python class FilterExchange, and reconciliation.

#include "simdbloom/join/exchange.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "filter.hpp"
#include "simdbloom/any/reconcile.hpp"

namespace simdbloom::python {

namespace {

// In the order of their enumerations.
constexpr const char* kind_names[] = {"part", "sealed", "too large", "failed"};
constexpr const char* took_names[] = {"counted", "duplicate", "late", "refused"};

FilterMessage::Kind kind_of(const std::string& name) {
    const auto* const at = std::ranges::find(kind_names, name);
    if (at == std::end(kind_names))
        throw py::value_error("simdbloom: kind=\"" + name +
                              "\" is not part, sealed, too large or failed");
    return static_cast<FilterMessage::Kind>(at - kind_names);
}

/// A FilterExchange that one thread uses at a time.
class Exchange {
public:
    Exchange(std::size_t senders, std::size_t max_bytes, const std::string& spec,
             std::size_t n_keys, double bits_per_key)
        : exchange_(senders, max_bytes, spec, n_keys, bits_per_key) {}

    template <class Use>
    auto use(const Use& use) {
        const NoGil no_gil;
        const std::lock_guard lock(mutex_);
        return use(exchange_);
    }
    const char* take(const std::string& kind, std::size_t sender, const py::object& data,
                     std::uint64_t attempt, unsigned number) {
        FilterMessage message{kind_of(kind), sender, attempt, number, {}};
        if ((message.kind == FilterMessage::Kind::part) == data.is_none())
            throw py::type_error("simdbloom: a message \"" + kind +
                                 (data.is_none() ? "\" needs data" : "\" has no data"));
        std::optional<BufferOf> buffer;
        if (!data.is_none()) message.bytes = buffer.emplace(data).bytes();
        return took_names[static_cast<std::size_t>(
            use([&](FilterExchange& exchange) { return exchange.take(message); }))];
    }

private:
    FilterExchange exchange_;
    std::mutex mutex_;
};

py::bytes message_of(py::handle keys, double bits_per_key, const std::optional<std::string>& spec,
                     std::uint64_t seed, const std::string& hashing,
                     const std::optional<py::bytes>& secret, bool hashed) {
    Options options = options_of({}, seed, hashing, secret, 0);
    if (options.hashing == Hashing::keyed && !secret)
        throw py::value_error("simdbloom: hashing=\"keyed\" needs the secret that both sides have");
    options.spec = spec.value_or("");
    const auto hashes = hashes_for_new(keys, hashed, options);
    const auto message = [&] {
        const NoGil no_gil;
        return reconciliation_message(hashes, bits_per_key, options);
    };
    return bytes_from(message());
}

py::tuple missing(py::handle message, py::handle keys, const std::optional<py::bytes>& secret,
                  std::size_t max_bytes, bool hashed) {
    const BufferOf buffer(message);
    const Options options = options_of({}, 0, secret ? "keyed" : "fast", secret, max_bytes);
    // Keys are hashed as those of the message.
    const auto filter = loaded_by<AnyFilter>([&] { return load(buffer.bytes(), options); });
    Keys batch(keys, hashed);
    const auto [hashes, rows] =
        HashedKeys(batch, hash_of_rows(filter.key_hash()), [&](const JoinRows& of) {
            return asked_rows(filter.key_kind(), of);
        }).without_nulls();
    const auto found = loaded_by<MissingAtSender>(
        [&, &hashes = hashes] { return missing_at_sender(buffer.bytes(), hashes, options); });
    py::array_t<std::uint64_t> positions(static_cast<py::ssize_t>(found.positions.size()));
    std::ranges::transform(found.positions, positions.mutable_data(),
                           [&rows = rows](std::size_t i) { return rows[i]; });
    return py::make_tuple(positions, found.expected_missed);
}

}  // namespace

void define_exchange(py::module_& module) {
    py::class_<Exchange> type(
        module, "FilterExchange",
        "Unites the parts of a filter from several senders. Until all are complete, its filter "
        "accepts all rows.\n\nEach sender makes JoinBuilder(spec, n_keys, bits_per_key), with the "
        "n_keys of all senders, and sends its part() as bytes. max_bytes: of a message and of the "
        "union. Raises ValueError that names the argument.");
    type.def(py::init<std::size_t, std::size_t, const std::string&, std::size_t, double>(),
             py::arg("senders"), py::arg("max_bytes"), py::arg("spec"), py::arg("n_keys"),
             py::arg("bits_per_key"));
    type.def("take", &Exchange::take, py::arg("kind"), py::arg("sender"),
             py::arg("data") = py::none(), py::kw_only(), py::arg("attempt") = 0,
             py::arg("number") = 0,
             "Takes a message, in any order: 'counted', 'duplicate', 'late' or 'refused'.\n\n"
             "kind: 'part' with its bytes as data; 'sealed', when the attempt has `number` parts; "
             "'too large' or 'failed'. sender: from 0 on. attempt: rises when a sender starts "
             "again. number: of the part, from 0 to 63. IndexError for another sender.");
    type.def(
        "close", [](Exchange& self) { self.use([](FilterExchange& e) { e.close(); }); },
        "The deadline: unless all senders are complete, all rows are accepted for good.");
    type.def(
        "is_complete",
        [](Exchange& self, std::size_t sender) {
            return self.use([&](FilterExchange& e) { return e.is_complete(sender); });
        },
        py::arg("sender"),
        "Whether the sender's last attempt is sealed and all its parts are united. IndexError for "
        "another sender.");
    const auto property = [&](const char* name, const char* doc, const auto& of) {
        type.def_property_readonly(
            name, [of](Exchange& self) { return self.use(of); }, doc);
    };
    using E = const FilterExchange&;
    property("state", "'open', 'sealed', 'late' or 'too large'.",
             [](E e) { return std::string(to_string(e.state())); });
    property("filter", "The JoinFilter to probe at present.",
             [](E e) { return std::make_shared<Join>(e.filter()); });
    property("why", "The filter, or why all rows are accepted, in words.",
             [](E e) { return e.why(); });
    property("waiting_for", "The senders that are neither complete nor known to have a fault.",
             [](E e) { return e.waiting_for(); });
    property("size_in_bytes", "Of the union; 0 unless open.", [](E e) { return e.bytes(); });
    type.def_property_readonly(
        "counts",
        [](Exchange& self) {
            std::uint64_t counts[std::size(took_names)];
            self.use([&](E e) {
                for (std::size_t i = 0; i < std::size(counts); ++i)
                    counts[i] = e.count(static_cast<FilterExchange::Took>(i));
            });
            py::dict named;
            for (std::size_t i = 0; i < std::size(counts); ++i) named[took_names[i]] = counts[i];
            return named;
        },
        "How many messages were 'counted', 'duplicate', 'late' and 'refused'.");
    module.def(
        "reconciliation_message", &message_of, py::arg("keys"), py::arg("bits_per_key"),
        py::kw_only(), py::arg("spec") = py::none(), py::arg("seed") = 0,
        py::arg("hashing") = "fast", py::arg("secret") = py::none(), py::arg("hashed") = false,
        doc_with_keys("The bytes that tell another machine which keys this one has: a saved Filter "
                      "of n keys. spec: its layout. ValueError for no keys.")
            .c_str());
    module.def(
        "missing_at_sender", &missing, py::arg("message"), py::arg("keys"), py::kw_only(),
        py::arg("secret") = py::none(), py::arg("max_bytes") = 0, py::arg("hashed") = false,
        doc_with_keys("(positions, expected_missed): the positions (uint64, ascending) of the keys "
                      "that the sender of a reconciliation_message surely lacks, and the share of "
                      "what it lacks that is not among them. LoadError for other bytes.")
            .c_str());
}

}  // namespace simdbloom::python
