// All orders in which the messages of three senders can reach a FilterExchange.
#include <map>
#include <set>

#include "join_keys.hpp"
#include "saved_checks.hpp"
#include "simdbloom/join/exchange.hpp"

namespace simdbloom {
namespace {

using test::Bytes;
using Message = FilterMessage;
using enum Message::Kind;
using State = FilterExchange::State;

/// A message that the network delivers once at most; nothing: the deadline.
struct Sent {
    std::optional<Message> message;
    Bytes bytes{};
    std::optional<std::uint64_t> key{};  // of an intact part
};

constexpr std::size_t exchange_senders = 3, exchange_keys = 40;

/// The messages of a scenario, and the exchange that takes them.
class Scenario {
public:
    explicit Scenario(std::string spec) : spec_(std::move(spec)) {
        max_bytes = saved_size(JoinFilter(make_filter("split256", exchange_keys, 12)));
    }
    Scenario& part(std::size_t sender, std::uint64_t attempt, unsigned number) {
        // A key for each part.
        const std::uint64_t key = test::random_keys(1, 1'000 * sender + 100 * attempt + number)[0];
        return add({Message{part_kind, sender, attempt, number}, bytes_of(key, 5), key});
    }
    Scenario& damaged(std::size_t sender, std::uint64_t attempt, unsigned number) {
        Bytes bytes = bytes_of(1, 5);
        bytes[70] ^= std::byte{1};
        return add({Message{part_kind, sender, attempt, number}, std::move(bytes)});
    }
    Scenario& of_other_seed(std::size_t sender, std::uint64_t attempt, unsigned number) {
        return add({Message{part_kind, sender, attempt, number}, bytes_of(1, 6)});
    }
    Scenario& of_too_many_bytes(std::size_t sender, std::uint64_t attempt) {
        return add({Message{part_kind, sender, attempt, 0}, Bytes(max_bytes + 1)});
    }
    Scenario& sealed(std::size_t sender, std::uint64_t attempt, unsigned parts) {
        return add({Message{Message::Kind::sealed, sender, attempt, parts}});
    }
    Scenario& failed(std::size_t sender, std::uint64_t attempt) {
        return add({Message{Message::Kind::failed, sender, attempt}});
    }
    Scenario& too_large(std::size_t sender, std::uint64_t attempt) {
        return add({Message{Message::Kind::too_large, sender, attempt}});
    }
    Scenario& again() { return add(sent.back()); }
    Scenario& deadline() { return add({}); }
    FilterExchange exchange() const {
        return {exchange_senders, max_bytes, spec_, exchange_keys, 12, {.seed = 5}};
    }

    std::vector<Sent> sent;
    std::size_t max_bytes;

private:
    static constexpr auto part_kind = Message::Kind::part;
    Bytes bytes_of(std::uint64_t key, std::uint64_t seed) const {
        return save(
            test::built_part(JoinBuilder(spec_, exchange_keys, 12, {.seed = seed}), {{&key, 1}}));
    }
    Scenario& add(Sent message) {
        sent.push_back(std::move(message));
        return *this;
    }
    std::string spec_;
};

/// What exploring found.
struct Explored {
    std::uint64_t orders = 0;
    std::set<State> ends{};          // once all messages were delivered
    std::set<Bytes> sealed_bytes{};  // of the filters of the ends that are sealed
    std::string fault{};             // the first
};

/// Breadth first through all subsets of the messages that were delivered. Orders that lead to the
/// same exchange become one state, in which they are counted.
template <class Receiver>
class Explorer {
public:
    explicit Explorer(const Scenario& scenario) : scenario_(scenario) {}

    Explored run() {
        Level level;
        level.emplace(Key{}, Node{Receiver{scenario_.exchange()}, 1});
        for (std::size_t n = 0; n < scenario_.sent.size() && found_.fault.empty(); ++n) {
            Level next;
            for (const auto& [key, node] : level)
                for (std::size_t i = 0; i < scenario_.sent.size(); ++i)
                    if ((key.delivered >> i & 1) == 0) deliver(key, node, i, next);
            level = std::move(next);
        }
        for (const auto& [key, node] : level) {
            found_.orders += node.orders;
            found_.ends.insert(node.receiver.state());
            if (node.receiver.state() == State::sealed)
                found_.sealed_bytes.insert(save(node.receiver.filter()));
        }
        return found_;
    }

private:
    /// An open exchange is one of what was delivered and what of it was counted; later, of what was
    /// published.
    struct Key {
        std::uint32_t delivered = 0, counted = 0;
        State state = State::open;
        std::uint64_t published = 0;  // a hash
        auto operator<=>(const Key&) const = default;
    };
    struct Node {
        Receiver receiver;
        std::uint64_t orders;
    };
    using Level = std::map<Key, Node>;

