// Banks of either type answer as their sets do one by one.
#include "at_once.hpp"
#include "bank_support.hpp"
#include "saved_checks.hpp"

namespace simdbloom {
namespace {

template <class Bank>
class EveryBank : public ::testing::Test {};
TYPED_TEST_SUITE(EveryBank, test::BankTypes);

/// On every instruction set the bank answers batches of these lengths as its filters do.
template <class Bank, class Filter = AnyFilter>
void expect_answers_on_every_isa(const std::string& spec, std::size_t sets, std::size_t keys,
                                 std::initializer_list<std::size_t> lengths) {
    auto [bank, filters] = test::make_bank<Bank, Filter>(spec, sets, keys);
    ASSERT_NO_FATAL_FAILURE(test::expect_columns(bank, filters));
    for (const auto& its : test::banks_of(bank)) EXPECT_TRUE(its.spec().starts_with(spec));
    for (const Isa isa : usable_isas()) {
        bank.use_isa(isa);
        EXPECT_EQ(bank.isa(), isa);
        for (const std::size_t n : lengths) {
            SCOPED_TRACE(spec + ", " + std::string(to_string(isa)) +
                         ", sets: " + std::to_string(sets) + ", keys: " + std::to_string(n));
            ASSERT_NO_FATAL_FAILURE(
                test::expect_answers_of(bank, filters, test::asked_keys(n, sets)));
        }
    }
}

/// Promise of EveryBank/*, FilterBank.*, BankSets.*, CompactBank.*: A bank answers for each set as
///   a filter of its keys does, bit for bit, on every instruction set; its FPR follows the model.
TYPED_TEST(EveryBank, EveryLayoutAnswersAsItsFiltersOnEveryIsa) {
    for (const auto& spec : test::bloom_specs())
        for (const std::size_t sets : {3u, 12u, 30u, 90u})
            ASSERT_NO_FATAL_FAILURE(
                expect_answers_on_every_isa<TypeParam>(spec, sets, 150, {1, 33, 100}));
}

TYPED_TEST(EveryBank, RowsInPairsAnswerAsTheirSetsOnEveryIsa) {
    for (const std::string k : {"", ":k=2", ":k=4", ":k=6", ":k=16"})
        for (const std::size_t sets : {1u, 8u, 12u, 30u, 64u, 65u, 130u, 520u})
            ASSERT_NO_FATAL_FAILURE((expect_answers_on_every_isa<TypeParam, test::SetOfPairs>(
                "paired512" + k, sets, 150, {0, 1, 7, 8, 9, 33, 100})));
}

TYPED_TEST(EveryBank, EveryNumberOfSetsAndKeysOnEveryIsa) {
    for (const std::size_t sets :
         {1u,   2u,   7u,   8u,    9u,    16u,   17u,   32u,   33u,   63u,
          64u,  65u,  127u, 128u,  129u,  192u,  200u,  256u,  320u,  511u,
          512u, 513u, 577u, 1023u, 1024u, 1025u, 2049u, 4095u, 4096u, 4097u}) {
        if (sets > 600 && std::same_as<TypeParam, CompactBank>) break;  // rows of FilterBanks
        const auto expect = [&](std::initializer_list<std::size_t> lengths) {
            expect_answers_on_every_isa<TypeParam>("blocked512", sets, 40, lengths);
        };
        // Rows of more than a line are prefetched 32 keys ahead, key by key from 48 keys on.
        ASSERT_NO_FATAL_FAILURE(expect({0, 1, 2, 7, 8, 9, 31, 32, 33, 47, 48, 49}));
        if (sets < 600) {
            ASSERT_NO_FATAL_FAILURE(expect({64, 65, 200}));
        }
    }
    if constexpr (std::same_as<TypeParam, FilterBank>) {
        for (const std::string spec : {"classic:k=12", "classic:k=30"})  // 16 and 8 keys ahead
            ASSERT_NO_FATAL_FAILURE(expect_answers_on_every_isa<TypeParam>(
                spec, 4097, 2, {7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 32, 33}));
    }
    for (const std::size_t piece : {1023u, 1024u, 1025u, 3000u})
        ASSERT_NO_FATAL_FAILURE(
            expect_answers_on_every_isa<TypeParam>("blocked512", 300, 40, {piece}));
}

TYPED_TEST(EveryBank, TakesEveryKindOfKey) {
    for (const Options& options :
         {Options{.seed = 5}, Options{.hashing = Hashing::keyed, .secret = Secret{1, 2}},
          Options{.hashing = Hashing::seeded}}) {
        std::vector<std::size_t> sizes(100, 10);
        sizes[1] = 100'000;
        auto bank = test::bank_for_fpr<TypeParam>(sizes, 1e-6, options);
        ASSERT_EQ(test::banks_of(bank).size(), (std::same_as<TypeParam, CompactBank> ? 2u : 1u));
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
        EXPECT_EQ(bank.count(std::string_view("text")), 1u);
        std::vector<std::uint64_t> counts(100), expected(100);
        expected[99] = 3;
        bank.count_per_set(texts, counts);
        EXPECT_EQ(counts, expected);
        EXPECT_EQ(bank.select_sets(texts, 3), Sets{99});
        std::vector<std::uint8_t> bitmaps(3 * 16);
        bank.contains(narrow, bitmaps);
        for (std::size_t i = 0; i < bitmaps.size(); ++i) EXPECT_EQ(bitmaps[i], i % 16 == 0 ? 2 : 0);
    }
}

TYPED_TEST(EveryBank, BadArgumentsAreRefusedByName) {
    using Sizes = std::vector<std::size_t>;
    const auto for_fpr = [](double fpr, const Options& options = {}) {
        return test::bank_for_fpr<TypeParam>({10, 100'000}, fpr, options);
    };
    EXPECT_INVALID("sets=0", test::bank_for_fpr<TypeParam>({}, 0.01));
    EXPECT_INVALID("fpr=1 ", for_fpr(1.0));
    EXPECT_INVALID("fpr=nan", for_fpr(std::nan("")));
    EXPECT_INVALID("bits_per_key=-1", test::bank_of_bits<TypeParam>({10}, -1, {}));
    for (const std::string spec : {"cuckoo12", "counting"})
        EXPECT_INVALID("\"" + spec + "\" is not a layout of bits", for_fpr(0.01, {.spec = spec}));
    EXPECT_INVALID("nothing", for_fpr(0.01, {.spec = "nothing"}));
    for (const std::string k : {"1", "5", "18", "0"})
        EXPECT_INVALID("\"paired512:k=" + k + "\": k=" + k + " is not in 2..16 in steps of 2",
                       for_fpr(0.01, {.spec = "paired512:k=" + k}));
    for (const std::string rest : {":", ":k=", ":k=4,", ":z=2", ":k=4x"})
        EXPECT_INVALID("\"" + rest + "\" is not of the form :k=6",
                       for_fpr(0.01, {.spec = "paired512" + rest}));
    EXPECT_INVALID("paired5120", for_fpr(0.01, {.spec = "paired5120"}));
    EXPECT_INVALID("paired512", make_filter("paired512", 10, 8));
    EXPECT_THROW(test::bank_of_bits<TypeParam>(Sizes(1 << 20, 1 << 20), 1000, {}), AllocationError);

    Sizes sizes(65, 10);
    sizes[5] = 10'000;
    auto bank = test::bank_for_fpr<TypeParam>(sizes, 0.01);
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
    for (const auto& its : test::banks_of(bank)) EXPECT_TRUE(test::is_blank(its));
}

/// A bank that cannot change, for a reason with this word in it, says so.
template <class Bank>
void expect_no_change(Bank& bank, const std::string& says) {
    EXPECT_INVALID(says, bank.insert(0, 1));
    EXPECT_INVALID(says, bank.insert_hash(0, 1));
    EXPECT_INVALID(says, bank.clear());
    EXPECT_INVALID(says, test::add_large_set(bank));
    if constexpr (std::same_as<Bank, CompactBank>) EXPECT_INVALID(says, bank.add_set(1));
}

TYPED_TEST(EveryBank, AMoveLeavesNoSets) {
    auto made = test::make_bank<TypeParam>("blocked512", 65, 20);
    TypeParam& bank = made.bank;
    const auto& filters = made.filters;
    const TypeParam copy = bank;
    TypeParam moved = std::move(bank);
    const auto keys = test::asked_keys(50, 65);
    ASSERT_NO_FATAL_FAILURE(test::expect_answers_of(moved, filters, keys));
    ASSERT_NO_FATAL_FAILURE(test::expect_answers_of(copy, filters, keys));
    EXPECT_EQ(bank.sets(), 0u);
    EXPECT_EQ(bank.bitmap_bytes(), 0u);
    EXPECT_EQ(bank.size_in_bytes(), 0u);
    bank.contains(keys, {});
    bank.count_per_set(keys, {});
    EXPECT_TRUE(bank.select(keys[0]).empty());
    expect_no_change(bank, "moved");
    EXPECT_INVALID("moved", save(bank));
    bank = moved;
    ASSERT_NO_FATAL_FAILURE(test::expect_answers_of(bank, filters, keys));
}

TYPED_TEST(EveryBank, ThreadsInsertIntoSetsOfDifferentBytesAndCountAtOnce) {
    const auto serial = test::make_bank<TypeParam>("blocked512", 64, 2'000).bank;
    TypeParam bank = serial;
    bank.clear();
    const auto sizes = test::unequal_sizes(64);
    const auto threads = static_cast<unsigned>(8 * test::banks_of(bank).size());
    test::at_once(threads, [&](unsigned t) {
        for (std::size_t s = 0; s < 64; ++s)
            if (const auto at = test::place_of(bank, s); at.bank * 8 + at.column / 8 == t)
                bank.insert(s, test::keys_of_set(
                                   s, std::same_as<TypeParam, CompactBank> ? sizes[s] : 2'000));
    });
    test::expect_same_bank(bank, serial);
    const auto keys = test::asked_keys(3'000, 64);
    std::vector<std::vector<std::uint64_t>> counts(5, std::vector<std::uint64_t>(64));
    bank.count_per_set(keys, counts[4]);
    test::at_once(4, [&](unsigned t) { bank.count_per_set(keys, counts[t]); });
    for (const auto& of_thread : counts) EXPECT_EQ(of_thread, counts[4]);
    std::vector<std::vector<std::uint8_t>> bitmaps(5, std::vector<std::uint8_t>(8 * 3'000));
    test::at_once(5, [&](unsigned t) { bank.contains(keys, bitmaps[t]); });
    for (const auto& of_thread : bitmaps) EXPECT_EQ(of_thread, bitmaps[0]);
}

TYPED_TEST(EveryBank, ComesBackFromBytesViewsAndFiles) {
    const test::TemporaryFolder folder("bank");
    auto specs = test::bloom_specs();
    specs.insert(specs.end(), {"paired512", "paired512:k=4"});
    for (const auto& spec : specs)
        for (const std::size_t sets : {1u, 89u, 8u, 16u, 63u, 64u}) {
            if (sets == 8 && std::same_as<TypeParam, CompactBank>) break;  // rows of FilterBanks
            SCOPED_TRACE(spec + ", sets: " + std::to_string(sets));
            auto bank = test::bank_of_bits<TypeParam>(std::vector<std::size_t>(sets, 20), 8,
                                                      {.seed = 77, .spec = spec});
            for (std::size_t s = 0; s < sets; ++s) bank.insert(s, test::keys_of_set(s, 20));
            if (sets > 1) bank.insert(test::add_large_set(bank), test::keys_of_set(sets, 20));
            test::expect_comes_back<TypeParam>(bank, folder.path / "bank",
                                               test::expect_same_bank<TypeParam>);
            auto loaded = load<TypeParam>(save(bank)).value();
            loaded.insert(0, 5);
            EXPECT_EQ(test::add_large_set(loaded), bank.sets());
        }
}

TYPED_TEST(EveryBank, AViewCannotChangeAndItsCopyCan) {
    const test::TemporaryFolder folder("bank_view");
    const auto path = folder.path / "bank";
    const auto bank = test::make_bank<TypeParam>("blocked512", 65, 20).bank;
    save_file(bank, path);
    const test::Aligned aligned(save(bank));
    const auto expect_fixed = [&](TypeParam& there) {
        expect_no_change(there, "view");
        EXPECT_INVALID("view", there.clear_set(0));
        EXPECT_INVALID("view", test::resize(there, 3));
        test::expect_same_bank(bank, there);
    };
    TypeParam mapped = map_file<TypeParam>(path).value(),
              viewed = view<TypeParam>(aligned.bytes).value();
    expect_fixed(mapped);
    expect_fixed(viewed);
    std::filesystem::remove(path);
    test::expect_same_bank(bank, mapped);
    TypeParam copy = mapped;
    copy.insert(64, 123'456'789);
    EXPECT_EQ(copy.select(123'456'789), std::vector<std::uint32_t>{64});
    EXPECT_EQ(test::add_large_set(copy), 65u);
    EXPECT_FALSE(view<TypeParam>(aligned.bytes.subspan(1)));
}

}  // namespace
}  // namespace simdbloom
