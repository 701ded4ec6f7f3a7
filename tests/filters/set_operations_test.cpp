// Union, intersection, folding, and the filters that accept all keys or none.
#include "support.hpp"

namespace simdbloom {
namespace {

class SetOperations : public ::testing::TestWithParam<std::string> {};

/// Promise of SetOperations.*, FoldLevels.*: Unions have the bits of one filter of all keys,
///   folded filters those of a smaller one.
TEST_P(SetOperations, AUnionHasTheBitsOfAFilterOfAllKeys) {
    // Odd sizes too: register32 ends in half a 64-bit word.
    for (const std::size_t n : {1u, 33u, 3000u}) {
        const auto left = test::random_keys(n), right = test::random_keys(n, n - n / 4);
        auto a = make_filter(GetParam(), n, 10, {.seed = 3}),
             b = make_filter(GetParam(), n, 10, {.seed = 3}),
             both = make_filter(GetParam(), n, 10, {.seed = 3});
        a.insert(left);
        b.insert(right);
        both.insert(left);
        both.insert(right);
        const AnyFilter b_before = b;
        EXPECT_EQ(&(a |= b), &a);
        EXPECT_TRUE(test::same_bits(a, both));
        EXPECT_TRUE(test::same_bits(b, b_before));
        const AnyFilter& itself = a;
        a |= itself;
        EXPECT_TRUE(test::same_bits(a, both));
    }
}

TEST_P(SetOperations, AnIntersectionFindsWhatBothFind) {
    const std::size_t n = 3000;
    auto a = make_filter(GetParam(), n, 10), b = make_filter(GetParam(), n, 10);
    a.insert(test::random_keys(n));
    b.insert(test::random_keys(n, n / 2));
    const AnyFilter a_before = a;
    a &= b;
    for (std::size_t i = 0; i < a.size_in_bytes(); ++i)
        ASSERT_EQ(a.base().bytes()[i], a_before.base().bytes()[i] & b.base().bytes()[i]);
    const auto common = test::random_keys(n / 2, n / 2);
    EXPECT_EQ(a.count(common), common.size());
    EXPECT_LT(a.count(test::random_keys(n / 2)), n / 4) << "keys of one side only";
}

TEST_P(SetOperations, AFoldHasTheBitsOfASmallerFilter) {
    const auto keys = test::random_keys(3000);
    for (const std::uint64_t parts : {1u, 2u, 3u, 4u, 12u}) {
        const unsigned bits = Layout::parse(GetParam()).block_bits();
        // 360 blocks, whatever their size.
        auto whole = make_filter(GetParam(), 3000, 12.0 * bits / 100, {.seed = 9});
        auto small = make_filter(GetParam(), 3000, 12.0 * bits / 100 / static_cast<double>(parts),
                                 {.seed = 9});
        ASSERT_EQ(whole.base().blocks(), 360u);
        whole.insert(keys);
        small.insert(keys);
        const AnyFilter folded = whole.folded(parts);
        EXPECT_EQ(folded.base().blocks(), 360 / parts);
        EXPECT_EQ(folded.seed(), 9u);
        EXPECT_EQ(folded.base().n_keys(), 3000u);
        EXPECT_TRUE(test::same_bits(folded, small)) << parts;
        EXPECT_EQ(folded.count(keys), keys.size());
    }
    auto filter =
        make_filter(GetParam(), 3000, 12.0 * Layout::parse(GetParam()).block_bits() / 100);
    EXPECT_INVALID("360 blocks cannot be folded by a factor of 7", filter.folded(7));
    EXPECT_INVALID("factor of 0", filter.folded(0));
}

TEST_P(SetOperations, FoldingToAnFprStopsThere) {
    // Made for 64 times the keys that come.
    const std::size_t n = 2000;
    const auto keys = test::random_keys(n);
    auto whole = make_filter(GetParam(), 64 * n, 10, {.hashing = Hashing::keyed, .fold_levels = 8});
    ASSERT_EQ(whole.base().blocks() % 256, 0u);
    whole.insert(keys);
    const double target = 0.05;
    const AnyFilter folded = whole.folded_to_fpr(target);
    EXPECT_LE(folded.estimated_fpr(), target);
    EXPECT_LT(folded.size_in_bytes(), whole.size_in_bytes()) << folded.estimated_fpr();
    EXPECT_GT(folded.folded(2).estimated_fpr(), target) << "it could have been folded once more";
    EXPECT_EQ(folded.count(keys), n);
    auto full = make_filter(GetParam(), n, 10, {.fold_levels = 2});
    full.accept_all();
    EXPECT_EQ(full.folded_to_fpr(0.01).base().blocks(), full.base().blocks());
}

TEST_P(SetOperations, AcceptAllAndNone) {
    auto filter = make_filter(GetParam(), 1000, 10);
    const auto keys = test::random_keys(5000);
    EXPECT_EQ(filter.count(keys), 0u);
    filter.accept_all();
    EXPECT_EQ(filter.count(keys), keys.size());
    for (std::size_t i = 0; i < 100; ++i) ASSERT_TRUE(filter.contains(keys[i]));
    EXPECT_EQ(filter.estimated_fpr(), 1);
    auto loaded = load(save(filter));
    ASSERT_TRUE(loaded);
    EXPECT_EQ(loaded->count(keys), keys.size());
    filter.clear();
    EXPECT_EQ(filter.count(keys), 0u);
    EXPECT_EQ(filter.estimated_fpr(), 0);
}

// Down to one block, whatever the number of blocks is divided by.
TEST_P(SetOperations, FoldingGoesByTheSmallestDivisor) {
    for (const unsigned blocks : {2u, 9u, 15u, 49u, 77u, 13u}) {
        auto filter =
            make_filter(GetParam(), 10, Layout::parse(GetParam()).block_bits() / 10.0 * blocks);
        ASSERT_EQ(filter.base().blocks(), blocks);
        EXPECT_EQ(filter.folded_to_fpr(0).base().blocks(), 1u)
            << "an empty filter has no false positives";
        // One stray bit a block, so that every fold raises the FPR; one step is allowed.
        filter.insert(test::random_keys(blocks * 2));
        unsigned divisor = 2;
        while (blocks % divisor != 0) ++divisor;
        EXPECT_EQ(filter.folded_to_fpr(filter.folded(divisor).estimated_fpr()).base().blocks(),
                  blocks / divisor)
            << blocks;
    }
}

INSTANTIATE_TEST_SUITE_P(EveryBloomSpec, SetOperations, ::testing::ValuesIn(test::bloom_specs()),
                         test::spec_name);

/// Promise: Filters that cannot be combined are refused, and the error names the difference.
TEST(SetOperationErrors, FiltersThatDifferAreRefusedByWhatDiffers) {
    auto filter = make_filter("zoned512:z=2,k=8", 1000, 10, {.seed = 1});
    const AnyFilter before = filter;
    const auto says = [&](const AnyFilter& other, const std::string& what) {
        EXPECT_INVALID(what, filter |= other);
        EXPECT_INVALID(what, filter &= other);
        EXPECT_TRUE(test::same_bits(filter, before));
    };
    says(make_filter("zoned512:z=4,k=8", 1000, 10, {.seed = 1}),
         "layouts cannot be combined: zoned512:z=2,k=8 and zoned512:z=4,k=8");
    says(make_filter("blocked512:k=8", 1000, 10, {.seed = 1}), "layouts");
    says(make_filter("zoned512:z=2,k=8", 2000, 10, {.seed = 1}),
         "numbers of blocks cannot be combined: 20 and 40");
    says(make_filter("zoned512:z=2,k=8", 1000, 10, {.seed = 2}),
         "seeds cannot be combined: 1 and 2");
    const auto keyed = [](std::uint64_t secret) {
        return make_filter("zoned512:z=2,k=8", 1000, 10,
                           {.hashing = Hashing::keyed, .secret = Secret{secret, 2}});
    };
    says(keyed(1), "fast and keyed");
    filter = keyed(1);
    EXPECT_INVALID("different secrets", filter |= keyed(3));
    EXPECT_INVALID("different secrets", filter &= keyed(3));
    for (const auto& spec : test::layout_names()) {
        if (Layout::parse(spec).is_bloom()) continue;
        auto other = make_filter(spec, 100, 30);
        const AnyFilter same = other;
        EXPECT_INVALID(other.spec() + " cannot be united", other |= same);
        EXPECT_INVALID(other.spec() + " cannot be intersected", other &= same);
        EXPECT_INVALID(other.spec() + " cannot be folded", other.folded(1));
        EXPECT_INVALID(other.spec() + " cannot be folded", other.folded_to_fpr(0.5));
        EXPECT_INVALID(
            other.spec() + " cannot accept all keys: " +
                (spec.starts_with("counting") ? "counters are not" : "fingerprints are not"),
            other.accept_all());
    }
}

TEST(FoldLevels, TheNumberOfBlocksIsAMultiple) {
    for (const unsigned levels : {0u, 1u, 5u, 16u}) {
        const Options options{.fold_levels = levels};
        const std::uint64_t unit = std::uint64_t{1} << levels;
        for (const auto& filter : {make_filter("split256", 100'001, 12, options),
                                   make_filter_for_fpr("split256", 100'001, 0.01, options)}) {
            EXPECT_EQ(filter.base().blocks() % unit, 0u);
            EXPECT_LE(filter.base().expected_fpr(), 0.01);
        }
        EXPECT_LT(make_filter("split256", 100'001, 12, options).base().blocks(), 4688 + unit);
    }
    EXPECT_INVALID("fold_levels=17", make_filter("split256", 10, 12, {.fold_levels = 17}));
    const auto limited = make_filter_for_fpr("split256", 100'000, 0.0001,
                                             {.max_bytes = 32 * 1000, .fold_levels = 5});
    EXPECT_EQ(limited.base().blocks(), 992u) << "rounded down to what max_bytes allows";
    EXPECT_THROW((void)make_filter_for_fpr("split256", 100'000, 0.0001,
                                           {.max_bytes = 32 * 31, .fold_levels = 5}),
                 std::length_error);
}

}  // namespace
}  // namespace simdbloom
