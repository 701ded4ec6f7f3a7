// The d-left counting filter: the paper's geometry, its fingerprints against a map of them, full
// buckets, and its space.
#include <map>
#include <random>
#include <set>

#include "published_fpr.hpp"
#include "scale.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

class DLeft : public ::testing::TestWithParam<std::string> {
protected:
    /// At the design load.
    static DLeftCounting make(std::size_t n, std::uint64_t seed = 0) {
        return DLeftCounting::with_bits_per_key(n, Layout::parse(GetParam()).least_bits_per_key(),
                                                {.seed = seed, .spec = GetParam()});
    }
    /// The paper's true fingerprint: a block and a remainder.
    static std::pair<std::uint64_t, std::uint32_t> fingerprint(const DLeftCounting& filter,
                                                               std::uint64_t key) {
        const std::uint64_t hash = hash_key(key, filter.seed());
        return {detail::block_index(hash, filter.blocks()),
                detail::fingerprint_of(static_cast<std::uint32_t>(hash),
                                       filter.layout().fingerprint_bits())};
    }
};

TEST(DLeftBuckets, EverySubtablePermutesTheFingerprints) {
    for (const std::uint64_t blocks : {1u, 2u, 3u, 7u, 64u, 1000u})
        for (const std::uint32_t remainder : {1u, 2u, 77u, 4095u, 16383u, 65535u}) {
            const std::uint64_t stride = detail::dleft_stride(remainder, blocks);
            std::vector<std::vector<bool>> met(4, std::vector<bool>(blocks));
            for (std::uint64_t first = 0; first < blocks; ++first)
                for (std::uint64_t s = 0, block = first; s < 4;
                     ++s, block = detail::dleft_next(block, stride, blocks)) {
                    ASSERT_LT(block, blocks);
                    ASSERT_FALSE(met[s][block])
                        << "two fingerprints share a cell of subtable " << s;
                    met[s][block] = true;
                }
        }
    const std::uint64_t most = 0xFFFFFFFFu;
    for (std::uint32_t remainder = 1; remainder < 65536; ++remainder) {
        ASSERT_LT(detail::dleft_stride(remainder, most), most);
        ASSERT_LT(detail::dleft_next(most - 1, detail::dleft_stride(remainder, most), most), most);
    }
}

