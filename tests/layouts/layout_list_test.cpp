// The page of layouts against the list of layouts.
#include <fstream>
#include <sstream>

#include "simdbloom/layout.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

// The page of layouts lists every layout.
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