    void deliver(Key key, const Node& from, std::size_t i, Level& next) {
        Receiver receiver = from.receiver;
        key.delivered |= 1u << i;
        if (const auto& sent = scenario_.sent[i]; !sent.message) {
            receiver.close();
        } else {
            Message message = *sent.message;
            message.bytes = sent.bytes;
            if (receiver.take(message) == FilterExchange::Took::counted) key.counted |= 1u << i;
        }
        key.state = receiver.state();
        if (key.state != State::open) {
            key.counted = 0;
            key.published = hash_bytes(save(receiver.filter()));
        }
        check(key.delivered, from.receiver, receiver);
        const auto [at, is_new] = next.try_emplace(key, Node{receiver, 0});
        at->second.orders += from.orders;
        if (!is_new) expect(same(at->second.receiver, receiver), "two exchanges in one state", key);
    }

    void check(std::uint32_t delivered, const Receiver& before, const Receiver& now) {
        const Key key{delivered, 0, now.state(), 0};
        const std::size_t pass = now.filter().count({absent_});
        if (now.state() == State::sealed) {
            expect(pass < absent_.size(), "a filter of few keys accepts all", key);
            if (before.state() == State::open)
                expect(all_complete(delivered, &now.filter()), "rows of a sender are lost", key);
        } else {
            expect(pass == absent_.size(), "rows are rejected before all is sealed", key);
        }
        if (now.state() == State::open) {
            expect(!all_complete(delivered, nullptr), "all is sealed, and not published", key);
            expect(!delivered_deadline(delivered), "open after the deadline", key);
        }
        if (before.state() != State::open)
            expect(same_answers(before, now), "what was published changed", key);
        expect(now.bytes() <= scenario_.max_bytes, "more bytes than the bound", key);
        expect(now.state() == State::open || now.bytes() == 0, "bytes kept at the end", key);
    }

    /// Whether the last attempt of each sender is sealed and all its parts came, by the messages
    /// alone; and its keys are in the filter.
    bool all_complete(std::uint32_t delivered, const JoinFilter* filter) const {
        struct Sender {
            std::uint64_t attempt = 0;
            std::optional<unsigned> parts{};
            std::set<unsigned> came{};
            bool found = true;
        };
        std::array<Sender, exchange_senders> senders;
        for (std::size_t i = 0; i < scenario_.sent.size(); ++i) {
            const auto& [message, bytes, key] = scenario_.sent[i];
            if ((delivered >> i & 1) == 0 || !message) continue;
            Sender& sender = senders[message->sender];
            if (message->attempt < sender.attempt) continue;
            if (message->attempt > sender.attempt) sender = {message->attempt};
            if (message->kind == Message::Kind::sealed) sender.parts = message->number;
            if (!key) continue;
            sender.came.insert(message->number);
            if (filter != nullptr && filter->count({{&*key, 1}}) == 0) sender.found = false;
        }
        return std::ranges::all_of(senders, [](const Sender& sender) {
            return sender.parts && sender.came.size() == *sender.parts && sender.found;
        });
    }
    bool delivered_deadline(std::uint32_t delivered) const {
        for (std::size_t i = 0; i < scenario_.sent.size(); ++i)
            if ((delivered >> i & 1) != 0 && !scenario_.sent[i].message) return true;
        return false;
    }
    static bool same_answers(const Receiver& a, const Receiver& b) {
        return a.state() == b.state() && save(a.filter()) == save(b.filter());
    }
    static bool same(const Receiver& a, const Receiver& b) {
        for (std::size_t i = 0; a.state() == State::open && i < exchange_senders; ++i)
            if (a.is_complete(i) != b.is_complete(i)) return false;
        return same_answers(a, b) && a.bytes() == b.bytes();
    }
    void expect(bool holds, const char* what, const Key& key) {
        if (holds || !found_.fault.empty()) return;
        found_.fault = std::string(what) + ": delivered " + std::to_string(key.delivered);
    }

