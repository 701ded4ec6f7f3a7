// The floor that lookups are compared with.
#include <set>

#include "support.hpp"
#include "touch/touch.hpp"

namespace simdbloom {
namespace {

class Touch : public ::testing::TestWithParam<std::string> {
protected:
    static AnyFilter make(Options options = {}) {
        return make_filter(GetParam(), 100'000, test::feasible_bits(GetParam(), 16), options);
    }
};

TEST_P(Touch, LinesTouchedAreThoseOfTheLayout) {
    auto filter = make();
    filter.insert(test::random_keys(100'000));
    double lines = 0;
    constexpr std::size_t probes = 100'000;
    for (std::size_t i = 0; i < probes; ++i)
        lines += bench::lines_touched(filter.base(), hash_key(test::random_key(1'000'000 + i), 0));
    lines /= probes;
    const Layout& layout = filter.base().layout();
    if (layout.kind == LayoutKind::classic || layout.kind == LayoutKind::counting) {
        // Half the bits are set: 1 + 1/2 + 1/4 + ... probes until the first zero.
        const double fill = std::pow(filter.estimated_fpr(), 1.0 / layout.k);
        EXPECT_NEAR(lines, (1 - std::pow(fill, layout.k)) / (1 - fill), 0.02);
        // All probes of a key that was inserted.
        for (std::uint64_t i = 0; i < 100; ++i) {
            const std::uint64_t hash = hash_key(test::random_key(i), 0);
            std::set<std::uint64_t> distinct;
            std::uint64_t g = hash;
            for (unsigned j = 0; j < layout.k; ++j, g = detail::classic_next(g))
                distinct.insert(detail::block_index(g, filter.base().blocks()) * 8 / 64);
            EXPECT_EQ(bench::lines_touched(filter.base(), hash), distinct.size());
        }
    } else if (layout.kind == LayoutKind::cuckoo12) {
        EXPECT_NEAR(lines, 2 * (1 + 2.0 / 32), 0.01);  // of 32 buckets in three lines, two straddle
    } else if (layout.is_cuckoo()) {
        EXPECT_NEAR(lines, 2, 0.01);
    } else if (layout.is_dleft()) {
        // 16 bytes from any even byte of a line on straddle at 7 of 32 places; buckets of 16 bytes
        // never do.
        EXPECT_NEAR(lines, layout.kind == LayoutKind::dleft14 ? 4 : 4 * (1 + 7.0 / 32), 0.02);
    } else {
        EXPECT_EQ(lines, 1);
    }
}

TEST_P(Touch, DependsOnTheBits) {
    for (const Isa isa : usable_isas()) {
        auto filter = make({.isa = isa});
        const auto keys = test::random_keys(1'000, 5);
        EXPECT_EQ(bench::touch(filter.base(), keys), 0u);
        filter.insert(test::random_keys(100'000));
        EXPECT_NE(bench::touch(filter.base(), keys), 0u)
            << to_string(isa) << ": the loads were optimised away";
        EXPECT_EQ(bench::touch(filter.base(), keys),
                  bench::touch_hashes(filter.base(), test::hashes_of(keys)));
    }
}

TEST(TouchBank, LoadsEachLineOfTheRows) {
    for (const std::size_t sets : {64u, 512u, 4096u, 4224u}) {
        auto bank = FilterBank::with_bits_per_key(sets, 1'000, 12);
        const auto keys = test::random_keys(1'000, 5);
        EXPECT_EQ(bench::touch(bank, keys, false), 0u);
        // Bit 0 of each word is set, and a row has words / 8 lines: every load of a line is a 1.
        for (std::size_t s = 0; s < sets; s += 64)
            for (std::uint64_t key = 0; key < 20'000; ++key) bank.insert(s, key);
        const double k = bank.layout().k;
        const double loads = static_cast<double>(bench::touch(bank, keys, false)),
                     lines = static_cast<double>((sets + 511) / 512 * keys.size()) * k;
        EXPECT_NEAR(loads, lines, 0.001 * lines) << sets;
        std::vector<std::uint64_t> hashes;
        double touched = 0;
        for (const auto key : keys) {
            hashes.push_back(bank.hash_of(key));
            touched += bench::lines_touched(bank, hashes.back());
        }
        EXPECT_EQ(bench::touch(bank, hashes, true), bench::touch(bank, keys, false));
        // Some of k rows share one of 64 lines, or are the same of 512 rows.
        const double places = sets == 64 ? 64 : 512;
        EXPECT_NEAR(touched / lines, places / k * (1 - std::pow(1 - 1 / places, k)), 0.005) << sets;
    }
}

INSTANTIATE_TEST_SUITE_P(Filter, Touch, ::testing::ValuesIn(test::layout_names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace simdbloom
