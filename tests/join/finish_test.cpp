// What a builder was asked for is checked before keys come: whatever the limits, finish() and
// part() give a filter of all keys.
#include <numeric>

#include "given_rows.hpp"
#include "made_up_times.hpp"
#include "scale.hpp"
#include "simdbloom/detail/errors.hpp"

namespace simdbloom {
namespace {

using FinishKind = JoinFilter::Kind;
using FinishKeys = std::vector<std::uint64_t>;

struct Asked {
    std::string spec;
    std::size_t n_keys;
    double bits, fpr;  // fpr 0: bits
    Options options;
    std::size_t kept;  // keep_at_most(), unless ~0
    bool hashed, by_times;

    std::string text() const {
        return detail::to_text(spec, " n_keys=", n_keys, " bits=", bits, " fpr=", fpr,
                               " max_bytes=", options.max_bytes,
                               " fold_levels=", options.fold_levels, " kept=", kept,
                               " hashed=", hashed, " by_times=", by_times);
    }
    /// Null where the builder refuses.
    std::unique_ptr<JoinBuilder> builder() const {
        try {
            std::unique_ptr<JoinBuilder> made(
                fpr != 0 ? new JoinBuilder(JoinBuilder::for_fpr(spec, fpr, options))
                         : new JoinBuilder(spec, n_keys, bits, options));
            if (kept != ~std::size_t{0}) made->keep_at_most(kept);
            // Advice looks at no filter of less than two bits a key, and knows nothing of folding.
            if (by_times)
                made->use_times(
                    test::times_of_all(default_isa(), {1 << 20, 1, 1}, {9 << 17, 20, 20}));
            return made;
        } catch (const std::logic_error&) {
            return nullptr;
        }
    }
};

/// Calls use(asked) for a sample of all combinations, at night for all.
template <class Use>
void for_each_asked(const Use& use) {
    constexpr std::size_t all = ~std::size_t{0};
    constexpr const char* specs[] = {"auto", "auto:blocked512", "split256", "register32:k=4",
                                     "classic:k=3"};
    constexpr std::size_t n_keys[] = {0, 90, 3'000, std::size_t{1} << 40},
                          limits[] = {0,     31,    64,     100,     375,     1'000,
                                      1'003, 4'100, 70'000, all / 2, all - 8, all},
                          kept[] = {all, 0, 80, 800};
    constexpr std::pair<double, double> sizes[] = {{1, 0},      {1.5, 0},  {1.99, 0},   {4, 0},
                                                   {12, 0},     {1000, 0}, {12, 1e-12}, {12, 1e-8},
                                                   {12, 0.001}, {12, 0.5}, {12, 0.9},   {12, 0.99}};
    constexpr unsigned fold_levels[] = {0, 1, 3, 5, 12, 16, 17};
    constexpr std::size_t combinations = 4 * std::size(specs) * std::size(n_keys) *
                                         std::size(sizes) * std::size(limits) *
                                         std::size(fold_levels) * std::size(kept);
    const auto one_in = test::scaled<std::uint64_t>(200, 25, 1);
    for (std::size_t number = 0; number < combinations; ++number) {
        if (hash_key(number, 1) % one_in != 0) continue;
        std::size_t rest = number;
        const auto next = [&](const auto& of) {
            const std::size_t at = rest % std::size(of);
            rest /= std::size(of);
            return of[at];
        };
        const auto [bits, fpr] = next(sizes);
        const Asked asked{next(specs),
                          next(n_keys),
                          bits,
                          fpr,
                          {.max_bytes = next(limits), .fold_levels = next(fold_levels)},
                          next(kept),
                          rest % 2 == 1,
                          rest / 2 == 1};
        if (asked.by_times && asked.spec != "auto") continue;
        if (fpr == 0 || asked.n_keys == 0) use(asked);
    }
}

/// Promise: Under any limits, builders make filters of all their keys.
TEST(JoinFinish, GivesAFilterOfAllKeysWhateverTheLimits) {
    const FinishKeys keys = test::random_keys(3'000);
    std::size_t filters = 0, refused = 0;
    for_each_asked([&](const Asked& asked) {
        // What is not limited may be more than there is memory.
        const bool limited = asked.options.max_bytes != 0 && asked.options.max_bytes < 1 << 20;
        if (!limited && (asked.kept != ~std::size_t{0} || asked.options.fold_levels > 12 ||
                         (asked.fpr != 0 && asked.fpr < 1e-8 && asked.spec[0] != 's')))
            return;
        for (const std::size_t n : {std::size_t{1}, std::size_t{100}, keys.size()})
            for (const bool is_part : {false, true}) {
                if (is_part && asked.n_keys == 0) continue;
                if (is_part && !limited && asked.n_keys > keys.size()) continue;
                const auto builder = asked.builder();
                if (!builder) {
                    ++refused;
                    continue;
                }
                SCOPED_TRACE(asked.text() + " keys=" + std::to_string(n) +
                             (is_part ? " part" : ""));
                const std::span some(keys.data(), n);
                builder->insert({some.first(n / 2), asked.hashed});
                builder->insert({some.subspan(n / 2), asked.hashed});
                std::optional<JoinFilter> filter;
                ASSERT_NO_THROW(filter.emplace(is_part ? std::move(*builder).part()
                                                       : std::move(*builder).finish()));
                ++filters;
                ASSERT_EQ(filter->count({some, asked.hashed}), n) << filter->why();
                if (asked.options.max_bytes != 0) {
                    ASSERT_LE(filter->size_in_bytes(), asked.options.max_bytes);
                }
                if (const AnyFilter* of = filter->filter()) {
                    ASSERT_EQ(of->base().blocks() >> asked.options.fold_levels
                                                         << asked.options.fold_levels,
                              of->base().blocks())
                        << filter->why();
                }
            }
    });
    EXPECT_GT(filters, 200u);
    EXPECT_GT(refused, 20u);
}

TEST(JoinFinish, PartsThatLetTheirKeysGoAreUnited) {
    const FinishKeys many = test::random_keys(5'000), few = test::random_keys(700, 50'000),
                     hashes = test::random_keys(4'000, 90'000);
    for (const std::string spec : {"auto", "auto:register64:k=5"})
        for (const std::size_t n_keys : {6'000u, 5'701u, 100'000u})
            for (const std::size_t max_bytes : {std::size_t{5'000}, std::size_t{1} << 20})
                for (const unsigned fold_levels : {0u, 3u}) {
                    const Options options{.max_bytes = max_bytes, .fold_levels = fold_levels};
                    SCOPED_TRACE(spec + " " + std::to_string(n_keys) + " " +
                                 std::to_string(max_bytes) + " " + std::to_string(fold_levels));
                    const auto part = [&](const FinishKeys& keys, std::size_t kept) {
                        JoinBuilder builder(spec, n_keys, 12, options);
                        if (kept != 0) builder.keep_at_most(kept);
                        return test::built_part(std::move(builder), {keys});
                    };
                    const JoinFilter parts[] = {part(many, 8'000), part(many, 0), part(few, 800),
                                                part(few, 0)};
                    const bool none = 8 * max_bytes < n_keys;
                    for (const auto& one : parts) {
                        ASSERT_EQ(one.kind(), none ? FinishKind::all : FinishKind::filter);
                        ASSERT_EQ(one.size_in_bytes(), parts[1].size_in_bytes()) << one.why();
                    }
                    // The bits are those of keys that were kept.
                    if (!none) {
                        EXPECT_TRUE(std::ranges::equal(parts[0].filter()->base().bytes(),
                                                       parts[1].filter()->base().bytes()));
                    }
                    // Into builders that keep their keys, let them go before, or do so after.
                    for (const std::size_t kept : {0u, 800u, 20'000u})
                        for (const bool keys_first : {false, true}) {
                            JoinBuilder all(spec, n_keys, 12, options);
                            if (kept != 0) all.keep_at_most(kept);
                            if (keys_first) all.insert({few});
                            for (const auto& one : parts) all.unite(one);
                            if (!keys_first) all.insert({few});
                            const double fpr = all.worth({.work_ns = 10}).fpr;
                            const JoinFilter filter = std::move(all).finish();
                            ASSERT_EQ(filter.estimated_fpr(), none ? 1 : fpr) << filter.why();
                            ASSERT_EQ(filter.count({many}), many.size()) << filter.why();
                            ASSERT_EQ(filter.count({few}), few.size()) << filter.why();
                            ASSERT_LE(filter.size_in_bytes(), max_bytes);
                        }
                }
}

TEST(JoinFinish, PartsThatAreNoBloomFiltersAreRefused) {
    const FinishKeys keys = test::random_keys(500);
    for (const char* spec : {"cuckoo12", "dleft14", "growing16", "counting512", "scalable"}) {
        auto table = make_filter(spec, 1'000, 90);
        table.insert(keys);
        JoinBuilder chooses("auto", 1'000, 12), plain("split256", 1'000, 12),
            unknown("split256", 0, 12);
        for (auto* builder : {&chooses, &plain, &unknown}) {
            EXPECT_INVALID(table.spec(), builder->unite(JoinFilter(table)));
            builder->insert({keys});
            EXPECT_THROW(builder->unite(JoinFilter(table)), std::invalid_argument) << spec;
            const JoinFilter filter = std::move(*builder).finish();
            EXPECT_NE(filter.kind(), FinishKind::all);
            EXPECT_EQ(filter.count({keys}), keys.size());
        }
    }
    // Nor one that was moved from.
    AnyFilter filter = make_filter("split256", 1'000, 12);
    const AnyFilter moved = std::move(filter);
    JoinBuilder builder("auto", 1'000, 12);
    EXPECT_THROW(builder.unite(JoinFilter(filter)), std::invalid_argument);
    builder.insert({keys});
    EXPECT_EQ(std::move(builder).finish().count({keys}), keys.size());
}

TEST(JoinFinish, AnIsaThatIsNamedIsTaken) {
    const FinishKeys keys = test::random_keys(2'000), few = test::random_keys(40),
                     dense = test::sequence(7, 2'000, 3), runs = test::runs(0, 20, 1'000, 100'000);
    test::Givens givens(300, false), of_words(30, false);
    const KeyColumn numbers = givens.numbers<std::int32_t>("i32").column,
                    strings = givens.views().column;
    const auto words = of_words.views();
    const JoinRows all_rows[] = {JoinRows({strings}), JoinRows({numbers, strings}),
                                 JoinRows({numbers}),
                                 JoinRows({givens.dictionary<std::int32_t>(words).column})};

    const test::IsaVariable wrong("abacus");
    EXPECT_THROW((void)default_isa(), std::invalid_argument);
    EXPECT_THROW(JoinBuilder("auto", 0, 12), std::invalid_argument);
    const Options options{.isa = Isa::scalar};
    for (const auto& set : {keys, few, dense, runs})
        for (const char* spec : {"auto", "split256", "auto:classic"}) {
            for (const std::size_t n_keys : {std::size_t{0}, set.size()}) {
                JoinBuilder builder(spec, n_keys, 12, options), all(spec, set.size(), 12, options);
                builder.insert({set}, 2);
                all.unite(test::built_part(JoinBuilder(spec, set.size(), 12, options), {set}));
                for (const JoinFilter& filter :
                     {std::move(builder).finish(), std::move(all).finish()}) {
                    EXPECT_EQ(filter.count({set}), set.size()) << filter.why();
                    (void)filter.worth({.work_ns = 10});
                    const auto saved = save(filter);
                    EXPECT_TRUE(load<JoinFilter>(saved, options));
                }
            }
            EXPECT_EQ(test::built(JoinBuilder::for_fpr(spec, 0.01, options), {set}).count({set}),
                      set.size());
        }
    std::vector<std::uint32_t> list(300), out(300);
    std::iota(list.begin(), list.end(), 0);
    for (const JoinRows& rows : all_rows)
        for (const char* spec : {"auto", "split256"})
            for (const std::size_t n_keys : {0u, 300u}) {
                JoinBuilder builder(spec, n_keys, 12, options), of_list(spec, n_keys, 12, options);
                rows.insert_into(builder);
                rows.insert_into(of_list, list);
                for (const JoinFilter& filter :
                     {std::move(builder).finish(), std::move(of_list).finish()}) {
                    EXPECT_EQ(rows.count(filter), rows.size()) << filter.why();
                    EXPECT_EQ(rows.select(filter, list, out), rows.size());
                    std::vector<std::uint64_t> bits(5, ~std::uint64_t{0});
                    EXPECT_EQ(rows.and_bitmap(filter, bits), rows.size());
                }
                EXPECT_EQ(rows.count(JoinFilter::accept_all()), rows.size());
                EXPECT_EQ(rows.count(JoinFilter::accept_none()), 0u);
            }
    const JoinFilter filter =
        test::built_of_rows(JoinBuilder("auto", 0, 12, options), JoinRows({words.column}));
    EXPECT_EQ(codes_that_pass(filter, words.column).count({test::sequence(0, 30)}), 30u);
}

}  // namespace
}  // namespace simdbloom
