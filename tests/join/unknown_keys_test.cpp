// Builders that are not told how many keys come: the filter fits the keys that came.
#include <set>

#include "at_once.hpp"
#include "join/kept_keys.hpp"
#include "join_keys.hpp"

namespace simdbloom {
namespace {

using UnknownKind = JoinFilter::Kind;
using UnknownKeys = std::vector<std::uint64_t>;

JoinFilter built_for(double fpr, const UnknownKeys& keys, const std::string& spec = "split256",
                     std::size_t max_bytes = 0, std::size_t kept = 0, bool hashed = false) {
    JoinBuilder builder = JoinBuilder::for_fpr(spec, fpr, {.max_bytes = max_bytes});
    if (kept != 0) builder.keep_at_most(kept);
    for (std::size_t i = 0; i < keys.size(); i += 1'000)
        builder.insert(
            {std::span(keys).subspan(i, std::min<std::size_t>(1'000, keys.size() - i)), hashed});
    return std::move(builder).finish();
}

template <class F>
double bytes_of(const F& filter) {
    return static_cast<double>(filter.size_in_bytes());
}

/// Promise: A builder that does not know the number of keys keeps the FPR and `max_bytes`.
TEST(UnknownKeys, TheFilterIsThatOfAKnownNumber) {
    for (const std::size_t n : {1u, 10u, 999u, 20'000u, 300'000u})
        for (const char* spec : {"split256", "classic", "register64"}) {
            const UnknownKeys keys = test::random_keys(n);
            const JoinFilter filter = built_for(0.01, keys, spec);
            ASSERT_EQ(filter.kind(), UnknownKind::filter) << filter.why();
            EXPECT_EQ(filter.count({keys}), n);
            auto known = make_filter_for_fpr(spec, n, 0.01, {});
            known.insert(keys);
            EXPECT_EQ(filter.filter()->spec(), known.spec());
            // A size is moved by the number of keys as estimated, and to meet the FPR.
            EXPECT_NEAR(bytes_of(filter), bytes_of(known), 0.025 * bytes_of(known))
                << n << " " << spec;
            // 3.7e19 keys would fill the larger most.
            for (const std::size_t most : {std::size_t{0}, ~std::size_t{0}}) {
                const JoinFilter bits =
                    test::built(JoinBuilder(spec, 0, 12, {.max_bytes = most}), {keys});
                EXPECT_EQ(bits.size_in_bytes(), make_filter(spec, n, 12).size_in_bytes());
                EXPECT_EQ(bits.count({keys}), n);
            }
        }
}

TEST(UnknownKeys, RowsThatRepeatKeysDoNotCount) {
    for (const std::size_t n : {500u, 150'000u}) {
        const UnknownKeys keys = test::random_keys(n);
        UnknownKeys rows;
        for (int i = 0; i < 3; ++i) rows.insert(rows.end(), keys.begin(), keys.end());
        // A part in a hundred more rows than keys moves the FPR by 6 %.
        UnknownKeys few_more = keys;
        few_more.insert(few_more.end(), keys.begin(),
                        keys.begin() + static_cast<std::ptrdiff_t>(n / 100));
        for (const auto& some : {rows, few_more}) {
            const JoinFilter filter = built_for(0.01, some);
            EXPECT_LE(filter.estimated_fpr(), 0.0103) << filter.why();
            const double bytes = bytes_of(test::built(JoinBuilder("split256", 0, 12), {some})),
                         in_all = static_cast<double>(n);
            EXPECT_NEAR(8 * bytes / in_all, 12, 0.06 + 256 / in_all);  // whole blocks
            EXPECT_NEAR(bytes_of(filter), bytes_of(built_for(0.01, keys)),
                        0.004 * bytes_of(filter) + 1)
                << filter.why();
        }
    }
}

TEST(UnknownKeys, DistinctOnesAreCountedExactly) {
    const auto random = test::random_keys(3'000);
    for (const std::uint64_t mask :
         {~std::uint64_t{0}, std::uint64_t{0x7FF}, std::uint64_t{0x3FF'FC00},
          ~std::uint64_t{0} << 56, std::uint64_t{0}}) {
        std::vector<UnknownKeys> pieces(3);
        for (std::size_t i = 0; i < random.size(); ++i) {
            pieces[i % 2].push_back(random[i] & mask);
            if (i % 5 == 0) pieces[2].push_back(random[i] & mask);
        }
        std::set<std::uint64_t> expected;
        for (const auto& piece : pieces) expected.insert(piece.begin(), piece.end());
        auto found = detail::distinct_of(pieces, 3'600);
        EXPECT_EQ(found.size(), expected.size()) << mask;
        EXPECT_EQ(std::set<std::uint64_t>(found.begin(), found.end()), expected) << mask;
    }
    EXPECT_TRUE(detail::distinct_of({}, 0).empty());
}

// From 10^3 to 10^5 keys here; bench/pages/questions.md has six decades.
TEST(UnknownKeys, TheFprIsTheOneAskedFor) {
    // By the bits that are set: the rate of one filter, and the mean of several. Over 300 filters
    // of 10,000 keys the standard deviation was 0.8 to 1.2 %, of 1,000 keys 5 to 7 %.
    struct Case {
        std::size_t n;
        int filters;
        double one, mean;
    };
    for (const auto& [n, filters, one, mean] :
         {Case{1'000, 40, 0.35, 0.06}, {10'000, 40, 0.06, 0.01}, {100'000, 4, 0.03, 0.015}})
        for (const double fpr : {0.1, 0.01, 0.001}) {
            double sum = 0;
            for (int i = 0; i < filters; ++i) {
                const JoinFilter filter =
                    built_for(fpr, test::random_keys(n, n * static_cast<std::size_t>(i)));
                const double ratio = filter.estimated_fpr() / fpr;
                EXPECT_NEAR(ratio, 1, one) << n << " keys, set " << i;
                sum += ratio;
                if (i > 0) continue;
                const UnknownKeys absent = test::random_keys(400'000, 10'000'000);
                const double found = static_cast<double>(filter.count({absent})) / 400'000;
                EXPECT_NEAR(found, filter.estimated_fpr(), 5 * std::sqrt(fpr / 400'000)) << n;
            }
            EXPECT_NEAR(sum / filters, 1, mean) << n << " keys at " << fpr;
        }
}

TEST(UnknownKeys, MaxBytesIsTheMost) {
    const UnknownKeys keys = test::random_keys(200'000);
    for (const char* spec : {"split256", "auto", "auto:blocked512"}) {
        const JoinFilter filter = built_for(0.001, keys, spec, 100'000);
        EXPECT_LE(filter.size_in_bytes(), 100'000u);
        EXPECT_EQ(filter.count({keys}), keys.size());
        // At four bits a key the prefixes of 64 bits are as good as a filter.
        if (std::string(spec) == "auto") continue;
        ASSERT_EQ(filter.kind(), UnknownKind::filter) << filter.why();
        EXPECT_GE(filter.size_in_bytes(), 93'000u) << filter.why();
        EXPECT_NE(filter.why().find("max_bytes"), std::string::npos) << filter.why();
    }
    // Less than a bit a key.
    const JoinFilter none = built_for(0.001, keys, "split256", 2'048);
    EXPECT_EQ(none.kind(), UnknownKind::all) << none.why();
    EXPECT_EQ(none.count({keys}), keys.size());
}

TEST(UnknownKeys, KeysThatAreNotKeptAreInTheLargestFilter) {
    const UnknownKeys keys = test::random_keys(60'000), others = test::random_keys(50'000, 900'000);
    for (const bool hashed : {false, true})
        for (const std::size_t n : {100u, 2'000u, 4'096u, 4'097u, 20'000u, 60'000u}) {
            const UnknownKeys some(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(n));
            const JoinFilter filter =
                built_for(0.01, some, "split256", 1 << 20, 4'096 * sizeof(std::uint64_t), hashed);
            ASSERT_EQ(filter.kind(), UnknownKind::filter);
            EXPECT_EQ(filter.count({some, hashed}), n);
            EXPECT_LE(filter.estimated_fpr(), 0.0102) << filter.why();
            const auto least = bytes_of(make_filter_for_fpr("split256", n, 0.01, {}));
            // The sizes that folding gives lie further apart where the filter is folded less.
            EXPECT_LE(bytes_of(filter), 1.35 * least) << n << filter.why();
            EXPECT_LT(filter.count({others}), others.size() / 50);
            EXPECT_EQ(filter.why().find("folded") != std::string::npos, n > 4'096) << filter.why();
        }
}

TEST(UnknownKeys, FewKeysOfManyRowsAreKept) {
    UnknownKeys rows;
    const UnknownKeys keys = test::random_keys(1'000);
    for (int i = 0; i < 100; ++i) rows.insert(rows.end(), keys.begin(), keys.end());
    const JoinFilter filter =
        built_for(0.01, rows, "split256", 1 << 20, 4'096 * sizeof(std::uint64_t));
    EXPECT_EQ(filter.size_in_bytes(), built_for(0.01, keys).size_in_bytes()) << filter.why();
    EXPECT_EQ(built_for(0.01, rows, "auto", 1 << 20, 100 * 8).count({keys}), keys.size());
    // A list of 60, of 6,000 rows.
    const UnknownKeys few(keys.begin(), keys.begin() + 60);
    rows.clear();
    for (int i = 0; i < 100; ++i) rows.insert(rows.end(), few.begin(), few.end());
    EXPECT_EQ(built_for(0.01, rows, "auto", 1 << 20, 256 * 8).kind(), UnknownKind::list);
}

TEST(UnknownKeys, ConcurrentThreadsFillTheLargestFilter) {
    const UnknownKeys keys = test::random_keys(80'000);
    JoinBuilder builder = JoinBuilder::for_fpr("split256", 0.01, {.max_bytes = 1 << 18});
    builder.keep_at_most(10'000 * sizeof(std::uint64_t));
    test::at_once(4, [&](std::size_t t) {
        for (std::size_t i = 0; i < 20'000; i += 500)
            builder.insert({std::span(keys).subspan(20'000 * t + i, 500)});
    });
    EXPECT_EQ(builder.rows(), keys.size());
    const JoinFilter filter = std::move(builder).finish();
    EXPECT_EQ(filter.count({keys}), keys.size());
    EXPECT_EQ(filter.filter()->spec(), "split256");
    ASSERT_TRUE(filter.range());
    for (const auto key : keys) ASSERT_TRUE(filter.prune(key, key) != Prune::none);
}

TEST(UnknownKeys, TheLargestFilterTakesPartsToo) {
    const UnknownKeys a = test::random_keys(9'000), b = test::random_keys(30, 100'000);
    JoinBuilder builder = JoinBuilder::for_fpr("split256", 0.01, {.max_bytes = 1 << 16});
    builder.keep_at_most(4'000 * sizeof(std::uint64_t));
    builder.insert({a});
    builder.unite(test::built_part(JoinBuilder("auto", 100, 12), {b}));
    const JoinFilter filter = std::move(builder).finish();
    EXPECT_EQ(filter.count({a}), a.size());
    EXPECT_EQ(filter.count({b}), b.size());
}

TEST(UnknownKeys, WhatCannotBeIsRefused) {
    EXPECT_INVALID("fpr=0", JoinBuilder::for_fpr("split256", 0));
    EXPECT_INVALID("fpr=1.5", JoinBuilder::for_fpr("auto", 1.5));
    EXPECT_INVALID("several threads", JoinBuilder::for_fpr("cuckoo12", 0.01));
    EXPECT_INVALID("names no filter", JoinBuilder::for_fpr("auto:", 0.01));
    EXPECT_INVALID("names no filter", JoinBuilder("", 0, 12));
    EXPECT_INVALID("max_bytes", JoinBuilder("auto", 0, 12).keep_at_most(100));
    EXPECT_INVALID("keeps no keys", JoinBuilder("split256", 100, 12).keep_at_most(100));
    EXPECT_INVALID("no filter to be united", JoinBuilder("split256", 0, 12).filter());
    EXPECT_INVALID("a part needs", JoinBuilder::for_fpr("split256", 0.01).part());
    const Options tiny{.max_bytes = 8};
    EXPECT_LENGTH_ERROR("max_bytes=8",
                        JoinBuilder::for_fpr("split256", 0.01, tiny).keep_at_most(80));
    EXPECT_LENGTH_ERROR("32 bytes", JoinBuilder("split256", 0, 12, tiny));
    const Options folds{.fold_levels = 17};
    EXPECT_INVALID("fold_levels=17", JoinBuilder("auto", 0, 12, folds).rows());
    for (const char* spec : {"auto", "split256"})
        EXPECT_INVALID("fold_levels=17", JoinBuilder::for_fpr(spec, 0.01, folds).rows());
}

}  // namespace
}  // namespace simdbloom
