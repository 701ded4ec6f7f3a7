// The Star Schema Benchmark (O'Neil, O'Neil, Chen, Revilak 2009): its tables by a formula, and its
// thirteen queries. star_schema_duckdb.mjs has the same formula and the same queries in SQL.
#pragma once

#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <vector>

namespace simdbloom::bench::ssb {

/// 32 well-mixed bits of number i, for each odd `column` another permutation of 2^32.
constexpr std::uint32_t mixed(std::uint32_t column, std::uint64_t i) {
    std::uint32_t x = static_cast<std::uint32_t>(i) * column;
    x = (x ^ x >> 16) * 2246822507u;
    x = (x ^ x >> 13) * 3266489909u;
    return x ^ x >> 16;
}
/// Evenly spread below n.
constexpr std::uint32_t below(std::uint32_t column, std::uint64_t i, std::uint64_t n) {
    return static_cast<std::uint32_t>(mixed(column, i) * n >> 32);
}
/// A key anywhere among 2^63, for each key another.
constexpr std::uint64_t scattered(std::uint64_t key) {
    return std::uint64_t{mixed(2654435761u, key) >> 1} << 32 | mixed(2246822519u, key);
}

enum Dimension : std::uint8_t { date, customer, supplier, part };
constexpr std::size_t dimensions = 4;

/// A row of a dimension. `leaf` is the lowest level of a hierarchy of even parts: a city (250, in
/// 25 nations, in 5 regions) or a brand (1,000, in 25 categories, of 5 manufacturers).
struct Member {
    std::uint64_t key;
    std::uint16_t year = 0, leaf = 0;
    std::uint8_t month = 0, week = 0;
    std::uint32_t nation() const { return leaf / 10u; }
    std::uint32_t region() const { return leaf / 50u; }
    std::uint32_t category() const { return leaf / 40u; }
    std::uint32_t maker() const { return leaf / 200u; }
};

struct Schema {
    std::array<std::vector<Member>, dimensions> members;
    // The fact table: of each row a key of each dimension, and numbers.
    std::array<std::vector<std::uint64_t>, dimensions> keys;
    std::vector<std::uint8_t> quantity, discount;
    std::vector<std::uint32_t> price, revenue, cost;

    std::size_t rows() const { return price.size(); }

