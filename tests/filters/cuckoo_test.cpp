// The cuckoo filter: any number of buckets, load 0.95, deletes, duplicates, and a full table that
// loses nothing.
#include "support.hpp"

namespace simdbloom {
namespace {

class Cuckoo : public ::testing::TestWithParam<std::string> {
protected:
    static CuckooFilter make(std::size_t n, std::uint64_t seed = 0) {
        const Layout layout = Layout::parse(GetParam());
        return CuckooFilter::with_bits_per_key(n, layout.fingerprint_bits() / 0.95,
                                               {.seed = seed, .spec = GetParam()});
    }
};

TEST(CuckooAlternate, IsItsOwnInverseForAnyNumberOfBuckets) {
    const auto check = [](std::uint64_t b, std::uint32_t tag, std::uint64_t buckets) {
        const auto other = detail::cuckoo_alternate(b, tag, buckets);
        ASSERT_LT(other, buckets);
        ASSERT_EQ(detail::cuckoo_alternate(other, tag, buckets), b);
    };
    for (std::uint64_t buckets = 1; buckets <= 300; ++buckets)
        for (std::uint32_t tag = 1; tag < 256; ++tag)
            for (std::uint64_t b = 0; b < buckets; ++b) check(b, tag, buckets);
    for (const std::uint64_t buckets : {1000003ull, 0x80000000ull, 0xFFFFFFFEull, 0xFFFFFFFFull})
        for (std::uint32_t tag = 1; tag < 65536; tag += 7)
            for (const std::uint64_t b : {std::uint64_t{0}, buckets / 3, buckets - 1})
                check(b, tag, buckets);
}

// The walk of evictions is the same everywhere and in every version, so that a table built from the
// same keys has the same bytes.
TEST_P(Cuckoo, ATableAtItsDesignLoadHasTheBytesItAlwaysHad) {
    auto filter = make(20'000);
    filter.insert(test::random_keys(20'000));
    const std::string spec = GetParam();
    const std::uint64_t expected = spec == "cuckoo8"    ? 970784615974607434u
                                   : spec == "cuckoo12" ? 17711739601223304670u
                                                        : 2430525742756770304u;
    EXPECT_EQ(hash_bytes(filter.bytes()), expected);
}

TEST_P(Cuckoo, EightCopiesFitAndGoOneByOne) {
    auto filter = make(1'000);
    const std::uint64_t key = 42;
    EXPECT_FALSE(filter.erase(key));
    for (unsigned copies = 1; copies <= 8; ++copies) {
        ASSERT_TRUE(filter.try_insert(key)) << copies;
        EXPECT_EQ(filter.stored(), copies);
    }
    const CuckooFilter before = filter;
    EXPECT_FALSE(filter.try_insert(key));
    EXPECT_TRUE(test::same_bits(filter, before));
    for (unsigned copies = 8; copies-- > 0;) {
        EXPECT_TRUE(filter.erase(key));
        EXPECT_EQ(filter.contains(key), copies > 0);
    }
    EXPECT_FALSE(filter.erase(key));
    EXPECT_TRUE(test::is_blank(filter));
}

INSTANTIATE_TEST_SUITE_P(Filter, Cuckoo,
                         ::testing::ValuesIn(test::names_of(detail::Family::cuckoo)),
                         test::spec_name);

}  // namespace
}  // namespace simdbloom
