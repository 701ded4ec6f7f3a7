// Bits and answers are the same on every ISA, and those of a batch the same as of single keys, for
// every spec. Batches of all lengths and alignments: guard_pages_test.cpp; every pattern of a key:
// patterns_exhaustive_test.cpp.
#include "support.hpp"

namespace simdbloom {
namespace {

class EverySpec : public ::testing::TestWithParam<std::string> {};

/// Promise: Bits and lookups are the same on every instruction set.
TEST_P(EverySpec, BitsAreIdentical) {
    const auto& spec = GetParam();
    const auto keys = test::random_keys(3000), asked = test::random_keys(1000, 2500);
    const auto hashes = test::hashes_of(asked, 7);
    auto reference = make_filter(spec, keys.size(), test::feasible_bits(spec, 10),
                                 {.isa = Isa::scalar, .seed = 7});
    for (const auto key : keys) reference.insert_hash(hash_key(key, 7));
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
        EXPECT_TRUE(test::same_bits(reference, batched)) << spec << " on " << to_string(isa);
        EXPECT_EQ(reference.estimated_fpr(), batched.estimated_fpr());
        ASSERT_NO_FATAL_FAILURE(test::expect_answers_of_single_keys(batched, asked));
        ASSERT_NO_FATAL_FAILURE(test::expect_answers_of_single_hashes(batched, hashes));
        for (std::size_t i = 0; i < asked.size(); ++i)
            ASSERT_EQ(batched.contains(asked[i]), reference.contains_hash(hashes[i]));
    }
}

TEST(Mixer, BatchesHashAsSingleKeysDo) {
    // The mixer has no key of its own: inserting key and asking by hash_key must meet, for edge
    // keys too.
    const std::uint64_t edges[] = {
        0, 1, ~0ull, 1ull << 63, 1ull << 32, (1ull << 32) - 1, 0x9E3779B97F4A7C15u};
    for (const Isa isa : usable_isas())
        for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
            auto filter = make_filter("sector512", 7, 500, {.isa = isa, .seed = seed});
            filter.insert(std::span<const std::uint64_t>(edges));
            for (const auto key : edges) EXPECT_TRUE(filter.contains_hash(hash_key(key, seed)));
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
