// The exact models against published and independently computed values, and against each other.
#include "published_fpr.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

constexpr double tolerance = 1e-4;
constexpr double bits[] = {8, 10, 12, 16, 20};

// The reference has five significant digits.
template <class F>
void expect_row(const char* what, const F& f, std::initializer_list<double> expected) {
    auto value = expected.begin();
    for (const double c : bits) {
        EXPECT_NEAR(f(c) / *value, 1, tolerance) << what << " at " << c << " bits per key";
        ++value;
    }
}

/// The least f(bits per key, k).
template <class F>
auto best(const F& f) {
    return [f](double c) {
        double least = 1;
        for (unsigned k = 1; k <= 20; ++k) least = std::min(least, f(c, k));
        return least;
    };
}

/// Promise: The exact models agree with other ways to compute the same rates.
TEST(FprModel, CheckValues) {
    expect_row("classic, best k",
               [](double c) { return fpr::classic_asymptotic(c, fpr::classic_best_k(c)); },
               {2.1577e-2, 8.1937e-3, 3.1424e-3, 4.5871e-4, 6.7137e-5});
    expect_row("blocked 512, best k",
               best([](double c, unsigned k) { return fpr::blocked(512, c, k); }),
               {2.3263e-2, 9.6647e-3, 4.1349e-3, 8.4391e-4, 1.9783e-4});
    expect_row("blocked 512, k=8", [](double c) { return fpr::blocked(512, c, 8); },
               {2.8783e-2, 1.0284e-2, 4.1349e-3, 8.8871e-4, 2.5364e-4});
    expect_row("blocked 256, best k",
               best([](double c, unsigned k) { return fpr::blocked(256, c, k); }),
               {2.4842e-2, 1.0914e-2, 5.0457e-3, 1.2573e-3, 3.6815e-4});
    expect_row("split block", fpr::split_block,
               {3.3212e-2, 1.2648e-2, 5.4196e-3, 1.3156e-3, 4.1997e-4});
    expect_row("sectorised 512/64", [](double c) { return fpr::sectorised(512, 64, c, 8); },
               {2.9311e-2, 1.0490e-2, 4.2225e-3, 9.0888e-4, 2.5964e-4});
    expect_row("zoned 512/64 z=2 k=6", [](double c) { return fpr::zoned(512, 64, 2, c, 6); },
               {2.5842e-2, 1.1088e-2, 5.3614e-3, 1.6294e-3, 6.3288e-4});
    expect_row("zoned 512/64 z=2 k=8", [](double c) { return fpr::zoned(512, 64, 2, c, 8); },
               {3.2469e-2, 1.2532e-2, 5.4523e-3, 1.3666e-3, 4.5025e-4});
    expect_row("zoned 512/64 z=4 k=8", [](double c) { return fpr::zoned(512, 64, 4, c, 8); },
               {2.9262e-2, 1.0558e-2, 4.2886e-3, 9.4085e-4, 2.7392e-4});
    expect_row("zoned 512/32 z=2 k=8", [](double c) { return fpr::zoned(512, 32, 2, c, 8); },
               {3.7298e-2, 1.5621e-2, 7.3594e-3, 2.1360e-3, 8.0044e-4});
    expect_row("register 64 k=4", [](double c) { return fpr::blocked(64, c, 4); },
               {3.3541e-2, 1.8705e-2, 1.1510e-2, 5.3228e-3, 2.9349e-3});
    expect_row("register 64 k=5", [](double c) { return fpr::blocked(64, c, 5); },
               {3.4197e-2, 1.7844e-2, 1.0352e-2, 4.3379e-3, 2.2105e-3});
    expect_row("register 32 k=4", [](double c) { return fpr::blocked(32, c, 4); },
               {4.2820e-2, 2.5672e-2, 1.6842e-2, 8.6763e-3, 5.2231e-3});
}

TEST(FprModel, BestK) {
    const unsigned classic[] = {6, 7, 8, 11, 14}, blocked512[] = {5, 6, 8, 9, 11};
    for (unsigned i = 0; i < 5; ++i) {
        EXPECT_EQ(fpr::classic_best_k(bits[i]), classic[i]);
        // Many blocks: the binomial load is Poisson.
        const std::uint64_t blocks = 1u << 30;
        EXPECT_EQ(fpr::best_k(Layout::parse("blocked512"),
                              static_cast<std::uint64_t>(512.0 * blocks / bits[i]), blocks),
                  blocked512[i]);
    }
}

