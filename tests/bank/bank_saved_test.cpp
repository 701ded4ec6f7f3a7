// Saved banks: what was saved comes back on every way, and anything else is refused.
#include "bank_support.hpp"
#include "saved_checks.hpp"

namespace simdbloom {
namespace {

using test::Bytes;
using test::expect_refused;
using test::put;
using test::sign;

void expect_same_bank(const FilterBank& a, const FilterBank& b) {
    EXPECT_EQ(a.spec(), b.spec());
    EXPECT_EQ(a.seed(), b.seed());
    EXPECT_EQ(a.n_keys(), b.n_keys());
    EXPECT_EQ(a.sets(), b.sets());
    EXPECT_TRUE(test::same_bits(a, b));
    const auto keys = test::asked_keys(100, a.sets());
    std::vector<std::uint8_t> left(100 * a.bitmap_bytes()), right(left.size());
    a.contains(keys, left);
    b.contains(keys, right);
    EXPECT_EQ(left, right);
}

TEST(BankSaved, EveryBankComesBackFromBytesViewsAndFiles) {
    const test::TemporaryFolder folder("bank");
    for (const auto& spec : test::bloom_specs())
        for (const std::size_t sets : {1u, 9u, 17u, 64u, 65u}) {
            SCOPED_TRACE(spec + ", sets: " + std::to_string(sets));
            const auto bank = test::make_bank(spec, sets, 20).bank;
            test::expect_comes_back<FilterBank>(bank, folder.path / "bank", expect_same_bank);
        }
}

TEST(BankSaved, AViewCannotChangeAndItsCopyCan) {
    const test::TemporaryFolder folder("bank_view");
    const auto bank = test::make_bank("blocked512", 65, 20).bank;
    save_file(bank, folder.path / "bank");
    FilterBank mapped = map_file<FilterBank>(folder.path / "bank").value();
    std::filesystem::remove(folder.path / "bank");
    EXPECT_INVALID("view", mapped.insert(0, 1));
    EXPECT_INVALID("view", mapped.insert_hash(0, 1));
    EXPECT_INVALID("view", mapped.add_set());
    EXPECT_INVALID("view", mapped.clear_set(0));
    EXPECT_INVALID("view", mapped.resize(3));
    EXPECT_INVALID("view", mapped.clear());
    expect_same_bank(bank, mapped);
    FilterBank copy = mapped;
    copy.insert(64, 123'456'789);
    EXPECT_EQ(copy.select(123'456'789), std::vector<std::uint32_t>{64});
    EXPECT_EQ(copy.add_set(), 65u);
    const test::Aligned aligned(save(bank));
    EXPECT_INVALID("view", view<FilterBank>(aligned.bytes).value().insert(0, 1));
}

TEST(BankSaved, KeyedBanksAskForTheirKey) {
    const Options keyed{.hashing = Hashing::keyed, .secret = Secret{1, 2}};
    const auto bank = test::make_bank("split256", 5, 20, keyed).bank;
    const Bytes bytes = save(bank);
    const auto loaded = load<FilterBank>(bytes, keyed);
    ASSERT_TRUE(loaded) << loaded.error().message;
    expect_same_bank(bank, *loaded);
    expect_refused(load<FilterBank>(bytes), LoadFault::secret, "keyed");
    expect_refused(load<FilterBank>(bytes, {.hashing = Hashing::keyed, .secret = Secret{1, 3}}),
                   LoadFault::secret, "secret");
}

TEST(BankSaved, TheHeaderIsAsDocumented) {
    FilterBank bank = FilterBank::with_bits_per_key(
        66, 10, 1, {.seed = 0x1122334455667788u, .spec = "register32:k=3"});
    bank.insert_hash(65, 0);
    const Bytes bytes = save(bank);
    const unsigned char begin[] = {0x89, 'S',  'B', 'B', 'K',  '\r', '\n', 0x1A, 1,    0,
                                   2,    3,    0,   4,   0,    0,    1,    0,    0,    0,
                                   0,    0,    0,   0,   0x88, 0x77, 0x66, 0x55, 0x44, 0x33,
                                   0x22, 0x11, 10,  0,   0,    0,    0,    0,    0,    0};
    EXPECT_EQ(std::memcmp(bytes.data(), begin, sizeof begin), 0);
    for (std::size_t i = sizeof begin; i < 64; ++i)
        EXPECT_EQ(bytes[i], i == 48 ? std::byte{66} : std::byte{0}) << i;
    // 32 rows of 16 bytes. Hash 0 sets bit 0 alone, three times.
    EXPECT_EQ(bytes.size(), 64u + 32 * 16 + 8);
    for (std::size_t i = 64; i < bytes.size() - 8; ++i)
        EXPECT_EQ(bytes[i], i == 64 + 8 ? std::byte{2} : std::byte{0}) << i;
    Bytes again = bytes;
    put(again, again.size() - 8, std::uint64_t{0});
    sign(again);
    EXPECT_EQ(again, bytes);
}

TEST(BankSaved, ForgeriesWithAFittingChecksumAreRefusedByName) {
    using enum LoadFault;
    const Bytes good = save(test::make_bank("blocked512:k=5", 70, 100).bank);  // 2 blocks
    const auto refused = [&](LoadFault fault, const std::string& says,
                             std::initializer_list<test::Change> changes,
                             const Options& options = {}) {
        Bytes bytes = test::changed(good, changes);
        sign(bytes);
        expect_refused(load<FilterBank>(bytes, options), fault, says);
    };
    refused(foreign, "bank", {{4, 'M'}});
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
    EXPECT_EQ(load<FilterBank>(save(make_filter("split256", 100, 12))).error().fault, foreign);
    EXPECT_TRUE(load<FilterBank>(good));
}

TEST(BankSaved, LoadingAllocatesTheRowsOnlyAndNothingForWhatItRefuses) {
    test::expect_one_allocation<FilterBank>(save(test::make_bank("split256", 65, 500).bank));
}

}  // namespace
}  // namespace simdbloom
