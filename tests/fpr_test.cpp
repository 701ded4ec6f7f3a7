// The measured false-positive rate against the exact model, two-sided at 5 sigma, on keys with and without
// structure. Sigma joins the sampling error and the spread of filters of one size (fpr::deviation). Every spec, size and
// number of bits a key, on random keys: fpr_two_parts_test.cpp.
#include <bit>
#include <functional>

#include "support.hpp"

namespace simdbloom {
namespace {

struct Family {
    std::string name;
    std::function<std::uint64_t(std::uint64_t)> key;  // distinct for distinct i < 2^20
};

// The i-th number with exactly 5 of 40 bits set, counted in colexicographic order.
std::uint64_t sparse_key(std::uint64_t i) {
    std::uint64_t key = 0;
    unsigned bits = 5;
    for (unsigned position = 40; position-- > 0 && bits > 0;) {
        double choose = 1;
        for (unsigned j = 1; j <= bits; ++j) choose = choose * (position - bits + j) / j;
        const auto below = position >= bits ? static_cast<std::uint64_t>(choose + 0.5) : 0;
        if (i >= below) {
            i -= below;
            key |= std::uint64_t{1} << position;
            --bits;
        }
    }
    return key;
}

std::vector<Family> families() {
    return {{"random", [](std::uint64_t i) { return test::random_key(i); }},
            {"sequential", [](std::uint64_t i) { return i; }},
            {"sequential_high", [](std::uint64_t i) { return i - 500'000; }},
            {"stride_8", [](std::uint64_t i) { return i * 8; }},
            {"stride_4096", [](std::uint64_t i) { return i * 4096; }},
            {"stride_odd", [](std::uint64_t i) { return i * 1'000'003; }},
            {"stride_2to32", [](std::uint64_t i) { return i << 32; }},
            {"high_bits_only", [](std::uint64_t i) { return i << 44; }},
            {"both_halves", [](std::uint64_t i) { return i | i << 32; }},
            {"low_entropy_sparse", sparse_key},
            {"low_entropy_decimal", [](std::uint64_t i) {  // eight ASCII digits
                 std::uint64_t key = 0;
                 for (int d = 0; d < 8; ++d, i /= 10) key = key << 8 | (0x30 + i % 10);
                 return key;
             }},
            {"doubles", [](std::uint64_t i) { return std::bit_cast<std::uint64_t>(static_cast<double>(i)); }}};
}

void expect_model(const std::string& spec, const Family& family, std::uint64_t seed) {
    constexpr std::uint64_t n = 200'000, probes = 450'000;
    constexpr double bits = 12;
    const auto keys_of = [&](std::uint64_t first, std::uint64_t count) {
        std::vector<std::uint64_t> keys(count);
        for (std::uint64_t i = 0; i < count; ++i) keys[i] = family.key(first + i);
        return keys;
    };
    auto filter = make_filter(spec, n, test::feasible_bits(spec, bits), {.seed = seed});
    filter.insert(keys_of(0, n));
    const double model = filter.expected_fpr();
    const double measured = static_cast<double>(filter.count(keys_of(n, probes))) / static_cast<double>(probes);
    const double sampling = std::sqrt(model * (1 - model) / static_cast<double>(probes));
    const double spread = fpr::deviation(filter.base().layout(), n, filter.base().blocks());
    EXPECT_LT(std::abs(measured - model), 5 * std::hypot(sampling, spread))
        << filter.spec() << ", " << bits << " bits/key, " << family.name << " keys, seed " << seed << ": measured " << measured << ", model " << model;
    // What the filter says of itself from its bits lies as near the model.
    EXPECT_LT(std::abs(filter.estimated_fpr() - model), 5 * spread + 1e-9) << filter.spec() << ' ' << family.name;
}

class Fpr : public ::testing::TestWithParam<std::string> {};

TEST_P(Fpr, FollowsTheModelOnStructuredKeys) {
    for (const auto& family : families())
        for (const std::uint64_t seed : {0u, 12345u}) expect_model(GetParam(), family, seed);
}

INSTANTIATE_TEST_SUITE_P(Filter, Fpr, ::testing::ValuesIn(test::layout_names()), [](const auto& info) { return test::test_name(info.param); });

TEST(FprFamilies, SparseKeysAreDistinctAndSparse) {
    std::vector<std::uint64_t> keys;
    for (std::uint64_t i = 0; i < 650'000; ++i) keys.push_back(sparse_key(i));
    for (const auto key : keys) ASSERT_EQ(std::popcount(key), 5);
    std::sort(keys.begin(), keys.end());
    EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
}

// A filter never used answers nothing; one with all bits set answers everything.
TEST(FprControls, EmptyAndFull) {
    const auto keys = test::random_keys(10'000);
    for (const auto& spec : test::layout_names()) {
        auto filter = make_filter(spec, 1000, test::feasible_bits(spec, 12));
        EXPECT_EQ(filter.count(keys), 0u) << spec;
        EXPECT_EQ(filter.estimated_fpr(), 0) << spec;
        if (Layout::parse(spec).is_table()) continue;
        filter.insert(test::random_keys(400'000, 1'000'000));
        EXPECT_EQ(filter.count(keys), keys.size()) << spec;
        EXPECT_EQ(filter.estimated_fpr(), 1) << spec;
    }
}

}  // namespace
}  // namespace simdbloom