TEST(FprModel, CuckooCheckValues) {
    EXPECT_NEAR(fpr::cuckoo(8, 4, 0.95), 1 - std::pow(1 - 1.0 / 255, 7.6), 1e-12);
    EXPECT_LT(fpr::cuckoo(12, 4, 0.95), published::cuckoo_upper_bound(12, 4));
    // The pairs, by 60 digits.
    EXPECT_NEAR(fpr::cuckoo_pairs(8, 13'158, 50'000) / 0.0293628340433655851, 1, 1e-12);
    EXPECT_NEAR(fpr::cuckoo_pairs(12, 1, 4) / 0.000976443232492130165, 1, 1e-12);
    EXPECT_NEAR(fpr::cuckoo_pairs(16, 7, 20) / 0.0000809630142887172370, 1, 1e-12);
    // The product over slots is high by half of 1 / 255.
    const double product = fpr::cuckoo(8, 4, 50'000 / (4 * 13'158.0));
    EXPECT_NEAR(product / fpr::cuckoo_pairs(8, 13'158, 50'000), 1 + 0.5 / 255, 2e-4);
}

TEST(FprModel, GrowingCuckooCheckValues) {
    // By 60 digits: one generation, and some.
    const std::uint64_t full[] = {0, 0, 0, 0, 0, 0, 0, 0, 3891};
    EXPECT_NEAR(fpr::growing_cuckoo(7, 1024, 0, full) / 2.3360640317015147e-4, 1, 1e-12);
    const std::uint64_t some[] = {100, 50, 200, 400, 0, 1000, 2000, 4000};
    EXPECT_NEAR(fpr::growing_cuckoo(7, 1024, 2, some) / 1.2241615507048623e-3, 1, 1e-12);
    // Generations of which each is half of the next: each adds half of what one alone would.
    const std::uint64_t grown[] = {0, 0, 0, 0, 0, 1 << 17, 1 << 17, 1 << 18, 1 << 19};
    EXPECT_NEAR(fpr::growing_cuckoo(7, 1 << 15, 3, grown), 8 / (127.0 * 256) * 2.5, 5e-7);
    EXPECT_DOUBLE_EQ(fpr::growing_cuckoo_bound(7, 8, 3), 8 / (127.0 * 256) * 2.5);
    EXPECT_DOUBLE_EQ(fpr::growing_cuckoo_bound(7, 8, 0), 8 / (127.0 * 256));
    EXPECT_NEAR(fpr::growing_cuckoo_bound(7, 8, 10), 1.4764e-3, 1e-7);
    EXPECT_EQ(fpr::growing_cuckoo_bound(1, 0, 5), 1);
    EXPECT_EQ(fpr::growing_cuckoo(7, 1024, 0, {}), 0);
}

