// Bits and answers are the same on every ISA, and those of a batch the same as of single keys, for
// every spec, hashed fast or keyed. Batches of all lengths and alignments: guard_pages_test.cpp;
// every pattern of a key: patterns_exhaustive_test.cpp.
#include "support.hpp"

namespace simdbloom {
namespace {

class EverySpec : public ::testing::TestWithParam<std::tuple<std::string, Hashing>> {
protected:
    static constexpr std::size_t made_for = 3000;
    static constexpr std::uint64_t seed = 7;
    static constexpr Secret secret{1, 2};

    static AnyFilter make(Isa isa) {
        const auto& [spec, hashing] = GetParam();
        const double bits = spec.starts_with("growing") ? 1.06 * std::stod(spec.substr(7))
                                                        : test::feasible_bits(spec, 10);
        return make_filter(spec, made_for, bits,
                           {.isa = isa, .seed = seed, .hashing = hashing, .secret = secret});
    }
    static std::uint64_t hash_of(std::uint64_t key) {
        const bool keyed = std::get<Hashing>(GetParam()) == Hashing::keyed;
        return keyed ? siphash(key, secret) : hash_key(key, seed);
    }
    /// Batches, in pieces of every length, against single hashes in the same order.
    static void expect_identical(std::span<const std::uint64_t> keys) {
        AnyFilter reference = make(Isa::scalar);
        for (const auto key : keys) reference.insert_hash(hash_of(key));
        const auto saved = save(reference);
        for (const Isa isa : usable_isas()) {
            SCOPED_TRACE(to_string(isa));
            AnyFilter batched = make(isa), singly = batched;
            EXPECT_EQ(batched.isa(), isa);
            for (const auto key : keys) singly.insert(key);
            ASSERT_TRUE(save(singly) == saved);
            for (std::size_t at = 0, n = 0; at < keys.size(); at += n, n = (n + 1) % 131)
                batched.insert(keys.subspan(at, n = std::min(n, keys.size() - at)));
            ASSERT_TRUE(save(batched) == saved);
            EXPECT_EQ(batched.estimated_fpr(), reference.estimated_fpr());
            if (const auto* const growing = batched.get_if<GrowingCuckoo>()) {
                EXPECT_EQ(growing->growths(), 2u);
                EXPECT_EQ(growing->stored(), reference.get_if<GrowingCuckoo>()->stored());
                EXPECT_EQ(growing->stashed(), reference.get_if<GrowingCuckoo>()->stashed());
                for (std::size_t n = 0; n <= 130; ++n)
                    ASSERT_NO_FATAL_FAILURE(expect_answers(batched, reference, keys, n));
            }
            for (const std::size_t n :
                 {0u, 1u, 3u, 9u, 63u, 64u, 65u, 1000u, 1023u, 1024u, 1025u, 5000u})
                ASSERT_NO_FATAL_FAILURE(expect_answers(batched, reference, keys, n));
        }
    }

private:
    /// Of n keys, half of them in.
    static void expect_answers(const AnyFilter& filter, const AnyFilter& reference,
                               std::span<const std::uint64_t> in, std::size_t n) {
        std::vector<std::uint64_t> asked = test::random_keys(n, 1'000'000), hashes;
        for (std::size_t i = 0; i < n; i += 2) asked[i] = in[i * 7919 % in.size()];
        for (const auto key : asked) {
            hashes.push_back(hash_of(key));
            ASSERT_EQ(filter.contains(key), reference.contains_hash(hashes.back()));
        }
        SCOPED_TRACE(n);
        ASSERT_NO_FATAL_FAILURE(test::expect_answers_of_single_keys(filter, asked));
        ASSERT_NO_FATAL_FAILURE(test::expect_answers_of_single_hashes(filter, hashes));
    }
};

/// Promise: Bits and lookups are the same on every instruction set.
TEST_P(EverySpec, BitsAreIdentical) {
    const bool grows = make(Isa::scalar).get_if<GrowingCuckoo>() != nullptr;
    auto keys = test::random_keys(grows ? 10'000 : made_for);
    const std::uint64_t edges[] = {
        0, 1, ~0ull, 1ull << 63, 1ull << 32, (1ull << 32) - 1, 0x9E3779B97F4A7C15u};
    std::ranges::copy(edges, keys.end() - 50);
    ASSERT_NO_FATAL_FAILURE(expect_identical(keys));
    if (!grows) return;
    // The first ones eight times: some go into the stash.
    const std::vector<std::uint64_t> few(keys.begin(), keys.begin() + 40);
    for (unsigned copies = 1; copies < 8; ++copies)
        keys.insert(keys.begin(), few.begin(), few.end());
    AnyFilter stashing = make(Isa::scalar);
    stashing.insert(keys);
    EXPECT_GT(stashing.get_if<GrowingCuckoo>()->stashed(), 0u);
    ASSERT_NO_FATAL_FAILURE(expect_identical(keys));
}

std::vector<std::string> all_specs_and_growing() {
    auto specs = test::all_specs();
    specs.insert(specs.end(), {"growing12", "growing16", "growing20"});
    return specs;
}
INSTANTIATE_TEST_SUITE_P(Isa, EverySpec,
                         ::testing::Combine(::testing::ValuesIn(all_specs_and_growing()),
                                            ::testing::Values(Hashing::fast, Hashing::keyed)),
                         [](const auto& info) {
                             return test::test_name(std::get<0>(info.param) + "_" +
                                                    to_string(std::get<1>(info.param)));
                         });

// A change to the hash or to a layout has to be a decision rather than an accident.
TEST(Mixer, GoldenValues) {
    EXPECT_EQ(hash_key(0, 0), 0xCFBDCF03E1B77232u);
    EXPECT_EQ(hash_key(1, 0), 0xDE5AE11BC66D2D45u);
    EXPECT_EQ(hash_key(0x0123456789ABCDEFu, 0xFEDCBA9876543210u), 0x3805EBD04ADA22D0u);
}

}  // namespace
}  // namespace simdbloom
