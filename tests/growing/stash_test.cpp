// The stash of a growing filter: copies, the hash 0, and hashes that are chosen to meet.
#include "simdbloom/growing/detail/stash.hpp"

#include "support.hpp"

namespace simdbloom {
namespace {

/// The inverse of an odd number modulo 2^64.
constexpr std::uint64_t inverse(std::uint64_t odd) {
    std::uint64_t x = odd;
    for (int i = 0; i < 6; ++i) x *= 2 - odd * x;
    return x;
}
static_assert(inverse(0x9E3779B97F4A7C15u) * 0x9E3779B97F4A7C15u == 1);

TEST(Stash, AgreesWithASortedVectorOverInsertsAndErases) {
    detail::Stash stash;
    std::vector<std::uint64_t> held;
    for (std::uint64_t i = 0; i < 20'000; ++i) {
        // Half of them are 0.
        const std::uint64_t hash = test::random_key(i) % 300 * (test::random_key(i) >> 63);
        const auto at = std::ranges::find(held, hash);
        if (test::random_key(i + 100'000) % 5 < 3) {
            stash.insert(hash);
            held.push_back(hash);
        } else {
            ASSERT_EQ(stash.erase(hash), at != held.end());
            if (at != held.end()) held.erase(at);
        }
        if (i % 100 != 0) continue;
        std::ranges::sort(held);
        ASSERT_EQ(stash.sorted(), held);
        ASSERT_EQ(stash.size(), held.size());
        for (std::uint64_t h = 0; h < 300; ++h) {
            ASSERT_EQ(stash.copies(h), std::ranges::count(held, h));
            ASSERT_EQ(stash.contains(h), stash.copies(h) != 0);
        }
    }
    stash.clear();
    EXPECT_TRUE(stash.empty());
    EXPECT_FALSE(stash.erase(0));
}

// All in one slot under the multiplier that is the same for everybody, and those whose upper or
// lower bits say nothing.
/// Promise of Stash.*, BloomierBuild.TellsChosenHashesApartInLinearTime,
///   GrowingSave.AStashOfMoreCopiesThanAFilterTakesIsRefused,
///   CodeTable.ALookupVisitsABoundedNumberOfCells,
///   Scalable.NobodyForgesASeriesOfMoreFiltersThanOneCanHave: Chosen hashes and forged bytes do not
///   slow down stashes, builds or lookups.
TEST(Stash, NobodyCanChooseHashesThatMeet) {
    constexpr std::uint64_t n = 1'024;
    std::vector<std::uint64_t> meet{0};  // where no secret is drawn
    for (std::uint64_t hash = 1; meet.size() <= n; ++hash)
        if (siphash(hash, Secret{}) >> 53 == 0) meet.push_back(hash);
    const auto chosen = [&](std::uint64_t kind, std::uint64_t i) {
        return kind == 0   ? i * inverse(0x9E3779B97F4A7C15u)
               : kind == 1 ? i
               : kind == 2 ? i << 48
                           : meet[i];
    };
    // Every stash draws a secret of its own: 1 product in 20 with a random number is a bad one.
    for (std::uint64_t drawn = 0; drawn < 200; ++drawn)
        for (std::uint64_t kind = 0; kind < 4; ++kind) {
            detail::Stash stash;
            for (std::uint64_t i = 1; i <= n; ++i) stash.insert(chosen(kind, i));
            std::uint64_t probes = 0;
            for (std::uint64_t i = 1; i <= n; ++i) probes += stash.probes(chosen(kind, i));
            // 1.5 n are expected of random hashes; a fixed multiplier takes n^2 / 2.
            ASSERT_LT(probes, 2 * n) << kind;
            for (std::uint64_t i = 1; i <= n; ++i) ASSERT_TRUE(stash.erase(chosen(kind, i)));
            ASSERT_TRUE(stash.empty());
        }
}

TEST(GrowingCuckoo, TakesEightCopiesOfTheHashZeroToo) {
    GrowingCuckoo filter(1'000);
    for (unsigned i = 0; i < 8; ++i) ASSERT_EQ(filter.place_hash(0), InsertResult::yes) << i;
    ASSERT_EQ(filter.place_hash(0), InsertResult::too_many_copies);
    EXPECT_EQ(filter.stashed_hashes(), std::vector<std::uint64_t>{0});
    auto loaded = load<GrowingCuckoo>(save(filter)).value();
    EXPECT_EQ(loaded.stashed_hashes(), std::vector<std::uint64_t>{0});
    ASSERT_EQ(loaded.place_hash(0), InsertResult::too_many_copies);
    for (unsigned i = 0; i < 8; ++i) ASSERT_TRUE(loaded.erase_hash(0)) << i;
    EXPECT_FALSE(loaded.erase_hash(0));
    EXPECT_FALSE(loaded.contains_hash(0));
    const std::uint64_t zero = 0;
    EXPECT_EQ(filter.count(Keys::hashes({&zero, 1})), 1u);
}

}  // namespace
}  // namespace simdbloom
