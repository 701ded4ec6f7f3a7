// Filters of every structure behind AnyFilter: made from their specs, asked, changed and put into
// joins in one way. Outputs that are too short or overlap the keys, and more keys than positions
// can number.
#include "every_type.hpp"

namespace simdbloom {
namespace {

constexpr std::size_t n = 2'000;

class AnyStructure : public ::testing::TestWithParam<std::string> {
protected:
    static AnyFilter make(Options options = {}) { return make_filter(GetParam(), n, 32, options); }
};

TEST_P(AnyStructure, IsMadeFromItsSpecAndTakesKeys) {
    const auto keys = test::random_keys(n);
    for (AnyFilter f : {make(), make_filter_for_fpr(GetParam(), n, 0.05)}) {
        EXPECT_EQ(make_filter(f.spec(), n, 32).spec(), f.spec());
        EXPECT_EQ(f.spec().substr(0, GetParam().size()), GetParam());
        EXPECT_GE(f.n_keys(), n);
        EXPECT_GT(f.size_in_bytes(), 0u);
        for (const Isa isa : usable_isas()) {
            f.use_isa(isa);
            EXPECT_EQ(f.isa(), isa);
        }
        if (f.get_if<FilterBase>() != nullptr) {
            EXPECT_EQ(f.layout(), f.base().layout());
        } else {
            EXPECT_INVALID(f.spec(), f.layout());
        }
        f.insert(keys);
        EXPECT_EQ(f.count(keys), n);
        EXPECT_LE(f.expected_fpr(), 0.07) << f.spec();
        EXPECT_GT(f.bits_per_key(), 1);
        EXPECT_LT(f.bits_per_key(), 400);
    }
}

TEST_P(AnyStructure, ErasesOrSaysThatItCannot) {
    AnyFilter f = make();
    const auto keys = test::random_keys(100);
    f.insert(keys);
    const bool erases =
        std::visit([]<class F>(const F&) { return detail::HasErase<F>; }, f.variant());
    if (erases) {
        EXPECT_TRUE(f.erase(keys[0]));
        EXPECT_EQ(f.erase(std::span(keys).subspan(1)), 99u);
        EXPECT_EQ(f.count(keys), 0u);
    } else {
        EXPECT_INVALID(f.spec(), f.erase(keys[0]));
        EXPECT_EQ(f.count(keys), 100u);
    }
    EXPECT_TRUE(f.try_insert(keys[1]));
    EXPECT_EQ(f.try_insert(keys), 100u);
    f.clear();
    EXPECT_EQ(f.count(keys), 0u);
}

TEST_P(AnyStructure, JoinsTakeIt) {
    AnyFilter f = make();
    const auto keys = test::random_keys(2'000);
    f.insert(std::span(keys).first(1'000));
    const std::size_t found = f.count(keys);
    const JoinFilter join(f);
    std::vector<std::uint32_t> rows(2'000);
    EXPECT_EQ(join.count({keys}), found);
    EXPECT_EQ(join.select({keys}, rows), found);
    const FrozenFilter frozen(std::move(f));
    EXPECT_EQ(frozen.count(keys), found);
    EXPECT_EQ(frozen.select(keys, rows), found);
}

TEST_P(AnyStructure, OutputsThatAreTooShortAreRefusedUntouched) {
    auto filter = make();
    const auto keys = test::random_keys(100);
    filter.insert(keys);
    std::vector<std::uint8_t> bitmap(13, 0xEE);
    EXPECT_NO_THROW(filter.contains(keys, bitmap));
    std::fill(bitmap.begin(), bitmap.end(), 0xEE);
    EXPECT_LENGTH_ERROR("12 bytes", filter.contains(keys, std::span(bitmap).first(12)));
    EXPECT_LENGTH_ERROR("need 13", filter.contains(keys, std::span(bitmap).first(12)));
    for (const auto byte : bitmap) EXPECT_EQ(byte, 0xEE);
    std::vector<std::uint32_t> positions(100, 7);
    EXPECT_LENGTH_ERROR("99 positions", filter.select(keys, std::span(positions).first(99)));
    EXPECT_THROW((void)filter.select(Keys::hashes(keys), std::span(positions).first(0)),
                 std::length_error);
    for (const auto p : positions) EXPECT_EQ(p, 7u);

    // Other keys are hashed 1024 at a time: no answer to the first ones either.
    const std::vector<std::string> texts(3'000, "text");
    bitmap.assign(375, 0xEE);
    positions.assign(3'000, 7);
    filter.insert(std::string_view("text"));
    EXPECT_LENGTH_ERROR("374 bytes",
                        filter.contains(std::span(texts), std::span(bitmap).first(374)));
    EXPECT_LENGTH_ERROR("2999 positions",
                        filter.select(std::span(texts), std::span(positions).first(2'999)));
    for (const auto byte : bitmap) EXPECT_EQ(byte, 0xEE);
    for (const auto p : positions) EXPECT_EQ(p, 7u);
}

// Nothing is read: a batch that long is refused by its length.
TEST_P(AnyStructure, MoreKeysThanPositionsCanNumberAreRefused) {
    const auto filter = make();
    const auto keys = test::random_keys(100);
    std::vector<std::uint32_t> positions(1);
    const std::size_t too_many = (std::size_t{1} << 32) + 1;
    EXPECT_LENGTH_ERROR(
        "4294967297 keys are more",
        filter.select({keys.data(), too_many}, std::span(positions.data(), too_many)));
    EXPECT_LENGTH_ERROR("room for 1 positions is too short for 4294967296",
                        filter.select({keys.data(), too_many - 1}, positions));
}

TEST_P(AnyStructure, OutputsThatOverlapTheKeysAreRefused) {
    auto filter = make();
    auto keys = test::random_keys(1000);
    const auto before = keys;
    const auto in = std::span(keys).first(900);
    const auto narrow = std::span(reinterpret_cast<std::uint32_t*>(keys.data()), 1800);
    const std::string overlap = "the output overlaps the keys";
    for (const std::size_t at : {0u, 1u, 899u}) {
        auto* const bytes = reinterpret_cast<std::uint8_t*>(keys.data() + at);
        auto* const words = reinterpret_cast<std::uint32_t*>(keys.data() + at);
        const std::span bitmap(bytes, 225);
        const std::span positions(words, 1800);
        EXPECT_INVALID(overlap, filter.contains(in, bitmap));
        EXPECT_INVALID(overlap, filter.contains(Keys::hashes(in), bitmap));
        EXPECT_INVALID(overlap, filter.contains(narrow, bitmap));
        EXPECT_INVALID(overlap, filter.select(in, positions));
        EXPECT_INVALID(overlap, filter.insert_if_new(in, bitmap));
    }
    EXPECT_EQ(keys, before);
    EXPECT_EQ(filter.estimated_fpr(), 0);
    // Behind the keys and before them.
    const std::span behind(reinterpret_cast<std::uint8_t*>(keys.data() + 900), 113);
    EXPECT_EQ(filter.contains(in, behind), 0u);
    const std::span first(reinterpret_cast<std::uint8_t*>(keys.data()), 112);
    EXPECT_EQ(filter.contains(std::span(keys).subspan(14, 890), first), 0u);
}

INSTANTIATE_TEST_SUITE_P(Filter, AnyStructure, ::testing::ValuesIn(test::structure_specs()),
                         test::spec_name);

TEST(AnyStructureOfAllKeys, IsNotMadeFromASpecButHeldAndAsked) {
    EXPECT_INVALID("BloomierMap::build_filter", make_filter("fuse:f=8", 100, 10));
    EXPECT_INVALID("BloomierMap::build(", make_filter_for_fpr("bloomier:r=8,f=8", 100, 0.1));
    const auto keys = test::random_keys(1'000);
    AnyFilter f = BloomierMap::build_filter(keys, 16);
    EXPECT_EQ(f.count(keys), 1'000u);
    EXPECT_EQ(JoinFilter(f).count({keys}), 1'000u);
    EXPECT_INVALID("fuse:f=16", f.insert(keys[0]));
    EXPECT_INVALID("fuse:f=16", f.insert(keys));
    EXPECT_INVALID("fuse:f=16", f.try_insert(keys[0]));
    EXPECT_INVALID("fuse:f=16", f.clear());
    EXPECT_EQ(f.count(keys), 1'000u);
}

TEST(AnyStructureSpecs, MistakesAreNamed) {
    for (const char* spec :
         {"growing13", "growing", "codes:c=9", "scalable:", "scalable:cuckoo12", "scalablex"})
        EXPECT_INVALID("", make_filter(spec, 100, 32));
}

}  // namespace
}  // namespace simdbloom
