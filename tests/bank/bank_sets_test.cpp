// Banks whose sets come and go, and banks of filters that exist.
#include <array>

#include "bank_support.hpp"
#include "simdbloom/foreign/foreign.hpp"

namespace simdbloom {
namespace {

std::vector<const FilterBase*> bases_of(const std::vector<AnyFilter>& filters) {
    std::vector<const FilterBase*> bases;
    for (const AnyFilter& filter : filters) bases.push_back(&filter.base());
    return bases;
}

TEST(BankSets, SetsAreAddedClearedAndRemoved) {
    constexpr std::size_t keys = 30;
    auto made = test::make_bank("blocked512", 62, keys);
    auto& bank = made.bank;
    auto& filters = made.filters;
    const auto expect = [&] {
        ASSERT_NO_FATAL_FAILURE(test::expect_columns(bank, filters));
        ASSERT_NO_FATAL_FAILURE(
            test::expect_answers_of(bank, filters, test::asked_keys(40, filters.size())));
    };
    for (std::size_t s = 62; s < 67; ++s) {
        EXPECT_EQ(bank.add_set(), s);
        made.add(s, 0);
        ASSERT_NO_FATAL_FAILURE(expect());
        filters.pop_back();
        made.add(s, keys);
    }
    for (const std::size_t s : {0u, 7u, 8u, 63u, 64u, 66u}) {
        bank.clear_set(s);
        filters[s] = test::filter_of_set(bank, 0);
        ASSERT_NO_FATAL_FAILURE(expect());
    }
    for (const std::size_t sets :
         {65u, 64u, 63u, 200u, 130u, 128u, 33u, 17u, 12u, 9u, 8u, 3u, 16u, 32u, 1u, 70u}) {
        bank.resize(sets);
        while (filters.size() > sets) filters.pop_back();
        while (filters.size() < sets) filters.push_back(test::filter_of_set(bank, 0));
        ASSERT_NO_FATAL_FAILURE(expect());
    }
    bank.clear();
    EXPECT_TRUE(test::is_blank(bank));
    EXPECT_EQ(bank.sets(), 70u);
}

TEST(BankSets, WhatCannotBeResizedStaysAsItWas) {
    test::Counting counting;
    auto made = test::make_bank("blocked512", 64, 30,
                                {.seed = 77, .max_bytes = 5'000, .allocator = &counting});
    auto& bank = made.bank;
    auto& filters = made.filters;
    EXPECT_INVALID("sets=0", bank.resize(0));
    EXPECT_LENGTH_ERROR("8192 bytes is above max_bytes=5000", bank.add_set());
    EXPECT_LENGTH_ERROR("sets=4294967296", bank.resize(std::size_t{1} << 32));
    ASSERT_NO_FATAL_FAILURE(test::expect_columns(bank, filters));
    EXPECT_EQ(counting.allocations, 1u);
}

TEST(BankSets, ABankOfFiltersIsTheBankThatTheirKeysMake) {
    for (const auto& spec : test::bloom_specs())
        for (const std::size_t sets : {1u, 12u, 30u, 64u, 67u}) {
            SCOPED_TRACE(spec + ", sets: " + std::to_string(sets));
            const auto both = test::make_bank(spec, sets, 50);
            const auto of = FilterBank::of(bases_of(both.filters));
            EXPECT_EQ(of.spec(), both.bank.spec());
            EXPECT_EQ(of.seed(), 77u);
            EXPECT_EQ(of.n_keys(), 50u);
            EXPECT_EQ(of.blocks(), both.bank.blocks());
            ASSERT_TRUE(test::same_bits(of, both.bank));
        }
}

TEST(BankSets, FiltersThatDifferAreRefusedByName) {
    const auto make = [](const std::string& spec, std::size_t keys, Options options = {}) {
        return make_filter(spec, keys, test::feasible_bits(spec, 10), options);
    };
    const auto like = make("split256", 1'000);
    const auto refused = [&](const std::string& says, const AnyFilter& other) {
        EXPECT_INVALID(says, FilterBank::of(std::array{&like.base(), &other.base()}));
    };
    refused("filter 1 has layout blocked512:k=7, and filter 0 split256", make("blocked512", 1'000));
    refused("filter 1 has 391 blocks, and filter 0 40", make("split256", 10'000));
    refused("filter 1 has seed 3, and filter 0 0", make("split256", 1'000, {.seed = 3}));
    const Options keyed{.hashing = Hashing::keyed, .secret = Secret{1, 2}},
        other{.hashing = Hashing::keyed, .secret = Secret{1, 3}};
    refused("hashing keyed, and filter 0 fast", make("split256", 1'000, keyed));
    const auto a = make("split256", 1'000, keyed), b = make("split256", 1'000, other);
    EXPECT_INVALID("filter 1 has another secret", FilterBank::of(std::array{&a.base(), &b.base()}));
    EXPECT_INVALID("sets=0", FilterBank::of({}));
    EXPECT_INVALID("filter 1 is null",
                   FilterBank::of(std::array<const FilterBase*, 2>{&like.base(), nullptr}));
    const auto table = make("cuckoo12", 1'000);
    EXPECT_INVALID("cuckoo12 is not a layout of bits", FilterBank::of(std::array{&table.base()}));
    EXPECT_LENGTH_ERROR("max_bytes=100",
                        FilterBank::of(std::array{&like.base()}, {.max_bytes = 100}));
}

}  // namespace
}  // namespace simdbloom