// Two derivations: all probes in their order, and inclusion and exclusion.
TEST(FprModel, TheExactClassicRateIsThatOfOccupancy) {
    for (const unsigned m : {64u, 128u, 1'024u})
        for (const unsigned k : {1u, 2u, 7u, 12u})
            for (const unsigned n : {0u, 1u, 10u, 100u}) {
                const double exact = published::occupancy(m, n, k), f = fpr::classic_exact(m, n, k);
                if (exact > 1e-9) EXPECT_NEAR(f / exact, 1, 1e-8) << m << ' ' << n << ' ' << k;
                else EXPECT_NEAR(f, exact, 2e-10) << m << ' ' << n << ' ' << k;
            }
    // Below 1e-9 the two leading terms: a sum of 31 terms would have no digit left.
    EXPECT_NEAR(fpr::classic_exact(1'000, 10, 30) / published::occupancy(1'000, 10, 30), 1, 0.02);
    EXPECT_NEAR(fpr::classic_exact(1e6, 1e4, 30) / fpr::classic(1e6, 1e4, 30), 1, 2e-4);
    // Many keys: no digit is lost in 1 - 1 / m.
    EXPECT_NEAR(fpr::classic_exact(24e9, 1e9, 17) / fpr::classic_asymptotic(24, 17), 1, 1e-6);
    // Bits that are all set, and more probes than bits.
    EXPECT_EQ(fpr::classic_exact(64, 1e9, 7), 1);
    EXPECT_EQ(fpr::classic_exact(64, 0, 7), 0);
    EXPECT_EQ(fpr::classic_exact(1, 1, 3), 1);
}

// Two derivations of E: the occupancy recurrence and the inclusion-exclusion behind fpr::expected.
TEST(FprModel, ExponentialSumsAgreeWithTheOccupancyRecurrence) {
    for (const unsigned block : {32u, 64u, 512u})
        for (const unsigned k : {1u, 4u, 8u, 11u}) {
            const double load = block / 12.0;
            double mass = std::exp(-load), f = 0;
            for (unsigned i = 0; i < 120; ++i) {
                f += mass * published::occupancy(block, i, k);
                mass *= load / (i + 1);
            }
            EXPECT_NEAR(fpr::blocked(block, 12, k) / f, 1, 1e-9) << block << " bits, k=" << k;
        }
}

TEST(FprModel, FiniteNumbersOfKeysUseTheBinomialLoad) {
    const Layout split = Layout::parse("split256");
    // One block: no randomness in the load at all.
    EXPECT_NEAR(fpr::expected(split, 21, 1), std::pow(1 - std::pow(31.0 / 32, 21), 8), 1e-8);
    // Poisson is 9 % high at n = 100 and 1 % high at n = 1000.
    EXPECT_NEAR(fpr::split_block(256.0 * 5 / 100) / fpr::expected(split, 100, 5), 1.09, 0.05);
    EXPECT_NEAR(fpr::split_block(12.0) / fpr::expected(split, 1u << 30, (1u << 30) * 12ull / 256),
                1, 1e-6);
}

TEST(FprModel, ClassicBestKIsSearchedUpTo64) {
    for (const double c : {0.5, 1.0, 2.0, 12.0, 40.0}) {
        const unsigned k = fpr::classic_best_k(c);
        EXPECT_NEAR(k, std::max(1.0, c * std::log(2)), 0.75) << c;
    }
    EXPECT_EQ(fpr::classic_best_k(1000), 64u);
}

// The true FPRs of many filters spread as deviation() says: it is what every test of one filter
// allows for.
TEST(FprModel, DeviationIsThatOfManyFilters) {
    constexpr unsigned filters = 500;
    constexpr std::size_t n = 1000;
    for (const std::string spec : {"classic:k=4", "register32:k=4", "register64:k=5", "split256",
                                   "sector512", "blocked512:k=8"}) {
        double sum = 0, squares = 0, said = 0;
        for (unsigned seed = 0; seed < filters; ++seed) {
            auto filter = make_filter(spec, n, 10, {.seed = seed});
            filter.insert(test::random_keys(n));
            const double f = filter.estimated_fpr();
            sum += f;
            squares += f * f;
            said = fpr::deviation(filter.base().layout(), n, filter.base().blocks());
        }
        const double mean = sum / filters, deviation = std::sqrt(squares / filters - mean * mean);
        // 5 / sqrt(2 * 500) = 16 %
        EXPECT_NEAR(deviation / said, 1, 0.16) << spec;
    }
}

// One key sets one bit of one word, wherever: the FPR of such filters does not vary.
TEST(FprModel, OneKeyOfOneBitLeavesNothingToChance) {
    for (const char* spec : {"register32:k=1", "register64:k=1", "blocked512:k=1"})
        for (const std::uint64_t blocks : {1u, 10u, 1000u})
            EXPECT_LT(fpr::deviation(Layout::parse(spec), 1, blocks),
                      1e-4 * fpr::expected(Layout::parse(spec), 1, blocks))
                << spec << ' ' << blocks;
}

// 20,000 keys on 1,000 times 4,095 fingerprints, and 1,800 on half as many pairs of a bucket and a
// tag: the deviation of the share that is taken, by 60 digits.
TEST(FprModel, DeviationOfATableIsThatOfOccupiedFingerprints) {
    const auto deviation = [](const char* spec, std::uint64_t n, std::uint64_t blocks) {
        return fpr::deviation(Layout::parse(spec), n, blocks);
    };
    EXPECT_NEAR(deviation("dleft12", 20'000, 1'000) / 1.6996361830364375e-06, 1, 1e-9);
    EXPECT_NEAR(deviation("cuckoo12", 1'800, 1'000) / 5.4367604261881939e-07, 1, 1e-9);
    EXPECT_LT(deviation("dleft12", 1, 1'000), 1e-10) << "one key is one fingerprint, whichever";
}

TEST(FprModel, HashFloor) {
    EXPECT_NEAR(fpr::hash_floor(1e6, 32), 2.3e-4, 0.05e-4);
    EXPECT_NEAR(fpr::hash_floor(1e8, 32), 2.3e-2, 0.05e-2);
    EXPECT_NEAR(fpr::with_floor(0.01, 0.02), 0.0298, 1e-12);
}

TEST(FprModel, WilsonCoversKnownCases) {
    const auto i = fpr::wilson(10, 100, 1.96);
    EXPECT_NEAR(i.low, 0.05522854161313613, 1e-14);
    EXPECT_NEAR(i.high, 0.1743673043676654, 1e-14);
    EXPECT_NEAR(fpr::wilson(990, 1000, 3).low, 0.9752655549705055, 1e-14);
    EXPECT_NEAR(fpr::wilson(990, 1000, 3).high, 0.9959931169819228, 1e-14);
    EXPECT_EQ(fpr::wilson(0, 0, 5).high, 1);
    for (double probes = 1; probes <= 5000; ++probes) {
        EXPECT_EQ(fpr::wilson(probes, probes, 3).high, 1);
        EXPECT_EQ(fpr::wilson(0, probes, 1.96).low, 0);
        EXPECT_GT(fpr::wilson(1, probes, 5).low, 0);
    }
}

}  // namespace
}  // namespace simdbloom
