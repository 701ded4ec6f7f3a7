// Filters of every structure behind AnyFilter: made from their specs, asked, changed, saved and put
// into joins in one way.
#include "every_type.hpp"

namespace simdbloom {
namespace {

constexpr std::size_t n = 2'000;

class AnyStructure : public ::testing::TestWithParam<std::string> {
protected:
    static AnyFilter make(Options options = {}) { return make_filter(GetParam(), n, 32, options); }
};

TEST_P(AnyStructure, KeysGoInAndTheFprIsTheModels) {
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
        const auto strangers = test::random_keys(100'000, 1'000'000);
        const double fpr = static_cast<double>(f.count(strangers)) / 100'000;
        // Five standard deviations, and what one small filter differs from another.
        const double slack = 5 * std::sqrt((f.estimated_fpr() + 1e-4) / 100'000);
        EXPECT_NEAR(fpr, f.estimated_fpr(), slack + f.estimated_fpr() / 4) << f.spec();
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
