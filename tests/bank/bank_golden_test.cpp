// The bytes of banks, pinned by files: tests/golden/bank has some that were saved once, and every
// instruction set and architecture must read them and write them again.
//
// SIMDBLOOM_WRITE_GOLDEN=1 simdbloom_tests --gtest_filter='BankGolden.*' writes those that are
// missing.
#include "bank_support.hpp"
#include "saved_bytes.hpp"

namespace simdbloom {
namespace {

const std::filesystem::path folder = std::filesystem::path(SIMDBLOOM_GOLDEN_FOLDER) / "bank";

/// Of 5 and of 70 sets: rows of a part of a word and of two words.
FilterBank bank_of(std::size_t sets, Isa isa, const char* spec = "register64:k=4") {
    FilterBank bank =
        FilterBank::with_bits_per_key(sets, 4, 8, {.isa = isa, .seed = 7, .spec = spec});
    for (std::size_t s = 0; s < sets; ++s) bank.insert(s, test::random_keys(4, 4 * s));
    bank.insert(0, std::string_view("key"));
    return bank;
}
CompactBank compact_of(Isa isa) {
    std::vector<std::size_t> sizes(20, 3);
    sizes[2] = sizes[11] = 60;
    CompactBank bank =
        CompactBank::with_bits_per_key(sizes, 8, {.isa = isa, .seed = 7, .spec = "register64:k=4"});
    for (std::size_t s = 0; s < 20; ++s) bank.insert(s, test::random_keys(sizes[s], 60 * s));
    bank.insert(0, std::string_view("key"));
    return bank;
}

template <class Bank, class Make>
void expect_golden(const std::string& name, const Make& make) {
    const auto path = folder / name;
    if (const char* const wanted = std::getenv("SIMDBLOOM_WRITE_GOLDEN");
        wanted != nullptr && std::string_view(wanted) == "1" && !std::filesystem::exists(path)) {
        save_file(make(Isa::scalar), path);
        ADD_FAILURE() << "wrote " << path << ": to be looked at and committed";
    }
    const test::Bytes bytes = test::read_bytes(path);
    EXPECT_LT(bytes.size(), 3'000u) << path;
    for (const Isa isa : usable_isas()) {
        SCOPED_TRACE(to_string(isa));
        const Bank made = make(isa);
        EXPECT_EQ(save(made), bytes);
        const auto loaded = load_file<Bank>(path, {.isa = isa});
        ASSERT_TRUE(loaded) << loaded.error().message;
        EXPECT_EQ(save(*loaded), bytes);
        const auto keys = test::random_keys(20'000);
        std::vector<std::uint64_t> counts(made.sets()), expected(made.sets());
        made.count_per_set(keys, expected);
        (*loaded).count_per_set(keys, counts);
        EXPECT_EQ(counts, expected);
        EXPECT_EQ((*loaded).select(std::string_view("key"))[0], 0u);
    }
}

TEST(BankGolden, SavedBanksAreReadAndWrittenTheSame) {
    expect_golden<FilterBank>("5.bank", [](Isa isa) { return bank_of(5, isa); });
    expect_golden<FilterBank>("70.bank", [](Isa isa) { return bank_of(70, isa); });
    expect_golden<FilterBank>("pairs.bank",
                              [](Isa isa) { return bank_of(20, isa, "paired512:k=6"); });
    expect_golden<CompactBank>("unequal.bank", compact_of);
}

}  // namespace
}  // namespace simdbloom
