// The examples of the manual, for joins: see filters_test.cpp.
#include <iostream>

#include "arrow_column.hpp"
#include "support.hpp"

using namespace simdbloom;

namespace {

TEST(Example, Join) {
    const std::vector<std::uint64_t> build{3, 5, 8}, probe{1, 2, 3, 4, 5};
    /// Example of JoinBuilder, JoinFilter, JoinColumn, KeyRange.
    //! [JoinBuilder]
    JoinBuilder builder("auto", build.size(), 12);  // a list, a bitmap or a filter
    builder.insert({build});                        // any number of threads may insert
    const JoinFilter join = std::move(builder).finish();
    std::cout << join.why() << '\n';

    const std::uint8_t not_null = 0b01111;             // row 4 is NULL
    const JoinColumn column{probe, false, &not_null};  // keys, not hashes
    std::vector<std::uint32_t> rows(probe.size());
    rows.resize(join.select(column, rows));               // row 2 alone
    const Prune group = join.prune(100, 200);             // none: skip the row group
    const std::optional<KeyRange>& range = join.range();  // 3 to 8
    //! [JoinBuilder]
    EXPECT_EQ(rows, std::vector<std::uint32_t>{2});
    EXPECT_EQ(group, Prune::none);
    EXPECT_TRUE(range && range->low == 3 && range->high == 8);

    /// Example of JoinCounters, Worth.
    //! [JoinCounters]
    JoinCounters counters;  // each thread has its own
    std::vector<std::uint32_t> out(probe.size());
    counters.record(probe.size(), join.select({probe}, out));
    const Worth worth = join.worth({.n_keys = build.size(), .work_ns = 50});
    std::cout << counters.pass_rate() << " passed, " << counters.saved_ns(50, worth.asking_ns)
              << " ns saved; " << (worth.pays() ? "it pays\n" : "it does not pay\n");
    //! [JoinCounters]
    EXPECT_EQ(counters.asked, probe.size());

    /// Example of Governor, Governor::Settings.
    //! [Governor]
    Governor governor(Governor::Settings::for_costs(1, 20));  // ns of a probe, of a row that passes
    if (governor.should_probe(probe.size()))
        governor.record(probe.size(), join.select({probe}, out));  // what passed
    else std::cout << "take all rows: most passed before\n";
    //! [Governor]
    EXPECT_FALSE(governor.paused());

    /// Example of StarProbe.
    //! [StarProbe]
    StarProbe star({join, JoinFilter::accept_all()}, Governor::Settings{});
    const std::vector<std::uint64_t> other{9, 9, 9, 9, 9};
    const JoinColumn columns[] = {{probe}, {other}};
    out.resize(star.select(columns, out));  // rows that pass both: 2 and 4
    //! [StarProbe]
    EXPECT_EQ(out, (std::vector<std::uint32_t>{2, 4}));
}

TEST(Example, Columns) {
    /// Example of JoinRows, KeyColumn, RowHash.
    //! [JoinRows]
    const std::vector<std::int32_t> day{19'000, 19'001};
    const std::vector<std::int8_t> city_code{1, 0};
    const std::vector<std::string_view> cities{"Kyiv", "Lima"};
    const JoinRows rows({day, KeyColumn::dictionary(city_code, cities)}, Nulls::equal,
                        RowHash{.seed = 7});
    JoinBuilder builder("split256", 2, 12, {.seed = 7});
    rows.insert_into(builder);
    const JoinFilter filter = std::move(builder).finish();
    const std::size_t n_pass = rows.count(filter);  // both
    //! [JoinRows]
    EXPECT_EQ(n_pass, 2u);
}

TEST(Example, Arrow) {
    test::ArrowColumn column("l", 3);
    column.values<std::int64_t>({5, 6, 7});
    const ArrowSchema& schema = column.schema;
    const ArrowArray& array = column.array;
    /// Example of arrow_rows, ArrowSettings.
    //! [arrow_rows]
    // An ArrowSchema and an ArrowArray of integers, say.
    const JoinRows rows = arrow_rows(schema, array, ArrowSettings{.nulls = Nulls::differ});
    JoinBuilder builder("auto", 0, 12);
    rows.insert_into(builder);
    const JoinFilter filter = std::move(builder).finish();
    const std::size_t n_pass = rows.count(filter);  // all of them
    //! [arrow_rows]
    EXPECT_EQ(n_pass, 3u);
}

TEST(Example, Exchange) {
    const std::vector<std::uint64_t> keys = test::random_keys(1'000);
    /// Example of FilterExchange, FilterMessage.
    //! [FilterExchange]
    const Options options{.seed = 7};  // the same for all senders
    JoinBuilder sender("split256", keys.size(), 12, options);
    sender.insert({keys});
    const std::vector<std::byte> part = save(std::move(sender).part());  // sent as bytes

    FilterExchange exchange(1, 1 << 20, "split256", keys.size(), 12, options);
    using Kind = FilterMessage::Kind;
    exchange.take({.kind = Kind::part, .sender = 0, .bytes = part});
    exchange.take({.kind = Kind::sealed, .sender = 0, .number = 1});  // it was the only part
    const JoinFilter filter = exchange.filter();  // accepts all rows unless all senders are there
    //! [FilterExchange]
    EXPECT_EQ(exchange.state(), FilterExchange::State::sealed) << exchange.why();
    EXPECT_EQ(filter.kind(), JoinFilter::Kind::filter);
    EXPECT_EQ(filter.count({keys}), keys.size());
}

}  // namespace
