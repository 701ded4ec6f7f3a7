// The growing cuckoo filter: no key lost over growth and erases, its FPR at every size.
#include <map>

#include "growing.hpp"

namespace simdbloom {
namespace {

using test::grow_to;

const std::vector<std::string> specs{"growing12", "growing16", "growing20"};

class GrowingCuckooOf : public ::testing::TestWithParam<std::string> {
protected:
    static GrowingCuckoo make(std::size_t first_keys, Options options = {}) {
        options.spec = GetParam();
        return GrowingCuckoo(first_keys, options);
    }
};

/// Promise of *Growing*: A growing filter loses no key and stays below its FPR bound.
TEST_P(GrowingCuckooOf, LosesNoKeyUpToAThousandTimesItsSize) {
    for (const auto& [first, growths] : {std::pair{1u, 10u}, {5'003u, 7u}}) {
        auto filter = make(first);
        const auto buckets = filter.buckets();
        const auto keys = grow_to(
            filter, growths, [](const GrowingCuckoo& f, const std::vector<std::uint64_t>& in) {
                ASSERT_EQ(f.count(in), in.size()) << f.growths() << " growths";
                ASSERT_EQ(f.stored(), in.size());
            });
        EXPECT_EQ(filter.buckets(), buckets << growths);
        EXPECT_GT(static_cast<double>(keys.size()),
                  0.7 * 2 * static_cast<double>(filter.buckets()));
        for (std::size_t i = 0; i < keys.size(); i += 97) ASSERT_TRUE(filter.contains(keys[i]));
    }
}

TEST_P(GrowingCuckooOf, FillsToItsDesignLoadBeforeItGrows) {
    // Cores of 6 bits (growing12) give a bucket 63 alternates: a little less.
    const double least = GetParam() == "growing12" ? 0.90 : 0.93;
    for (const std::size_t first : {3'000u, 40'000u, 1'000'000u}) {
        auto filter = make(first);
        std::size_t n = 0;
        while (filter.growths() == 0)
            ASSERT_EQ(filter.place(test::random_key(n++)), InsertResult::yes);
        EXPECT_GT(static_cast<double>(n), least * 2 * static_cast<double>(filter.buckets()))
            << first;
        EXPECT_EQ(filter.stashed(), 0u);
    }
}

TEST_P(GrowingCuckooOf, TheFprFollowsTheModelBelowTheBoundAtEverySize) {
    SIMDBLOOM_SKIP_IF_FORCED();
    auto filter = make(4'000);
    const double final_bound = filter.final_fpr_bound();
    const std::size_t probes = GetParam() == "growing12"   ? 200'000
                               : GetParam() == "growing16" ? 1'000'000
                                                           : 4'000'000;
    // At night 10^8 absent keys or more.
    const unsigned rounds = test::scaled(1u, 1u, 1 + static_cast<unsigned>(100'000'000 / probes));
    std::vector<std::uint64_t> outside = test::random_keys(probes, std::uint64_t{1} << 40);
    const auto check = [&](const char* when) {
        const double model = filter.expected_fpr(), bound = filter.fpr_bound();
        const double n = static_cast<double>(probes) * rounds;
        double hits = 0;
        for (unsigned r = 0; r < rounds; ++r) {
            if (rounds > 1) outside = test::random_keys(probes, std::uint64_t{1 + r} << 40);
            hits += static_cast<double>(filter.count(outside));
        }
        const double measured = hits / n;
        EXPECT_LE(std::abs(measured - model), 5 * std::sqrt(model * (1 - model) / n))
            << when << ' ' << filter.growths() << " growths: measured " << measured << ", model "
            << model;
        EXPECT_LE(model, bound) << when << ' ' << filter.growths() << " growths";
        EXPECT_LT(measured, bound + 5 * std::sqrt(bound / n))
            << when << ' ' << filter.growths() << " growths";
        EXPECT_EQ(filter.estimated_fpr(), model);
    };
    check("empty");
    std::size_t n = 0;
    double nearest = 0;
    while (filter.growths() <= test::scaled(5u, 10u, 10u)) {
        // To nine tenths of the slots, checked there, and on over the growth.
        const auto full = static_cast<std::size_t>(
            0.89 * 4 * static_cast<double>(filter.buckets()) -
            static_cast<double>(filter.load() * 4 * static_cast<double>(filter.buckets())));
        filter.insert(test::random_keys(full, n));
        n += full;
        check("full, after");
        nearest = std::max(nearest, filter.expected_fpr() / filter.fpr_bound());
        for (const unsigned before = filter.growths(); filter.growths() == before; n += 100)
            filter.insert(test::random_keys(100, n));
        check("half empty, after");
        EXPECT_LE(filter.fpr_bound(), final_bound);
    }
    EXPECT_GT(nearest, 0.8) << "the bound is not near what it bounds";
}

TEST_P(GrowingCuckooOf, ErasingTheYoungDoesNotRaiseTheFprOverTheBound) {
    // The worst that erasing can do: only the shortest fingerprints stay.
    auto filter = make(4'000);
    const auto keys = grow_to(filter, 7, [](const GrowingCuckoo&, const auto&) {});
    for (std::size_t kept = keys.size(); kept > 3'000; kept = kept * 3 / 4) {
        for (std::size_t i = kept * 3 / 4; i < kept; ++i) ASSERT_TRUE(filter.erase(keys[i]));
        EXPECT_LE(filter.expected_fpr(), filter.fpr_bound());
        ASSERT_EQ(filter.count(std::span(keys).first(kept * 3 / 4)), kept * 3 / 4);
        // And filled again with new ones.
        const auto again = std::span(keys).subspan(kept * 3 / 4, kept - kept * 3 / 4);
        filter.insert(again);
        EXPECT_LE(filter.expected_fpr(), filter.fpr_bound());
        for (const auto key : again) ASSERT_TRUE(filter.erase(key));
    }
}

TEST_P(GrowingCuckooOf, AgreesWithAMultisetOverInsertsErasesAndGrowth) {
    SIMDBLOOM_SKIP_IF_FORCED();
    for (std::uint64_t seed = 1; seed <= test::scaled(1u, 2u, 20u); ++seed) {
        auto filter = make(1'000, {.seed = seed});
        std::map<std::uint64_t, unsigned> oracle;
        std::vector<std::uint64_t> order;  // what to erase: with repeats, some gone
        std::uint64_t random = seed, total = 0;
        const auto next = [&](std::uint64_t below) {
            return test::random_key(random += 0x1000003) % below;
        };
        const auto check = [&] {
            std::vector<std::uint64_t> keys;
            for (const auto& [key, copies] : oracle) keys.push_back(key);
            ASSERT_EQ(filter.count(keys), keys.size())
                << filter.growths() << " growths, " << total << " keys";
            ASSERT_EQ(filter.stored(), total);
            EXPECT_LE(filter.expected_fpr(), filter.fpr_bound());
        };
        unsigned growths = 0, refused = 0, refused_early = 0;
        for (unsigned op = 0; op < 500'000; ++op) {
            // Phases of growth and of shrinking; one in eight keys comes from a few that have many
            // copies.
            const bool grows = next(100) < (op / 60'000 % 3 == 2 ? 25u : 75u);
            if (grows || order.empty()) {
                const std::uint64_t key =
                    next(8) == 0 ? next(300) : test::random_key(next(400'000));
                auto& copies = oracle[key];
                const InsertResult result = filter.place(key);
                ASSERT_NE(result, InsertResult::full);
                if (copies == 0 || copies >= 8) {
                    ASSERT_EQ(result == InsertResult::yes, copies == 0)
                        << copies << " copies, op " << op;
                }
                if (result == InsertResult::yes) ++copies, ++total, order.push_back(key);
                else if (copies < 8) ++refused_early;
                else ++refused;
            } else {
                std::swap(order[next(order.size())], order.back());
                const std::uint64_t key = order.back();
                order.pop_back();
                ASSERT_TRUE(filter.contains(key));
                ASSERT_TRUE(filter.erase(key)) << "op " << op;
                --total;
                if (--oracle[key] == 0) oracle.erase(key);
            }
            if (filter.growths() != growths || op % 50'000 == 0) {
                growths = filter.growths();
                check();
            }
        }
        check();
        EXPECT_GE(growths, 5u);
        EXPECT_GT(refused, 100u);
        EXPECT_LE(refused_early, GetParam() == "growing12" ? 60u : 0u)
            << "refused for the slots of other keys";
        for (const auto key : order) ASSERT_TRUE(filter.erase(key));
        EXPECT_EQ(filter.stored(), 0u);
    }
}

TEST_P(GrowingCuckooOf, FillAndEmptyLeavesNoBitUntilSlotsAreCopied) {
    auto filter = make(1'000);
    const auto keys = grow_to(filter, GetParam() == "growing12" ? 5 : 8,
                              [](const GrowingCuckoo&, const auto&) {});
    for (const auto key : keys) ASSERT_TRUE(filter.erase(key));
    EXPECT_EQ(filter.stored(), 0u);
    EXPECT_EQ(filter.load(), 0);
    EXPECT_TRUE(test::is_blank(filter));
    EXPECT_FALSE(filter.erase(keys[0]));
    if (GetParam() != "growing12") return;

    auto further = make(1'000);
    const auto more = grow_to(further, 5 + 3, [](const GrowingCuckoo& f, const auto& in) {
        ASSERT_EQ(f.count(in), in.size());
    });
    for (const auto key : more) ASSERT_TRUE(further.erase(key));
    EXPECT_EQ(further.stored(), 0u);
    // Copies left behind: half a generation's slots for each growth past the movable bits.
    EXPECT_GT(further.load(), 0);
    EXPECT_LT(further.load(), 3.0 / (1u << 5));
    EXPECT_LE(further.expected_fpr(), further.fpr_bound());
}

TEST_P(GrowingCuckooOf, SpaceOfErasedKeysIsUsedAgain) {
    auto filter = make(50'000);
    const auto keys = test::random_keys(45'000);
    filter.insert(keys);
    for (std::uint64_t round = 1; round <= 20; ++round) {
        for (std::size_t i = 0; i < keys.size(); ++i)
            ASSERT_TRUE(filter.erase(test::random_key((round - 1) * 45'000 + i)));
        filter.insert(test::random_keys(45'000, round * 45'000));
    }
    EXPECT_EQ(filter.growths(), 0u);
    EXPECT_EQ(filter.count(test::random_keys(45'000, 20 * 45'000)), 45'000u);
}

INSTANTIATE_TEST_SUITE_P(Specs, GrowingCuckooOf, ::testing::ValuesIn(specs), test::spec_name);

// With 1024 roots and no growth, a hash's bits 63..54 are its root, the next 8 (growing16) are in
// its slot, the lowest 16 its core.
TEST(GrowingCuckoo, ErasingTakesTheLongestPrefixOfTheKeyAndSoNoOtherKeys) {
    const std::uint64_t old = 0x123456789ABCDEF0u, young = old ^ std::uint64_t{1} << 43;
    for (const bool old_first : {true, false}) {
        GrowingCuckoo filter(1'000);
        filter.insert_hash(old);
        EXPECT_FALSE(filter.contains_hash(old ^ std::uint64_t{1} << 46));
        EXPECT_TRUE(filter.contains_hash(old ^ std::uint64_t{1} << 45));
        const auto keys = grow_to(filter, 4, [](const GrowingCuckoo&, const auto&) {});
        for (const auto key : keys) ASSERT_TRUE(filter.erase(key));
        EXPECT_TRUE(filter.contains_hash(young)) << "the old slot is no prefix of both";
        filter.insert_hash(young);
        EXPECT_TRUE(filter.erase_hash(old_first ? old : young));
        EXPECT_TRUE(filter.contains_hash(old_first ? young : old));
        EXPECT_TRUE(filter.erase_hash(old_first ? young : old));
        EXPECT_EQ(filter.load(), 0);
    }
}

}  // namespace
}  // namespace simdbloom
