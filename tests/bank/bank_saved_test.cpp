// Saved banks as documented, and other bytes, which are refused.
#include "allocations.hpp"
#include "bank_support.hpp"
#include "saved_checks.hpp"

namespace simdbloom {
namespace {

using test::Bytes;
using test::expect_refused;
using test::put;

TEST(BankSaved, TheHeaderIsAsDocumented) {
    FilterBank bank = FilterBank::with_bits_per_key(
        66, 10, 1, {.seed = 0x1122334455667788u, .spec = "register32:k=3"});
    bank.insert_hash(65, 0);
    const Bytes bytes = save(bank);
    test::expect_header(bytes, {0x89, 'S', 'B',  'B',  'K',  '\r', '\n', 0x1A, 1,    0,    2,
                                3,    0,   4,    0,    0,    1,    0,    0,    0,    0,    0,
                                0,    0,   0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 10},
                        {{48, 66}});
    // 32 rows of 16 bytes. Hash 0 sets bit 0 alone, three times.
    EXPECT_EQ(bytes.size(), 64u + 32 * 16 + 8);
    for (std::size_t i = 64; i < bytes.size() - 8; ++i)
        EXPECT_EQ(bytes[i], i == 64 + 8 ? std::byte{2} : std::byte{0}) << i;
}

TEST(BankSaved, ForgeriesWithAFittingChecksumAreRefusedByName) {
    using enum LoadFault;
    const Bytes good = save(test::make_bank("blocked512:k=5", 70, 100).bank);  // 2 blocks
    const auto refused = test::refuser<FilterBank>(good);
    refused(structure, "bank", {{4, 'M'}});
    refused(version, "version 2", {{8, 2, 2}});
    refused(layout, "layout 99", {{10, 99}});
    refused(parameter, "layout 8 is not of bits", {{10, 8}, {11, 0}});
    refused(parameter, "k=0", {{11, 0}});
    refused(parameter, "k=17", {{11, 17}});
    refused(parameter, "z=2", {{12, 2}});
    refused(parameter, "z=3", {{10, 6}, {11, 4}, {12, 3}});
    refused(parameter, "hash 5", {{13, 5}});
    refused(secret, "keyed", {{13, 2}, {24, 0, 8}});
    refused(parameter, "reserved", {{14, 1}});
    refused(parameter, "key kind 12", {{15, 12}});
    refused(parameter, "0 blocks", {{16, 0, 8}});
    refused(parameter, "4294967296 blocks", {{16, std::uint64_t{1} << 32, 8}});
    refused(parameter, "one key", {{32, 0, 8}});
    refused(parameter, "reserved", {{40, 1}});
    refused(parameter, "one set", {{48, 0, 4}});
    refused(parameter, "reserved", {{52, 1}});
    refused(parameter, "reserved", {{63, 1}});
    refused(size, "70 sets of 3 blocks of blocked512:k=5 take 24648 bytes, not 16456",
            {{16, 3, 8}});
    refused(size, "129 sets", {{48, 129, 4}});
    refused(size, "2^64", {{48, 0xFFFFFFFFu, 4}, {16, 0xFFFFFFFFu, 8}});
    refused(limit, "16384 bytes", {}, {.max_bytes = 16383});
    refused(parameter, "a bit of set 71 is set in a bank of 70 sets", {{64 + 16 + 8, 0x80}});
    refused(parameter, "a bit of set 127", {{64 + 16'384 - 1, 0x80}});
    refused(parameter, "is set in a bank of 65 sets", {{48, 65, 4}});
    EXPECT_EQ(load<FilterBank>(save(make_filter("split256", 100, 12))).error().fault, structure);
    EXPECT_TRUE(load<FilterBank>(good));
}

TEST(BankSaved, PairsHaveANumberOfTheirOwn) {
    using enum LoadFault;
    const Bytes good =
        save(test::make_bank<FilterBank, test::SetOfPairs>("paired512:k=4", 70, 100).bank);
    EXPECT_EQ(good[10], std::byte{128});
    EXPECT_EQ(good[11], std::byte{4});
    EXPECT_EQ(load<FilterBank>(good).value().spec(), "paired512:k=4");
    const auto refused = test::refuser<FilterBank>(good);
    for (const unsigned k : {0u, 1u, 5u, 18u})
        refused(parameter, "k=" + std::to_string(k) + " does not suit layout 128", {{11, k}});
    refused(parameter, "z=2 does not suit layout 128", {{12, 2}});
    refused(layout, "layout 129", {{10, 129}});
    refused(size, "of paired512:k=4 take 24648 bytes", {{16, 3, 8}});
}

TEST(BankSaved, LoadingAllocatesTheRowsOnlyAndNothingForWhatItRefuses) {
    test::expect_one_allocation<FilterBank>(save(test::make_bank("split256", 65, 500).bank));
}

constexpr std::size_t some_sets = 90;

CompactBank saved_bank(const std::string& spec) {
    auto bank = test::make_bank<CompactBank>(spec, some_sets, 0).bank;
    bank.add_set(700);  // in a bank of its own
    bank.insert(some_sets, test::keys_of_set(some_sets, 700));
    return bank;
}

TEST(CompactSaved, ABankOfOneSizeIsACompactBankToo) {
    const auto bank = test::make_bank("split256", 70, 20);
    const auto loaded = load<CompactBank>(save(bank.bank));
    ASSERT_TRUE(loaded) << loaded.error().message;
    ASSERT_EQ((*loaded).banks().size(), 1u);
    EXPECT_EQ((*loaded).n_keys(69), 20u);
    ASSERT_NO_FATAL_FAILURE(
        test::expect_answers_of(*loaded, bank.filters, test::asked_keys(40, 70)));
}

TEST(CompactSaved, TheTableIsAsDocumented) {
    const std::vector<std::size_t> sizes{1, 100, 2, 2, 2, 2, 2, 2};
    CompactBank bank =
        CompactBank::with_bits_per_key(sizes, 1, {.seed = 5, .spec = "register32:k=3"});
    ASSERT_EQ(bank.banks().size(), 1u);
    bank.add_set(10'000);
    const Bytes bytes = save(bank);
    // 4 blocks of 32 rows of 1 byte, from byte 256 on, then a bank of one set.
    const std::size_t first = 72 + 4 * 32, second = saved_size(bank.banks()[1]);
    ASSERT_EQ(bytes.size(), 256 + 256 + second);
    const unsigned char begin[] = {0x89, 'S', 'B', 'C', 'B', '\r', '\n', 0x1A, 1, 0, 0,
                                   0,    0,   0,   0,   0,   2,    0,    0,    0, 9};
    EXPECT_EQ(std::memcmp(bytes.data(), begin, sizeof begin), 0);
    Bytes again = bytes;
    for (std::size_t i = 21; i < 64; ++i) put(again, i, std::uint8_t{0});
    put(again, 64, std::uint64_t{first});
    put(again, 72, std::uint64_t{second});
    const std::uint64_t keys[] = {1, 100, 2, 2, 2, 2, 2, 2, 10'000};
    for (std::size_t s = 0; s < 9; ++s) {
        put(again, 80 + 8 * s, keys[s]);
        put(again, 152 + 4 * s, std::uint32_t{s == 8});
    }
    for (std::size_t i = 196; i < 256; ++i) put(again, i, std::uint8_t{0});
    for (std::size_t i = 256 + first; i < 512; ++i) put(again, i, std::uint8_t{0});
    test::sign(again, test::checksums_of(bytes));
    EXPECT_EQ(again, bytes);
    const auto one = load<FilterBank>(std::span(bytes).subspan(256, first));
    ASSERT_TRUE(one) << one.error().message;
    EXPECT_TRUE(test::same_bits(*one, bank.banks()[0]));
    const auto two = load<FilterBank>(std::span(bytes).subspan(512));
    ASSERT_TRUE(two) << two.error().message;
    EXPECT_TRUE(test::same_bits(*two, bank.banks()[1]));
}

TEST(CompactSaved, ForgeriesWithAFittingChecksumAreRefusedByName) {
    using enum LoadFault;
    const CompactBank bank = saved_bank("blocked512:k=5");
    const Bytes good = save(bank);
    const std::size_t banks = bank.banks().size(), keys = 64 + 8 * banks,
                      bank_of = keys + 8 * (some_sets + 1), rows = bank.size_in_bytes(),
                      end = (bank_of + 4 * (some_sets + 1) + 8 + 63) / 64 * 64;
    ASSERT_GT(banks, 2u);
    const auto refused = test::refuser<CompactBank>(good);
    refused(structure, "unequal sets", {{4, 'M'}});
    refused(version, "version 2", {{8, 2, 2}});
    refused(parameter, "reserved", {{10, 1}});
    refused(parameter, "reserved", {{24, 1}});
    refused(parameter, "reserved", {{63, 1}});
    refused(parameter, "0 banks of 91 sets", {{16, 0, 4}});
    refused(parameter, "92 banks of 91 sets", {{16, 92, 4}});
    refused(size, "sets take more than", {{20, 0xFFFFFFFFu, 4}});
    refused(size, "the banks named", {{64, 71, 8}});
    refused(size, "the banks named", {{64, 1, 8}});
    refused(size, "the banks named", {{64, UINT64_MAX, 8}});
    refused(limit, std::to_string(rows) + " bytes", {}, {.max_bytes = rows - 1});
    refused(parameter, "set 90 is in bank 9 of " + std::to_string(banks),
            {{bank_of + 4 * some_sets, 9, 4}});
    refused(parameter, "are in it",
            {{bank_of + 4 * some_sets, 0, 4}, {keys + 8 * some_sets, 0, 8}});
    refused(parameter, "set 90 of 701 keys is in a bank for 700", {{keys + 8 * some_sets, 701, 8}});
    refused(structure, "bank", {{end + 4, 'M'}});
    refused(parameter, "between two banks", {{end + saved_size(bank.banks()[0]), 1}});
    refused(parameter, "the hash of bank 1", {{end + 24, 78, 8}});
    expect_refused(load<CompactBank>(test::changed(good, {{end + 64, 0xFF}, {end + 65, 0xFF}})),
                   checksum, "");
    EXPECT_EQ(load<FilterBank>(good).error().fault, structure);
    EXPECT_TRUE(load<CompactBank>(good, {.max_bytes = rows}));
}

TEST(CompactSaved, ATableOfHolesTakesNoMemory) {
    const test::TemporaryFolder folder("compact");
    const auto path = folder.path / "bank";
    constexpr std::uint64_t sets = 5'000'000, table = 64 + 8 + 12 * sets,
                            rows = 64 * ((sets + 63) / 64 * 8), end = (table + 8 + 63) / 64 * 64;
    Bytes begin = save(saved_bank("blocked512"));
    begin.resize(72);
    put(begin, 16, std::uint32_t{1});
    put(begin, 20, std::uint32_t{sets});
    put(begin, 64, rows + 72);
    test::write_bytes(path, begin);
    std::filesystem::resize_file(path, end + rows + 72);
    const std::size_t before = test::heap_bytes;
    for (const auto& error :
         {load_file<CompactBank>(path).error(), map_file<CompactBank>(path).error()})
        EXPECT_EQ(error.fault, LoadFault::checksum) << error.message;
    EXPECT_LT(test::heap_bytes - before, 1'000'000u) << "of 60 MB";
}

TEST(CompactSaved, ATableOfManyPiecesComesBack) {
    std::vector<std::size_t> sizes(20'000, 0);  // 240 KB, most of them zeros
    sizes[11'111] = 30;
    sizes[19'999] = 5;
    const auto bank = CompactBank::with_bits_per_key(sizes, 8, {.seed = 1});
    const Bytes bytes = save(bank);
    const auto loaded = load<CompactBank>(bytes);
    ASSERT_TRUE(loaded) << loaded.error().message;
    test::expect_same_bank(bank, *loaded);
    EXPECT_EQ(save(*loaded), bytes);
    for (const std::size_t at : {100u, 70'000u, 130'000u, 239'000u})
        expect_refused(load<CompactBank>(test::changed(bytes, {{at, 7}})), LoadFault::checksum, "");
}

}  // namespace
}  // namespace simdbloom
