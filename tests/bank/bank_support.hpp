// A bank, and the same sets as filters of the core, one by one.
#pragma once

#include <thread>

#include "simdbloom/bank/filter_bank.hpp"
#include "support.hpp"

namespace simdbloom::test {

/// Key i of a set. Every 8th key is in the set behind it too, and every 64th in all.
inline std::uint64_t key_of(std::size_t set, std::size_t i) {
    return random_key(i % 64 == 0 ? i : i % 8 == 0 ? (set | 1) * 1'000 + i : set * 100'000 + i);
}

struct BankAndFilters {
    FilterBank bank;
    std::vector<AnyFilter> filters;
};

inline std::vector<std::uint64_t> keys_of_set(std::size_t set, std::size_t n) {
    std::vector<std::uint64_t> keys;
    for (std::size_t i = 0; i < n; ++i) keys.push_back(key_of(set, i));
    return keys;
}

inline AnyFilter filter_like(const FilterBank& bank, double bits_per_key, Options options) {
    options.spec.clear();
    return make_filter(bank.spec(), static_cast<std::size_t>(bank.n_keys()), bits_per_key, options);
}

inline BankAndFilters make_bank(const std::string& spec, std::size_t sets, std::size_t keys,
                                Options options = {.seed = 77}) {
    options.spec = spec;
    BankAndFilters both{FilterBank::with_bits_per_key(sets, keys, 8, options), {}};
    for (std::size_t s = 0; s < sets; ++s) {
        both.filters.push_back(filter_like(both.bank, 8, options));
        const auto its = keys_of_set(s, keys);
        both.filters.back().insert(its);
        both.bank.insert(s, its);
    }
    return both;
}

/// Present and absent keys in turn.
inline std::vector<std::uint64_t> asked_keys(std::size_t n, std::size_t sets) {
    std::vector<std::uint64_t> keys;
    for (std::size_t i = 0; i < n; ++i)
        keys.push_back(i % 2 == 0 ? key_of(i % sets, i / 2 % 100) : random_key(1'000'000'000 + i));
    return keys;
}

/// Four threads that count at once count as one does.
template <class Bank>
void expect_one_count_on_four_threads(const Bank& bank) {
    const auto keys = asked_keys(3'000, bank.sets());
    std::vector<std::vector<std::uint64_t>> counts(5, std::vector<std::uint64_t>(bank.sets()));
    bank.count_per_set(keys, counts[0]);
    std::vector<std::thread> threads;
    for (std::size_t t = 1; t < counts.size(); ++t)
        threads.emplace_back([&, t] { bank.count_per_set(keys, counts[t]); });
    for (auto& thread : threads) thread.join();
    for (const auto& of_thread : counts) EXPECT_EQ(of_thread, counts[0]);
}

/// Every call of the bank says what the filters say, and writes nothing behind its answers.
template <class Bank>
void expect_answers_of(const Bank& bank, const std::vector<AnyFilter>& filters,
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
inline void expect_columns(const FilterBank& bank, const std::vector<AnyFilter>& filters) {
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

}  // namespace simdbloom::test
