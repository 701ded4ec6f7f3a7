// Bits and answers are the same on every ISA, and those of a batch the same as of single keys, for
// every spec. Batches of all lengths and alignments: guard_pages_test.cpp; every pattern of a key:
// patterns_exhaustive_test.cpp.
#include <cstring>

#include "support.hpp"

namespace simdbloom {
namespace {

class EverySpec : public ::testing::TestWithParam<std::string> {};

/// Promise: Bits and lookups are the same on every instruction set, singly and in batches.
TEST_P(EverySpec, BitsAreIdentical) {
    const auto& spec = GetParam();
    const auto keys = test::random_keys(3000);
    auto reference = make_filter(spec, keys.size(), test::feasible_bits(spec, 10),
                                 {.isa = Isa::scalar, .seed = 7});
    for (const auto key : keys) reference.insert(key);
    for (const Isa isa : usable_isas()) {
        // In pieces of every length, so that every tail occurs at every place.
        auto batched =
            make_filter(spec, keys.size(), test::feasible_bits(spec, 10), {.isa = isa, .seed = 7});
        std::size_t at = 0;
        for (std::size_t n = 0; at < keys.size(); n = (n + 1) % 131) {
            const std::size_t take = std::min(n, keys.size() - at);
            batched.insert(std::span(keys).subspan(at, take));
            at += take;
        }
        const auto a = reference.base().bytes(), b = batched.base().bytes();
        ASSERT_EQ(a.size(), b.size());
        EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size()), 0) << spec << " on " << to_string(isa);
        EXPECT_EQ(reference.estimated_fpr(), batched.estimated_fpr());
    }
}

// Two keys of one batch in the same block: a load-all-then-store-all insert would lose bits.
TEST_P(EverySpec, KeysOfOneBlockAreAllFound) {
    const bool table = Layout::parse(GetParam()).is_table();
    const auto keys = test::random_keys(table ? 4 : 3);
    for (const Isa isa : usable_isas()) {
        auto filter = make_filter(GetParam(), keys.size(), table ? 30 : 0.001, {.isa = isa});
        filter.insert(keys);
        EXPECT_EQ(filter.count(keys), keys.size()) << to_string(isa);
    }
}

// Large enough that lookups and inserts run their prefetching ways, into the level-1 cache and, in
// most machines, into the level-2 cache.
TEST_P(EverySpec, LargeFiltersAnswerTheSameOnEveryIsa) {
    const auto& spec = GetParam();
    constexpr std::size_t n = 1u << 18;
    const auto keys = test::random_keys(n + 77);
    for (const std::size_t mib : {5u, 33u}) {
        const double bits_per_key = static_cast<double>(mib << 23) / n * 1.05;
        auto reference = make_filter(spec, n, bits_per_key, {.isa = Isa::scalar});
        reference.insert(std::span(keys).first(n / 2));
        ASSERT_GT(reference.size_in_bytes(), mib << 20);
        std::vector<std::uint8_t> expected((keys.size() + 7) / 8), got(expected.size());
        reference.contains(keys, expected);
        for (const Isa isa : usable_isas()) {
            auto filter = make_filter(spec, n, bits_per_key, {.isa = isa});
            filter.insert(std::span(keys).first(n / 2));
            ASSERT_TRUE(std::ranges::equal(filter.base().bytes(), reference.base().bytes()))
                << to_string(isa);
            filter.contains(keys, got);
            ASSERT_EQ(got, expected) << to_string(isa);
        }
    }
}

// A change to the hash or to a layout has to be a decision rather than an accident.
TEST(Mixer, GoldenValues) {
    EXPECT_EQ(hash_key(0, 0), 0xCFBDCF03E1B77232u);
    EXPECT_EQ(hash_key(1, 0), 0xDE5AE11BC66D2D45u);
    EXPECT_EQ(hash_key(0x0123456789ABCDEFu, 0xFEDCBA9876543210u), 0x3805EBD04ADA22D0u);
}

INSTANTIATE_TEST_SUITE_P(Isa, EverySpec, ::testing::ValuesIn(test::all_specs()), test::spec_name);

}  // namespace
}  // namespace simdbloom
