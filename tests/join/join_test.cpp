// Columns with NULLs, selections in and out, builders on many threads, several filters in one pass.
#include "simdbloom/join/join.hpp"

#include <limits>
#include <numeric>
#include <set>

#include "at_once.hpp"
#include "given_rows.hpp"
#include "guarded.hpp"

namespace simdbloom {
namespace {

using test::Givens;
using test::Rows;

/// A filter of every second key, of equal ones once: a table has no room for many copies.
AnyFilter filter_of_half(const std::string& spec, const std::vector<std::uint64_t>& keys,
                         Options options = {}) {
    auto filter = make_filter(spec, keys.size() / 2 + 1, test::feasible_bits(spec, 14), options);
    for (std::size_t i = 0; i < keys.size(); i += 2)
        if (!filter.contains(keys[i])) filter.insert(keys[i]);
    return filter;
}

/// Promise of Join.*, JoinBuilder.*, StarProbe.*, Governor.*, Arrow.*, c_api: Joins pass the
///   rows that single lookups pass, for every output and selection.
TEST(Join, EveryShapeOfAnswerIsThatOfSingleLookups) {
    const Options keyed{.hashing = Hashing::keyed};
    for (const auto& [spec, options] : {std::pair("split256", Options()),
                                        {"classic:k=8", {}},
                                        {"register64:k=5", {}},
                                        {"cuckoo12", {}},
                                        {"sector512", keyed}})
        for (const std::size_t n :
             {0u, 1u, 7u, 8u, 63u, 64u, 65u, 1000u, 1023u, 1024u, 1025u, 3001u})
            for (const bool nulls : {false, true}) {
                Givens givens(n, nulls);
                const Rows rows({givens.numbers<std::uint64_t>("u64")}, Nulls::differ);
                SCOPED_TRACE(spec + (" " + std::to_string(n)) + (nulls ? " with NULLs" : ""));
                for (const JoinFilter& filter :
                     {JoinFilter(filter_of_half(spec, rows.values, options)),
                      JoinFilter::accept_all(), JoinFilter::accept_none()})
                    expect_answers(rows, filter);
            }
}

// The validity ends where a page begins that faults, in whichever bit of its last byte.
TEST(Join, NoByteBehindTheValidityIsRead) {
    const test::GuardedBuffer memory(200);
    const auto values = test::random_keys(1'100);
    const JoinFilter half(filter_of_half("split256", values));
    for (std::size_t offset = 0; offset < 18; ++offset)
        for (std::size_t n = 1; n < 1'100; n += n < 140 ? 1 : 890) {
            const auto valid = memory.last<std::uint8_t>((offset + n + 7) / 8);
            for (std::size_t i = 0; i < valid.size(); ++i)
                valid[i] = static_cast<std::uint8_t>(test::random_key(offset + i));
            const JoinColumn column{std::span(values).first(n), false, valid.data(), offset};
            SCOPED_TRACE(std::to_string(offset) + " " + std::to_string(n));
            for (const JoinFilter& filter : {half, JoinFilter::accept_all()})
                test::expect_join_answers(filter, column, n, [&](std::size_t row) {
                    return column.is_valid(row) && filter.count({{&values[row], 1}}) == 1;
                });
        }
}

TEST(Join, RefusesRowsAndOutputsThatDoNotFit) {
    const auto values = test::random_keys(20);
    const JoinColumn column{values};
    const JoinFilter filter(filter_of_half("split256", values)), all = JoinFilter::accept_all();
    std::vector<std::uint32_t> out(19);
    std::vector<std::uint8_t> bytes(19);
    for (const auto* f : {&filter, &all}) {
        EXPECT_LENGTH_ERROR("19", f->select(column, out));
        EXPECT_LENGTH_ERROR("19", f->bytes(column, bytes));
        EXPECT_LENGTH_ERROR("2", f->bitmap(column, std::span(bytes).first(2)));
        const std::uint32_t rows[] = {0, 20};
        EXPECT_OUT_OF_RANGE("row 20", f->select(column, rows, out));
        EXPECT_LENGTH_ERROR("1", f->select(column, rows, std::span(out).first(1)));
    }
}

TEST(JoinBuilder, ThreadsTogetherGiveTheBitsOfOne) {
    for (const auto& spec : test::all_specs()) {
        if (!Layout::parse(spec).is_bloom()) {
            EXPECT_INVALID(spec, JoinBuilder(spec, 1000, 40));
            continue;
        }
        for (const auto& [nulls, hashed] : {std::pair{false, false}, {true, false}, {true, true}}) {
            Givens givens(5000, nulls);
            const Rows rows({hashed ? givens.hashes() : givens.numbers<std::uint64_t>("u64")},
                            Nulls::differ);
            const JoinColumn column = rows.rows.plain().value();
            auto serial = make_filter(spec, 5000, 12);
            std::vector<std::uint64_t> valid;
            for (std::size_t row = 0; row < column.size(); ++row)
                if (rows.can_pass[row]) valid.push_back(rows.values[row]);
            serial.insert(hashed ? Keys::hashes(valid) : Keys(valid));
            JoinBuilder together(spec, 5000, 12), alone(spec, 5000, 12);
            test::at_once(4, [&](std::size_t t) {
                JoinColumn part = column;
                part.values = part.values.subspan(t * 1250, 1250);
                part.valid_offset += t * 1250;
                together.insert(part);
            });
            alone.insert(column, 3);
            for (auto* builder : {&together, &alone}) {
                EXPECT_EQ(builder->rows(), valid.size());
                const JoinFilter filter = std::move(*builder).finish();
                ASSERT_EQ(filter.kind(), JoinFilter::Kind::filter);
                EXPECT_TRUE(test::same_bits(*filter.filter(), serial)) << spec;
            }
        }
    }
}

TEST(JoinBuilder, AnEmptyBuildSideLetsNothingPass) {
    const std::uint64_t null_only[] = {1, 2, 3};
    const std::uint8_t valid = 0;
    for (const char* const spec : {"split256", "auto"})
        EXPECT_EQ(test::built(JoinBuilder(spec, 1000, 12), {null_only, false, &valid}).kind(),
                  JoinFilter::Kind::none);
}

TEST(JoinKey, EqualFloatsHaveOneKeyAndOthersTheirOwn) {
    using Limits = std::numeric_limits<double>;
    EXPECT_EQ(join_key(0.0), join_key(-0.0));
    EXPECT_EQ(join_key(Limits::quiet_NaN()), join_key(-Limits::quiet_NaN()));
    EXPECT_EQ(join_key(Limits::quiet_NaN()),
              join_key(std::bit_cast<double>(0x7FF0'0000'0000'0001u)));
    EXPECT_EQ(join_key(1.5f), join_key(1.5));
    std::set<std::uint64_t> keys;
    for (const double value : {0.0, 1.0, Limits::min(), Limits::infinity()})
        keys.insert({join_key(value), join_key(-value)});
    keys.insert(join_key(Limits::quiet_NaN()));
    EXPECT_EQ(keys.size(), 8u);
}

TEST(JoinKey, WholeDoublesHaveTheKeyOfTheInteger) {
    for (int shift = 0; shift < 63; ++shift)
        for (const std::int64_t near : {-1, 0, 1}) {
            const std::int64_t value = (std::int64_t{1} << shift) + near;
            const auto number = static_cast<double>(value);
            if (number < 0x1p63 && static_cast<std::int64_t>(number) != value) continue;  // rounded
            if (number == 0x1p63) continue;
            EXPECT_EQ(join_key(number), static_cast<std::uint64_t>(value)) << value;
            EXPECT_EQ(join_key(-number), static_cast<std::uint64_t>(-value)) << -value;
        }
    EXPECT_EQ(join_key(-0x1p63), std::uint64_t{1} << 63);
    EXPECT_EQ(join_key(0x1p63), std::uint64_t{1} << 63);
    EXPECT_EQ(join_key(0x1.FFFFFFFFFFFFFp63), 0xFFFF'FFFF'FFFF'F800u);
    for (const double other : {0.5, -0.5, 0x1p64, -0x1.0000000000001p63, 0x1p-1074})
        EXPECT_EQ(join_key(other), std::bit_cast<std::uint64_t>(other)) << other;
}

struct Star {
    // Of 4096 rows the filters hold a half, an eighth and a quarter, of keys that are independent
    // of one another.
    static constexpr std::size_t n = 4096;
    Star() {
        for (std::size_t f = 0; f < 3; ++f) {
            keys[f] = test::random_keys(n, 1'000'000 * (f + 1));
            auto filter = make_filter("split256", n, 16);
            for (std::size_t row = 0; row < n; ++row)
                if (test::random_key(row + 10'000 * f) % (f == 0 ? 2 : f == 1 ? 8 : 4) == 0)
                    filter.insert(keys[f][row]);
            filters.emplace_back(std::move(filter));
            columns[f].values = keys[f];
        }
    }
    /// The rows that pass all of these filters.
    std::vector<std::uint32_t> rows_passing(std::initializer_list<std::size_t> some) const {
        std::vector<std::uint32_t> rows(n);
        std::iota(rows.begin(), rows.end(), 0);
        for (const std::size_t f : some) rows.resize(filters[f].select(columns[f], rows, rows));
        return rows;
    }
    std::vector<std::uint64_t> keys[3];
    std::vector<JoinFilter> filters;
    JoinColumn columns[3];
};

TEST(StarProbe, TheMostSelectiveFilterComesFirst) {
    const Star star;
    StarProbe probe(star.filters);
    EXPECT_EQ(std::vector(probe.order().begin(), probe.order().end()),
              (std::vector<std::size_t>{0, 1, 2}));
    EXPECT_DOUBLE_EQ(probe.pass_rate(1), 1);
    std::vector<std::uint32_t> out(Star::n);
    const auto rows = star.rows_passing({0, 1, 2});
    for (int batch = 0; batch < 3; ++batch) {
        const std::size_t n = probe.select(star.columns, out);
        EXPECT_EQ(std::vector(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(n)), rows)
            << batch;
        EXPECT_EQ(std::vector(probe.order().begin(), probe.order().end()),
                  (std::vector<std::size_t>{1, 2, 0}))
            << batch;
        if (batch > 0) continue;
        const JoinCounters &first = probe.counters(0), &second = probe.counters(1);
        EXPECT_EQ(first.asked, Star::n);
        EXPECT_EQ(first.passed, star.rows_passing({0}).size());
        EXPECT_EQ(second.asked, first.passed);
        EXPECT_EQ(second.passed, star.rows_passing({0, 1}).size());
        EXPECT_EQ(probe.counters(2).passed, n);
        EXPECT_EQ(second.skipped, 0u);
    }
    EXPECT_NEAR(probe.pass_rate(0), 0.5, 0.05);
    EXPECT_NEAR(probe.pass_rate(1), 0.125, 0.03);
    EXPECT_NEAR(probe.pass_rate(2), 0.25, 0.04);
    EXPECT_EQ(probe.governor(0), nullptr);
}

TEST(StarProbe, AFilterThatLetsAllPassIsNotAskedAndNullsStillFail) {
    Star star;
    auto all = *star.filters[0].filter();
    all.accept_all();
    star.filters[0] = JoinFilter(std::move(all));
    std::vector<std::uint8_t> valid(Star::n / 8, 0xFF);
    valid[0] = 0xFE;
    valid[Star::n / 8 - 1] = 0x7F;
    StarProbe probe({star.filters[0]}, Governor::Settings{.stop_at = 0.9,
                                                          .sample_rows = Star::n,
                                                          .first_pause = 10 * Star::n,
                                                          .longest_pause = 10 * Star::n});
    star.columns[0].valid = valid.data();
    std::vector<std::uint32_t> out(Star::n);
    for (int batch = 0; batch < 5; ++batch) {
        EXPECT_EQ(probe.select({star.columns, 1}, out), Star::n - 2);
        EXPECT_EQ(out[0], 1u);
    }
    EXPECT_EQ(probe.governor(0)->skipped(), 4 * Star::n);
    EXPECT_EQ(probe.counters(0).skipped, 4 * Star::n);
    EXPECT_EQ(probe.counters(0).asked, Star::n);
}

TEST(StarProbe, PausedFiltersBehindOthers) {
    Star star;
    StarProbe probe(star.filters, Governor::Settings{.stop_at = 0.4,
                                                     .sample_rows = Star::n,
                                                     .first_pause = 1 << 20,
                                                     .longest_pause = 1 << 20});
    std::vector<std::uint32_t> out(Star::n);
    const std::size_t first = probe.select(star.columns, out);
    // Now the half is paused: what the other two let pass remains.
    const std::size_t then = probe.select(star.columns, out);
    EXPECT_EQ(first, star.rows_passing({0, 1, 2}).size());
    EXPECT_EQ(then, star.rows_passing({1, 2}).size());
    EXPECT_GT(then, first);
}

TEST(StarProbe, RefusesColumnsThatDoNotFit) {
    const Star star;
    StarProbe probe(star.filters);
    std::vector<std::uint32_t> out(Star::n);
    EXPECT_INVALID("2 columns for 3", probe.select({star.columns, 2}, out));
    JoinColumn shorter[3] = {star.columns[0], star.columns[1], star.columns[2]};
    shorter[2].values = shorter[2].values.first(7);
    EXPECT_INVALID("7 rows", probe.select(shorter, out));
    EXPECT_LENGTH_ERROR("9", probe.select(star.columns, std::span(out).first(9)));
    StarProbe none({});
    EXPECT_INVALID("0 columns", none.select({}, out));
}

}  // namespace
}  // namespace simdbloom
