// Specs: every layout's text reads back as itself, and every malformed one is refused by name. The
// list of layouts, and its page.
#include <fstream>
#include <sstream>

#include "support.hpp"

namespace simdbloom {
namespace {

TEST(Spec, ReadsBackAsItself) {
    for (const auto& spec : test::all_specs()) {
        EXPECT_EQ(Layout::parse(spec).spec(), spec);
        EXPECT_EQ(Layout::parse(Layout::parse(spec).spec()), Layout::parse(spec));
    }
}

TEST(Spec, DefaultsAreFilledIn) {
    EXPECT_EQ(make_filter("register64", 100'000, 12).spec(), "register64:k=5");
    EXPECT_EQ(make_filter("classic", 100'000, 12).spec(), "classic:k=8");
    EXPECT_EQ(make_filter("blocked512", 100'000, 20).spec(), "blocked512:k=11");
    EXPECT_EQ(make_filter("zoned512", 100'000, 16).spec(), "zoned512:z=2,k=8");
    EXPECT_EQ(make_filter("zoned512:z=4", 100'000, 16).spec(), "zoned512:z=4,k=8");
    EXPECT_EQ(make_filter("split256", 100'000, 16).spec(), "split256");
    EXPECT_EQ(make_filter("cuckoo12", 100'000, 16).spec(), "cuckoo12");
    EXPECT_EQ(make_filter("counting", 100'000, 48).spec(), "counting:k=8");
    EXPECT_EQ(make_filter("counting512", 100'000, 48).spec(), "counting512:k=6");
    EXPECT_EQ(make_filter("dleft14", 100'000, 22).spec(), "dleft14");
}

TEST(Spec, MalformedOnesAreRefusedByName) {
    std::vector<std::string> wrong{"", "split256 ", ":k=3"};
    std::istringstream words(
        "split Split256 cuckoo10 counting256 dleft13 dleft split256:k=7 cuckoo8:k=4 classic:k=31 "
        "register64: register64:k register64:k= register64:k=0 register64:k=9 register64:k=-1 "
        "register64:k=4, register64:k=4,k=5 register64:z=2 register64:k=4x "
        "register64:k=99999999999 zoned512:z=3 zoned512:z=2,k=3 zoned512:z=4,k=6 zoned512:k=10 "
        "blocked512:k=17 counting:k=31 counting512:k=17 counting512:k=0 dleft14:k=4 dleft14:z=2");
    for (std::string word; words >> word;) wrong.push_back(word);
    for (const auto& bad : wrong) EXPECT_INVALID('"' + bad + '"', make_filter(bad, 1000, 16));
}

TEST(Spec, AnUnknownNameIsAnsweredWithThoseThereAre) {
    EXPECT_INVALID(" classic, register32, register64, split256, ", Layout::parse("cuckoo10"));
}

TEST(Spec, ATypeTakesOnlyItsFamily) {
    EXPECT_THROW((void)SplitBlockBloom::with_bits_per_key(1000, 12, {.spec = "classic"}),
                 std::invalid_argument);
    EXPECT_THROW((void)ClassicBloom::with_bits_per_key(1000, 12, {.spec = "register64"}),
                 std::invalid_argument);
    EXPECT_EQ(RegisterBlockedBloom::with_bits_per_key(1000, 12, {.spec = "register32:k=3"}).spec(),
              "register32:k=3");
    EXPECT_EQ(CacheLineBloom::with_bits_per_key(1000, 12).spec(), "sector512");
    EXPECT_EQ(CuckooFilter::with_bits_per_key(1000, 20, {.spec = "cuckoo16"}).spec(), "cuckoo16");
    EXPECT_EQ(CountingBloom::with_bits_per_key(1000, 40).layout().kind, LayoutKind::counting512);
    EXPECT_EQ(CountingBloom::with_bits_per_key(1000, 40, {.spec = "counting:k=3"}).spec(),
              "counting:k=3");
    EXPECT_EQ(DLeftCounting::with_bits_per_key(1000, 24).spec(), "dleft14");
    EXPECT_EQ(DLeftCounting::with_bits_per_key(1000, 24, {.spec = "dleft16"}).spec(), "dleft16");
    EXPECT_THROW((void)DLeftCounting::with_bits_per_key(1000, 24, {.spec = "cuckoo12"}),
                 std::invalid_argument);
    EXPECT_THROW((void)CuckooFilter::with_bits_per_key(1000, 24, {.spec = "dleft14"}),
                 std::invalid_argument);
    EXPECT_THROW((void)CountingBloom::with_bits_per_key(1000, 24, {.spec = "classic"}),
                 std::invalid_argument);
}

TEST(LayoutList, ThePageHasEveryLayout) {
    std::stringstream page;
    page << std::ifstream(SIMDBLOOM_LAYOUTS_PAGE).rdbuf();
    for (const detail::LayoutTraits& traits : detail::layout_traits) {
        std::ostringstream row;
        row << "\n| `" << traits.name << "` | " << unsigned{traits.format_code} << " | "
            << traits.block_bits / 8 << " | ";
        EXPECT_NE(page.str().find(row.str()), std::string::npos) << row.str();
    }
}

TEST(LayoutList, NumbersInFilesAreDistinct) {
    for (const detail::LayoutTraits& a : detail::layout_traits)
        for (const detail::LayoutTraits& b : detail::layout_traits)
            EXPECT_TRUE(a.kind == b.kind || a.format_code != b.format_code)
                << a.name << " and " << b.name;
}

}  // namespace
}  // namespace simdbloom
