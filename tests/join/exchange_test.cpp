// Filters whose parts come from several machines: what is refused, and what it takes.
#include "simdbloom/join/exchange.hpp"

#include "allocations.hpp"
#include "join_keys.hpp"
#include "saved_checks.hpp"

namespace simdbloom {
namespace {

using test::Bytes;
using State = FilterExchange::State;
using Took = FilterExchange::Took;
using Of = FilterMessage::Kind;
using ExchangeKeys = std::vector<std::uint64_t>;

constexpr std::size_t keys_of_all = 20'000;

Bytes exchange_part(const ExchangeKeys& keys, const std::string& spec = "split256",
                    std::size_t n = keys_of_all, Options options = {.seed = 3},
                    bool hashed = false) {
    return save(test::built_part(JoinBuilder(spec, n, 12, std::move(options)), {keys, hashed}));
}

/// Each sender sends one part and seals it.
void send(FilterExchange& exchange, std::size_t sender, const Bytes& part,
          Took expected = Took::counted) {
    EXPECT_EQ(exchange.take({Of::part, sender, 0, 0, part}), expected) << exchange.why();
    exchange.take({Of::sealed, sender, 0, 1});
}

TEST(Exchange, TheFilterIsThatOfOneMachine) {
    const auto keys = test::random_keys(keys_of_all);
    const ExchangeKeys mine(keys.begin(), keys.begin() + 7'000),
        others(keys.begin() + 7'000, keys.end());
    FilterExchange exchange(2, 1 << 20, "split256", keys_of_all, 12, {.seed = 3});
    send(exchange, 1, exchange_part(others));
    EXPECT_EQ(exchange.state(), State::open);
    EXPECT_EQ(exchange.filter().count({keys}), keys.size());
    EXPECT_EQ(exchange.why(), "all: 1 of 2 senders were missing: 0");
    EXPECT_EQ(exchange.waiting_for(), 1u);
    EXPECT_FALSE(exchange.is_complete(0));
    EXPECT_GT(exchange.bytes(), keys_of_all);
    EXPECT_EQ(exchange.take({Of::part, 1, 0, 0, exchange_part(others)}), Took::duplicate);
    EXPECT_EQ(exchange.take({Of::sealed, 1, 0, 1}), Took::duplicate);
    send(exchange, 0, exchange_part(mine));
    EXPECT_EQ(to_string(exchange.state()), "sealed");
    EXPECT_EQ(exchange.bytes(), 0u);
    EXPECT_EQ(save(exchange.filter()), exchange_part(keys));
    EXPECT_NE(exchange.why().find("filter: split256"), std::string::npos) << exchange.why();
    EXPECT_EQ(exchange.take({Of::failed, 0, 1}), Took::late);
    EXPECT_EQ(exchange.count(Took::counted), 4u);
    EXPECT_EQ(exchange.count(Took::late), 1u);
    exchange.close();
    EXPECT_EQ(exchange.state(), State::sealed);
}

// Every kind of part that "auto" makes, together with every other one; and what it takes.
TEST(Exchange, PartsOfEveryKindAreUnited) {
    const ExchangeKeys far = test::sequence(5, 60, 1'000'000'000), near = test::sequence(0, 3'000),
                       many = test::random_keys(5'000), none;
    for (const ExchangeKeys& a : {far, near, many, none})
        for (const ExchangeKeys& b : {far, test::sequence(77, 60, 999'999'999), near, many, none})
            for (const std::size_t max_bytes : {std::size_t{1} << 20, std::size_t{31'000}}) {
                FilterExchange exchange(2, max_bytes, "auto", keys_of_all, 12, {.seed = 3});
                send(exchange, 0, exchange_part(a, "auto"));
                send(exchange, 1, exchange_part(b, "auto"));
                ASSERT_EQ(exchange.state(), State::sealed) << exchange.why();
                EXPECT_EQ(exchange.filter().count({a}), a.size()) << exchange.why();
                EXPECT_EQ(exchange.filter().count({b}), b.size()) << exchange.why();
                EXPECT_LT(exchange.filter().count({test::random_keys(1'000, 50'000)}), 100u);
                EXPECT_LE(saved_size(exchange.filter()), max_bytes);
            }
}

// A part of less than the bound may meet another one in a bitmap of more.
TEST(Exchange, TheUnionKeepsToTheBound) {
    const ExchangeKeys low = test::sequence(0, 16'000), high = {16'000 * 60};
    const std::size_t list_and_bitmap = 3'000;
    const auto exchange_of = [&](std::size_t max_bytes) {
        FilterExchange exchange(2, max_bytes, "auto", keys_of_all, 12, {.seed = 3});
        send(exchange, 0, exchange_part(low, "auto"));
        EXPECT_LE(exchange.bytes(), list_and_bitmap);
        send(exchange, 1, exchange_part(high, "auto"));
        return exchange;
    };
    EXPECT_EQ(exchange_of(200'000).filter().kind(), JoinFilter::Kind::bitmap);
    EXPECT_EQ(exchange_of(100'000).filter().kind(), JoinFilter::Kind::filter);
    const FilterExchange over = exchange_of(list_and_bitmap);
    EXPECT_EQ(to_string(over.state()), "too large");
    EXPECT_EQ(over.bytes(), 0u);
    EXPECT_EQ(over.filter().count({low}), low.size());
    EXPECT_NE(over.why().find("part 0 of sender 1: "), std::string::npos) << over.why();
    EXPECT_NE(over.why().find("max_bytes=3000"), std::string::npos) << over.why();
}

// Two lists below the bound, and a filter that is never made because it would be above.
TEST(Exchange, TheUnionOfSmallPartsKeepsToTheBound) {
    const auto two = [](std::size_t keys, std::size_t max_bytes) {
        FilterExchange exchange(2, max_bytes, "auto", 1'000'000, 12, {.seed = 3});
        const Bytes a = exchange_part(test::sequence(0, keys, 1 << 20), "auto", 1'000'000),
                    b = exchange_part(test::sequence(9, keys, 1 << 20), "auto", 1'000'000);
        send(exchange, 0, a);
        const std::size_t before = test::heap_bytes;
        send(exchange, 1, b);
        EXPECT_LT(test::heap_bytes - before, 100'000u);
        return exchange.state();
    };
    EXPECT_EQ(two(6, 72 + 8 * 12), State::sealed);
    EXPECT_EQ(two(6, 72 + 8 * 12 - 1), State::too_large);
    EXPECT_EQ(two(60, 10'000), State::too_large);
}

/// Promise of Exchange.*, ExchangeModel.*: In every order of three senders' messages, a
///   distributed filter accepts all rows until it has all parts, and names the sender of a damaged
///   one.
TEST(Exchange, OtherPartsAreRefusedByName) {
    const auto keys = test::random_keys(100);
    const Bytes good = exchange_part(keys);
    Bytes damaged = good;
    damaged[100] ^= std::byte{4};
    const Options keyed{.hashing = Hashing::keyed, .secret = Secret{1, 2}};
    const std::pair<Bytes, const char*> bad[] = {
        {damaged, "2 (part 0: the checksum"},
        {Bytes(good.begin(), good.begin() + 50), "50 bytes"},
        {Bytes(good.begin(), good.end() - 1), "30088 bytes, not 30087"},
        {{}, "0 bytes"},
        {exchange_part(keys, "split512"), "split512"},
        {exchange_part(keys, "split256", 10'000), "469 blocks"},
        {exchange_part(keys, "split256", keys_of_all, {.seed = 4}), "seed 4"},
        {exchange_part(keys, "split256", keys_of_all, keyed), "seed 0"},
        {save(JoinFilter(make_filter("cuckoo12", 100, 20))), "cuckoo12"},
        {save(make_filter("split256", keys_of_all, 12, {.seed = 3})), "join filter"},
        {save_part(JoinFilter::accept_none(), 0, 3), "join filter"},
        {save(test::chosen(test::runs(0, 20, 1'000, 100'000))), "prefix"},
    };
    for (const bool first : {true, false}) {
        for (const auto& [bytes, says] : bad) {
            FilterExchange exchange(3, 1 << 20, "split256", keys_of_all, 12, {.seed = 3});
            if (first) send(exchange, 2, bytes, Took::refused);
            send(exchange, 0, good);
            send(exchange, 1, good);
            if (!first) send(exchange, 2, bytes, Took::refused);
            EXPECT_EQ(exchange.state(), State::open);
            EXPECT_EQ(exchange.waiting_for(), 0u);
            EXPECT_EQ(exchange.filter().kind(), JoinFilter::Kind::all);
            EXPECT_NE(exchange.why().find("1 of 3 senders were missing: 2 (part 0: "),
                      std::string::npos)
                << exchange.why();
            EXPECT_NE(exchange.why().find(says), std::string::npos) << exchange.why();
            const std::string why = exchange.why();
            FilterExchange closed = exchange;
            closed.close();
            EXPECT_EQ(closed.why(), "all: closed when " + why.substr(5));
            // Sent again, it heals.
            EXPECT_EQ(exchange.take({Of::part, 2, 0, 0, good}), Took::counted);
            EXPECT_EQ(exchange.state(), State::sealed) << says;
        }
    }
}

TEST(Exchange, EveryDamagedBitIsRefused) {
    for (const char* spec : {"split256", "auto"}) {
        const Bytes good = exchange_part({1, 2, 3}, spec, 30);
        FilterExchange exchange(1, good.size(), spec, 30, 12, {.seed = 3});
        for (std::size_t i = 0; i < 8 * good.size(); ++i) {
            Bytes bad = good;
            bad[i / 8] ^= static_cast<std::byte>(1u << i % 8);
            ASSERT_EQ(exchange.take({Of::part, 0, 0, 0, bad}), Took::refused) << i;
        }
        send(exchange, 0, good);
        EXPECT_EQ(exchange.state(), State::sealed) << exchange.why();
    }
}

TEST(Exchange, ContradictionsAreNeverSealed) {
    const auto good = exchange_part({1});
    const auto why = [&](std::initializer_list<FilterMessage> messages) {
        FilterExchange exchange(1, 1 << 20, "split256", keys_of_all, 12, {.seed = 3});
        for (FilterMessage message : messages) {
            if (message.kind == Of::part) message.bytes = good;
            exchange.take(message);
        }
        EXPECT_EQ(exchange.state(), State::open);
        return exchange.why();
    };
    const std::string two_ways =
        "all: 1 of 1 senders were missing: 0 (counts its parts in two ways)";
    EXPECT_EQ(why({{Of::sealed, 0, 0, 2}, {Of::sealed, 0, 0, 0}}), two_ways);
    EXPECT_EQ(why({{Of::part, 0, 0, 2}, {Of::part, 0, 0, 1}, {Of::sealed, 0, 0, 2}}), two_ways);
    EXPECT_EQ(why({{Of::sealed, 0, 0, 1}, {Of::part, 0, 0, 1}}), two_ways);
    EXPECT_NE(why({{Of::part, 0, 0, 64}, {Of::sealed, 0, 0, 1}}).find("part 64"),
              std::string::npos);
    EXPECT_NE(why({{Of::sealed, 0, 0, 65}}).find("does not exist"), std::string::npos);
    EXPECT_NE(why({{static_cast<Of>(9), 0, 0, 0}}).find("does not exist"), std::string::npos);
    EXPECT_NE(why({{Of::failed, 0, 7, 0}, {Of::sealed, 0, 7, 0}}).find("failed"),
              std::string::npos);
}

TEST(Exchange, SixtyFourPartsAndMoreSendersThanAreNamed) {
    FilterExchange exchange(12, 1 << 20, "split256", keys_of_all, 12, {.seed = 3});
    EXPECT_EQ(exchange.why(), "all: 12 of 12 senders were missing: 0, 1, 2, 3, 4, 5, 6, 7, ..");
    for (std::size_t sender = 1; sender < 12; ++sender) exchange.take({Of::sealed, sender, 0, 0});
    for (unsigned part = 64; part-- > 0;) {
        EXPECT_EQ(exchange.take({Of::part, 0, 0, part, exchange_part({part})}), Took::counted);
        exchange.take({Of::sealed, 0, 0, 64});
        EXPECT_EQ(exchange.state(), part == 0 ? State::sealed : State::open);
    }
    EXPECT_EQ(exchange.filter().count({test::sequence(0, 64)}), 64u);
}

TEST(Exchange, WhatCannotBeIsRefused) {
    const auto made = [](std::size_t senders, std::size_t max_bytes, const char* spec,
                         std::size_t n) {
        FilterExchange exchange(senders, max_bytes, spec, n, 12);
        return exchange.state();
    };
    EXPECT_INVALID("senders=0", made(0, 100, "auto", 10));
    EXPECT_LENGTH_ERROR("senders=18446744073709551615", made(SIZE_MAX, 100, "auto", 10));
    EXPECT_INVALID("max_bytes=0", made(1, 0, "auto", 10));
    EXPECT_INVALID("n_keys=0", made(1, 100, "auto", 0));
    EXPECT_INVALID("cuckoo12", made(1, 100, "cuckoo12", 10));
    FilterExchange exchange(2, 100, "auto", 10, 12);
    EXPECT_OUT_OF_RANGE("no sender 2: there are 2", exchange.take({Of::failed, 2}));
    EXPECT_THROW((void)exchange.is_complete(2), std::out_of_range);
    EXPECT_EQ(exchange.count(Took::counted), 0u);
}

TEST(Exchange, WithoutMemoryAllRowsAreAccepted) {
    const ExchangeKeys low = test::sequence(5, 60, 1'000'000), high = test::sequence(0, 3'000);
    const Bytes a = exchange_part(low, "auto"), b = exchange_part(high, "auto");
    const long failures = test::fail_everywhere(
        [] { return FilterExchange(2, 1 << 20, "auto", keys_of_all, 12, {.seed = 3}); },
        [&](FilterExchange& exchange) {
            exchange.take({Of::part, 0, 0, 0, a});
            exchange.take({Of::sealed, 0, 0, 1});
            exchange.take({Of::part, 1, 0, 0, b});
            exchange.take({Of::sealed, 1, 0, 1});
            if (exchange.state() != State::sealed) throw std::bad_alloc();
        },
        [&](FilterExchange& exchange, bool done) {
            EXPECT_EQ(exchange.filter().kind() == JoinFilter::Kind::filter, done);
            EXPECT_EQ(exchange.filter().count({low}), low.size());
            EXPECT_EQ(exchange.filter().count({high}), high.size());
        });
    EXPECT_GT(failures, 5);
}

// A sender that gave up its filter sends a part that accepts all.
TEST(Exchange, APartThatAcceptsAllIsThatOfAll) {
    FilterExchange exchange(2, 1 << 20, "split256", keys_of_all, 12, {.seed = 3});
    send(exchange, 0, save(JoinFilter::accept_all()));
    send(exchange, 1, exchange_part({1}));
    EXPECT_EQ(exchange.state(), State::sealed);
    EXPECT_EQ(exchange.filter().kind(), JoinFilter::Kind::all);
}

}  // namespace
}  // namespace simdbloom
