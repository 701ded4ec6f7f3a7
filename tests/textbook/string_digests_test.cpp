// MD5, SHA-1 and MurmurHash3 as Hashers: the published digests and their halves.
#include <set>

#include "simdbloom/textbook/digests.hpp"
#include "simdbloom/textbook/murmur.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

TEST(StringDigests, PublishedValues) {
    // RFC 1321, appendix A.5: 900150983cd24fb0d6963f7d28e17f72
    EXPECT_EQ(Md5{}("abc"), 0xB04FD23C98500190u);
    EXPECT_EQ(Md5{}.halves("abc")[1], 0x727FE1287D3F96D6u);
    EXPECT_EQ(Md5{}(""), 0x04B2008FD98C1DD4u);
    // RFC 3174, section 7.3: a9993e364706816aba3e25717850c26c9cd0d89d
    EXPECT_EQ(Sha1{}("abc"), 0x6A810647363E99A9u);
    EXPECT_EQ(Sha1{}.halves("abc")[1], 0x6CC25078'71253EBAu);
    EXPECT_EQ(Murmur3{}(""), 0u);
    // SMHasher's own example of MurmurHash3_x64_128, seed 0.
    EXPECT_EQ(Murmur3{}("The quick brown fox jumps over the lazy dog"), 0xE34BBC7BBC071B6Cu);
    EXPECT_EQ(Murmur3{}.halves("The quick brown fox jumps over the lazy dog")[1],
              0x7A433CA9C49A9347u);
}

TEST(StringDigests, Example) {
    /// Example of DigestHasher, Murmur3.
    //! [Md5]
    auto filter = SplitBlockBloom::with_bits_per_key(100, 12);
    filter.insert(std::string_view("apple"), Md5{});     // link with nettle
    filter.insert(std::string_view("pear"), Murmur3{});  // link with murmurhash
    const bool is_there = filter.contains(std::string_view("apple"), Md5{});  // true
    //! [Md5]
    EXPECT_TRUE(is_there);
    EXPECT_TRUE(filter.contains(std::string_view("pear"), Murmur3{}));
}

TEST(StringDigests, SeedsAreOtherFunctions) {
    std::set<std::uint64_t> values;
    for (std::uint64_t seed = 0; seed < 100; ++seed)
        values.insert({Md5{}("key", seed), Sha1{}("key", seed), Murmur3{}("key", seed)});
    EXPECT_EQ(values.size(), 300u);
    EXPECT_EQ(Md5{}("", 0x6162636465666768u), Md5{}("hgfedcba"))
        << "the seed's little-endian bytes come before the key";
}

}  // namespace
}  // namespace simdbloom
