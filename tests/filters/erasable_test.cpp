// What cuckoo tables, d-left tables and counting filters have in common: keys go out again, and a
// full table says so.
#include "support.hpp"

namespace simdbloom {
namespace {

class Erasable : public ::testing::TestWithParam<std::string> {
protected:
    /// A table at its design load.
    static AnyFilter make(std::size_t n, std::uint64_t seed = 0) {
        const Layout layout = Layout::parse(GetParam());
        const double bits = layout.is_table() ? layout.least_bits_per_key() : 48;
        return make_filter(GetParam(), n, bits, {.seed = seed});
    }
};

class ErasableTable : public Erasable {};

double load_of(const AnyFilter& filter) {
    const auto* const cuckoo = filter.get_if<CuckooFilter>();
    return cuckoo != nullptr ? cuckoo->load() : filter.get_if<DLeftCounting>()->load();
}

TEST_P(Erasable, FillAndEmptyLeavesNoBitLoadedOrNot) {
    auto filter = make(50'000);
    const auto keys = test::random_keys(50'000);
    filter.insert(keys);
    auto loaded = load(save(filter));
    ASSERT_TRUE(loaded) << loaded.error().message;
    for (AnyFilter* f : {&filter, &*loaded}) {
        const auto* const cuckoo = f->get_if<CuckooFilter>();
        EXPECT_TRUE(cuckoo == nullptr || cuckoo->stored() == 50'000);
        for (std::size_t i = 0; i < 1000; ++i) ASSERT_TRUE(f->erase(keys[i]));
        const auto rest = std::span(keys).subspan(1000);
        EXPECT_EQ(f->count(rest), 49'000u);
        EXPECT_EQ(f->erase(rest), 49'000u);
        EXPECT_TRUE(cuckoo == nullptr || cuckoo->stored() == 0);
        EXPECT_EQ(f->count(keys), 0u);
        EXPECT_TRUE(test::is_blank(*f));
        EXPECT_EQ(f->erase(keys), 0u);
        EXPECT_TRUE(test::is_blank(*f));
    }
}

/// Promise: A full cuckoo or d-left table says so and loses nothing.
TEST_P(ErasableTable, AFullTableSaysSoAndLosesNothing) {
    auto filter = make(2'000);
    const auto keys = test::random_keys(6'000);
    std::vector<std::uint64_t> in;
    for (std::size_t i = 0, refused = 0; refused <= 20; ++i) {
        const auto before = save(filter);
        if (filter.try_insert(keys[i])) {
            in.push_back(keys[i]);
        } else {
            ++refused;
            ASSERT_EQ(save(filter), before) << "a refused insert changed the table";
        }
    }
    EXPECT_GT(load_of(filter), filter.get_if<CuckooFilter>() != nullptr ? 0.95 : 0.85);
    EXPECT_EQ(filter.count(in), in.size());
    // And it still erases, and takes keys again.
    EXPECT_EQ(filter.erase(std::span(in).first(500)), 500u);
    EXPECT_EQ(filter.count(std::span(in).subspan(500)), in.size() - 500);
    EXPECT_TRUE(filter.try_insert(std::uint64_t{77}));
}

TEST_P(ErasableTable, InsertsIntoAFullTableThrowWithTheLoadReached) {
    auto filter = make(1'000), same = filter;
    const auto keys = test::random_keys(6'000);
    const std::size_t in = same.try_insert(keys);
    ASSERT_LT(in, keys.size());
    EXPECT_LENGTH_ERROR(std::to_string(in) + " of these 6000 keys", filter.insert(keys));
    EXPECT_EQ(filter.count(std::span(keys).first(in)), in);
    EXPECT_LENGTH_ERROR(std::to_string(load_of(filter)), filter.insert(keys[in]));
    EXPECT_LENGTH_ERROR("0 of these " + std::to_string(6'000 - in) + " keys",
                        filter.insert(std::span(keys).subspan(in)));
    EXPECT_TRUE(test::same_bits(filter, same));
}

TEST_P(ErasableTable, TablesHoldWhatTheyWereMadeFor) {
    const auto hold = [](std::size_t n, std::uint64_t seeds) {
        for (std::uint64_t seed = 0; seed < seeds; ++seed) {
            auto filter = make(n, seed);
            ASSERT_EQ(filter.try_insert(test::random_keys(n, seed * std::max<std::size_t>(n, 64))),
                      n)
                << "seed " << seed;
        }
    };
    for (std::size_t n = 1; n <= 64; ++n) ASSERT_NO_FATAL_FAILURE(hold(n, 1000));
    for (std::size_t n = 65; n <= 3'000; n += 29) ASSERT_NO_FATAL_FAILURE(hold(n, 30));
    for (const std::size_t n : {10'000u, 99'991u, 1'000'000u}) ASSERT_NO_FATAL_FAILURE(hold(n, 1));
}

TEST_P(ErasableTable, TablesOfTooFewBitsPerKeyAreRefused) {
    const double bits = Layout::parse(GetParam()).least_bits_per_key();
    EXPECT_INVALID("made for at most", make_filter(GetParam(), 1000, 0.998 * bits));
    EXPECT_NO_THROW((void)make_filter(GetParam(), 1000, bits));
}

INSTANTIATE_TEST_SUITE_P(Table, ErasableTable, ::testing::ValuesIn(test::table_names()),
                         test::spec_name);
INSTANTIATE_TEST_SUITE_P(Table, Erasable, ::testing::ValuesIn(test::table_names()),
                         test::spec_name);
INSTANTIATE_TEST_SUITE_P(Counting, Erasable,
                         ::testing::ValuesIn(test::names_of(detail::Family::counting)),
                         test::spec_name);

}  // namespace
}  // namespace simdbloom
