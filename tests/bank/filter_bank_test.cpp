// Banks answer as their sets do one by one.
#include "bank_support.hpp"

#include <string_view>

#include "simdbloom/fpr.hpp"

namespace simdbloom {
namespace {

constexpr std::size_t key_counts[] = {0, 1, 2, 7, 8, 9, 31, 32, 33, 64, 65, 200};
constexpr std::size_t set_counts[] = {1,   2,   8,   9,   16,  17,   32,   33,
                                      63,  64,  65,  127, 128, 129,  192,  256,
                                      320, 511, 512, 513, 577, 1024, 2049, 4096};

/// Promise of FilterBank.*, BankSets.*, CompactBank.*: A bank answers for each set as a filter of
///   its keys does, bit for bit, on every instruction set; its FPR follows the model.
TEST(FilterBank, EveryLayoutAnswersAsItsFiltersOnEveryIsa) {
    for (const auto& spec : test::bloom_specs())
        for (const std::size_t sets : {3u, 12u, 30u, 70u}) {
            auto made = test::make_bank(spec, sets, 150);
            auto& bank = made.bank;
            auto& filters = made.filters;
            ASSERT_EQ(bank.spec(), filters[0].spec());
            ASSERT_NO_FATAL_FAILURE(test::expect_columns(bank, filters));
            for (const Isa isa : usable_isas()) {
                bank.use_isa(isa);
                EXPECT_EQ(bank.isa(), isa);
                for (const std::size_t n : {1u, 33u, 100u}) {
                    SCOPED_TRACE(spec + ", " + std::string(to_string(isa)) +
                                 ", sets: " + std::to_string(sets));
                    ASSERT_NO_FATAL_FAILURE(
                        test::expect_answers_of(bank, filters, test::asked_keys(n, sets)));
                }
            }
        }
}

TEST(FilterBank, EveryNumberOfSetsAndKeysOnEveryIsa) {
    for (const std::size_t sets : set_counts) {
        auto made = test::make_bank("blocked512", sets, 40);
        auto& bank = made.bank;
        auto& filters = made.filters;
        ASSERT_NO_FATAL_FAILURE(test::expect_columns(bank, filters));
        for (const Isa isa : usable_isas()) {
            bank.use_isa(isa);
            for (const std::size_t n : key_counts) {
                if (sets > 600 && n > 33) continue;
                SCOPED_TRACE(std::string(to_string(isa)) + ", sets: " + std::to_string(sets) +
                             ", keys: " + std::to_string(n));
                ASSERT_NO_FATAL_FAILURE(
                    test::expect_answers_of(bank, filters, test::asked_keys(n, sets)));
            }
        }
    }
}

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

TEST(FilterBank, TakesEveryKindOfKey) {
    for (const Options& options :
         {Options{.seed = 5}, Options{.hashing = Hashing::keyed, .secret = Secret{1, 2}}}) {
        FilterBank bank = FilterBank::for_fpr(3, 100, 1e-6, options);
        const std::vector<std::int32_t> narrow{-1, 7, 1'000'000};
        const std::vector<std::string> texts{"x", "a key", ""};
        const std::vector<std::uint64_t> hashes{1, 0x123456789abcdefu};
        bank.insert(1, narrow);
        bank.insert(1, texts);
        bank.insert(2, Keys::hashes(hashes));
        bank.insert(0, std::uint64_t{9});
        bank.insert(0, std::string_view("text"));
        using Sets = std::vector<std::uint32_t>;
        for (const auto key : narrow)
            EXPECT_EQ(bank.select(static_cast<std::uint64_t>(std::int64_t{key})), Sets{1});
        for (const auto& text : texts) EXPECT_EQ(bank.select(text), Sets{1});
        for (const auto hash : hashes) EXPECT_EQ(bank.select_hash(hash), Sets{2});
        EXPECT_EQ(bank.select(9), Sets{0});
        EXPECT_EQ(bank.count(std::string_view("text")), 1u);
        std::vector<std::uint64_t> counts(3);
        bank.count_per_set(texts, counts);
        EXPECT_EQ(counts, (std::vector<std::uint64_t>{0, 3, 0}));
        std::vector<std::uint8_t> bitmaps(24);
        bank.contains(narrow, bitmaps);
        for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(bitmaps[i], i % 8 == 0 ? 2 : 0);
    }
}

TEST(FilterBank, FprFollowsTheModel) {
    constexpr std::size_t sets = 64, keys = 2'000, probes = 20'000;
    for (const std::string spec : {"blocked512", "classic", "split256", "register64"}) {
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

TEST(FilterBank, SizesAreTheSmallestAndRowsTheFewestThatCostLittle) {
    for (const double wanted : {0.01, 0.005, 1e-4}) {
        const FilterBank bank = FilterBank::for_fpr(64, 100'000, wanted);
        EXPECT_LE(bank.expected_fpr(), wanted);
        EXPECT_GT(fpr::expected(bank.layout(), 100'000, bank.blocks() - 1), wanted);
        const auto best = CacheLineBloom::for_fpr(100'000, wanted, {.spec = "blocked512"});
        EXPECT_LT(bank.layout().k, best.layout().k);
        EXPECT_LE(static_cast<double>(bank.blocks()), 1.0625 * static_cast<double>(best.blocks()));
        Layout fewer = bank.layout();
        --fewer.k;
        EXPECT_GT(fpr::expected(fewer, 100'000, best.blocks() * 17 / 16), wanted);
        EXPECT_EQ(bank.size_in_bytes(), bank.rows() * 8);

        const auto of_bits = FilterBank::with_bits_per_key(64, 100'000, 12);
        EXPECT_EQ(of_bits.blocks(), 2344u);
        EXPECT_LT(of_bits.layout().k, fpr::best_k(of_bits.layout(), 100'000, of_bits.blocks()));
    }
    const auto fixed = FilterBank::for_fpr(10, 1'000, 0.01, {.spec = "blocked512:k=9"});
    EXPECT_EQ(fixed.spec(), "blocked512:k=9");
    const auto limited = FilterBank::for_fpr(65, 1'000, 1e-9, {.max_bytes = 100'000});
    EXPECT_LE(limited.size_in_bytes(), 100'000u);
    EXPECT_GT(limited.size_in_bytes(), 100'000u - 512 * 16);
    EXPECT_EQ(limited.layout().k,
              fpr::best_k({LayoutKind::blocked512, 0}, 1'000, limited.blocks()));
}

TEST(FilterBank, BadArgumentsAreRefusedByName) {
    EXPECT_INVALID("sets=0", FilterBank::for_fpr(0, 10, 0.01));
    EXPECT_INVALID("n_keys=0", FilterBank::for_fpr(10, 0, 0.01));
    EXPECT_INVALID("fpr=1 ", FilterBank::for_fpr(10, 10, 1.0));
    EXPECT_INVALID("fpr=nan", FilterBank::for_fpr(10, 10, std::nan("")));
    EXPECT_INVALID("bits_per_key=-1", FilterBank::with_bits_per_key(10, 10, -1));
    EXPECT_INVALID("\"cuckoo12\" is not a layout of bits",
                   FilterBank::for_fpr(10, 10, 0.01, {.spec = "cuckoo12"}));
    EXPECT_INVALID("counting", FilterBank::for_fpr(10, 10, 0.01, {.spec = "counting"}));
    EXPECT_INVALID("nothing", FilterBank::for_fpr(10, 10, 0.01, {.spec = "nothing"}));
    EXPECT_LENGTH_ERROR("sets=4294967296", FilterBank::for_fpr(std::size_t{1} << 32, 10, 0.01));
    EXPECT_LENGTH_ERROR("2^64 bytes", FilterBank::with_bits_per_key(0xFFFFFFFFu, 1 << 30, 1000));
    EXPECT_LENGTH_ERROR("max_bytes=4095", FilterBank::for_fpr(64, 10, 0.01, {.max_bytes = 4095}));
    EXPECT_LENGTH_ERROR("8192 bytes is above max_bytes=8191",
                        FilterBank::with_bits_per_key(65, 10, 1, {.max_bytes = 8191}));
    EXPECT_THROW(FilterBank::with_bits_per_key(1 << 20, 1 << 20, 1000), AllocationError);

    FilterBank bank = FilterBank::for_fpr(65, 10, 0.01);
    const std::vector<std::uint64_t> keys{1, 2, 3};
    std::vector<std::uint8_t> bitmaps(48);
    std::vector<std::uint64_t> counts(65);
    EXPECT_OUT_OF_RANGE("set 65 of a bank of 65 sets", bank.insert(65, keys));
    EXPECT_OUT_OF_RANGE("set 65", bank.insert(65, 1));
    EXPECT_OUT_OF_RANGE("set 66", bank.clear_set(66));
    EXPECT_LENGTH_ERROR("47 bytes are too short for 3 keys of 16 bytes",
                        bank.contains(keys, std::span(bitmaps).first(47)));
    EXPECT_LENGTH_ERROR("15 bytes", bank.contains(keys[0], std::span(bitmaps).first(15)));
    EXPECT_LENGTH_ERROR("64 counts is too short for 65 sets",
                        bank.count_per_set(keys, std::span(counts).first(64)));
    EXPECT_INVALID("overlap", bank.count_per_set(counts, counts));
    EXPECT_TRUE(test::is_blank(bank));
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
}

TEST(FilterBank, AMoveLeavesNoSets) {
    auto made = test::make_bank("blocked512", 65, 20);
    auto& bank = made.bank;
    auto& filters = made.filters;
    const FilterBank copy = bank;
    FilterBank moved = std::move(bank);
    const auto keys = test::asked_keys(50, 65);
    ASSERT_NO_FATAL_FAILURE(test::expect_answers_of(moved, filters, keys));
    ASSERT_NO_FATAL_FAILURE(test::expect_answers_of(copy, filters, keys));
    EXPECT_EQ(bank.sets(), 0u);
    EXPECT_EQ(bank.bitmap_bytes(), 0u);
    EXPECT_EQ(bank.size_in_bytes(), 0u);
    bank.contains(keys, {});
    bank.count_per_set(keys, {});
    EXPECT_TRUE(bank.select(keys[0]).empty());
    EXPECT_EQ(bank.expected_fpr(), 0);
    EXPECT_EQ(bank.bits_per_key(), 0);
    EXPECT_INVALID("moved", bank.insert(0, 1));
    EXPECT_INVALID("moved", bank.add_set());
    EXPECT_INVALID("moved", bank.clear());
    EXPECT_INVALID("moved", save(bank));
    bank = moved;
    ASSERT_NO_FATAL_FAILURE(test::expect_answers_of(bank, filters, keys));
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
