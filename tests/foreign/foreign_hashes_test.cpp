// The hashes of other systems against published values.
#include "foreign/hashes.hpp"

#include "simdbloom/adapters/leveldb_filter.hpp"
#include "support.hpp"

namespace simdbloom::foreign {
namespace {

using namespace std::string_view_literals;

/// A digit of base 61 for the hash of each length below 430, as RocksDB's test prints them.
std::string digits_of_lengths(std::string_view repeated) {
    constexpr auto digits = "abcdefghijklmnopqrstuvwxyz123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"sv;
    std::string text, all;
    while (text.size() < 430) text += repeated;
    for (std::size_t n = 0; n < 430; ++n)
        all += digits[rocksdb_hash64(std::string_view(text).substr(0, n)) % 61];
    return all;
}

TEST(ForeignHashes, RocksDbsOf64BitsHasItsTestsValues) {  // util/hash_test.cc of facebook/rocksdb
    EXPECT_EQ(rocksdb_hash64("\x1A\xB5\xD0\xFE\xAB\xC3\x61\xB2\x99"), 13253403748084181481u);
    EXPECT_EQ(digits_of_lengths("foo"),
              "cRhyWsY67B6klRA1udmOuiYuX7IthyGBKqbeosz2hzVglWCmQx8nEdnpkvPfYX56Up2OWOTV"
              "lTzfAoYwvtqKzjD8E9xttR2unelbXbIV67NUe6bOO23BxaSFRcA3njGu5cUWfgwOqNoTsszp"
              "uPvKRP6qaUR5VdoBkJUCFIefd7edlNK5mv6JYWaGdwxehg65hTkTmjZoPKxTZo4PLyzbL9U4"
              "xt12ITSfeP2MfBHuLI2z2pDlBb44UQKVMx27LEoAHsdLp3WfWfgH3sdRBRCHm33UxCM4QmE2"
              "xJ7gqSvNwTeH7v9GlC8zWbGroyD3UVNeShMLx29O7tH1biemLULwAHyIw8zdtLMDpEJ8m2ic"
              "l6Lb4fDuuFNAs1GCVUthjK8CV8SWI8Rsz5THSwn5CGhpqUwSZcFknjwWIl5rNCvDxXJqYr");
    EXPECT_EQ(digits_of_lengths("RocksDB"),
              "c1EeRkukbkb28wLTahwD2sfUhZzaBEnF8SVrxnPVB6A7b8CaAl3UKsDZISF92GSq2wDCukOq"
              "Jgrsp7A3KZhDiLW8dFXp8UPqPxMCRlMdZeVeJ2dJxrmA6cyt99zkQFj7ELbut6jAeVqARFnw"
              "fnWVXOsaLrq7bDCbMcns2DKvTaaqTCLMYxI7nhtLpFN1jR755FRQFcOzrrDbh7QhypjdvlYw"
              "cdAMSZgp9JMHxbM23wPSuH6BOFgxejz35PScZfhDPvTOxIy1jc3MZsWrMC3P324zNolO7JdW"
              "CX2I5UDKjjaEJfxbgVgJIXxtQGlmj2xkO5sPpjULQV4X2HlY7FQleJ4QRaJIB4buhCA4vUTF"
              "eMFlxCIYUpTCsal2qsmnGOWa8WCcefrohMjDj1fjzSvSaQwlpyR1GZHF2uPOoQagiCpHpm");
}

TEST(ForeignHashes, RocksDbsOf32BitsHasItsTestsValues) {  // util/hash_test.cc
    EXPECT_EQ(rocksdb_hash32(""), 3164544308u);
    EXPECT_EQ(rocksdb_hash32("\x08"), 422599524u);
    EXPECT_EQ(rocksdb_hash32("\x9A"), 3195034349u);
    EXPECT_EQ(rocksdb_hash32("\x91\xF7"), 31066776u);
    EXPECT_EQ(rocksdb_hash32("\x6A\xB5\xF4"), 2469105222u);
    EXPECT_EQ(rocksdb_hash32("\x67\x53\x81\x1C"), 118283265u);
    EXPECT_EQ(rocksdb_hash32("\x86\x83\xD5\xA4\xD8"), 2390603402u);
    EXPECT_EQ(rocksdb_hash32("\x5C\xBE\x97\x75\x54\x9A\x52"), 815120748u);
    EXPECT_EQ(rocksdb_hash32("\x31\x1B\x98\x75\x96\x22\xD3\x9A"), 469635402u);
}

TEST(ForeignHashes, RocksDbsOf32BitsIsLevelDbsWhereNoLastByteIsAbove127) {
    EXPECT_EQ(rocksdb_hash32("hello"), leveldb_hash("hello"));
    EXPECT_EQ(rocksdb_hash32("\xFF\xFF\xFF\xFF"), leveldb_hash("\xFF\xFF\xFF\xFF"));
    EXPECT_NE(rocksdb_hash32("\x9A"), leveldb_hash("\x9A"));
    EXPECT_NE(rocksdb_hash32("abcd\xC3\x97"), leveldb_hash("abcd\xC3\x97"));
}

std::int32_t spark_hash(std::int64_t key) {
    char bytes[8];
    detail::store_le(bytes, static_cast<std::uint64_t>(key));
    return static_cast<std::int32_t>(spark_murmur32({bytes, sizeof bytes}, 0));
}

TEST(ForeignHashes, SparksOfLongs) {  // Murmur3_x86_32Suite.testKnownLongInputs of apache/spark
    EXPECT_EQ(spark_hash(0), 1669671676);
    EXPECT_EQ(spark_hash(-42), -846261623);
    EXPECT_EQ(spark_hash(42), 1871679806);
    EXPECT_EQ(spark_hash(INT64_MIN), 1366273829);
    EXPECT_EQ(spark_hash(INT64_MAX), -2106506049);
}

TEST(ForeignHashes, KudusOfText) {  // FastHashTests of kudu-client-dotnet
    EXPECT_EQ(fast_hash32("ab", 0), 2564147595u);
    EXPECT_EQ(fast_hash32("abcdefg", 0), 1497700618u);
    EXPECT_EQ(fast_hash32("quick brown fox", 42), 1676541068u);
}

TEST(ForeignHashes, MurmurOf128BitsHasItsPublishedValues) {  // Murmur3Hash128Test of google/guava
    const auto fox = murmur128("The quick brown fox jumps over the lazy dog");
    EXPECT_EQ(fox.low, 0xE34BBC7BBC071B6Cu);
    EXPECT_EQ(fox.high, 0x7A433CA9C49A9347u);
    EXPECT_EQ(murmur128("").low, 0u);
    EXPECT_EQ(murmur128("hell").low, 0x629942693E10F867u);
    EXPECT_EQ(murmur128("hell").high, 0x92DB0B82BAEB5347u);
}

TEST(ForeignHashes, MurmurWithOneByteMoreIsThatOfTheLongerKey) {
    std::string key;
    for (unsigned n = 0; n < 50; ++n, key += static_cast<char>(200 + n)) {
        const auto one = murmur128(key, true), other = murmur128(key + '\1');
        EXPECT_EQ(one.low, other.low) << n;
        EXPECT_EQ(one.high, other.high) << n;
    }
}

}  // namespace
}  // namespace simdbloom::foreign
