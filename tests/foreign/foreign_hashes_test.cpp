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

TEST(ForeignHashes, RocksDbsOf64BitsHasItsTestsValuesOfEveryLength) {
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

std::uint32_t spark_hash(std::int64_t key, std::uint32_t seed = 0) {
    return spark_murmur32(KeyBytes(static_cast<std::uint64_t>(key)), seed);
}

TEST(ForeignHashes, SparksOfLongs) {  // Murmur3_x86_32Suite.testKnownLongInputs of apache/spark
    EXPECT_EQ(static_cast<std::int32_t>(spark_hash(0)), 1669671676);
    EXPECT_EQ(static_cast<std::int32_t>(spark_hash(-42)), -846261623);
    EXPECT_EQ(static_cast<std::int32_t>(spark_hash(42)), 1871679806);
    EXPECT_EQ(static_cast<std::int32_t>(spark_hash(INT64_MIN)), 1366273829);
    EXPECT_EQ(static_cast<std::int32_t>(spark_hash(INT64_MAX)), -2106506049);
}

TEST(ForeignHashes, KudusOfText) {  // FastHashTests of kudu-client-dotnet
    EXPECT_EQ(fast_hash32("ab", 0), 2564147595u);
    EXPECT_EQ(fast_hash32("abcdefg", 0), 1497700618u);
    EXPECT_EQ(fast_hash32("quick brown fox", 42), 1676541068u);
}

}  // namespace
}  // namespace simdbloom::foreign
