// The range of a join filter's keys, and what it says of row groups.
#include <limits>

#include "join_keys.hpp"

namespace simdbloom {
namespace {

using test::chosen;
using test::sequence;
using PruneKeys = std::vector<std::uint64_t>;

constexpr std::uint64_t last_key = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t middle_key = std::uint64_t{1} << 63;

/// Promise: Only ranges without a key are pruned.
TEST(JoinPrune, TheRangeIsThatOfTheNarrowerOrder) {
    EXPECT_EQ(chosen({5, 9, 7}).range(), (KeyRange{5, 9, false}));
    EXPECT_EQ(chosen({last_key, 9, 7}).range(), (KeyRange{last_key, 9, true}));
    EXPECT_EQ(chosen({middle_key - 1, middle_key}).range(),
              (KeyRange{middle_key - 1, middle_key, false}));
    EXPECT_EQ(chosen({middle_key, last_key}).range(), (KeyRange{middle_key, last_key, false}));
    EXPECT_EQ(chosen(sequence(10, 1000)).range(), (KeyRange{10, 1009, false}));
    EXPECT_EQ(chosen({}).range(), std::nullopt);
    EXPECT_EQ(chosen({1, 2, 3}, {}, 0, true).range(), std::nullopt) << "hashes";
}

/// What a row group from `low` to `high` must be told, from single lookups.
template <class T>
Prune pruned(const JoinFilter& filter, T low, T high) {
    std::size_t found = 0, n = 0;
    for (T key = low;; ++key) {
        const auto word = static_cast<std::uint64_t>(key);
        ++n;
        found += filter.count({{&word, 1}});
        if (key == high) break;
    }
    return found == 0 ? Prune::none : found == n ? Prune::all : Prune::maybe;
}

TEST(JoinPrune, ExactKindsPruneAsLookupsSay) {
    const PruneKeys of_few = {3, 4, 5, 9, 20, 21, last_key, last_key - 1, last_key - 9};
    PruneKeys around_0 = sequence(2, 30);
    for (const auto key : sequence(last_key - 20, 20)) around_0.push_back(key);
    const PruneKeys sets[] = {of_few, around_0, {4}, {last_key}, {}};
    for (const auto& keys : sets) {
        const JoinFilter filter = chosen(keys);
        for (std::int64_t low = -40; low < 40; ++low)
            for (std::int64_t high = low; high < 40; ++high) {
                ASSERT_EQ(filter.prune(low, high), pruned(filter, low, high))
                    << filter.why() << " " << low << " " << high;
                if (low < 0) continue;
                const auto l = static_cast<std::uint64_t>(low),
                           h = static_cast<std::uint64_t>(high);
                ASSERT_EQ(filter.prune(l, h), pruned(filter, l, h)) << l << " " << h;
            }
        // In the unsigned order, everything lies between.
        EXPECT_EQ(filter.prune(std::uint64_t{0}, last_key),
                  keys.empty() ? Prune::none : Prune::maybe);
        EXPECT_EQ(filter.prune(std::uint64_t{40}, last_key - 40), Prune::none);
    }
    // A dense set is all of a range that begins and ends in other words.
    const JoinFilter dense = chosen(sequence(100, 1000));
    EXPECT_EQ(dense.prune(100, 1099), Prune::all);
    EXPECT_EQ(dense.prune(99, 1099), Prune::maybe);
    EXPECT_EQ(dense.prune(100, 1100), Prune::maybe);
    EXPECT_EQ(dense.prune(0, 99), Prune::none);
    EXPECT_EQ(dense.prune(1100, 5000), Prune::none);
    EXPECT_EQ(dense.prune(std::numeric_limits<std::int64_t>::min(), std::int64_t{99}), Prune::none);
    EXPECT_EQ(JoinFilter::accept_all().prune(1, 2), Prune::all);
    EXPECT_INVALID("-1 and -2", dense.prune(-1, -2));
    EXPECT_INVALID("2 and 1", dense.prune(2u, 1u));
}

TEST(JoinPrune, AFilterPrunesByItsRange) {
    PruneKeys keys;
    for (const auto key : test::random_keys(1000)) keys.push_back(1'000'000 + key % 1'000'000'000);
    const JoinFilter filter = chosen(keys);
    ASSERT_EQ(filter.kind(), JoinFilter::Kind::filter) << filter.why();
    EXPECT_EQ(filter.prune(0, 999'999), Prune::none);
    EXPECT_EQ(filter.prune(1'001'000'001, 2'000'000'000), Prune::none);
    EXPECT_EQ(filter.prune(0, 2'000'000'000), Prune::maybe);
    EXPECT_EQ(filter.prune(-5, -1), Prune::none);
    EXPECT_EQ(filter.count({keys}), keys.size());
    // Hashes lie elsewhere than keys.
    PruneKeys hashes;
    for (const auto key : keys) hashes.push_back(filter.filter()->hash_of(key));
    EXPECT_EQ(filter.count({hashes, true}), keys.size());
    // A batch outside passes nothing, whatever its hashes.
    const auto outside = sequence(2'000'000'000, 100'000);
    for (const Isa isa : usable_isas()) {
        const JoinFilter on = chosen(keys, {.isa = isa});
        EXPECT_EQ(on.count({outside}), 0u);
        EXPECT_GT(on.filter()->count(outside), 0u);
        std::vector<std::uint8_t> bits(outside.size() / 8, 0xFF);
        EXPECT_EQ(on.bitmap({outside}, bits), 0u);
        EXPECT_TRUE(std::ranges::all_of(bits, [](auto byte) { return byte == 0; }));
        // One row inside, at the end, and the batch is asked.
        for (std::size_t n = 1; n < 40; ++n) {
            PruneKeys batch = sequence(2'000'000'000, n);
            batch.back() = keys[n];
            const auto rows = test::rows_that_pass(on, {batch});
            ASSERT_FALSE(rows.empty());
            EXPECT_EQ(rows.back(), n - 1);
        }
    }
}

}  // namespace
}  // namespace simdbloom