    /// Keys as in the benchmark: 1 .. n, and of days 19920101 .. 19981230.
    explicit Schema(std::uint64_t scale) {
        using namespace std::chrono;
        constexpr std::uint64_t days = 2'556;
        for (std::uint64_t d = 0; d < days; ++d) {
            const sys_days day = sys_days{1992y / January / 1} + std::chrono::days(d);
            const year_month_day ymd{day};
            const auto y = static_cast<unsigned>(static_cast<int>(ymd.year()));
            const auto m = static_cast<unsigned>(ymd.month());
            const auto of_year = (day - sys_days{ymd.year() / January / 1}).count();
            members[date].push_back({.key = y * 10'000 + m * 100 + static_cast<unsigned>(ymd.day()),
                                     .year = static_cast<std::uint16_t>(y),
                                     .month = static_cast<std::uint8_t>(m),
                                     .week = static_cast<std::uint8_t>(of_year / 7 + 1)});
        }
        const auto add = [this](Dimension dimension, std::uint64_t n, std::uint32_t column,
                                std::uint64_t leaves) {
            for (std::uint64_t key = 1; key <= n; ++key)
                members[dimension].push_back(
                    {.key = key, .leaf = static_cast<std::uint16_t>(below(column, key, leaves))});
        };
        add(customer, 30'000 * scale, 3266489917u, 250);
        add(supplier, 2'000 * scale, 668265263u, 250);
        add(part, 200'000 * static_cast<unsigned>(std::bit_width(scale)), 374761393u, 1'000);

        const std::size_t n = 6'000'000 * scale;
        for (auto& column : keys) column.resize(n);
        for (auto* column : {&quantity, &discount}) column->resize(n);
        for (auto* column : {&price, &revenue, &cost}) column->resize(n);
        const auto any_key = [this](Dimension dimension, std::uint32_t column, std::uint64_t i) {
            const auto& rows = members[dimension];
            return rows[below(column, i, rows.size())].key;
        };
        for (std::size_t row = 0; row < n; ++row) {
            // Four rows are an order, with one day and one customer.
            const std::uint64_t i = row + 1, order = row / 4 + 1;
            keys[date][row] = any_key(date, 2869860233u, order);
            keys[customer][row] = any_key(customer, 3624381081u, order);
            keys[supplier][row] = any_key(supplier, 961748941u, i);
            keys[part][row] = any_key(part, 2038074743u, i);
            const std::uint32_t quantities = 1 + below(1190494759u, i, 50);
            const std::uint32_t percent = below(1500450271u, i, 11);
            const std::uint32_t each = 900 + below(4093082899u, i, 1'100);
            quantity[row] = static_cast<std::uint8_t>(quantities);
            discount[row] = static_cast<std::uint8_t>(percent);
            price[row] = quantities * each;
            revenue[row] = quantities * each * (100 - percent) / 100;
            cost[row] = each * 6 / 10;
        }
    }
    /// Gives every key another, anywhere among 2^63. Call it once.
    void scatter() {
        for (auto& rows : members)
            for (auto& member : rows) member.key = scattered(member.key);
        for (auto& column : keys)
            for (auto& key : column) key = scattered(key);
    }
};

/// A dimension in a query.
struct Arm {
    Dimension dimension;
    bool (*selected)(const Member&);        ///< nullptr: every row
    std::uint32_t (*group)(const Member&);  ///< nullptr: not grouped by it
    std::uint32_t groups = 1;               ///< group() is below
};

/// The sum of a column by groups. The number of a group: the first arm counts ones, the next one
/// the groups of the first, and so on.
struct Query {
    enum Sum : std::uint8_t { discounts, revenue, profit };
    const char* name;
    Sum sum;
    std::vector<Arm> arms;
    /// Of rows of the fact table, both ends included; of `discounts` alone.
    std::uint8_t discount_low = 0, discount_high = 10, quantity_low = 0, quantity_high = 50;
};

/// Regions are 0 Africa, 1 America, 2 Asia, 3 Europe, 4 Middle East; the United States are nation
/// 9 and the United Kingdom nation 19.
inline std::vector<Query> queries() {
    using M = const Member&;
    const auto year = +[](M d) -> std::uint32_t { return d.year - 1992u; };
    const auto nation = +[](M m) { return m.nation(); };
    const auto leaf = +[](M m) -> std::uint32_t { return m.leaf; };
    const auto category = +[](M m) { return m.category(); };
    const auto in_america = +[](M m) { return m.region() == 1; };
    const auto in_asia = +[](M m) { return m.region() == 2; };
    const auto in_europe = +[](M m) { return m.region() == 3; };
    const auto in_us = +[](M m) { return m.nation() == 9; };
    const auto in_two_cities = +[](M m) { return m.leaf == 191 || m.leaf == 195; };
    const auto to_1997 = +[](M d) { return d.year <= 1997; };
    const auto from_1997 = +[](M d) { return d.year >= 1997; };
    const auto of_two_makers = +[](M m) { return m.maker() <= 1; };
    const auto all = static_cast<bool (*)(M)>(nullptr);
    const auto no_group = static_cast<std::uint32_t (*)(M)>(nullptr);
    const auto in_1993 = +[](M d) { return d.year == 1993; };
    const auto january_1994 = +[](M d) { return d.year == 1994 && d.month == 1; };
    const auto sixth_week = +[](M d) { return d.year == 1994 && d.week == 6; };
    const auto december_1997 = +[](M d) { return d.year == 1997 && d.month == 12; };
    const Arm every_year{date, all, year, 7}, six_years{date, to_1997, year, 7},
        two_years{date, from_1997, year, 7};
    const auto brands = [&](bool (*selected)(M)) { return Arm{part, selected, leaf, 1'000}; };
    const Arm from_two{customer, in_two_cities, leaf, 250};
    const Arm by_two{supplier, in_two_cities, leaf, 250};
    const Arm to_america{customer, in_america, no_group};
    return {
        {"Q1.1", Query::discounts, {{date, in_1993, no_group}}, 1, 3, 0, 24},
        {"Q1.2", Query::discounts, {{date, january_1994, no_group}}, 4, 6, 26, 35},
        {"Q1.3", Query::discounts, {{date, sixth_week, no_group}}, 5, 7, 26, 35},
        {"Q2.1", Query::revenue, {every_year, {supplier, in_america, no_group}, brands(+[](M p) {
                                      return p.category() == 1;
                                  })}},
        {"Q2.2", Query::revenue, {every_year, {supplier, in_asia, no_group}, brands(+[](M p) {
                                      return p.leaf >= 260 && p.leaf <= 267;
                                  })}},
        {"Q2.3", Query::revenue, {every_year, {supplier, in_europe, no_group}, brands(+[](M p) {
                                      return p.leaf == 278;
                                  })}},
        {"Q3.1",
         Query::revenue,
         {six_years, {customer, in_asia, nation, 25}, {supplier, in_asia, nation, 25}}},
        {"Q3.2",
         Query::revenue,
         {six_years, {customer, in_us, leaf, 250}, {supplier, in_us, leaf, 250}}},
        {"Q3.3", Query::revenue, {six_years, from_two, by_two}},
        {"Q3.4", Query::revenue, {{date, december_1997, year, 7}, from_two, by_two}},
        {"Q4.1",
         Query::profit,
         {every_year,
          {customer, in_america, nation, 25},
          {supplier, in_america, no_group},
          {part, of_two_makers, no_group}}},
        {"Q4.2",
         Query::profit,
         {two_years,
          to_america,
          {supplier, in_america, nation, 25},
          {part, of_two_makers, category, 25}}},
        {"Q4.3",
         Query::profit,
         {two_years, to_america, {supplier, in_us, leaf, 250}, brands(+[](M p) {
              return p.category() == 3;
          })}},
    };
}

}  // namespace simdbloom::bench::ssb
