// Parts of a build side that are united to one filter, and what given times change.
#include "join_keys.hpp"
#include "made_up_times.hpp"

namespace simdbloom {
namespace {

using test::sequence;
using PartKind = JoinFilter::Kind;
using PartKeys = std::vector<std::uint64_t>;

constexpr std::size_t of_all = 20'000;

JoinFilter part_of(const PartKeys& keys, bool hashed = false, std::size_t n = of_all) {
    return test::built_part(JoinBuilder("auto", n, 12), {keys, hashed});
}

/// What the parts of a build side may be, by their keys.
const std::pair<PartKind, PartKeys> part_kinds[] = {
    {PartKind::none, {}},
    {PartKind::list, test::random_keys(5)},
    {PartKind::list, {1, 2, ~std::uint64_t{0}}},
    {PartKind::list, test::random_keys(60, 1000)},
    {PartKind::bitmap, sequence(100, 3'000, 3)},
    {PartKind::bitmap, sequence(std::uint64_t{0} - 700, 1'400)},
    {PartKind::bitmap, sequence(std::uint64_t{1} << 62, 2'000)},
    {PartKind::filter, test::random_keys(4'000, 77'000)},
    {PartKind::filter, sequence(5'000'000, 3'000, 1'000'000'007)},
};

/// Promise: A union of any two join filters loses no key.
TEST(JoinUnion, OfAnyTwoPartsLosesNoKey) {
    for (const auto& [kind_a, a] : part_kinds)
        for (const auto& [kind_b, b] : part_kinds) {
            const JoinFilter parts[] = {part_of(a), part_of(b)};
            ASSERT_EQ(parts[0].kind(), kind_a) << parts[0].why();
            ASSERT_EQ(parts[1].kind(), kind_b) << parts[1].why();
            JoinBuilder chooses("auto", of_all, 12), plain("split256", of_all, 12);
            for (auto* builder : {&chooses, &plain}) {
                for (const auto& part : parts) builder->unite(part);
                const JoinFilter both = std::move(*builder).finish();
                SCOPED_TRACE(parts[0].why() + " + " + parts[1].why() + " = " + both.why());
                EXPECT_EQ(both.count({a}), a.size());
                EXPECT_EQ(both.count({b}), b.size());
                EXPECT_LT(both.count({test::random_keys(1'000, 9'000'000)}), 30u);
                if (a.empty() && b.empty()) {
                    EXPECT_EQ(both.kind(), PartKind::none);
                }
                for (const PartKeys& keys : {a, b})
                    for (const std::uint64_t key : keys)
                        ASSERT_NE(both.prune(key, key), Prune::none) << key;
            }
            // The union is what one builder of all keys makes.
            JoinBuilder united("auto", of_all, 12), whole("auto", of_all, 12);
            for (const auto& part : parts) united.unite(part);
            whole.insert({a});
            whole.insert({b});
            const JoinFilter one = std::move(united).part(), other = std::move(whole).part();
            // A filter gives no keys back, and of its range one order alone.
            if (kind_a == PartKind::filter || kind_b == PartKind::filter) {
                ASSERT_EQ(one.kind(), PartKind::filter);
            } else {
                EXPECT_EQ(one.why(), other.why());
                EXPECT_EQ(one.range(), other.range());
            }
            if (one.filter() == nullptr || other.filter() == nullptr) continue;
            EXPECT_TRUE(test::same_bits(*one.filter(), *other.filter()));
        }
}

TEST(JoinUnion, OfHashes) {
    const PartKeys few = test::random_keys(30), more = test::random_keys(60, 500),
                   many = test::random_keys(5'000, 9'000);
    JoinBuilder chooses("auto", of_all, 12), plain("split256", of_all, 12);
    for (auto* builder : {&chooses, &plain}) {
        for (const auto* keys : {&few, &more, &many}) builder->unite(part_of(*keys, true));
        const JoinFilter all = std::move(*builder).finish();
        for (const auto* keys : {&few, &more, &many})
            EXPECT_EQ(all.count({*keys, true}), keys->size());
        EXPECT_EQ(all.range(), std::nullopt);
    }
    JoinBuilder mixed("auto", of_all, 12);
    mixed.unite(part_of(few, true));
    EXPECT_THROW(mixed.unite(part_of(more)), std::invalid_argument);
}

TEST(JoinUnion, OfAFilterWithoutARangeHasNone) {
    const PartKeys dense = sequence(5'000'000, 3'000, 1'000'003), others = test::random_keys(500);
    auto plain = make_filter("split256", of_all, 12);
    plain.insert(others);
    const JoinFilter with = part_of(dense), without(plain);
    ASSERT_TRUE(with.range());
    for (const bool first : {false, true}) {
        JoinBuilder builder("auto", of_all, 12);
        builder.unite(first ? with : without);
        builder.unite(first ? without : with);
        const JoinFilter both = std::move(builder).finish();
        EXPECT_EQ(both.range(), std::nullopt);
        EXPECT_EQ(both.count({others}), others.size());
    }
    // Nor beside hashes.
    JoinBuilder builder("auto", of_all, 12);
    builder.unite(with);
    builder.insert({others, true});
    const JoinFilter both = std::move(builder).finish();
    EXPECT_EQ(both.range(), std::nullopt);
    EXPECT_EQ(both.count({others, true}), others.size());
    EXPECT_EQ(both.count({dense}), dense.size());
}

TEST(JoinUnion, WithWhatAcceptsAllAcceptsAll) {
    JoinBuilder chooses("auto", of_all, 12), plain("split256", of_all, 12);
    for (auto* builder : {&chooses, &plain}) {
        builder->insert({sequence(3, 100)});
        builder->unite(JoinFilter::accept_all());
        const JoinFilter all = std::move(*builder).finish();
        EXPECT_EQ(all.kind(), PartKind::all) << all.why();
    }
    JoinBuilder to_unite("split256", 100, 12);
    to_unite.unite(JoinFilter::accept_all());
    EXPECT_EQ(std::move(to_unite).filter().count(test::random_keys(1'000)), 1'000u);
}

TEST(JoinUnion, RefusesWhatIsNotAlikeOrHasLostItsKeys) {
    const PartKeys runs = test::runs(0, 20, 1'000, 100'000);
    const JoinFilter prefix = test::built(JoinBuilder("auto", 0, 12), {runs});
    ASSERT_EQ(prefix.kind(), PartKind::prefix);
    EXPECT_EQ(part_of(runs).kind(), PartKind::filter);
    const JoinFilter half = part_of(test::random_keys(1'000), false, of_all / 2),
                     whole = part_of(test::random_keys(1'000), false, of_all);
    JoinBuilder chooses("auto", of_all, 12), plain("split256", of_all, 12);
    for (auto* builder : {&chooses, &plain}) {
        EXPECT_INVALID("part()", builder->unite(prefix));
        builder->unite(whole);
        EXPECT_INVALID("blocks", builder->unite(half));
        EXPECT_EQ(std::move(*builder).finish().count({test::random_keys(1'000)}), 1'000u);
    }
    JoinBuilder unknown("auto", 0, 12);
    unknown.insert({runs});
    EXPECT_THROW((void)std::move(unknown).part(), std::invalid_argument);
}

/// Every filter of at most so many bytes takes 1 ns, and larger ones 20 ns.
FilterTimes fast_up_to(std::uint64_t bytes) {
    return test::times_of_all(default_isa(), {bytes, 1, 1}, {bytes + bytes / 8, 20, 20});
}

JoinFilter built_with(const FilterTimes& times, JoinBuilder&& builder, const PartKeys& keys) {
    builder.use_times(times);
    return test::built(std::move(builder), {keys});
}

TEST(JoinAdvice, GivenTimesChooseTheFilter) {
    const FilterTimes times = fast_up_to(1 << 20);
    const PartKeys keys = test::random_keys(50'000);
    Workload workload{
        .n_keys = keys.size(), .work_ns = 1000, .max_bits_per_key = 16, .merge = true};
    // Tables of fingerprints are not among the choices.
    const auto best = advise(workload, times).best();
    workload.merge = false;
    const JoinFilter filter = built_with(times, JoinBuilder(workload), keys);
    ASSERT_EQ(filter.kind(), PartKind::filter) << filter.why();
    EXPECT_EQ(filter.filter()->spec(), best.spec);
    EXPECT_EQ(filter.size_in_bytes(), best.bytes);
    EXPECT_NE(filter.why().find("the least time"), std::string::npos) << filter.why();
    EXPECT_EQ(filter.count({keys}), keys.size());
    EXPECT_EQ(test::built(JoinBuilder(workload), {keys}).filter()->spec(), "split256");
    JoinBuilder part(workload);
    part.use_times(times);
    EXPECT_EQ(test::built_part(std::move(part), {keys}).filter()->spec(), "split256");
    EXPECT_EQ(built_with(times, JoinBuilder("auto:register32:k=4", keys.size(), 16), keys)
                  .filter()
                  ->spec(),
              "register32:k=4");
    for (const std::size_t n : {std::size_t{0}, keys.size()}) {
        JoinBuilder fixed("split256", n, 16);
        EXPECT_THROW(fixed.use_times(times), std::invalid_argument);
    }
}

// Some layouts would need more than 2^32 blocks.
TEST(JoinAdvice, AnFprThatSomeLayoutsCannotHaveIsMet) {
    const PartKeys keys = test::random_keys(1'000'000);
    const JoinFilter filter =
        built_with(fast_up_to(1 << 20), JoinBuilder::for_fpr("auto", 1e-8), keys);
    EXPECT_LE(filter.estimated_fpr(), 1.02e-8) << filter.why();
    EXPECT_EQ(filter.count({keys}), keys.size());
}

TEST(JoinAdvice, ALargerBitmapIsTakenWhereItCostsNoMoreThanTheFilter) {
    const FilterTimes times = fast_up_to(1 << 20);
    PartKeys keys;
    for (std::uint64_t i = 0; i < 20'000; ++i)  // 400 bits a key, 1 MB in all
        keys.push_back(400 * i + test::random_key(i) % 400);
    for (const auto& [step, kind] : {std::pair{1u, PartKind::bitmap}, {20u, PartKind::filter}}) {
        PartKeys wider = keys;
        for (auto& key : wider) key *= step;
        const JoinFilter filter = built_with(times, JoinBuilder("auto", 0, 12), wider);
        EXPECT_EQ(filter.kind(), kind) << filter.why();
        EXPECT_EQ(filter.count({wider}), wider.size());
    }
    EXPECT_EQ(built_with(times, JoinBuilder("auto", 0, 12, {.max_bytes = 100'000}), keys).kind(),
              PartKind::filter);
}

}  // namespace
}  // namespace simdbloom
