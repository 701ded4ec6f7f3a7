// No exception leaves a function of the C interface, whichever allocation fails.

#include "allocations.hpp"
#include "saved_bytes.hpp"
#include "simdbloom.h"

namespace simdbloom {
namespace {

/// call() with 0, 1, 2 .. allocations: SIMDBLOOM_MEMORY until it is SIMDBLOOM_OK. Returns how
/// often.
template <class Call>
int refusals(const char* what, const Call& call) {
    SCOPED_TRACE(what);
    for (int k = 0; k < 1'000'000; k += 1 + k / 16) {
        simdbloom_status status = SIMDBLOOM_INVALID;
        const char* error = "";
        {
            const test::AllocationLimit limit(k);
            status = call();
            error = simdbloom_error();
        }
        if (status == SIMDBLOOM_OK) return k;
        EXPECT_EQ(status, SIMDBLOOM_MEMORY) << error;
        EXPECT_STRNE(error, "");
        if (status != SIMDBLOOM_MEMORY) return k;
    }
    ADD_FAILURE() << "it never succeeds";
    return -1;
}

#define REFUSALS(...) refusals(#__VA_ARGS__, [&] { return __VA_ARGS__; })

template <class T, void (*free_one)(T*)>
class HandleOf {
public:
    ~HandleOf() { free_one(thing_); }
    T** out() {
        free_one(thing_);
        thing_ = nullptr;
        return &thing_;
    }
    operator T*() const { return thing_; }

private:
    T* thing_ = nullptr;
};
using Handle = HandleOf<simdbloom_filter, simdbloom_free>;
using BankHandle = HandleOf<simdbloom_bank, simdbloom_bank_free>;

class CWithoutMemory : public ::testing::TestWithParam<std::string> {};

/// Promise: No C++ exception leaves the C interface.
TEST_P(CWithoutMemory, EveryFunctionSaysSo) {
    const std::string spec = GetParam();
    const bool bloom = Layout::parse(spec).is_bloom();
    const auto keys = test::random_keys(500);
    simdbloom_options options{};
    options.seed = 7;
    Handle f, g;
    EXPECT_GT(REFUSALS(simdbloom_create(spec.c_str(), 500, test::feasible_bits(spec, 20), &options,
                                        f.out())),
              0);
    EXPECT_GT(REFUSALS(simdbloom_create_for_fpr(spec.c_str(), 500, 0.01, &options, g.out())), 0);
    for (const unsigned threads : {1u, 3u}) {
        if (threads != 1 && !bloom) continue;
        for (const int hashed : {0, 1})
            REFUSALS(simdbloom_insert(f, keys.data(), keys.size() / 4, hashed, threads));
    }
    REFUSALS(simdbloom_insert_bytes(f, "hello", 5));

    int yes = 0;
    std::size_t found = 0;
    std::uint8_t bitmap[63];
    std::uint32_t positions[500], rows[2] = {1, 0};
    REFUSALS(simdbloom_contains(f, keys[0], &yes));
    EXPECT_EQ(yes, 1);
    REFUSALS(simdbloom_contains_bytes(f, "hello", 5, &yes));
    EXPECT_EQ(yes, 1);
    REFUSALS(simdbloom_count(f, keys.data(), 500, 0, &found));
    EXPECT_GE(found, 125u);
    REFUSALS(simdbloom_bitmap(f, keys.data(), 500, 0, bitmap, &found));
    REFUSALS(simdbloom_select(f, keys.data(), 500, 0, positions, &found));
    REFUSALS(simdbloom_select_rows(f, keys.data(), 500, 0, nullptr, rows, 2, rows, &found));
    EXPECT_EQ(found, 2u);

    EXPECT_GT(REFUSALS(simdbloom_copy(f, g.out())), 0);
    if (bloom) REFUSALS(simdbloom_unite(f, g));

    std::vector<unsigned char> bytes(simdbloom_saved_size(f));
    REFUSALS(simdbloom_save(f, bytes.data(), bytes.size()));
    EXPECT_GT(REFUSALS(simdbloom_load(bytes.data(), bytes.size(), nullptr, g.out())), 0);
    const test::TemporaryFolder folder("c-memory");
    const std::string path = (folder.path / "filter").string();
    EXPECT_GT(REFUSALS(simdbloom_save_file(f, path.c_str())), 0);
    EXPECT_GT(REFUSALS(simdbloom_load_file(path.c_str(), nullptr, g.out())), 0);

    if (!bloom) {
        REFUSALS(simdbloom_erase(f, keys.data(), 1, 0, &found));
        REFUSALS(simdbloom_erase_bytes(f, "hello", 5, &found));
        EXPECT_EQ(found, 1u);
    }
    REFUSALS(simdbloom_clear(f));
    for (const auto fpr : {simdbloom_expected_fpr, simdbloom_estimated_fpr}) {
        const double expected = fpr(f);
        EXPECT_FALSE(std::isnan(expected));
        refusals("fpr", [&] {
            const double got = fpr(f);
            return got == expected   ? SIMDBLOOM_OK
                   : std::isnan(got) ? SIMDBLOOM_MEMORY
                                     : SIMDBLOOM_INVALID;
        });
    }
    (void)simdbloom_spec(f);
    (void)simdbloom_isa(f);
    (void)simdbloom_size_in_bytes(f);
    (void)simdbloom_version();
}

TEST(CBankWithoutMemory, EveryFunctionSaysSo) {
    std::vector<std::uint64_t> sizes(100, 10);
    sizes[7] = 3'000;
    const auto keys = test::random_keys(500);
    BankHandle f, g;
    EXPECT_GT(REFUSALS(simdbloom_bank_create("split256", sizes.data(), 100, 12, nullptr, f.out())),
              0);
    EXPECT_GT(REFUSALS(simdbloom_bank_create_for_fpr("split256", sizes.data(), 100, 0.01, nullptr,
                                                     g.out())),
              0);
    REFUSALS(simdbloom_bank_insert(f, 7, keys.data(), 500, 0));
    REFUSALS(simdbloom_bank_insert_bytes(f, 9, "hello", 5));
    std::size_t found = 0, set = 0;
    std::vector<std::uint8_t> bitmaps(500 * 16);
    std::vector<std::uint32_t> sets(102);
    std::vector<std::uint64_t> counts(102);
    REFUSALS(simdbloom_bank_contains(f, keys.data(), 500, 0, bitmaps.data()));
    REFUSALS(simdbloom_bank_contains_bytes(f, "hello", 5, bitmaps.data()));
    REFUSALS(simdbloom_bank_select(f, keys[0], sets.data(), &found));
    EXPECT_GE(found, 1u);
    REFUSALS(simdbloom_bank_select_sets(f, keys.data(), 500, 0, 400, sets.data(), &found));
    EXPECT_EQ(found, 1u);
    REFUSALS(simdbloom_bank_count_per_set(f, keys.data(), 500, 0, counts.data()));
    EXPECT_EQ(counts[7], 500u);
    EXPECT_GT(REFUSALS(simdbloom_bank_copy(f, g.out())), 0);
    EXPECT_GT(REFUSALS(simdbloom_bank_add_set(f, 10, &set)), 0);
    EXPECT_EQ(set, 100u);
    EXPECT_GT(REFUSALS(simdbloom_bank_add_set(f, 100'000, &set)), 0);
    EXPECT_EQ(set, 101u);
    REFUSALS(simdbloom_bank_count_per_set(f, keys.data(), 500, 0, counts.data()));
    EXPECT_EQ(counts[7], 500u);
    EXPECT_EQ(counts[101], 0u);
    std::vector<unsigned char> bytes(simdbloom_bank_saved_size(f));
    REFUSALS(simdbloom_bank_save(f, bytes.data(), bytes.size()));
    EXPECT_GT(REFUSALS(simdbloom_bank_load(bytes.data(), bytes.size(), nullptr, g.out())), 0);
    EXPECT_EQ(simdbloom_bank_sets(g), 102u);
    const test::TemporaryFolder folder("c-bank-memory");
    const std::string path = (folder.path / "bank").string();
    EXPECT_GT(REFUSALS(simdbloom_bank_save_file(f, path.c_str())), 0);
    EXPECT_GT(REFUSALS(simdbloom_bank_load_file(path.c_str(), nullptr, g.out())), 0);
    EXPECT_GT(REFUSALS(simdbloom_bank_map_file(path.c_str(), nullptr, g.out())), 0);
    EXPECT_GT(REFUSALS(simdbloom_bank_resize(f, 300, 10)), 0);
    EXPECT_GT(REFUSALS(simdbloom_bank_resize(f, 8, 0)), 0);
    REFUSALS(simdbloom_bank_count_per_set(f, keys.data(), 500, 0, counts.data()));
    EXPECT_EQ(counts[7], 500u);
    Handle one, two;
    (void)simdbloom_create("split256", 500, 12, nullptr, one.out());
    (void)simdbloom_create("split256", 500, 12, nullptr, two.out());
    const simdbloom_filter* const filters[] = {one, two};
    EXPECT_GT(REFUSALS(simdbloom_bank_of(filters, 2, nullptr, g.out())), 0);
    EXPECT_EQ(simdbloom_bank_sets(g), 2u);
    REFUSALS(simdbloom_bank_clear_set(f, 7));
    REFUSALS(simdbloom_bank_clear(f));
}

INSTANTIATE_TEST_SUITE_P(Spec, CWithoutMemory, ::testing::ValuesIn(test::layout_names()),
                         test::spec_name);

}  // namespace
}  // namespace simdbloom