    const Scenario& scenario_;
    const std::vector<std::uint64_t> absent_ = test::random_keys(64, 900'000);
    Explored found_;
};

/// Duplicates, a restart after a failure, and one after an attempt that was complete.
Scenario restarts(const std::string& spec) {
    Scenario all(spec);
    all.part(0, 0, 0).part(0, 0, 1).again().sealed(0, 0, 2).again();
    all.part(1, 1, 0).failed(1, 1).part(1, 2, 0).sealed(1, 2, 1);
    all.part(2, 1, 0).sealed(2, 1, 1).part(2, 4, 0).part(2, 4, 1).sealed(2, 4, 2);
    return all;
}
Scenario faults(const std::string& spec) {
    Scenario all(spec);
    all.damaged(0, 0, 0).part(0, 0, 0).sealed(0, 0, 1);
    all.of_other_seed(1, 0, 0).part(1, 1, 0).part(1, 1, 1).sealed(1, 1, 2);
    all.sealed(2, 3, 0);  // no rows
    return all;
}
Scenario too_large_part(const std::string& spec) {
    Scenario all(spec);
    all.part(0, 0, 0).part(0, 0, 1).again().sealed(0, 0, 2);
    all.of_too_many_bytes(1, 0).sealed(1, 0, 1);
    all.part(2, 0, 0).failed(2, 0).part(2, 1, 0).again().sealed(2, 1, 1);
    return all;
}

template <class Receiver = FilterExchange>
Explored explored(const char* name, const Scenario& scenario) {
    const Explored found = Explorer<Receiver>(scenario).run();
    std::uint64_t all_orders = 1;
    for (std::size_t n = 2; n <= scenario.sent.size(); ++n) all_orders *= n;
    if (found.fault.empty()) {
        EXPECT_EQ(found.orders, all_orders) << name;
    }
    return found;
}

/// Every order is safe, and leads to one of these ends.
Explored expect_ends(const char* name, const Scenario& scenario, const std::set<State>& ends) {
    Explored found = explored(name, scenario);
    EXPECT_EQ(found.fault, "") << name;
    EXPECT_EQ(found.ends, ends) << name;
    return found;
}

TEST(ExchangeModel, EveryOrderOfMessagesIsSafe) {
    for (const std::string spec : {"split256", "auto"}) {
        SCOPED_TRACE(spec);
        expect_ends("restarts", restarts(spec), {State::sealed});
        expect_ends("restarts, deadline", restarts(spec).deadline(), {State::sealed, State::late});
        // A list has no seed, so "auto" has the key of the attempt that was replaced, or not.
        const auto found = expect_ends("faults", faults(spec), {State::sealed});
        EXPECT_EQ(found.sealed_bytes.size(), spec == "auto" ? 2u : 1u);
        expect_ends("faults, deadline", faults(spec).deadline(), {State::sealed, State::late});
        expect_ends("too large", too_large_part(spec), {State::too_large});
        expect_ends("too large, deadline", too_large_part(spec).deadline(),
                    {State::too_large, State::late});
    }
}

// Only which of two attempts came first may decide.
TEST(ExchangeModel, AnAttemptThatIsTooLargeCountsUnlessItWasReplaced) {
    Scenario all("split256");
    all.sealed(0, 0, 0).part(1, 0, 0).sealed(1, 0, 1);
    all.too_large(2, 0).part(2, 1, 0).sealed(2, 1, 1);
    expect_ends("replaced", all, {State::sealed, State::too_large});
}

TEST(ExchangeModel, ASenderThatFailsForGoodLeavesItOpen) {
    Scenario all("split256");
    all.part(0, 0, 0).sealed(0, 0, 1).part(1, 0, 0).sealed(1, 0, 1).part(2, 0, 0).failed(2, 0);
    expect_ends("failed", all, {State::open});
}

// Receivers with a fault, which the explorer must find.

/// Publishes when two of three senders are complete, as in
/// https://github.com/opensearch-project/OpenSearch/issues/23068.
struct MergesTooEarly : FilterExchange {
    Took take(const Message& message) {
        const Took took = FilterExchange::take(message);
        std::size_t complete = 0;
        for (std::size_t i = 0; i < exchange_senders; ++i) complete += is_complete(i);
        for (std::size_t i = 0; complete == 2 && i < exchange_senders; ++i)
            if (!is_complete(i)) FilterExchange::take({Message::Kind::sealed, i, 99, 0});
        return took;
    }
};
/// Takes the parts of an attempt for those of the next.
struct ForgetsAttempts : FilterExchange {
    Took take(Message message) {
        message.attempt = 0;
        return FilterExchange::take(message);
    }
};
/// Takes "sealed" for the last message.
struct WaitsForNoParts : FilterExchange {
    Took take(Message message) {
        if (message.kind == Message::Kind::sealed) message.number = 0;
        return FilterExchange::take(message);
    }
};
/// Goes on after the deadline.
struct NeverCloses : FilterExchange {
    void close() {}
};

TEST(ExchangeModel, TheExplorerFindsFaults) {
    const Scenario all = restarts("split256").deadline();
    for (const auto& found : {explored<MergesTooEarly>("merges too early", all),
                              explored<ForgetsAttempts>("forgets attempts", all),
                              explored<WaitsForNoParts>("waits for no parts", all)})
        EXPECT_EQ(found.fault.find("rows of a sender"), 0u) << found.fault;
    EXPECT_EQ(explored<NeverCloses>("never closes", all).fault.find("open after"), 0u);
}

}  // namespace
}  // namespace simdbloom
