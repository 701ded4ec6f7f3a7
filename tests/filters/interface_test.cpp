// Outputs that are too short or overlap the keys, and more keys than positions can number.
#include "support.hpp"

namespace simdbloom {
// The suite has the name of a class of the library.
namespace interface_test {
namespace {

class Interface : public ::testing::TestWithParam<std::string> {
protected:
    static AnyFilter make() { return make_filter(GetParam(), 1000, 64); }
};

TEST_P(Interface, OutputsThatAreTooShortAreRefusedUntouched) {
    auto filter = make();
    const auto keys = test::random_keys(100);
    filter.insert(keys);
    std::vector<std::uint8_t> bitmap(13, 0xEE);
    EXPECT_NO_THROW(filter.contains(keys, bitmap));
    std::fill(bitmap.begin(), bitmap.end(), 0xEE);
    EXPECT_LENGTH_ERROR("12 bytes", filter.contains(keys, std::span(bitmap).first(12)));
    EXPECT_LENGTH_ERROR("need 13", filter.contains(keys, std::span(bitmap).first(12)));
    for (const auto byte : bitmap) EXPECT_EQ(byte, 0xEE);
    std::vector<std::uint32_t> positions(100, 7);
    EXPECT_LENGTH_ERROR("99 positions", filter.select(keys, std::span(positions).first(99)));
    EXPECT_THROW((void)filter.select(Keys::hashes(keys), std::span(positions).first(0)),
                 std::length_error);
    for (const auto p : positions) EXPECT_EQ(p, 7u);

    // Other keys are hashed 1024 at a time: no answer to the first ones either.
    const std::vector<std::string> texts(3'000, "text");
    bitmap.assign(375, 0xEE);
    positions.assign(3'000, 7);
    filter.insert(std::string_view("text"));
    EXPECT_LENGTH_ERROR("374 bytes",
                        filter.contains(std::span(texts), std::span(bitmap).first(374)));
    EXPECT_LENGTH_ERROR("2999 positions",
                        filter.select(std::span(texts), std::span(positions).first(2'999)));
    for (const auto byte : bitmap) EXPECT_EQ(byte, 0xEE);
    for (const auto p : positions) EXPECT_EQ(p, 7u);
}

// Nothing is read: a batch that long is refused by its length.
TEST_P(Interface, MoreKeysThanPositionsCanNumberAreRefused) {
    const auto filter = make();
    const auto keys = test::random_keys(100);
    std::vector<std::uint32_t> positions(1);
    const std::size_t too_many = (std::size_t{1} << 32) + 1;
    EXPECT_LENGTH_ERROR(
        "4294967297 keys are more",
        filter.select({keys.data(), too_many}, std::span(positions.data(), too_many)));
    EXPECT_LENGTH_ERROR("room for 1 positions is too short for 4294967296",
                        filter.select({keys.data(), too_many - 1}, positions));
}

TEST_P(Interface, OutputsThatOverlapTheKeysAreRefused) {
    auto filter = make();
    auto keys = test::random_keys(1000);
    const auto before = keys;
    const auto in = std::span(keys).first(900);
    const auto narrow = std::span(reinterpret_cast<std::uint32_t*>(keys.data()), 1800);
    const std::string overlap = "the output overlaps the keys";
    for (const std::size_t at : {0u, 1u, 899u}) {
        auto* const bytes = reinterpret_cast<std::uint8_t*>(keys.data() + at);
        auto* const words = reinterpret_cast<std::uint32_t*>(keys.data() + at);
        const std::span bitmap(bytes, 225);
        const std::span positions(words, 1800);
        EXPECT_INVALID(overlap, filter.contains(in, bitmap));
        EXPECT_INVALID(overlap, filter.contains(Keys::hashes(in), bitmap));
        EXPECT_INVALID(overlap, filter.contains(narrow, bitmap));
        EXPECT_INVALID(overlap, filter.select(in, positions));
        EXPECT_INVALID(overlap, filter.insert_if_new(in, bitmap));
    }
    EXPECT_EQ(keys, before);
    EXPECT_EQ(filter.estimated_fpr(), 0);
    // Behind the keys and before them.
    const std::span behind(reinterpret_cast<std::uint8_t*>(keys.data() + 900), 113);
    EXPECT_EQ(filter.contains(in, behind), 0u);
    const std::span first(reinterpret_cast<std::uint8_t*>(keys.data()), 112);
    EXPECT_EQ(filter.contains(std::span(keys).subspan(14, 890), first), 0u);
}

INSTANTIATE_TEST_SUITE_P(Filter, Interface, ::testing::ValuesIn(test::structure_specs()),
                         test::spec_name);

}  // namespace
}  // namespace interface_test
}  // namespace simdbloom
