// Builders of joins when memory runs out in the middle of a call: see filters/no_memory_test.cpp.
#include <functional>

#include "allocations.hpp"
#include "join_keys.hpp"

namespace simdbloom {
namespace {

using test::fail_everywhere;
using KeyVector = std::vector<std::uint64_t>;

TEST(JoinWithoutMemory, JoinsKeepTheirFilters) {
    const KeyVector keys = test::random_keys(2'000);
    const std::vector<std::uint8_t> valid(keys.size() / 8, 0x7F);
    const JoinColumn column{keys, false, valid.data()};
    std::vector<std::uint32_t> rows(keys.size());

    AnyFilter filter = make_filter("split256", keys.size(), 12);
    filter.insert(keys);
    const StarProbe one({JoinFilter(filter)}),
        three({JoinFilter(filter), JoinFilter(filter), JoinFilter(filter)}, Governor::Settings{});
    const std::vector<JoinColumn> columns(3, column);
    EXPECT_GT(fail_everywhere([&] { return one; }, [&](StarProbe& s) { s = three; },
                              [&](StarProbe& s, bool done) {
                                  ASSERT_EQ(s.order().size(), done ? 3u : 1u);
                                  ASSERT_EQ(
                                      s.select(std::span(columns).first(s.order().size()), rows),
                                      keys.size() / 8 * 7);
                              }),
              0);

    for (const unsigned threads : {1u, 3u})
        fail_everywhere([] { return std::make_unique<JoinBuilder>("split256", 2'000, 12); },
                        [&](auto& builder) { builder->insert(column, threads); },
                        [&](auto& builder, bool done) {
                            ASSERT_EQ(builder->rows(), done ? keys.size() / 8 * 7 : 0);
                            ASSERT_EQ(std::move(*builder).finish().count(column),
                                      done ? keys.size() / 8 * 7 : 0);
                        });
}

// finish() may be called again, whatever the builder holds by then.
TEST(JoinWithoutMemory, JoinsFinishAgain) {
    const KeyVector others = test::random_keys(500, 9'000);
    const Options options{.max_bytes = 1 << 14};
    const JoinFilter part = test::built_part(JoinBuilder("auto", 3'000, 12, options), {others});
    using Builder = std::unique_ptr<JoinBuilder>;
    const std::function<Builder()> makes[] = {
        [&] { return std::make_unique<JoinBuilder>("auto", 0, 12); },
        [&] { return std::make_unique<JoinBuilder>("split256", 3'000, 12, options); },
        [&] { return std::make_unique<JoinBuilder>("split256", 0, 12, options); },
        [&] {
            auto builder = std::make_unique<JoinBuilder>("auto", 3'000, 12, options);
            builder->keep_at_most(8'000);
            return builder;
        },
        [&] {
            auto builder = std::make_unique<JoinBuilder>("auto", 3'000, 12, options);
            builder->keep_at_most(8'000);
            builder->unite(part);
            return builder;
        }};
    // Filters, and what a builder chooses for these keys where it may.
    for (const KeyVector& keys : {test::random_keys(30), test::sequence(0, 2'000),
                                  test::runs(0, 20, 100, 100'000), test::random_keys(2'000)})
        for (const auto& make : makes)
            for (const bool is_part : {false, true})
                for (const std::size_t unsealed : {0u, 1u}) {
                    const auto filled = [&] {
                        auto builder = make();
                        builder->insert({keys});
                        (void)builder->announce(unsealed);
                        return builder;
                    };
                    const auto end = [&](Builder& builder) {
                        return is_part ? std::move(*builder).part() : std::move(*builder).finish();
                    };
                    try {
                        auto builder = filled();
                        (void)end(builder);
                    } catch (const std::invalid_argument&) {
                        continue;  // no part without a number of keys
                    }
                    const auto failures = fail_everywhere(
                        filled,
                        [&](Builder& builder) {
                            ASSERT_EQ(end(builder).count({keys}), keys.size());
                        },
                        [&](Builder& builder, bool done) {
                            if (done && unsealed == 0)
                                ASSERT_THROW((void)end(builder), std::invalid_argument);
                            else ASSERT_EQ(end(builder).count({keys}), keys.size());
                        });
                    EXPECT_GT(failures, 0);
                }
    // Nor are keys lost while they go in.
    const KeyVector keys = test::random_keys(2'000);
    for (const auto& make : std::span(makes).first(4))
        fail_everywhere(
            make, [&](Builder& builder) { builder->insert({keys}); },
            [&](Builder& builder, bool done) {
                ASSERT_EQ(builder->rows(), done ? 2'000u : 0u);
                if (!done) builder->insert({keys});
                ASSERT_EQ(std::move(*builder).finish().count({keys}), 2'000u);
            });
    fail_everywhere(
        makes[4], [&](Builder& builder) { builder->insert({keys}); },
        [&](Builder& builder, bool done) {
            if (!done) builder->insert({keys});
            const JoinFilter filter = std::move(*builder).finish();
            ASSERT_EQ(filter.count({keys}), 2'000u);
            ASSERT_EQ(filter.count({others}), 500u);
        });
}

TEST(JoinWithoutMemory, AFilterThatCannotBeFrozenStaysWhereItIs) {
    const KeyVector keys = test::random_keys(500);
    const auto filled = [&] {
        AnyFilter filter = make_filter("split256", 500, 12);
        filter.insert(keys);
        return filter;
    };
    for (const bool for_join : {false, true})
        EXPECT_GT(fail_everywhere(
                      filled,
                      [&](AnyFilter& f) {
                          if (for_join) (void)JoinFilter(std::move(f));
                          else (void)FrozenFilter(std::move(f));
                      },
                      [&](AnyFilter& f, bool done) { ASSERT_EQ(f.count(keys), done ? 0u : 500u); }),
                  0);
}

}  // namespace
}  // namespace simdbloom
