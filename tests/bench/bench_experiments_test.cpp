// What the experiments share beside the library: numbers by Zipf, layouts of their own.
#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "experiments/layouts/distinct_fpr.hpp"
#include "experiments/layouts/filter.hpp"
#include "experiments/runs.hpp"
#include "experiments/zipf.hpp"
#include "simdbloom/fpr.hpp"
#include "support.hpp"

namespace simdbloom::bench {
namespace {

TEST(Zipf, RanksHaveTheirChances) {
    constexpr std::size_t n = 200, draws = 1'000'000;
    for (const double s : {0.0, 0.5, 1.0, 1.2, 2.0}) {
        std::mt19937_64 random(7);
        const Zipf zipf(n, s);
        std::vector<double> seen(n + 1), chance(n + 1);
        for (std::size_t i = 0; i < draws; ++i) {
            const auto rank = zipf(random);
            ASSERT_TRUE(rank >= 1 && rank <= n) << rank;
            ++seen[rank];
        }
        double sum = 0, square = 0;
        for (std::size_t r = 1; r <= n; ++r)
            sum += chance[r] = std::pow(static_cast<double>(r), -s);
        for (std::size_t r = 1; r <= n; ++r) {
            const double expected = chance[r] / sum * draws;
            square += (seen[r] - expected) * (seen[r] - expected) / expected;
        }
        EXPECT_LT(square, n + 5 * std::sqrt(2.0 * n)) << s;
    }
}
TEST(Zipf, OneRankIsAlwaysDrawn) {
    std::mt19937_64 random(1);
    for (const double s : {0.0, 1.0, 1.5})
        for (int i = 0; i < 100; ++i) EXPECT_EQ(Zipf(1, s)(random), 1u);
}

TEST(Runs, EachNumberIsInTheRunOfItsRegion) {
    const auto source = KeySource::generated(6);
    Runs<std::uint64_t> runs(10'000, 3);
    for (int pass = 0; pass < 2; ++pass) {
        runs.clear();
        for (std::uint64_t i = 0; i < 10'000; ++i) {
            const std::uint64_t hash = hash_key(source.key(i));
            runs.add_if(false, runs.region_of(hash), ~hash);
            i % 2 == 0 ? runs.add(runs.region_of(hash), hash)
                       : runs.add_if(true, runs.region_of(hash), hash);
        }
        std::size_t numbers = 0;
        for (std::size_t r = 0; r < runs.regions(); ++r) {
            numbers += runs.run(r).size();
            for (const std::uint64_t hash : runs.run(r)) EXPECT_EQ(hash >> 61, r);
        }
        EXPECT_EQ(runs.regions(), 8u);
        EXPECT_EQ(numbers, 10'000u);
    }
}
TEST(Runs, MoreThanThereIsRoomForIsAnError) {
    Runs<std::uint32_t> runs(1000, 2);
    for (std::uint32_t i = 0; i < 600; ++i) runs.add(0, i);
    EXPECT_THROW(runs.run(0), std::runtime_error);
    EXPECT_TRUE(runs.run(3).empty());
}

OwnFilter choice512(std::uint64_t n, double bits, unsigned k) {
    return {[](const OwnLayouts& l) -> const LayoutKernels& { return l.choice512; }, 512, n, bits,
            k};
}

TEST(OwnLayouts, ChoicesLoseNoKeyAndLowerTheRateFromManyBitsOn) {
    const auto source = KeySource::generated(3);
    const auto rate = [&](std::uint64_t n, double bits, unsigned k) {
        auto filter = choice512(n, bits, k);
        EXPECT_NO_THROW(fill_and_check(filter, source, n, "choice512"));
        return measured_fpr(filter, source, 1 << 21);
    };
    EXPECT_EQ(rate(1, 512, 8), 0);
    EXPECT_NEAR(rate(100'000, 20, 14) / fpr::blocked(512, 20, 11), 0.59, 0.12);
    EXPECT_NEAR(rate(100'000, 8, 6) / fpr::blocked(512, 8, 5), 1.52, 0.05);
}
TEST(OwnLayouts, EveryIsaSetsTheSameBits) {
    const auto source = KeySource::generated(4);
    const auto bits_of = [&](auto filter, const OwnLayouts& layouts) {
        filter.use(layouts);
        for_keys(source, 0, 10'007, [&](Keys keys) { filter.insert(keys); });
        return std::vector<std::byte>(filter.bytes().begin(), filter.bytes().end());
    };
    const OwnLayouts& scalar = *compiled_layouts().front().second;
    for (const auto& [isa, layouts] : compiled_layouts()) {
        EXPECT_EQ(bits_of(choice512(10'007, 12, 9), *layouts),
                  bits_of(choice512(10'007, 12, 9), scalar))
            << to_string(isa);
        const OwnFilter different(
            [](const OwnLayouts& l) -> const LayoutKernels& { return l.distinct64[1]; }, 64, 10'007,
            12, 5);
        EXPECT_EQ(bits_of(different, *layouts), bits_of(different, scalar)) << to_string(isa);
    }
}
TEST(OwnLayouts, DifferentBitsAreDifferentAndHaveTheRateOfTheirModel) {
    const auto source = KeySource::generated(5);
    constexpr OwnFilter::Kernels kernels[] = {
        [](const OwnLayouts& l) -> const LayoutKernels& { return l.distinct64[0]; },
        [](const OwnLayouts& l) -> const LayoutKernels& { return l.distinct64[1]; },
        [](const OwnLayouts& l) -> const LayoutKernels& { return l.distinct64[2]; }};
    for (unsigned k = 4; k <= 6; ++k) {
        for (std::uint64_t i = 0; i < 1000; ++i) {
            OwnFilter one(kernels[k - 4], 64, 1, 64, k);
            const std::uint64_t key = source.key(i);
            one.insert({&key, 1});
            unsigned ones = 0;
            for (const std::byte byte : one.bytes())
                ones += static_cast<unsigned>(std::popcount(std::to_integer<unsigned>(byte)));
            ASSERT_EQ(ones, k) << i;
        }
        OwnFilter filter(kernels[k - 4], 64, 1'000'000, 12, k);
        EXPECT_NO_THROW(fill_and_check(filter, source, 1'000'000, "distinct64"));
        // 65,536 patterns in place of C(64, k): two keys of a word share one in 12,000 words.
        EXPECT_NEAR(measured_fpr(filter, source, 1 << 23) / distinct_fpr(64, 12, k), 1, 0.03);
    }
}
TEST(OwnLayouts, TheModelOfDifferentBitsFollowsASimulation) {
    for (const unsigned block : {8u, 32u}) {
        std::mt19937_64 random(block);
        std::vector<unsigned> bits(block);
        for (unsigned i = 0; i < block; ++i) bits[i] = i;
        constexpr unsigned k = 3;
        const double c = 6;
        std::poisson_distribution<unsigned> load(block / c);
        double found = 0;
        constexpr int blocks = 200'000;
        const auto draw = [&] {
            std::uint64_t mask = 0;
            for (unsigned i = 0; i < k; ++i) {
                std::swap(bits[i], bits[i + random() % (block - i)]);
                mask |= std::uint64_t{1} << bits[i];
            }
            return mask;
        };
        for (int i = 0; i < blocks; ++i) {
            std::uint64_t held = 0;
            for (unsigned keys = load(random); keys > 0; --keys) held |= draw();
            found += (draw() & ~held) == 0;
        }
        const double model = distinct_fpr(block, c, k);
        EXPECT_NEAR(found / blocks, model, 5 * std::sqrt(model / blocks)) << block;
    }
    EXPECT_LT(distinct_fpr(64, 12, 4), fpr::blocked(64, 12.0, 4));
    EXPECT_NEAR(distinct_fpr(64, 12, 1), fpr::blocked(64, 12.0, 1), 1e-12);
}

}  // namespace
}  // namespace simdbloom::bench