// Everything the filter says follows from a multiset of fingerprints, wherever each of them was
// put.
TEST_P(DLeft, AnswersAreThoseOfAMapOfFingerprints) {
    auto filter = make(600);
    std::map<std::pair<std::uint64_t, std::uint32_t>, unsigned> in, stuck;
    std::multiset<std::uint64_t> keys;
    std::mt19937_64 random(7);
    const auto at = [&](std::uint64_t key) { return fingerprint(filter, key); };
    for (unsigned i = 0; i < 30'000; ++i) {
        const std::uint64_t key = test::random_key(random() % 550);
        if (random() % 2 == 0 && keys.count(key) < 4) {
            ASSERT_TRUE(filter.try_insert(key));
            keys.insert(key);
            auto& count = in[at(key)];
            count = std::min(count + 1, 3u);
        } else if (const auto it = keys.find(key); it != keys.end()) {
            ASSERT_TRUE(filter.erase(key));
            keys.erase(it);
            if (auto& count = in[at(key)]; count != 3) --count;
        } else if (in[at(key)] == 0) {
            const auto before = save(filter);
            ASSERT_FALSE(filter.erase(key)) << "a key that is not in";
            ASSERT_EQ(save(filter), before);
        }
        ASSERT_EQ(filter.count_estimate(key), in[at(key)]);
        if (i % 3000 == 0)
            for (const Isa isa : usable_isas()) {
                filter.use_isa(isa);
                const auto all = test::random_keys(20'000);
                std::vector<std::uint8_t> bitmap(2500);
                filter.contains(all, bitmap);
                for (std::size_t j = 0; j < all.size(); ++j) {
                    const auto it = in.find(at(all[j]));
                    const bool holds = it != in.end() && it->second != 0;
                    ASSERT_EQ((bitmap[j / 8] >> (j % 8) & 1) != 0, holds) << to_string(isa);
                    ASSERT_EQ(filter.contains(all[j]), holds);
                }
            }
    }
    std::uint64_t cells = 0, full = 0;
    for (const auto& [_, count] : in) cells += count != 0, full += count == 3;
    EXPECT_EQ(filter.stored(), cells);
    EXPECT_EQ(filter.saturated(), full);
    EXPECT_GT(full, 100u);
}

// Keys come and go for long at the design load: the table does not fill up.
TEST_P(DLeft, KeysComeAndGoWithoutOverflow) {
    constexpr std::size_t n = 20'000;
    auto filter = make(n);
    auto keys = test::random_keys(n);
    filter.insert(keys);
    EXPECT_NEAR(filter.load(), 0.75, 0.01);
    for (std::size_t i = 0; i < 20 * n; ++i) {
        auto& key = keys[test::random_key(i) % n];
        ASSERT_TRUE(filter.erase(key));
        key = test::random_key(n + i);
        ASSERT_TRUE(filter.try_insert(key)) << i;
    }
    EXPECT_EQ(filter.count(keys), n);
}

INSTANTIATE_TEST_SUITE_P(Filter, DLeft, ::testing::Values("dleft12", "dleft14", "dleft16"),
                         test::spec_name);

/// Cells in use of each bucket of a dleft14 filter.
std::vector<unsigned> bucket_loads(const DLeftCounting& filter) {
    std::vector<unsigned> loads(4 * filter.blocks());
    for (std::size_t i = 0; i < 8 * loads.size(); ++i)
        loads[i / 8] +=
            filter.bytes()[2 * i] != std::byte{0} || filter.bytes()[2 * i + 1] != std::byte{0};
    return loads;
}

// Bonomi et al. 2006: 4 subtables of 2048 buckets of 8 cells of 16 bits, 49,152 keys, remainders of
// 14 bits.
/// Promise: D-left tables have their paper's FPR and take at most half a counting filter's
///   space.
TEST(DLeftPaper, TheGeometryAndItsFpr) {
    constexpr std::size_t n = 49'152, probes = 1'000'000;
    const auto filters = test::scaled<std::size_t>(5, 100, 1000);
    double hits = 0, model = 0, stored = 0;
    unsigned highest = 0;
    std::vector<double> share(10);
    for (std::uint64_t seed = 0; seed < filters; ++seed) {
        auto filter = DLeftCounting::with_bits_per_key(n, 21.33, {.seed = seed});
        ASSERT_EQ(filter.blocks(), 2048u);
        ASSERT_EQ(filter.size_in_bytes(), 4u * 2048 * 8 * 2);
        EXPECT_NEAR(filter.bits_per_key(), 21.333, 1e-3);
        ASSERT_EQ(filter.try_insert(test::random_keys(n, seed * 2'000'000)), n)
            << "overflow with seed " << seed;
        hits += static_cast<double>(filter.count(test::random_keys(probes, seed * 2'000'000 + n)));
        model = filter.expected_fpr();
        stored += static_cast<double>(filter.stored());
        for (const unsigned load : bucket_loads(filter)) {
            highest = std::max(highest, load);
            for (unsigned i = 0; i <= load; ++i)
                share[i] += 1.0 / static_cast<double>(4 * 2048 * filters);
        }
    }
    const double all = static_cast<double>(filters), asked = probes * all, measured = hits / asked;
    EXPECT_NEAR(model, 0.0014639, 1e-7);
    EXPECT_NEAR(49152.0 / (2048.0 * 16384.0), 0.001465, 5e-7) << "d L 2^-r, the paper's form";
    EXPECT_NEAR(measured, model, 5 * std::sqrt(model / asked));
    EXPECT_NEAR(stored / all, 2048 * 16383.0 * model, 5 * std::sqrt(n * model / 2 / all));
    EXPECT_LE(highest, 8u);
    // Keys of one fingerprint share a cell, so that a bucket holds a little less than 6.
    const double mean = stored / all / (4 * 2048);
    for (unsigned i = 1; i <= 8; ++i)
        EXPECT_NEAR(share[i], published::dleft_share(4, mean, i), 3e-3 / std::sqrt(all)) << i;
}

// "Generally saving a factor of two or more" over counting filters of the same FPR.
TEST(DLeftPaper, HalfTheSpaceOfACountingFilterAtEqualFpr) {
    const auto bits_per_key = [](const std::string& spec, double wanted) {
        const auto filter = make_filter_for_fpr(spec, 200'000, wanted);
        EXPECT_LE(filter.expected_fpr(), wanted) << spec;
        return filter.bits_per_key();
    };
    for (const double wanted : {0.01, 0.001464, 0.001}) {
        const double dleft =
            std::min({bits_per_key("dleft12", wanted), bits_per_key("dleft14", wanted),
                      bits_per_key("dleft16", wanted)});
        EXPECT_LE(dleft, 0.5 * bits_per_key("counting", wanted)) << wanted;
    }
}

}  // namespace
}  // namespace simdbloom
