// What machines send each other: the Python class FilterExchange, and reconciliation.

#include "simdbloom/join/exchange.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <map>
#include <string>

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

using Exchange = Guarded<FilterExchange>;

const char* take(Exchange& self, const std::string& kind, std::size_t sender,
                 const py::object& data, std::uint64_t attempt, unsigned number) {
    FilterMessage message{kind_of(kind), sender, attempt, number, {}};
    if ((message.kind == FilterMessage::Kind::part) == data.is_none())
        throw py::type_error("simdbloom: a message \"" + kind +
                             (data.is_none() ? "\" needs data" : "\" has no data"));
    std::optional<BufferOf> buffer;
    if (!data.is_none()) message.bytes = buffer.emplace(data).bytes();
    const auto took = self.write([&](FilterExchange& exchange) { return exchange.take(message); });
    return took_names[static_cast<std::size_t>(took)];
}

py::bytes message_of(py::handle keys, double bits_per_key, const Text& spec, std::uint64_t seed,
                     const std::string& hashing, const MaybeSecret& secret, bool hashed) {
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

py::tuple missing(py::handle message, py::handle keys, const MaybeSecret& secret,
                  std::size_t max_bytes, bool hashed) {
    const BufferOf buffer(message);
    const Options options = options_of({}, 0, secret ? "keyed" : "fast", secret, max_bytes);
    // The message says how to hash the keys.
    const auto filter = loaded_by<AnyFilter>([&] { return load(buffer.bytes(), options); });
    Keys batch(keys, hashed);
    const auto [hashes, rows] =
        HashedKeys(batch, hash_of_rows(filter.key_hash()), filter.key_kind()).without_nulls();
    const auto found = loaded_by<MissingAtSender>(
        [&, &hashes = hashes] { return missing_at_sender(buffer.bytes(), hashes, options); });
    py::array_t<std::uint64_t> positions(static_cast<py::ssize_t>(found.positions.size()));
    std::ranges::transform(found.positions, positions.mutable_data(),
                           [&rows = rows](std::size_t i) { return rows[i]; });
    return py::make_tuple(positions, found.expected_missed);
}

}  // namespace

void define_exchange(py::module_& module) {
    ClassOf<Exchange> type(
        module, "FilterExchange",
        "Unites the parts of a filter from several senders. Until all are complete, its filter "
        "accepts all rows.\n\nEach sender makes JoinBuilder(spec, n_keys, bits_per_key), with the "
        "n_keys of all senders, and sends its part() as bytes. max_bytes: of a message and of the "
        "union. Raises ValueError that names the argument.");
    type.def(py::init<std::size_t, std::size_t, const std::string&, std::size_t, double>(),
             "senders"_a, "max_bytes"_a, "spec"_a, "n_keys"_a, "bits_per_key"_a);
    type.def("take", &take, "kind"_a, "sender"_a, "data"_a = py::none(), py::kw_only(),
             "attempt"_a = 0, "number"_a = 0,
             "Takes a message, in any order: 'counted', 'duplicate', 'late' or 'refused'.\n\nkind: "
             "'part' with its bytes as data; 'sealed', when the attempt has `number` parts; 'too "
             "large' or 'failed'. sender: from 0 on. attempt: rises when a sender starts again. "
             "number: of the part, from 0 to 63. IndexError for another sender.");
    type.def("close", writing<Exchange>(&FilterExchange::close),
             "The deadline: unless all senders are complete, all rows are accepted for good.");
    type.def("is_complete", reading<Exchange, std::size_t>(&FilterExchange::is_complete),
             "sender"_a,
             "Whether the sender's last attempt is sealed and all its parts are united. IndexError "
             "for another sender.");
    using E = const FilterExchange&;
    define_property(type, "state", "'open', 'sealed', 'late' or 'too large'.",
                    [](E e) { return std::string(to_string(e.state())); });
    define_property(type, "filter", "The JoinFilter to probe at present.",
                    [](E e) { return std::make_shared<Join>(e.filter()); });
    define_property(type, "why", "The filter, or why all rows are accepted, in words.",
                    &FilterExchange::why);
    define_property(type, "waiting_for",
                    "The senders that are neither complete nor known to have a fault.",
                    &FilterExchange::waiting_for);
    define_property(type, "size_in_bytes", "Of the union; 0 unless open.", &FilterExchange::bytes);
    define_property(type, "counts",
                    "How many messages were 'counted', 'duplicate', 'late' and 'refused'.",
                    [](E e) {
                        std::map<std::string, std::uint64_t> counts;
                        for (std::size_t i = 0; i < std::size(took_names); ++i)
                            counts[took_names[i]] = e.count(static_cast<FilterExchange::Took>(i));
                        return counts;
                    });
    module.def(
        "reconciliation_message", &message_of, "keys"_a, "bits_per_key"_a, py::kw_only(),
        "spec"_a = py::none(), "seed"_a = 0, "hashing"_a = "fast", "secret"_a = py::none(),
        "hashed"_a = false,
        doc_with_keys("The bytes that tell another machine which keys this one has: a saved Filter "
                      "of n keys. spec: its layout. ValueError for no keys.")
            .c_str());
    module.def(
        "missing_at_sender", &missing, "message"_a, "keys"_a, py::kw_only(),
        "secret"_a = py::none(), "max_bytes"_a = 0, "hashed"_a = false,
        doc_with_keys("(positions, expected_missed): the positions (uint64, ascending) of the keys "
                      "that the sender of a reconciliation_message surely lacks, and the share of "
                      "what it lacks that is not among them. LoadError for other bytes.")
            .c_str());
}

}  // namespace simdbloom::python
