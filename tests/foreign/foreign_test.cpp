// The filters of other systems: published vectors, and what every format does.
#include <array>
#include <utility>

#include "foreign_support.hpp"

namespace simdbloom::test {
namespace {

using enum ForeignFormat;

// Tests of pymilvus (tests of build_bloom_filter, "matches_parquet_sbbf_vector").
TEST(ForeignVectors, Milvus) {
    auto numbers = ForeignFilter::for_fpr(milvus, 8, 0.001);
    numbers.insert(std::vector<std::uint64_t>{std::uint64_t{1} << 63, ~std::uint64_t{0}, 0, 1, 2,
                                              42, 1000000007, ~std::uint64_t{0} >> 1});
    EXPECT_EQ(numbers.write(),
              bytes_of_hex("4d424631010001000800000000000000fca9f1d24d62503f0100000001000000"
                           "0117100a804845062834804200440612100448a40680089c4040542838410046"));
    auto texts = ForeignFilter::for_fpr(milvus, 7, 0.001);
    texts.insert(std::vector<std::string_view>{"", "a", "milvus", "bloom",
                                               "\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E",
                                               "\xF0\x9F\x9A\x80\xF0\x9F\x9A\x80", "hello world"});
    EXPECT_EQ(texts.write(),
              bytes_of_hex("4d424631010001000700000000000000fca9f1d24d62503f0100000002000000"
                           "10002c24010e020492110042181000b08a40860000284209010114a8015410c0"));
}

// BloomFilterAggregateQuerySuite of apache/spark: might_contain(these bytes, 201L) is false.
TEST(ForeignVectors, SparksFirstVersion) {
    const auto bytes =
        bytes_of_hex("00000001000000050000000343A2EC6EA8C117E2D3CDB767296B144FC5BFBCED9737F267");
    auto filter = read_foreign(bytes);
    ASSERT_TRUE(filter) << filter.error().message;
    EXPECT_EQ(filter->format(), spark_v1);
    EXPECT_EQ(filter->k(), 5u);
    EXPECT_EQ(filter->size_in_bytes(), 24u);
    EXPECT_FALSE(filter->contains(std::uint64_t{201}));
    EXPECT_EQ(filter->write(), bytes);
}

// By BloomFilterImplV2 of Spark 4.1, in integers without a limit. The first hash of 2 and 3 is
// negative (-971005196 and -1556392013), and its sums stay so: only the index is turned over.
TEST(ForeignVectors, SparksSecondVersion) {
    const std::pair<std::uint64_t, std::array<std::uint64_t, 7>> vectors[] = {
        {1, {7193, 9910, 2579, 5296, 8013, 682, 3399}},
        {2, {74, 9185, 8248, 7311, 6374, 5437, 4500}},
        {3, {9618, 5810, 2002, 8242, 4434, 626, 6866}},
        {42, {8709, 3144, 7627, 2062, 6545, 980, 5463}}};
    for (const auto& [key, bits] : vectors) {
        auto filter = ForeignFilter::with_bits_per_key(spark_v2, 1000, 10);
        filter.insert(key);
        auto expected = bytes_of_hex("0000000200000007000000000000009D");
        expected.resize(16 + 8 * 157);
        for (const std::uint64_t bit : bits)
            expected[16 + bit / 64 * 8 + 7 - bit % 64 / 8] |= std::byte(1u << bit % 8);
        EXPECT_EQ(filter.write(), expected) << key;
        // The first version has a shorter header and other bits.
        auto first = ForeignFilter::with_bits_per_key(spark_v1, 1000, 10);
        first.insert(key);
        const auto bytes = first.write();
        EXPECT_TRUE(std::ranges::equal(std::span(bytes).first(12),
                                       bytes_of_hex("00000001000000070000009D")));
        EXPECT_FALSE(
            std::ranges::equal(std::span(bytes).subspan(12), std::span(expected).subspan(16)));
    }
}

// The encoding of Protocol Buffers of a BlockBloomFilterPB, all fields set as CopyToPB sets them.
TEST(ForeignVectors, KudusMessage) {
    auto filter = ForeignFilter::for_fpr(kudu, 1, 0.01);
    auto expected = bytes_of_hex("08061240" + std::string(128, '0') + "180120032800");
    EXPECT_EQ(filter.write(), expected);
    filter.insert(std::string_view("ab"));
    const auto bytes = filter.write();
    // FastHash of "ab" is 2564147595 (published). Its rehash is odd or even: the second block or
    // the first.
    constexpr std::uint64_t x = 2564147595u;
    const std::uint64_t block = (x * 0x7850F11EC6D14889u + 0x6773610597CA4C63u) >> 32 & 1;
    constexpr std::uint32_t salts[] = {0x47B6137Bu, 0x44974D91u, 0x8824AD5Bu, 0xA2B7289Du,
                                       0x705495C7u, 0x2DF1424Bu, 0x9EFC4947u, 0x5C6BFB31u};
    for (unsigned word = 0; word < 8; ++word)
        detail::store_le(&expected[4 + 32 * block + 4 * word],
                         1u << (static_cast<std::uint32_t>(x) * salts[word] >> 27));
    expected[69] = std::byte{0};  // not always false
    EXPECT_EQ(bytes, expected);
}

TEST(Foreign, NamesAreReadAgain) {
    EXPECT_EQ(foreign_formats().size(), 11u);
    for (const ForeignFormat format : foreign_formats())
        EXPECT_EQ(parse_foreign_format(to_string(format)), format);
    EXPECT_INVALID("\"splat\" is not one of leveldb, rocksdb, ", parse_foreign_format("splat"));
}

TEST(Foreign, FindsItsKeysInEveryShapeOfAnswerOnEveryIsa) {
    constexpr std::size_t n = 3000, strangers = 8 * 500 + 13;
    for (const Isa isa : usable_isas())
        for (const ForeignFormat format : foreign_formats()) {
            SCOPED_TRACE(std::string(to_string(format)) + " " + std::string(to_string(isa)));
            auto made = some_foreign(format, n);
            made.insert(foreign_integers(0, n));
            made.insert(ForeignTexts(0, 100).views);
            const auto filter = read_foreign(made.write(), format, {.isa = isa}).value();
            EXPECT_EQ(filter.count(foreign_integers(0, n)), n);
            EXPECT_EQ(filter.count(ForeignTexts(0, 100).views), 100u);
            const auto absent = foreign_integers(n, strangers);
            ASSERT_NO_FATAL_FAILURE(test::expect_answers_of_single_keys(filter, absent));
            EXPECT_LT(filter.count(absent), strangers / 10);
            std::vector<std::uint8_t> bitmap(3);
            std::vector<std::uint32_t> positions(3);
            const double rate =
                static_cast<double>(filter.count(foreign_integers(n, 100'000))) / 1e5;
            const double fpr = filter.estimated_fpr();
            if (format == rocksdb_legacy) {  // steps may be 0
                EXPECT_GT(rate, fpr);
                EXPECT_LT(rate, 2 * fpr);
            } else {
                EXPECT_NEAR(rate, fpr, 0.1 * fpr + 5 * std::sqrt(fpr / 1e5));
            }
            EXPECT_THROW((void)filter.contains(absent, bitmap), std::length_error);
            EXPECT_THROW((void)filter.select(absent, positions), std::length_error);
            EXPECT_EQ(filter.count(std::span<const std::uint64_t>()), 0u);
            EXPECT_EQ(filter.count(std::span<const std::string_view>()), 0u);
            const std::vector<std::int32_t> narrow{7, -1};
            made.insert(narrow);
            EXPECT_TRUE(made.contains(std::uint64_t{7}) && made.contains(~std::uint64_t{0}));
            EXPECT_EQ(made.count(narrow), 2u);
            EXPECT_INVALID("takes no hashes", made.insert(Keys::hashes(absent)));
            const auto hasher = [](std::uint64_t key, std::uint64_t) { return key; };
            EXPECT_INVALID("takes no hashes", made.count(Keys::of(absent, hasher)));
        }
}

TEST(Foreign, TheUnionHasTheBytesOfAFilterOfAllKeys) {
    for (const ForeignFormat format : foreign_formats()) {
        SCOPED_TRACE(to_string(format));
        auto one = some_foreign(format, 500), other = one, all = one;
        one.insert(foreign_integers(0, 200));
        other.insert(foreign_integers(200, 300));
        other.insert(ForeignTexts(0, 50).views);
        all.insert(foreign_integers(0, 500));
        all.insert(ForeignTexts(0, 50).views);
        const auto before = other.write();
        one |= other;
        auto bytes = one.write(), expected = all.write();
        if (format == milvus) {  // the keys that were declared add up
            EXPECT_EQ(detail::load_le<std::uint64_t>(&bytes[8]), 1000u);
            bytes[8] = expected[8], bytes[9] = expected[9];
        }
        EXPECT_EQ(bytes, expected);
        EXPECT_EQ(other.write(), before);
        auto larger = some_foreign(format, 5000);
        EXPECT_THROW(larger |= one, std::invalid_argument);
        for (const ForeignFormat foreign : foreign_formats())
            if (foreign != format) {
                EXPECT_THROW(one |= some_foreign(foreign, 500), std::invalid_argument);
            }
    }
}

TEST(Foreign, SizesThatASystemDoesNotTakeAreRefusedByValue) {
    const auto refused = [](const char* says, const auto& make) {
        expect_error<std::exception>(make, says);
    };
    for (const ForeignFormat format : foreign_formats()) {
        SCOPED_TRACE(to_string(format));
        const bool by_bits = format == leveldb || format == rocksdb || format == rocksdb_legacy;
        const bool spark = format == spark_v1 || format == spark_v2;
        EXPECT_EQ(takes_bits_per_key(format), by_bits || spark);
        if (by_bits) refused("by bits per key", [&] { ForeignFilter::for_fpr(format, 9, 0.01); });
        else if (!spark) refused("by FPR", [&] { ForeignFilter::with_bits_per_key(format, 9, 9); });
        refused("for 0 keys", [&] { some_foreign(format, 0); });
        EXPECT_THROW(some_foreign(format, 1000, {.max_bytes = 100}), std::length_error);
        for (const double wrong : {0.0, -1.0, std::nan(""), 1e300}) {
            if (by_bits || spark) {
                EXPECT_ANY_THROW(ForeignFilter::with_bits_per_key(format, 9, wrong)) << wrong;
            }
            if (!by_bits) {
                EXPECT_ANY_THROW(ForeignFilter::for_fpr(format, 9, wrong)) << wrong;
            }
        }
    }
    refused("9.5", [] { ForeignFilter::with_bits_per_key(leveldb, 9, 9.5); });
    refused("0.5", [] { ForeignFilter::with_bits_per_key(rocksdb, 9, 0.5); });
    refused("from 0.0001 to 0.05", [] { ForeignFilter::for_fpr(milvus, 9, 0.5); });
    refused("RocksDB", [] { ForeignFilter::with_bits_per_key(rocksdb, std::size_t{1} << 33, 12); });
    refused("Guava", [] { ForeignFilter::for_fpr(guava, std::size_t{1} << 40, 0.01); });
    refused("fpr=1e-200 asks for k=664,", [] { ForeignFilter::for_fpr(guava, 9, 1e-200); });
}

TEST(Foreign, MilvusFindsNothingOfAKindThatWasNotPutIn) {
    auto filter = ForeignFilter::for_fpr(milvus, 100, 0.01);
    // The same eight bytes.
    const std::uint64_t number = 0x4847464544434241u;
    const std::string_view text = "ABCDEFGH";
    EXPECT_NE(filter.details().find("domains none"), std::string::npos);
    filter.insert(number);
    EXPECT_TRUE(filter.contains(number));
    EXPECT_FALSE(filter.contains(text));
    EXPECT_NE(filter.details().find("domains int64"), std::string::npos);
    filter.insert(std::string_view("other"));
    EXPECT_TRUE(filter.contains(text));
}

TEST(ForeignConvert, ParquetAndMilvusHaveTheSameBits) {
    auto filter = ForeignFilter::for_fpr(parquet, 1000, 0.01);
    const ForeignTexts texts(0, 1000);
    filter.insert(texts.views);
    auto there = convert(filter, milvus, KeyKind::bytes);
    ASSERT_TRUE(there) << there.error().message;
    EXPECT_EQ(there->count(texts.views), 1000u);
    EXPECT_EQ(there->count(foreign_integers(0, 1000)), 0u);
    EXPECT_EQ(read_foreign(there->write()).value().format(), milvus);
    auto back = convert(*there, parquet);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->write(), filter.write());
    EXPECT_EQ(convert(filter, milvus).error().fault, LoadFault::parameter);
}

TEST(ForeignConvert, MilvusTakesNoOtherNumbersOfBlocks) {
    const auto three = ForeignFilter::from_split_blocks(
        parquet, SplitBlockBloom::with_bits_per_key(3, 256), KeyKind::bytes);
    const auto refused = convert(three, milvus, KeyKind::bytes);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("3 blocks"), std::string::npos);
    EXPECT_THROW(ForeignFilter::from_split_blocks(
                     milvus, SplitBlockBloom::with_bits_per_key(3, 256), KeyKind::bytes),
                 std::invalid_argument);
}

TEST(ForeignConvert, KuduAndImpalaHaveTheSameBitsUnderImpalasSeed) {
    auto filter = ForeignFilter::for_fpr(impala, 1000, 0.01);
    const auto keys = foreign_integers(0, 1000);
    filter.insert(keys);
    auto there = convert(filter, kudu);
    ASSERT_TRUE(there) << there.error().message;
    EXPECT_EQ(there->count(keys), 1000u);
    EXPECT_NE(there->details().find("seed 1234"), std::string::npos);
    EXPECT_EQ(convert(*there, impala).value().write(), filter.write());
    const auto refused = convert(ForeignFilter::for_fpr(kudu, 1000, 0.01), impala);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "seed 0 is not seed 1234");
}

TEST(ForeignConvert, OthersAreRefusedWithTheReason) {
    for (const ForeignFormat from : foreign_formats())
        for (const ForeignFormat to : foreign_formats()) {
            SCOPED_TRACE(std::string(to_string(from)) + " to " + std::string(to_string(to)));
            const auto filter = some_foreign(from, 100);
            const auto converted = convert(filter, to, KeyKind::bytes);
            const auto both = [&](ForeignFormat one, ForeignFormat other) {
                return (from == one && to == other) || (from == other && to == one);
            };
            if (from == to || both(parquet, milvus)) {
                EXPECT_TRUE(converted);
            } else if (!both(kudu, impala)) {
                ASSERT_FALSE(converted);
                EXPECT_EQ(converted.error().fault, LoadFault::unlike);
                EXPECT_NE(converted.error().message.find("differ ("), std::string::npos);
            }
        }
    EXPECT_EQ(convert(some_foreign(guava, 9), spark_v1).error().message,
              "a filter of guava cannot become one of spark-v1: the keys are gone, and the hashes "
              "differ (MurmurHash3 of 128 bits; two of Spark's MurmurHash3 of 32 bits)");
    EXPECT_EQ(convert(some_foreign(spark_v1, 9), spark_v2).error().message,
              "a filter of spark-v1 cannot become one of spark-v2: the keys are gone, and the bits "
              "differ (k bits of one array, by sums of 32 bits; k bits of one array, by sums of 64 "
              "bits)");
}

TEST(ForeignConvert, OurSplit256OfTextIsAFilterOfParquet) {
    auto ours = SplitBlockBloom::with_bits_per_key(1000, 12);
    const ForeignTexts texts(0, 1000);
    ours.insert(std::span<const std::string_view>(texts.views));
    const auto theirs = ForeignFilter::from_split_blocks(parquet, ours, KeyKind::bytes);
    EXPECT_EQ(theirs.count(texts.views), 1000u);
    ASSERT_NE(theirs.split_blocks(), nullptr);
    EXPECT_TRUE(std::ranges::equal(theirs.split_blocks()->bytes(), ours.bytes()));
    EXPECT_EQ(ForeignFilter::for_fpr(kudu, 9, 0.01).split_blocks(), nullptr);
    EXPECT_THROW(
        ForeignFilter::from_split_blocks(
            parquet, SplitBlockBloom::with_bits_per_key(9, 12, {.seed = 7}), KeyKind::bytes),
        std::invalid_argument);
    EXPECT_THROW(ForeignFilter::from_split_blocks(guava, ours, KeyKind::bytes),
                 std::invalid_argument);
}

}  // namespace
}  // namespace simdbloom::test
