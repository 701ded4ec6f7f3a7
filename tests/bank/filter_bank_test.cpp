// Banks of sets of one size: their counts, FPR, sizes and limits.
#include "bank_support.hpp"
#include "simdbloom/fpr.hpp"

namespace simdbloom {
namespace {

// Planes are added up before they overflow.
TEST(FilterBank, CountsOfMoreKeysThanPlanesHold) {
    auto made = test::make_bank("blocked512", 70, 100);
    auto& bank = made.bank;
    auto& filters = made.filters;
    const std::vector<std::uint64_t> keys(140'000, test::key_of(3, 1));
    const auto hashes = test::hashes_of(keys, 77);
    for (const Isa isa : usable_isas()) {
        bank.use_isa(isa);
        std::vector<std::uint64_t> counts(70);
        for (const std::size_t n : {65'503u, 65'504u, 65'505u, 65'536u, 140'000u}) {
            bank.count_per_set(Keys::hashes(std::span(hashes).first(n)), counts);
            for (std::size_t s = 0; s < 70; ++s)
                ASSERT_EQ(counts[s], filters[s].contains(keys[0]) ? n : 0) << s;
        }
    }
}

TEST(FilterBank, FprFollowsTheModel) {
    constexpr std::size_t sets = 64, keys = 2'000, probes = 20'000;
    for (const std::string spec : {"blocked512", "classic", "split256", "register64", "paired512",
                                   "paired512:k=2", "paired512:k=16"}) {
        FilterBank bank = FilterBank::with_bits_per_key(sets, keys, 8, {.seed = 3, .spec = spec});
        for (std::size_t s = 0; s < sets; ++s) bank.insert(s, test::random_keys(keys, s * keys));
        std::vector<std::uint64_t> counts(sets);
        bank.count_per_set(test::random_keys(probes, 1u << 30), counts);
        double found = 0;
        for (const auto n : counts) found += static_cast<double>(n);
        const double expected = bank.expected_fpr(), all = static_cast<double>(sets * probes);
        // Of the probes, and of the bits of the sets.
        const double deviation =
            std::hypot(std::sqrt(expected * (1 - expected) / all),
                       fpr::deviation(bank.layout(), keys, bank.blocks()) / std::sqrt(sets));
        EXPECT_NEAR(found / all, expected, 5 * deviation) << bank.spec();
    }
}

/// A block where pairs are set: the rows of each of its 64 groups, as bits.
struct BlockOfPairs {
    std::array<std::uint8_t, 64> groups{};
    static constexpr unsigned all = 64 * 28;
    static BlockOfPairs of(std::span<const unsigned> pairs) {
        static const auto rows = [] {
            std::vector<std::uint8_t> of_pair;
            for (unsigned a = 0; a < 8; ++a)
                for (unsigned b = 0; b < a; ++b)
                    of_pair.push_back(static_cast<std::uint8_t>(1u << a | 1u << b));
            return of_pair;
        }();
        BlockOfPairs block;
        for (const unsigned pair : pairs) block.groups[pair / 28] |= rows[pair % 28];
        return block;
    }
    /// The chance that so many pairs all lie in rows that are set.
    double chance(unsigned pairs) const {
        unsigned in = 0;
        for (const auto group : groups) {
            const auto rows = static_cast<unsigned>(std::popcount(group));
            in += rows * (rows - 1) / 2;
        }
        return std::pow(static_cast<double>(in) / all, pairs);
    }
};

BankLayout of_pairs(unsigned pairs) {
    return BankLayout::parse("paired512:k=" + std::to_string(2 * pairs));
}

TEST(FilterBank, TheModelOfPairsNamesAKThatNoLayoutHas) {
    BankLayout layout = of_pairs(1);
    for (const unsigned k : {1u, 5u, 17u, 18u, 1000u, ~0u}) {
        layout.k = k;
        EXPECT_INVALID("k=" + std::to_string(k), (void)fpr::expected(layout, 100, 10));
        EXPECT_INVALID("k=" + std::to_string(k), (void)fpr::deviation(layout, 100, 10));
    }
}

// hash_floor, of 32 bits, is 2^-32 a key.
TEST(FilterBank, TheModelOfPairsIsExactByEnumeration) {
    for (const unsigned keys : {1u, 2u, 3u})
        for (const unsigned pairs : {1u, 2u, 3u}) {
            if (keys * pairs > 3) continue;
            // The first pair is any one, by symmetry.
            double sum = 0, n = 0;
            std::array<unsigned, 3> thrown{};
            const auto ways = [&](unsigned i) { return keys * pairs > i ? BlockOfPairs::all : 1; };
            for (thrown[1] = 0; thrown[1] < ways(1); ++thrown[1])
                for (thrown[2] = 0; thrown[2] < ways(2); ++thrown[2], ++n)
                    sum += BlockOfPairs::of(std::span(thrown).first(keys * pairs)).chance(pairs);
            const double expected = fpr::expected(of_pairs(pairs), keys, 1);
            EXPECT_NEAR(expected - fpr::hash_floor(keys, 32), sum / n, 1e-9 * sum / n + 1e-14)
                << keys << " keys of " << pairs << " pairs";
        }
}

TEST(FilterBank, TheModelOfPairsIsExactBySimulation) {
    std::uint64_t state = 0;
    for (const unsigned pairs : {2u, 3u, 4u, 8u})
        for (const unsigned keys : {20u, 60u}) {
            constexpr unsigned blocks = 20'000;
            double sum = 0, squares = 0;
            std::vector<unsigned> thrown(keys * pairs);
            for (unsigned i = 0; i < blocks; ++i) {
                for (auto& pair : thrown)
                    pair = static_cast<unsigned>((hash_key(++state, 9) >> 32) * BlockOfPairs::all >>
                                                 32);
                const double chance = BlockOfPairs::of(thrown).chance(pairs);
                sum += chance;
                squares += chance * chance;
            }
            const double mean = sum / blocks, variance = squares / blocks - mean * mean;
            EXPECT_NEAR(fpr::expected(of_pairs(pairs), keys, 1) - fpr::hash_floor(keys, 32), mean,
                        5 * std::sqrt(variance / blocks))
                << keys << " keys of " << pairs << " pairs";
            EXPECT_NEAR(fpr::deviation(of_pairs(pairs), keys, 1), std::sqrt(variance),
                        0.05 * std::sqrt(variance));
        }
}

// As a Layout, rows in pairs would be single bits, with another spec and another FPR.
static_assert(!std::is_convertible_v<const BankLayout&, Layout>);

TEST(FilterBank, SizesAreTheSmallestAndRowsTheFewestThatCostLittle) {
    for (const double wanted : {0.01, 0.005, 1e-4}) {
        const FilterBank bank = FilterBank::for_fpr(64, 100'000, wanted);
        EXPECT_LE(bank.expected_fpr(), wanted);
        EXPECT_GT(fpr::expected(bank.layout(), 100'000, bank.blocks() - 1), wanted);
        const auto best = CacheLineBloom::for_fpr(100'000, wanted, {.spec = "blocked512"});
        EXPECT_LT(bank.layout().k, best.layout().k);
        EXPECT_LE(static_cast<double>(bank.blocks()), 1.0625 * static_cast<double>(best.blocks()));
        BankLayout fewer = bank.layout();
        --fewer.k;
        EXPECT_GT(fpr::expected(fewer, 100'000, best.blocks() * 17 / 16), wanted);
        EXPECT_EQ(bank.size_in_bytes(), bank.rows() * 8);

        const auto of_bits = FilterBank::with_bits_per_key(64, 100'000, 12);
        EXPECT_EQ(of_bits.blocks(), 2344u);
        EXPECT_LT(of_bits.layout().k, fpr::best_k(of_bits.layout(), 100'000, of_bits.blocks()));
    }
    for (const auto& [wanted, k] :
         {std::pair(0.02, 6u), std::pair(0.005, 6u), std::pair(1e-3, 8u)}) {
        const auto pairs = FilterBank::for_fpr(64, 100'000, wanted, {.spec = "paired512"});
        EXPECT_EQ(pairs.layout().k, k);
        EXPECT_LE(pairs.expected_fpr(), wanted);
        EXPECT_GT(fpr::expected(pairs.layout(), 100'000, pairs.blocks() - 1), wanted);
        const auto fixed = FilterBank::for_fpr(64, 100'000, wanted, {.spec = "paired512:k=4"});
        EXPECT_LE(fixed.expected_fpr(), wanted);
        EXPECT_GT(fpr::expected(fixed.layout(), 100'000, fixed.blocks() - 1), wanted);
        const auto of_bits = FilterBank::with_bits_per_key(64, 100'000, 13, {.spec = "paired512"});
        EXPECT_EQ(of_bits.spec(), "paired512:k=6");
        const auto limited =
            FilterBank::for_fpr(64, 1'000, 1e-6, {.max_bytes = 100'000, .spec = "paired512"});
        EXPECT_LE(limited.size_in_bytes(), 100'000u);
        EXPECT_GT(limited.size_in_bytes(), 100'000u - 512 * 8);
    }
    // blocked512 of so many keys has less than 2^32 blocks.
    EXPECT_LENGTH_ERROR(
        "paired512:k=4 would need more than the 2^32 - 1 blocks",
        FilterBank::for_fpr(1, std::size_t{1} << 37, 0.005, {.spec = "paired512:k=4"}));
    const auto fixed = FilterBank::for_fpr(10, 1'000, 0.01, {.spec = "blocked512:k=9"});
    EXPECT_EQ(fixed.spec(), "blocked512:k=9");
    const auto limited = FilterBank::for_fpr(65, 1'000, 1e-9, {.max_bytes = 100'000});
    EXPECT_LE(limited.size_in_bytes(), 100'000u);
    EXPECT_GT(limited.size_in_bytes(), 100'000u - 512 * 16);
    EXPECT_EQ(limited.layout().k,
              fpr::best_k({LayoutKind::blocked512, 0}, 1'000, limited.blocks()));
}

TEST(FilterBank, LimitsAreNamed) {
    EXPECT_INVALID("n_keys=0", FilterBank::for_fpr(10, 0, 0.01));
    EXPECT_LENGTH_ERROR("sets=4294967296", FilterBank::for_fpr(std::size_t{1} << 32, 10, 0.01));
    EXPECT_LENGTH_ERROR("2^64 bytes", FilterBank::with_bits_per_key(0xFFFFFFFFu, 1 << 30, 1000));
    EXPECT_LENGTH_ERROR("max_bytes=4095", FilterBank::for_fpr(64, 10, 0.01, {.max_bytes = 4095}));
    EXPECT_LENGTH_ERROR("8192 bytes is above max_bytes=8191",
                        FilterBank::with_bits_per_key(65, 10, 1, {.max_bytes = 8191}));
}

TEST(FilterBank, Example) {
    const std::vector<std::uint64_t> keys{1, 2, 3};
    /// Example of FilterBank.
    //! [FilterBank]
    auto bank = FilterBank::for_fpr(512, 1'000, 0.005);  // 512 sets of 1,000 keys
    bank.insert(7, keys);
    const std::vector<std::uint32_t> sets = bank.select(std::uint64_t{2});  // that may have 2
    //! [FilterBank]
    EXPECT_EQ(sets, std::vector<std::uint32_t>{7});

    /// Example of BankLayout.
    //! [BankLayout]
    const auto pairs = FilterBank::for_fpr(64, 1'000, 0.005, {.spec = "paired512"});
    const BankLayout& layout = pairs.layout();
    const auto lines = layout.lines(8);  // 3 cache lines a lookup, rows of 8 bytes
    //! [BankLayout]
    EXPECT_EQ(lines, 3u);
}

TEST(FilterBank, LargeBatchesOfALargeBankAnswerAsSingleKeys) {
    FilterBank bank = FilterBank::with_bits_per_key(64, 262'144, 8, {.seed = 1});  // 16 MiB: tuned
    const auto keys = test::random_keys(60'000);
    for (std::size_t s = 0; s < 64; ++s) bank.insert(s, std::span(keys).subspan(900 * s, 1'000));
    std::vector<std::uint64_t> bitmaps(keys.size()), counts(64), expected(64);
    for (const Isa isa : usable_isas()) {
        bank.use_isa(isa);
        bank.contains(keys, {reinterpret_cast<std::uint8_t*>(bitmaps.data()), 8 * keys.size()});
        bank.count_per_set(keys, counts);
        std::ranges::fill(expected, 0);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            std::uint64_t one = 0;
            bank.contains(keys[i], {reinterpret_cast<std::uint8_t*>(&one), 8});
            ASSERT_EQ(bitmaps[i], one) << i;
            for (std::size_t s = 0; s < 64; ++s) expected[s] += detail::little_endian(one) >> s & 1;
        }
        EXPECT_EQ(counts, expected);
    }
}

}  // namespace
}  // namespace simdbloom
