// Saved banks of unequal sets: what was saved comes back on every way, and anything else is
// refused.
#include "allocations.hpp"
#include "compact_support.hpp"
#include "saved_checks.hpp"

namespace simdbloom {
namespace {

using test::Bytes;
using test::expect_refused;
using test::put;

constexpr std::size_t some_sets = 90;

CompactBank saved_bank(const std::string& spec, const Options& options = {.seed = 77}) {
    auto bank = test::make_compact(spec, test::unequal_sizes(some_sets), options).bank;
    bank.add_set(700);  // in a bank of its own
    bank.insert(some_sets, test::keys_of_set(some_sets, 700));
    return bank;
}

void expect_same_bank(const CompactBank& a, const CompactBank& b) {
    ASSERT_EQ(a.sets(), b.sets());
    ASSERT_EQ(a.banks().size(), b.banks().size());
    EXPECT_EQ(a.seed(), b.seed());
    EXPECT_EQ(a.key_kind(), b.key_kind());
    for (std::size_t i = 0; i < a.banks().size(); ++i) {
        EXPECT_EQ(a.banks()[i].spec(), b.banks()[i].spec());
        EXPECT_TRUE(test::same_bits(a.banks()[i], b.banks()[i]));
    }
    for (std::size_t s = 0; s < a.sets(); ++s) {
        ASSERT_EQ(a.n_keys(s), b.n_keys(s));
        ASSERT_EQ(a.place(s), b.place(s));
    }
    const auto keys = test::asked_keys(100, a.sets());
    std::vector<std::uint8_t> left(100 * a.bitmap_bytes()), right(left.size());
    a.contains(keys, left);
    b.contains(keys, right);
    EXPECT_EQ(left, right);
}

/// The table's checksum, over the bytes in front of it.
void sign_table(Bytes& bytes) {
    const std::size_t banks = std::to_integer<std::size_t>(bytes[16]),
                      n = std::to_integer<std::size_t>(bytes[20]), at = 64 + 8 * banks + 12 * n;
    put(bytes, at, hash_bytes(std::span<const std::byte>(bytes).first(at)));
}

TEST(CompactSaved, EveryBankComesBackFromBytesViewsAndFiles) {
    const test::TemporaryFolder folder("compact");
    const auto path = folder.path / "bank";
    for (const auto& spec : test::bloom_specs()) {
        SCOPED_TRACE(spec);
        const CompactBank bank = saved_bank(spec);
        const Bytes bytes = save(bank);
        ASSERT_EQ(bytes.size(), saved_size(bank));
        auto loaded = load<CompactBank>(bytes);
        ASSERT_TRUE(loaded) << loaded.error().message;
        expect_same_bank(bank, *loaded);
        EXPECT_EQ(save(*loaded), bytes);
        loaded->insert(3, 5);
        EXPECT_EQ(loaded->add_set(10), some_sets + 1);

        const test::Aligned aligned(bytes);
        const auto viewed = view<CompactBank>(aligned.bytes);
        ASSERT_TRUE(viewed) << viewed.error().message;
        expect_same_bank(bank, *viewed);
        for (const auto& its : (*viewed).banks())
            EXPECT_TRUE(its.bytes().data() > aligned.bytes.data() &&
                        its.bytes().data() < aligned.bytes.data() + bytes.size())
                << "a view copies nothing";
        save_file(bank, path);
        const auto read = load_file<CompactBank>(path);
        ASSERT_TRUE(read) << read.error().message;
        expect_same_bank(bank, *read);
        const auto mapped = map_file<CompactBank>(path);
        ASSERT_TRUE(mapped) << mapped.error().message;
        expect_same_bank(bank, *mapped);
    }
}

TEST(CompactSaved, AViewCannotChangeAndItsCopyCan) {
    const CompactBank bank = saved_bank("blocked512");
    const test::Aligned aligned(save(bank));
    auto viewed = view<CompactBank>(aligned.bytes).value();
    EXPECT_INVALID("view", viewed.insert(0, 1));
    EXPECT_INVALID("view", viewed.add_set(1));
    EXPECT_INVALID("view", viewed.add_set(1'000'000));
    EXPECT_INVALID("view", viewed.clear_set(0));
    EXPECT_INVALID("view", viewed.clear());
    expect_same_bank(bank, viewed);
    CompactBank copy = viewed;
    copy.insert(64, 123'456'789);
    EXPECT_EQ(copy.select(123'456'789), std::vector<std::uint32_t>{64});
    EXPECT_EQ(copy.add_set(1'000'000), some_sets + 1);
    EXPECT_EQ(view<CompactBank>(aligned.bytes.subspan(1)).has_value(), false);
}

TEST(CompactSaved, KeyedBanksAskForTheirKey) {
    const Options keyed{.hashing = Hashing::keyed, .secret = Secret{1, 2}};
    const auto bank = saved_bank("split256", keyed);
    const Bytes bytes = save(bank);
    const auto loaded = load<CompactBank>(bytes, keyed);
    ASSERT_TRUE(loaded) << loaded.error().message;
    expect_same_bank(bank, *loaded);
    expect_refused(load<CompactBank>(bytes), LoadFault::secret, "keyed");
    expect_refused(load<CompactBank>(bytes, {.hashing = Hashing::keyed, .secret = Secret{1, 3}}),
                   LoadFault::secret, "secret");
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
    sign_table(again);
    for (std::size_t i = 196; i < 256; ++i) put(again, i, std::uint8_t{0});
    for (std::size_t i = 256 + first; i < 512; ++i) put(again, i, std::uint8_t{0});
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
    const auto refused = [&](LoadFault fault, const std::string& says,
                             std::initializer_list<test::Change> changes,
                             const Options& options = {}) {
        Bytes bytes = test::changed(good, changes);
        sign_table(bytes);
        expect_refused(load<CompactBank>(bytes, options), fault, says);
    };
    refused(foreign, "unequal sets", {{4, 'M'}});
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
    refused(checksum, "", {{end + 64, 0xFF}, {end + 65, 0xFF}});
    refused(foreign, "bank", {{end + 4, 'M'}});
    {
        Bytes bytes = good;  // the zeros between two banks
        put(bytes, end + saved_size(bank.banks()[0]), std::uint8_t{1});
        expect_refused(load<CompactBank>(bytes), parameter, "between two banks");
        bytes = good;  // a bank of another seed
        Bytes other(good.begin() + static_cast<std::ptrdiff_t>(end),
                    good.begin() + static_cast<std::ptrdiff_t>(end + saved_size(bank.banks()[0])));
        put(other, 24, std::uint64_t{78});
        test::sign(other);
        std::ranges::copy(other, bytes.begin() + static_cast<std::ptrdiff_t>(end));
        expect_refused(load<CompactBank>(bytes), parameter, "the hash of bank 1");
    }
    EXPECT_EQ(load<FilterBank>(good).error().fault, foreign);
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
    expect_same_bank(bank, *loaded);
    EXPECT_EQ(save(*loaded), bytes);
    for (const std::size_t at : {100u, 70'000u, 130'000u, 239'000u})
        expect_refused(load<CompactBank>(test::changed(bytes, {{at, 7}})), LoadFault::checksum, "");
}

}  // namespace
}  // namespace simdbloom
