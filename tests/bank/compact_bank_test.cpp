// Banks of sets of unequal size answer as their sets do one by one.
#include "compact_support.hpp"

#include <thread>

#include "simdbloom/fpr.hpp"

namespace simdbloom {
namespace {

/// The bits of every set are those of a filter of the core.
void expect_columns_of(const CompactBank& bank, const std::vector<AnyFilter>& filters) {
    for (std::uint32_t b = 0; b < bank.banks().size(); ++b) {
        std::vector<AnyFilter> its;
        for (std::size_t s = 0; s < filters.size(); ++s)
            if (bank.place(s).bank == b) {
                ASSERT_EQ(bank.place(s).column, its.size());
                its.push_back(filters[s]);
            }
        ASSERT_EQ(bank.banks()[b].sets(), its.size());
        ASSERT_NO_FATAL_FAILURE(test::expect_columns(bank.banks()[b], its));
    }
}

TEST(CompactBank, EveryLayoutAnswersAsItsFiltersOnEveryIsa) {
    for (const auto& spec : test::bloom_specs()) {
        const auto sizes = test::unequal_sizes(90);
        auto made = test::make_compact(spec, sizes);
        auto& bank = made.bank;
        auto& filters = made.filters;
        EXPECT_GT(bank.banks().size(), 1u);
        ASSERT_NO_FATAL_FAILURE(expect_columns_of(bank, filters));
        for (const Isa isa : usable_isas()) {
            bank.use_isa(isa);
            EXPECT_EQ(bank.isa(), isa);
            SCOPED_TRACE(spec + ", " + std::string(to_string(isa)));
            for (const std::size_t n : {1u, 100u})
                ASSERT_NO_FATAL_FAILURE(
                    test::expect_answers_of(bank, filters, test::asked_keys(n, 90)));
        }
    }
}

TEST(CompactBank, EveryNumberOfSetsAndKeysOnEveryIsa) {
    for (const std::size_t sets : {1u, 7u, 8u, 9u, 63u, 64u, 65u, 128u, 200u, 513u}) {
        auto made = test::make_compact("blocked512", test::unequal_sizes(sets));
        auto& bank = made.bank;
        auto& filters = made.filters;
        ASSERT_NO_FATAL_FAILURE(expect_columns_of(bank, filters));
        for (const Isa isa : usable_isas()) {
            bank.use_isa(isa);
            for (const std::size_t n : {0u, 1u, 2u, 33u, 200u}) {
                SCOPED_TRACE(std::string(to_string(isa)) + ", sets: " + std::to_string(sets) +
                             ", keys: " + std::to_string(n));
                ASSERT_NO_FATAL_FAILURE(
                    test::expect_answers_of(bank, filters, test::asked_keys(n, sets)));
            }
        }
    }
}

TEST(CompactBank, BatchesOfMoreThanAPiece) {
    auto made = test::make_compact("blocked512", test::unequal_sizes(300));
    for (const std::size_t n : {1023u, 1024u, 1025u, 3000u})
        ASSERT_NO_FATAL_FAILURE(
            test::expect_answers_of(made.bank, made.filters, test::asked_keys(n, 300)));
}

TEST(CompactBank, TakesEveryKindOfKey) {
    for (const Options& options :
         {Options{.seed = 5}, Options{.hashing = Hashing::keyed, .secret = Secret{1, 2}},
          Options{.hashing = Hashing::seeded}}) {
        std::vector<std::size_t> sizes(100, 10);
        sizes[1] = 100'000;
        CompactBank bank = CompactBank::for_fpr(sizes, 1e-6, options);
        ASSERT_EQ(bank.banks().size(), 2u);
        const std::vector<std::int32_t> narrow{-1, 7, 1'000'000};
        const std::vector<std::string> texts{"x", "a key", ""};
        const std::vector<std::uint64_t> hashes{1, 0x123456789abcdefu};
        bank.insert(1, narrow);
        bank.insert(99, texts);
        bank.insert(2, Keys::hashes(hashes));
        bank.insert(1, std::uint64_t{9});
        bank.insert(99, std::uint64_t{9});
        bank.insert(0, std::string_view("text"));
        using Sets = std::vector<std::uint32_t>;
        for (const auto key : narrow)
            EXPECT_EQ(bank.select(static_cast<std::uint64_t>(std::int64_t{key})), Sets{1});
        for (const auto& text : texts) EXPECT_EQ(bank.select(text), Sets{99});
        for (const auto hash : hashes) EXPECT_EQ(bank.select_hash(hash), Sets{2});
        EXPECT_EQ(bank.select(9), (Sets{1, 99}));
        EXPECT_EQ(bank.count(9), 2u);
        EXPECT_EQ(bank.select(std::string_view("text")), Sets{0});
        std::vector<std::uint64_t> counts(100), expected(100);
        expected[99] = 3;
        bank.count_per_set(texts, counts);
        EXPECT_EQ(counts, expected);
        EXPECT_EQ(bank.select_sets(texts, 3), Sets{99});
        bank.set_key_kind(KeyKind::integers);
        for (const auto& its : bank.banks()) EXPECT_EQ(its.key_kind(), KeyKind::integers);
    }
}

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

/// Of the bits and the lines of a row of each bank, for 72 sets and k = 5: several banks
/// write, read and write the bitmap.
double bits_times_lines(const std::vector<std::pair<double, double>>& banks) {
    double bits = 0, lines = banks.size() == 1 ? 72.0 / 512 : 3 * 72.0 / 512;
    for (const auto& [its, of_row] : banks) bits += its, lines += 5 * of_row;
    return bits * lines;
}

TEST(CompactBank, NoCutHasFewerBitsTimesLines) {
    const auto bank_of = [](const FilterBank& bank) {
        return std::pair(static_cast<double>(bank.size_in_bytes()),
                         std::ceil(static_cast<double>(bank.row_bytes()) / 64));
    };
    double (*const distributions[])(std::size_t) = {
        [](std::size_t s) { return 1 + static_cast<double>(s) / 72; },
        [](std::size_t s) { return std::pow(10.0, static_cast<double>(s % 4)); },
        [](std::size_t s) { return 1 / static_cast<double>(s + 1); },
        [](std::size_t s) { return s == 71 ? 30.0 : 1.0; },
    };
    for (const auto& of : distributions) {
        std::vector<std::size_t> sizes;
        for (std::size_t s = 0; s < 72; ++s)
            sizes.push_back(static_cast<std::size_t>(20'000 * of(s)));
        const Options options{.spec = "blocked512:k=5"};
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

TEST(CompactBank, FprFollowsTheModel) {
    constexpr std::size_t probes = 200'000;
    std::vector<std::size_t> sizes;
    for (std::size_t s = 0; s < 200; ++s) sizes.push_back(s % 50 == 0 ? 20'000 : 100 + 10 * s);
    CompactBank bank = CompactBank::for_fpr(sizes, 0.01, {.seed = 3});
    ASSERT_GT(bank.banks().size(), 1u);
    for (std::size_t s = 0; s < 200; ++s) bank.insert(s, test::random_keys(sizes[s], s * 100'000));
    std::vector<std::uint64_t> counts(200);
    bank.count_per_set(test::random_keys(probes, 1u << 30), counts);
    for (std::size_t s = 0; s < 200; ++s) {
        const auto& its = bank.banks()[bank.place(s).bank];
        const double expected = bank.expected_fpr(s);
        const double deviation = std::hypot(std::sqrt(expected * (1 - expected) / probes),
                                            fpr::deviation(its.layout(), sizes[s], its.blocks()));
        EXPECT_NEAR(static_cast<double>(counts[s]) / probes, expected, 5 * deviation) << s;
    }
}

TEST(CompactBank, SetsAreAddedAndCleared) {
    auto sizes = test::unequal_sizes(70);
    auto made = test::make_compact("blocked512", sizes);
    auto& bank = made.bank;
    auto& filters = made.filters;
    const auto expect = [&] {
        ASSERT_NO_FATAL_FAILURE(expect_columns_of(bank, filters));
        ASSERT_NO_FATAL_FAILURE(
            test::expect_answers_of(bank, filters, test::asked_keys(40, filters.size())));
    };
    const std::size_t largest = std::ranges::max(sizes);
    for (const std::size_t keys : {std::size_t{0}, std::size_t{3}, largest, std::size_t{5'000},
                                   std::size_t{4'999}, std::size_t{1}}) {
        EXPECT_EQ(bank.add_set(keys), filters.size());
        const std::size_t set = filters.size();
        EXPECT_EQ(bank.n_keys(set), keys);
        EXPECT_GE(bank.banks()[bank.place(set).bank].n_keys(), keys);
        EXPECT_LE(bank.expected_fpr(set), bank.banks()[0].expected_fpr());
        filters.push_back(test::filter_of_set(bank, set, {.seed = 77}));
        ASSERT_NO_FATAL_FAILURE(expect());
        const auto its = test::keys_of_set(set, keys);
        bank.insert(set, its);
        filters.back().insert(its);
    }
    EXPECT_EQ(bank.place(73).column, 0u) << "no bank was for 5,000 keys";
    EXPECT_EQ(bank.place(74), (CompactBank::Place{bank.place(73).bank, 1}));
    EXPECT_NE(bank.place(75).bank, bank.place(73).bank);
    for (const std::size_t s : {0u, 64u, 69u, 73u}) {
        bank.clear_set(s);
        filters[s] = test::filter_of_set(bank, s, {.seed = 77});
        ASSERT_NO_FATAL_FAILURE(expect());
    }
    bank.clear();
    for (const auto& its : bank.banks()) EXPECT_TRUE(test::is_blank(its));
    EXPECT_EQ(bank.sets(), 76u);
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
    EXPECT_EQ(bank.sets(), 1u);
    EXPECT_EQ(bank.banks().size(), 1u);
    EXPECT_EQ(bank.add_set(1'000), 1u);
}

TEST(CompactBank, BadArgumentsAreRefusedByName) {
    using Sizes = std::vector<std::size_t>;
    const Sizes two{10, 100'000};
    EXPECT_INVALID("sets=0", CompactBank::for_fpr({}, 0.01));
    EXPECT_INVALID("fpr=1 ", CompactBank::for_fpr(two, 1.0));
    EXPECT_INVALID("fpr=nan", CompactBank::for_fpr(two, std::nan("")));
    EXPECT_INVALID("bits_per_key=-1", CompactBank::with_bits_per_key(two, -1));
    EXPECT_INVALID("\"cuckoo12\" is not a layout of bits",
                   CompactBank::for_fpr(two, 0.01, {.spec = "cuckoo12"}));
    EXPECT_THROW(CompactBank::for_fpr(Sizes(100, SIZE_MAX), 0.01), std::length_error);
    EXPECT_THROW(CompactBank::with_bits_per_key(Sizes(1 << 20, 1 << 20), 1000), AllocationError);
    EXPECT_EQ(CompactBank::for_fpr(Sizes(3, 0), 0.01).expected_fpr(2), 0) << "of no keys";

    std::vector<std::size_t> sizes(65, 10);
    sizes[5] = 10'000;
    CompactBank bank = CompactBank::for_fpr(sizes, 0.01);
    ASSERT_EQ(bank.banks().size(), 2u);
    const std::vector<std::uint64_t> keys{1, 2, 3};
    std::vector<std::uint8_t> bitmaps(48);
    std::vector<std::uint64_t> counts(65);
    EXPECT_OUT_OF_RANGE("set 65 of a bank of 65 sets", bank.insert(65, keys));
    EXPECT_OUT_OF_RANGE("set 65", bank.insert(65, 1));
    EXPECT_OUT_OF_RANGE("set 66", bank.clear_set(66));
    EXPECT_OUT_OF_RANGE("set 67", (void)bank.n_keys(67));
    EXPECT_OUT_OF_RANGE("set 68", (void)bank.expected_fpr(68));
    EXPECT_OUT_OF_RANGE("set 69", (void)bank.place(69));
    EXPECT_LENGTH_ERROR("47 bytes are too short for 3 keys of 16 bytes",
                        bank.contains(keys, std::span(bitmaps).first(47)));
    EXPECT_LENGTH_ERROR("15 bytes", bank.contains(keys[0], std::span(bitmaps).first(15)));
    EXPECT_LENGTH_ERROR("64 counts is too short for 65 sets",
                        bank.count_per_set(keys, std::span(counts).first(64)));
    EXPECT_INVALID("overlap", bank.count_per_set(counts, counts));
    for (const auto& its : bank.banks()) EXPECT_TRUE(test::is_blank(its));
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

TEST(CompactBank, AMoveLeavesNoSets) {
    auto made = test::make_compact("blocked512", test::unequal_sizes(65));
    auto& bank = made.bank;
    auto& filters = made.filters;
    const CompactBank copy = bank;
    CompactBank moved = std::move(bank);
    const auto keys = test::asked_keys(50, 65);
    ASSERT_NO_FATAL_FAILURE(test::expect_answers_of(moved, filters, keys));
    ASSERT_NO_FATAL_FAILURE(test::expect_answers_of(copy, filters, keys));
    EXPECT_EQ(bank.sets(), 0u);
    EXPECT_EQ(bank.size_in_bytes(), 0u);
    bank.contains(keys, {});
    bank.count_per_set(keys, {});
    EXPECT_TRUE(bank.select(keys[0]).empty());
    EXPECT_INVALID("moved", bank.insert(0, 1));
    EXPECT_INVALID("moved", bank.add_set(1));
    EXPECT_INVALID("moved", bank.clear());
    bank = moved;
    ASSERT_NO_FATAL_FAILURE(test::expect_answers_of(bank, filters, keys));
}

TEST(CompactBank, ThreadsInsertIntoBanksAtOnce) {
    const auto sizes = test::unequal_sizes(64);
    const auto serial = test::make_compact("blocked512", sizes);
    auto bank = CompactBank::with_bits_per_key(sizes, 8, {.seed = 77});
    std::vector<std::thread> threads;
    for (std::uint32_t b = 0; b < bank.banks().size(); ++b)
        for (std::uint32_t column = 0; column < bank.banks()[b].sets(); column += 8)
            threads.emplace_back([&, b, column] {
                for (std::size_t s = 0; s < 64; ++s)
                    if (bank.place(s).bank == b && bank.place(s).column / 8 == column / 8)
                        bank.insert(s, test::keys_of_set(s, sizes[s]));
            });
    for (auto& thread : threads) thread.join();
    for (std::size_t b = 0; b < bank.banks().size(); ++b)
        EXPECT_TRUE(test::same_bits(bank.banks()[b], serial.bank.banks()[b]));
    test::expect_one_count_on_four_threads(bank);
}

}  // namespace
}  // namespace simdbloom
