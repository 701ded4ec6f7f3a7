// A bank of either type, and the same sets as filters of the core, one by one.
#pragma once

#include "set_of_pairs.hpp"
#include "support.hpp"

namespace simdbloom::test {

/// Key i of a set. Every 8th key is in the set behind it too, and every 64th in all.
inline std::uint64_t key_of(std::size_t set, std::size_t i) {
    return random_key(i % 64 == 0 ? i : i % 8 == 0 ? (set | 1) * 1'000 + i : set * 100'000 + i);
}

inline std::vector<std::uint64_t> keys_of_set(std::size_t set, std::size_t n) {
    std::vector<std::uint64_t> keys;
    for (std::size_t i = 0; i < n; ++i) keys.push_back(key_of(set, i));
    return keys;
}

/// Sizes whose classes are shuffled: a power of 4, from 2 keys to 512.
inline std::vector<std::size_t> unequal_sizes(std::size_t sets) {
    std::vector<std::size_t> sizes;
    for (std::size_t s = 0; s < sets; ++s)
        sizes.push_back(std::size_t{2} << 2 * (random_key(s) % 5));
    return sizes;
}

template <class Bank, class Filter = AnyFilter>
struct BankAndFilters {
    Bank bank;
    std::vector<Filter> filters;

    void add(std::size_t set, std::size_t keys) {
        filters.push_back(filter_of_set<Filter>(bank, set));
        const auto its = keys_of_set(set, keys);
        filters.back().insert(its);
        bank.insert(set, its);
    }
};

/// A FilterBank's sets all have the size of the first one.
template <class Bank>
Bank bank_of_bits(const std::vector<std::size_t>& sizes, double bits, const Options& options) {
    if constexpr (std::same_as<Bank, CompactBank>)
        return Bank::with_bits_per_key(sizes, bits, options);
    else return Bank::with_bits_per_key(sizes.size(), sizes[0], bits, options);
}
template <class Bank>
Bank bank_for_fpr(const std::vector<std::size_t>& sizes, double fpr, const Options& options = {}) {
    if constexpr (std::same_as<Bank, CompactBank>) return Bank::for_fpr(sizes, fpr, options);
    else return Bank::for_fpr(sizes.size(), sizes.empty() ? 1 : sizes[0], fpr, options);
}

/// A bank at 8 bits a key: sets of `keys` keys each, or of unequal_sizes() in a CompactBank.
template <class Bank = FilterBank, class Filter = AnyFilter>
BankAndFilters<Bank, Filter> make_bank(const std::string& spec, std::size_t sets, std::size_t keys,
                                       Options options = {.seed = 77}) {
    options.spec = spec;
    const auto sizes = std::same_as<Bank, CompactBank> ? unequal_sizes(sets)
                                                       : std::vector<std::size_t>(sets, keys);
    BankAndFilters<Bank, Filter> both{bank_of_bits<Bank>(sizes, 8, options), {}};
    for (std::size_t s = 0; s < sets; ++s) both.add(s, sizes[s]);
    return both;
}

/// A set as large as any of a FilterBank, or larger than all of a CompactBank.
inline std::size_t add_large_set(FilterBank& bank) { return bank.add_set(); }
inline std::size_t add_large_set(CompactBank& bank) { return bank.add_set(2'000); }

/// Sets that come are for 20 keys.
inline void resize(FilterBank& bank, std::size_t sets) { bank.resize(sets); }
inline void resize(CompactBank& bank, std::size_t sets) { bank.resize(sets, 20); }

using BankTypes = ::testing::Types<FilterBank, CompactBank>;

/// Present and absent keys in turn.
inline std::vector<std::uint64_t> asked_keys(std::size_t n, std::size_t sets) {
    std::vector<std::uint64_t> keys;
    for (std::size_t i = 0; i < n; ++i)
        keys.push_back(i % 2 == 0 ? key_of(i % sets, i / 2 % 100) : random_key(1'000'000'000 + i));
    return keys;
}

/// Every call of the bank says what the filters say, and writes nothing behind its answers.
template <class Bank, class Filter>
void expect_answers_of(const Bank& bank, const std::vector<Filter>& filters,
                       const std::vector<std::uint64_t>& keys) {
    const std::size_t n = keys.size(), bytes = bank.bitmap_bytes(), sets = filters.size();
    ASSERT_EQ(bank.sets(), sets);
    ASSERT_EQ(bytes, (sets + 63) / 64 * 8);
    std::vector<std::uint8_t> expected(n * bytes + 1), bitmaps(n * bytes + 1, 0xA5);
    std::vector<std::uint64_t> expected_counts(sets + 1), counts(sets + 1, 99);
    expected.back() = 0xA5;
    expected_counts.back() = 99;
    std::vector<std::uint8_t> of_one((n + 7) / 8);
    for (std::size_t s = 0; s < sets; ++s) {
        expected_counts[s] = filters[s].contains(keys, of_one);
        for (std::size_t i = 0; i < n; ++i)
            if ((of_one[i / 8] >> i % 8 & 1) != 0)
                expected[i * bytes + s / 8] |= static_cast<std::uint8_t>(1u << s % 8);
    }
    bank.contains(keys, std::span(bitmaps).first(n * bytes));
    ASSERT_EQ(bitmaps, expected);
    bank.count_per_set(keys, counts);
    ASSERT_EQ(counts, expected_counts);
    for (std::size_t i = 0; i < std::min<std::size_t>(n, 20); ++i) {
        const auto row = std::span(expected).subspan(i * bytes, bytes);
        std::vector<std::uint32_t> in;
        for (std::uint32_t s = 0; s < sets; ++s)
            if ((row[s / 8] >> s % 8 & 1) != 0) in.push_back(s);
        ASSERT_EQ(bank.select(keys[i]), in);
        ASSERT_EQ(sets_of(row), in);
        ASSERT_EQ(bank.count(keys[i]), in.size());
        std::vector<std::uint8_t> one(bytes + 1, 0xA5);
        bank.contains(keys[i], std::span(one).first(bytes));
        ASSERT_TRUE(std::equal(row.begin(), row.end(), one.begin()));
        ASSERT_EQ(one.back(), 0xA5);
    }
    for (const std::size_t least : {std::size_t{0}, n / 4, n, n + 1}) {
        std::vector<std::uint32_t> in;
        for (std::uint32_t s = 0; s < sets; ++s)
            if (expected_counts[s] >= least) in.push_back(s);
        ASSERT_EQ(bank.select_sets(keys, least), in) << least;
    }
}

/// Column s of the bank is filter s, bit by bit, and bits behind the sets are 0.
template <class Filter>
void expect_columns(const FilterBank& bank, const std::vector<Filter>& filters) {
    ASSERT_EQ(bank.rows(), 8 * bits_of(filters[0]).size());
    const std::size_t sets = filters.size(), bytes = bank.row_bytes();
    ASSERT_EQ(bytes, sets <= 8 ? 1 : sets <= 16 ? 2 : sets <= 32 ? 4 : (sets + 63) / 64 * 8);
    std::vector<std::byte> expected(bank.size_in_bytes());
    for (std::size_t s = 0; s < filters.size(); ++s)
        for (std::size_t row = 0; row < bank.rows(); ++row)
            if ((bits_of(filters[s])[row / 8] >> row % 8 & std::byte{1}) != std::byte{0})
                expected[row * bytes + s / 8] |= static_cast<std::byte>(1u << s % 8);
    ASSERT_TRUE(std::ranges::equal(bank.bytes(), expected));
}
template <class Filter>
void expect_columns(const CompactBank& bank, const std::vector<Filter>& filters) {
    for (std::uint32_t b = 0; b < bank.banks().size(); ++b) {
        std::vector<Filter> its;
        for (std::size_t s = 0; s < filters.size(); ++s)
            if (bank.place(s).bank == b) {
                ASSERT_EQ(bank.place(s).column, its.size());
                its.push_back(filters[s]);
            }
        ASSERT_EQ(bank.banks()[b].sets(), its.size());
        ASSERT_NO_FATAL_FAILURE(expect_columns(bank.banks()[b], its));
    }
}

template <class Bank>
void expect_same_bank(const Bank& a, const Bank& b) {
    ASSERT_EQ(a.sets(), b.sets());
    ASSERT_EQ(banks_of(a).size(), banks_of(b).size());
    EXPECT_EQ(a.seed(), b.seed());
    EXPECT_EQ(a.key_kind(), b.key_kind());
    for (std::size_t i = 0; i < banks_of(a).size(); ++i) {
        EXPECT_EQ(banks_of(a)[i].spec(), banks_of(b)[i].spec());
        EXPECT_EQ(banks_of(a)[i].n_keys(), banks_of(b)[i].n_keys());
        EXPECT_TRUE(same_bits(banks_of(a)[i], banks_of(b)[i]));
    }
    for (std::size_t s = 0; s < a.sets(); ++s) {
        ASSERT_EQ(place_of(a, s), place_of(b, s));
        if constexpr (std::same_as<Bank, CompactBank>) {
            ASSERT_EQ(a.n_keys(s), b.n_keys(s));
        }
    }
    const auto keys = asked_keys(100, a.sets());
    std::vector<std::uint8_t> left(100 * a.bitmap_bytes()), right(left.size());
    a.contains(keys, left);
    b.contains(keys, right);
    EXPECT_EQ(left, right);
}

}  // namespace simdbloom::test
