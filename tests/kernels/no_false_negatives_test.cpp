// A key inserted is found: every spec, every ISA, single and batch, and earlier keys after later
// ones.
#include "support.hpp"

namespace simdbloom {
namespace {

class NoFalseNegatives : public ::testing::TestWithParam<std::string> {};

/// Promise: No inserted key is missed, singly or in batches, on any instruction set.
TEST_P(NoFalseNegatives, InAnyWayOfInsertingAndAsking) {
    const auto& spec = GetParam();
    constexpr std::size_t n = 20'000;
    const auto keys = test::random_keys(n);
    for (const Isa isa : usable_isas())
        for (const bool batch : {false, true}) {
            auto filter = make_filter(spec, n, test::feasible_bits(spec, 8), {.isa = isa});
            for (std::size_t at = 0; at < n; at += n / 4) {
                const auto part = std::span(keys).subspan(at, n / 4);
                if (batch) filter.insert(part);
                else
                    for (const auto key : part) filter.insert(key);
                // All keys so far, not only the newest.
                ASSERT_EQ(filter.count(std::span(keys).first(at + n / 4)), at + n / 4)
                    << spec << ' ' << to_string(isa) << " batch=" << batch;
            }
            std::vector<std::uint8_t> bitmap(n / 8);
            filter.contains(keys, bitmap);
            for (const auto byte : bitmap) ASSERT_EQ(byte, 0xFF);
            std::vector<std::uint32_t> positions(n);
            ASSERT_EQ(filter.select(keys, positions), n);
            for (std::uint32_t i = 0; i < n; ++i) ASSERT_EQ(positions[i], i);
            for (const auto key : keys) ASSERT_TRUE(filter.contains(key));
        }
}

// Two keys of one batch in the same block: a load-all-then-store-all insert would lose bits.
TEST_P(NoFalseNegatives, WithEveryKeyInOneBlock) {
    const auto& spec = GetParam();
    const bool table = Layout::parse(spec).is_table();
    const std::size_t n = table ? 4 : 3;
    const auto keys = test::random_keys(n);
    for (const Isa isa : usable_isas()) {
        auto filter = make_filter(spec, n, table ? 30 : 0.001, {.isa = isa});
        filter.insert(keys);
        EXPECT_EQ(filter.count(keys), n) << to_string(isa);
    }
}

TEST_P(NoFalseNegatives, InAMillionKeysBeyondTheCache) {
    const auto& spec = GetParam();
    constexpr std::size_t n = 1'000'000;
    const auto keys = test::random_keys(n);
    auto filter = make_filter(spec, n, test::feasible_bits(spec, 16));
    filter.insert(keys);
    EXPECT_EQ(filter.count(keys), n);
}

INSTANTIATE_TEST_SUITE_P(Filter, NoFalseNegatives, ::testing::ValuesIn(test::all_specs()),
                         [](const auto& info) { return test::test_name(info.param); });

}  // namespace
}  // namespace simdbloom
