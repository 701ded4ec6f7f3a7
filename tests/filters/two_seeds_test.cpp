// What depends on the hashes of one key under two seeds: filters of the same keys, and several
// functions made of one Hasher. Seeds are taken 1 apart, powers of two apart, and random.
#include <array>
#include <bit>
#include <cmath>

#include "scale.hpp"
#include "simdbloom/textbook/textbook.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

constexpr std::uint64_t top = std::uint64_t{1} << 63;

std::vector<std::array<std::uint64_t, 2>> pairs_of_seeds() {
    std::vector<std::array<std::uint64_t, 2>> pairs{{5, 6}, {top, top >> 1}};
    for (const int bit : {0, 1, 3, 10, 20, 32, 40, 60, 63})
        pairs.push_back({0, std::uint64_t{1} << bit});
    for (std::uint64_t i = 0; i < 4; ++i)
        pairs.push_back({test::random_key(2 * i), test::random_key(2 * i + 1)});
    return pairs;
}

std::uint64_t reversed(std::uint64_t x) {
    std::uint64_t r = 0;
    for (int bit = 0; bit < 64; ++bit) r |= (x >> bit & 1) << (63 - bit);
    return r;
}

struct SeededKeys {
    const char* name;
    std::uint64_t (*key)(std::uint64_t);
};
constexpr SeededKeys families[] = {
    {"random", [](std::uint64_t i) { return test::random_key(i); }},
    {"counters", [](std::uint64_t i) { return i; }},
    {"every 16th", [](std::uint64_t i) { return 0x7F3A12340010u + 16 * i; }},
    {"high halves", [](std::uint64_t i) { return i << 32; }},
    {"reversed", reversed}};

/// How far the counts are from even ones, in standard deviations of chi-square.
double unevenness(std::span<const std::uint32_t> counts, double keys) {
    const double expected = keys / static_cast<double>(counts.size());
    double chi_square = 0;
    for (const std::uint32_t count : counts) {
        const double off = count - expected;
        chi_square += off * off / expected;
    }
    const auto freedom = static_cast<double>(counts.size() - 1);
    return (chi_square - freedom) / std::sqrt(2 * freedom);
}

TEST(TwoSeeds, GiveIndependentBitsOfKeyHasher) {
    SIMDBLOOM_SKIP_IF_FORCED();
    constexpr std::size_t n = 1 << 18;
    constexpr unsigned bits = 6, mask = (1u << bits) - 1;
    // Of the first hash and of the second: the lowest bits, both halves, the highest.
    constexpr int windows[][2] = {{0, 0}, {26, 26}, {32, 32}, {58, 58}, {0, 58}, {0, 32}};
    const KeyHasher hash;
    std::vector<std::uint32_t> counts[std::size(windows)];
    for (const SeededKeys& family : families)
        for (const auto& [one, other] : pairs_of_seeds()) {
            for (auto& all : counts) all.assign(std::size_t{1} << 2 * bits, 0);
            for (std::uint64_t i = 0; i < n; ++i) {
                const std::uint64_t key = family.key(i), a = hash(key, one), b = hash(key, other);
                for (std::size_t w = 0; w < std::size(windows); ++w)
                    ++counts[w][(a >> windows[w][0] & mask) << bits | (b >> windows[w][1] & mask)];
            }
            for (std::size_t w = 0; w < std::size(windows); ++w)
                EXPECT_LT(unevenness(counts[w], n), 6)
                    << family.name << ", seeds " << one << " and " << other << ", bits from "
                    << windows[w][0] << " and from " << windows[w][1];
        }
}

// Double hashing takes two functions of a key, modulo the bits. In 2^17 bits these are the low
// ones.
TEST(TwoSeeds, GiveSchemesTheRateOfTheirModel) {
    SIMDBLOOM_SKIP_IF_FORCED();
    using Bloom = SchemeBloom<EnhancedDoubleHashing<KeyHasher>>;
    constexpr std::uint64_t n = 10'922, probes = 400'000;
    for (const SeededKeys& family : families) {
        double found = 0, expected = 0;
        for (std::uint64_t seed = 0; seed < 12; ++seed) {
            Bloom filter(1 << 17, EnhancedDoubleHashing<KeyHasher>(8, seed));
            for (std::uint64_t i = 0; i < n; ++i) filter.insert(family.key(i));
            for (std::uint64_t i = 0; i < probes; ++i) found += filter.contains(family.key(n + i));
            expected += filter.expected_fpr(n) * probes;
        }
        EXPECT_NEAR(found, expected, 5 * std::sqrt(expected)) << family.name;
    }
}

class TwoFilters : public ::testing::TestWithParam<const char*> {};

// What one filter finds is no more and no less often found by the other.
TEST_P(TwoFilters, OfTheSameKeysAreIndependent) {
    SIMDBLOOM_SKIP_IF_FORCED();
    const std::size_t n = 20'000;
    const std::size_t strangers = test::scaled<std::size_t>(200'000, 800'000, 20'000'000);
    const double bits = test::feasible_bits(GetParam(), 8);
    std::vector<std::uint64_t> keys(n), others(strangers);
    std::vector<std::uint8_t> found[2];
    for (const SeededKeys& family : families) {
        for (std::size_t i = 0; i < n; ++i) keys[i] = family.key(i);
        for (std::size_t i = 0; i < strangers; ++i) others[i] = family.key(n + i);
        for (const auto& seeds : pairs_of_seeds()) {
            double one[2] = {0, 0}, both = 0;
            for (std::size_t f = 0; f < 2; ++f) {
                AnyFilter filter = make_filter(GetParam(), n, bits, {.seed = seeds[f]});
                filter.insert(keys);
                found[f].assign((strangers + 7) / 8, 0);
                filter.contains(others, found[f]);
                for (const std::uint8_t byte : found[f]) one[f] += std::popcount(byte);
            }
            for (std::size_t b = 0; b < found[0].size(); ++b)
                both += std::popcount(std::uint8_t(found[0][b] & found[1][b]));
            // A Poisson variable of small mean has a longer tail: one hit is added.
            const double expected = one[0] * one[1] / static_cast<double>(strangers);
            EXPECT_NEAR(both, expected, 6 * std::sqrt(expected + 1))
                << family.name << ", seeds " << seeds[0] << " and " << seeds[1];
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Spec, TwoFilters,
                         ::testing::Values("register32:k=4", "register64:k=5", "split256",
                                           "split512", "sector512", "zoned512:z=2,k=4",
                                           "blocked512:k=5", "cuckoo8", "classic:k=5",
                                           "counting512:k=5"),
                         test::spec_name);

}  // namespace
}  // namespace simdbloom
