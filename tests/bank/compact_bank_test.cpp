// Banks of sets of unequal size: into which banks the sets go, and their FPR and limits.
#include "bank_support.hpp"
#include "simdbloom/fpr.hpp"

namespace simdbloom {
namespace {

TEST(CompactBank, SortedSetsTakeFewerBitsThanSetsOfTheLargestSize) {
    std::vector<std::size_t> sizes;
    for (std::size_t s = 0; s < 512; ++s)  // in no order
        sizes.push_back(10'000'000 / (s * 301 % 512 + 1));
    const auto bank = CompactBank::for_fpr(sizes, 0.005);
    const auto largest = FilterBank::for_fpr(512, sizes[0], 0.005);
    double bits = 0;
    for (const auto n : sizes) bits += static_cast<double>(n) * largest.bits_per_key();
    EXPECT_LE(bank.banks().size(), 6u);
    EXPECT_LT(8 * static_cast<double>(bank.size_in_bytes()), 12 * bits);
    EXPECT_LT(bank.size_in_bytes(), largest.size_in_bytes() / 5);
    std::uint64_t before = UINT64_MAX;
    for (const auto& its : bank.banks()) {
        EXPECT_LT(its.n_keys(), before) << "that of the largest first";
        before = its.n_keys();
    }
    for (std::size_t s = 0; s < 512; ++s) {
        EXPECT_EQ(bank.n_keys(s), sizes[s]);
        EXPECT_LE(bank.expected_fpr(s), 0.005);
        const auto& its = bank.banks()[bank.place(s).bank];
        EXPECT_LE(sizes[s], its.n_keys());
        EXPECT_EQ(bank.expected_fpr(s), fpr::expected(its.layout(), sizes[s], its.blocks()));
    }
    // Sets of one size are one bank, in order, of the same bits.
    const std::vector<std::size_t> equal(100, 1'000);
    const auto one = CompactBank::for_fpr(equal, 0.01);
    ASSERT_EQ(one.banks().size(), 1u);
    EXPECT_EQ(one.size_in_bytes(), FilterBank::for_fpr(100, 1'000, 0.01).size_in_bytes());
}

/// Of the bits and the lines of a key's rows in each bank, for 72 sets: several banks write, read
/// and write the bitmap.
double bits_times_lines(const std::vector<std::pair<double, double>>& banks) {
    double bits = 0, lines = banks.size() == 1 ? 72.0 / 512 : 3 * 72.0 / 512;
    for (const auto& [its, of_rows] : banks) bits += its, lines += of_rows;
    return bits * lines;
}

TEST(CompactBank, NoCutHasFewerBitsTimesLines) {
    const auto bank_of = [](const FilterBank& bank) {
        return std::pair(static_cast<double>(bank.size_in_bytes()), bank.spec() == "blocked512:k=5"
                                                                        ? 5.0
                                                                    : bank.row_bytes() <= 8 ? 2.0
                                                                                            : 4.0);
    };
    double (*const distributions[])(std::size_t) = {
        [](std::size_t s) { return 1 + static_cast<double>(s) / 72; },
        [](std::size_t s) { return std::pow(10.0, static_cast<double>(s % 4)); },
        [](std::size_t s) { return 1 / static_cast<double>(s + 1); },
        [](std::size_t s) { return s == 71 ? 30.0 : 1.0; },
    };
    for (const auto& of : distributions)
        for (const std::string spec : {"blocked512:k=5", "paired512:k=4"}) {
            std::vector<std::size_t> sizes;
            for (std::size_t s = 0; s < 72; ++s)
                sizes.push_back(static_cast<std::size_t>(20'000 * of(s)));
            const Options options{.spec = spec};
            const auto bank = CompactBank::with_bits_per_key(sizes, 10, options);
            std::vector<std::pair<double, double>> chosen;
            for (const auto& its : bank.banks()) chosen.push_back(bank_of(its));
            std::ranges::sort(sizes, std::greater<>());
            std::vector<std::pair<double, double>> made[9];  // [first eight][eights more]
            for (std::size_t i = 0; i < 9; ++i)
                for (std::size_t n = 8; 8 * i + n <= 72; n += 8)
                    made[i].push_back(
                        bank_of(FilterBank::with_bits_per_key(n, sizes[8 * i], 10, options)));
            double least = HUGE_VAL;
            for (unsigned cuts = 0; cuts < 1u << 8; ++cuts) {
                std::vector<std::pair<double, double>> banks;
                for (std::size_t i = 0, end = 1; end <= 9; ++end)
                    if (end == 9 || (cuts >> (end - 1) & 1) != 0) {
                        banks.push_back(made[i][end - i - 1]);
                        i = end;
                    }
                least = std::min(least, bits_times_lines(banks));
            }
            EXPECT_LE(bits_times_lines(chosen), 1.001 * least) << bank.banks().size();
        }
}

TEST(CompactBank, AFurtherBankPaysForItsLines) {
    const auto banks = [](std::size_t sets, double ratio) {
        std::vector<std::size_t> sizes(sets, 10'000);
        for (std::size_t s = 0; s < sets; s += 2)
            sizes[s] = static_cast<std::size_t>(10'000 * ratio);
        return CompactBank::for_fpr(sizes, 0.005).banks().size();
    };
    // Half of the rows are saved by a bank of twice the lines, and never more.
    EXPECT_EQ(banks(64, 2), 1u);
    EXPECT_EQ(banks(64, 1e-3), 1u);
    EXPECT_EQ(banks(512, 2), 1u);
    // Rows of 512 sets are whole lines: a second bank reads no more, but has a bitmap of its own.
    EXPECT_EQ(banks(1'024, 1.1), 1u);
    EXPECT_EQ(banks(1'024, 4), 2u);
}

TEST(CompactBank, SetsTheKindOfItsKeys) {
    CompactBank bank = CompactBank::for_fpr(test::unequal_sizes(90), 0.01);
    bank.set_key_kind(KeyKind::integers);
    for (const auto& its : bank.banks()) EXPECT_EQ(its.key_kind(), KeyKind::integers);
}

TEST(CompactBank, SetsAreAddedAndCleared) {
    auto made = test::make_bank<CompactBank>("blocked512", 70, 0);
    auto& [bank, filters] = made;
    const auto expect = [](const auto& both) {
        ASSERT_NO_FATAL_FAILURE(test::expect_columns(both.bank, both.filters));
        ASSERT_NO_FATAL_FAILURE(test::expect_answers_of(both.bank, both.filters,
                                                        test::asked_keys(40, both.filters.size())));
    };
    for (const std::size_t keys : {0u, 3u, 512u, 5'000u, 4'999u, 1u}) {
        const std::size_t set = filters.size();
        EXPECT_EQ(bank.add_set(keys), set);
        EXPECT_EQ(bank.n_keys(set), keys);
        EXPECT_GE(bank.banks()[bank.place(set).bank].n_keys(), keys);
        EXPECT_LE(bank.expected_fpr(set), bank.banks()[0].expected_fpr());
        made.add(set, keys);
        ASSERT_NO_FATAL_FAILURE(expect(made));
    }
    EXPECT_EQ(bank.place(73).column, 0u) << "no bank was for 5,000 keys";
    EXPECT_EQ(bank.place(74), (CompactBank::Place{bank.place(73).bank, 1}));
    EXPECT_NE(bank.place(75).bank, bank.place(73).bank);
    for (const std::size_t s : {0u, 64u, 69u, 73u}) {
        bank.clear_set(s);
        filters[s] = test::filter_of_set(bank, s);
        ASSERT_NO_FATAL_FAILURE(expect(made));
    }
    for (const std::size_t sets : {74u, 90u, 70u, 69u, 1u, 70u}) {
        bank.resize(sets, 3);
        while (filters.size() > sets) filters.pop_back();
        while (filters.size() < sets) filters.push_back(test::filter_of_set(bank, filters.size()));
        ASSERT_NO_FATAL_FAILURE(expect(made));
        for (const auto& its : bank.banks()) EXPECT_GT(its.sets(), 0u);
        EXPECT_TRUE(load<CompactBank>(save(bank)));
    }
    bank.clear();
    for (const auto& its : bank.banks()) EXPECT_TRUE(test::is_blank(its));
    EXPECT_EQ(bank.sets(), 70u);
}

TEST(CompactBank, BanksOfManySetsAnswerOnEveryIsa) {
    for (const std::size_t small : {4'031u, 4'032u, 4'033u, 4'096u}) {
        std::vector<std::size_t> sizes(small + 8, 2);
        for (std::size_t s = 0; s < 8; ++s) sizes[500 * s] = 1'000;
        test::BankAndFilters<CompactBank> made{
            CompactBank::with_bits_per_key(sizes, 8, {.spec = "register64"}), {}};
        ASSERT_EQ(made.bank.banks().size(), 2u);
        for (std::size_t s = 0; s < sizes.size(); ++s) made.add(s, sizes[s]);
        for (const Isa isa : usable_isas()) {
            made.bank.use_isa(isa);
            ASSERT_NO_FATAL_FAILURE(test::expect_answers_of(made.bank, made.filters,
                                                            test::asked_keys(130, sizes.size())));
        }
    }
}

TEST(CompactBank, LimitsOfBytesHoldForAllSetsTogether) {
    const auto sizes = test::unequal_sizes(200);
    const auto free = CompactBank::for_fpr(sizes, 1e-6);
    const std::size_t limit = free.size_in_bytes() / 2;
    const auto limited = CompactBank::for_fpr(sizes, 1e-6, {.max_bytes = limit});
    EXPECT_LE(limited.size_in_bytes(), limit);
    EXPECT_GT(limited.size_in_bytes(), limit / 2);
    EXPECT_EQ(
        CompactBank::for_fpr(sizes, 1e-6, {.max_bytes = free.size_in_bytes()}).size_in_bytes(),
        free.size_in_bytes());
    EXPECT_LENGTH_ERROR("max_bytes=1000", CompactBank::for_fpr(sizes, 0.01, {.max_bytes = 1'000}));
    EXPECT_LENGTH_ERROR("max_bytes=5000",
                        CompactBank::with_bits_per_key(sizes, 9, {.max_bytes = 5'000}));
    auto bank =
        CompactBank::with_bits_per_key(std::vector<std::size_t>{100}, 8, {.max_bytes = 100'000});
    EXPECT_LENGTH_ERROR("is above max_bytes=100000", bank.add_set(1'000'000));
    EXPECT_LENGTH_ERROR("is above max_bytes=100000", bank.resize(100'000, 1));
    EXPECT_LENGTH_ERROR("sets=4294967296", bank.resize(std::size_t{1} << 32, 1));
    EXPECT_INVALID("sets=0", bank.resize(0, 1));
    EXPECT_EQ(bank.sets(), 1u);
    EXPECT_EQ(bank.banks().size(), 1u);
    EXPECT_EQ(bank.add_set(1'000), 1u);
}

TEST(CompactBank, BadArgumentsAreRefusedByName) {
    using Sizes = std::vector<std::size_t>;
    EXPECT_THROW(CompactBank::for_fpr(Sizes(100, SIZE_MAX), 0.01), std::length_error);
    EXPECT_EQ(CompactBank::for_fpr(Sizes(3, 0), 0.01).expected_fpr(2), 0) << "of no keys";
    const CompactBank bank = CompactBank::for_fpr(Sizes(65, 10), 0.01);
    EXPECT_OUT_OF_RANGE("set 67", (void)bank.n_keys(67));
    EXPECT_OUT_OF_RANGE("set 68", (void)bank.expected_fpr(68));
    EXPECT_OUT_OF_RANGE("set 69", (void)bank.place(69));
}

TEST(CompactBank, Example) {
    const std::vector<std::uint64_t> keys{1, 2, 3};
    /// Example of CompactBank.
    //! [CompactBank]
    const std::vector<std::size_t> sizes{100, 2'000'000, 3'000, 50};  // keys of each set
    auto bank = CompactBank::for_fpr(sizes, 0.005);
    bank.insert(2, keys);
    const std::vector<std::uint32_t> sets = bank.select(std::uint64_t{2});  // that may have 2
    //! [CompactBank]
    EXPECT_EQ(sets, std::vector<std::uint32_t>{2});
    /// Example of CompactBank::Place.
    //! [Place]
    const CompactBank::Place at = bank.place(1);
    const FilterBank& largest = bank.banks()[at.bank];  // has set 1 in column at.column
    //! [Place]
    EXPECT_EQ(largest.n_keys(), 2'000'000u);
}

}  // namespace
}  // namespace simdbloom
