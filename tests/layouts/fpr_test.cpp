// The false-positive rate on keys with structure, in two parts as in fpr_two_parts_test.cpp, which
// has every spec, size and number of bits a key on random keys. Strangers are of the keys' family.
#include <functional>
#include <map>

#include "bit_rates.hpp"
#include "scale.hpp"

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
            {"low_entropy_decimal",
             [](std::uint64_t i) {  // eight ASCII digits
                 std::uint64_t key = 0;
                 for (int d = 0; d < 8; ++d, i /= 10) key = key << 8 | (0x30 + i % 10);
                 return key;
             }},
            {"doubles",
             [](std::uint64_t i) { return std::bit_cast<std::uint64_t>(static_cast<double>(i)); }}};
}

constexpr std::uint64_t keys_each = 20'000, most_strangers = 400'000;

/// keys_each keys of the family to insert, and absent keys behind them.
const std::vector<std::uint64_t>& keys_of(const Family& family) {
    static std::map<std::string, std::vector<std::uint64_t>> made;
    auto& keys = made[family.name];
    if (keys.empty())
        for (std::uint64_t i = 0; i < keys_each + most_strangers; ++i)
            keys.push_back(family.key(i));
    return keys;
}

/// The exact rates of filters, read off their bits, against the model: to 2 %, in so many filters
/// that 2 % are 5 sigma. And the absent keys found against the exact rates of the filters asked: so
/// many absent keys that 5 sigma are 5 % by day and 2 % at night.
void expect_model(const std::string& spec, const Family& family) {
    const double tolerance = test::scaled(0.06, 0.02, 0.02);
    const double of_hits = test::scaled(0.1, 0.05, 0.02);
    const double bits = test::feasible_bits(spec, 12);
    const AnyFilter empty = make_filter(spec, keys_each, bits);
    const Layout& layout = empty.base().layout();
    const double model = empty.expected_fpr();
    const double spread = fpr::deviation(layout, keys_each, empty.base().blocks()) / model;
    // Rates below 0.1 % have too few hits to tell.
    const double strangers = model < 1e-3 ? most_strangers : 25 / (of_hits * of_hits * model);
    const double for_rates = std::ceil(std::pow(5 * spread / tolerance, 2));
    const double filters = std::max(for_rates, std::ceil(strangers / most_strangers));
    const auto probes = static_cast<std::size_t>(std::ceil(strangers / filters));

    const std::span keys = keys_of(family);
    double rates = 0, hits = 0;
    for (std::uint64_t f = 0; static_cast<double>(f) < filters; ++f) {
        AnyFilter filter = make_filter(spec, keys_each, bits, {.seed = f * 0x9E3779B97F4A7C15u});
        filter.insert(keys.first(keys_each));
        rates += test::exact_rate(filter.base());
        hits += static_cast<double>(filter.count(keys.subspan(keys_each, probes)));
    }
    SCOPED_TRACE(spec + " of " + family.name + " keys, " + std::to_string(filters) + " filters");
    EXPECT_NEAR(rates / filters / model, 1, tolerance) << "the mean of the exact rates";
    const double expected = rates * static_cast<double>(probes);
    EXPECT_NEAR(hits / expected, 1, 5 / std::sqrt(expected) + 1e-9) << "strangers found";
    EXPECT_TRUE(model < 1e-3 || 5 / std::sqrt(expected) < 1.05 * of_hits) << "too few strangers";
}

class Fpr : public ::testing::TestWithParam<std::string> {};

TEST_P(Fpr, FollowsTheModelOnStructuredKeys) {
    SIMDBLOOM_SKIP_IF_FORCED();
    for (const auto& family : families()) expect_model(GetParam(), family);
}

INSTANTIATE_TEST_SUITE_P(Filter, Fpr, ::testing::ValuesIn(test::layout_names()), test::spec_name);

}  // namespace
}  // namespace simdbloom
