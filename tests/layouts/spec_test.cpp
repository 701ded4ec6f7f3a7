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

template <class F>
std::string spec_of(const std::string& wanted = "") {
    return F::with_bits_per_key(1000, 40, {.spec = wanted}).spec();
}

TEST(Spec, ATypeTakesOnlyItsFamily) {
    EXPECT_EQ(spec_of<RegisterBlockedBloom>("register32:k=3"), "register32:k=3");
    EXPECT_EQ(spec_of<CacheLineBloom>(), "sector512");
    EXPECT_EQ(spec_of<CuckooFilter>("cuckoo16"), "cuckoo16");
    EXPECT_EQ(spec_of<CountingBloom>(), "counting512:k=6");
    EXPECT_EQ(spec_of<CountingBloom>("counting:k=3"), "counting:k=3");
    EXPECT_EQ(spec_of<DLeftCounting>(), "dleft14");
    EXPECT_EQ(spec_of<DLeftCounting>("dleft16"), "dleft16");
    EXPECT_INVALID("classic", spec_of<SplitBlockBloom>("classic"));
    EXPECT_INVALID("register64", spec_of<ClassicBloom>("register64"));
    EXPECT_INVALID("cuckoo12", spec_of<DLeftCounting>("cuckoo12"));
    EXPECT_INVALID("dleft14", spec_of<CuckooFilter>("dleft14"));
    EXPECT_INVALID("classic", spec_of<CountingBloom>("classic"));
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

}  // namespace
}  // namespace simdbloom
