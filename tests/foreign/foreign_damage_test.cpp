// Bytes that are no filter, or a damaged one.
#include "foreign_support.hpp"
#include "saved_checks.hpp"

namespace simdbloom::test {
namespace {

using enum ForeignFormat;

ByteVector filled_bytes(ForeignFormat format) {
    auto filter = some_foreign(format, 40);
    filter.insert(foreign_integers(0, 40));
    return filter.write();
}

/// What the fault is, and that the message has those words.
void expect_fault(const ByteVector& bytes, ForeignFormat format, LoadFault fault,
                  std::string_view words) {
    SCOPED_TRACE(to_string(format));
    expect_refused(read_foreign(bytes, format), fault, std::string(words));
}

/// Promise of ForeignDamage.*, ForeignConvert.*: Damaged foreign bytes, impossible unions and
///   conversions are refused with the reason.
TEST(ForeignDamage, AFilterThatWasCutIsRefused) {
    for (const ForeignFormat format : foreign_formats()) {
        SCOPED_TRACE(to_string(format));
        const auto bytes = filled_bytes(format);
        ASSERT_TRUE(read_foreign(bytes, format));
        std::size_t taken = 0;
        for (std::size_t n = 0; n < bytes.size(); ++n) {
            const ByteVector cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
            auto filter = read_foreign(cut, format);
            taken += filter.has_value();
            if (!filter) {
                EXPECT_FALSE(filter.error().message.empty());
            }
        }
        auto longer = bytes;
        longer.push_back(std::byte{0});
        const bool refused = !read_foreign(longer, format);
        // LevelDB's k is whichever byte is the last, Impala's bytes are a power of two, a message
        // of Kudu may end before its seed, and some last bytes may be a trailer of RocksDB.
        if (format == leveldb) {
            EXPECT_LT(taken, bytes.size() / 2);
        } else if (format == impala) {
            EXPECT_EQ(taken, static_cast<std::size_t>(std::countr_zero(bytes.size())) - 6);
        } else {
            EXPECT_LE(taken, format == kudu ? 1u : 0u);
        }
        EXPECT_TRUE(refused);
    }
}

TEST(ForeignDamage, NoBitThatIsFlippedInAHeaderMakesOtherBytes) {
    for (const ForeignFormat format : foreign_formats()) {
        SCOPED_TRACE(to_string(format));
        const auto bytes = filled_bytes(format);
        for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
            // The header, the trailer, and what is between them sparsely.
            if (bit > 8 * 40 && bit < 8 * (bytes.size() - 16) && bit % 61 != 0) continue;
            auto damaged = bytes;
            damaged[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
            const auto filter = read_foreign(damaged, format);
            if (!filter) {
                EXPECT_FALSE(filter.error().message.empty());
                continue;
            }
            // Fields of Thrift and Protocol Buffers that nobody knows are left out.
            const auto written = (*filter).write();
            if (format == parquet || format == kudu) {
                EXPECT_TRUE(read_foreign(written, format)) << bit;
            } else {
                EXPECT_EQ(written, damaged) << bit;
            }
        }
    }
}

TEST(ForeignDamage, EachFaultNamesTheValue) {
    // With another byte `at` from the beginning or, if that is negative, from the end.
    const auto fault_of = [](ForeignFormat format, std::ptrdiff_t at, unsigned value,
                             LoadFault fault, const char* words) {
        auto bytes = filled_bytes(format);
        (at < 0 ? bytes.end() : bytes.begin())[at] = static_cast<std::byte>(value);
        expect_fault(bytes, format, fault, words);
    };
    using enum LoadFault;
    expect_fault({}, leveldb, too_short, "0 bytes");
    fault_of(leveldb, -1, 31, parameter, "k=31");
    fault_of(leveldb, -1, 0, parameter, "k=0");
    expect_fault(ByteVector(5), ForeignFormat::rocksdb, too_short, "5 bytes");
    fault_of(ForeignFormat::rocksdb, -5, 6, LoadFault::foreign, "begin with 6 0");
    fault_of(ForeignFormat::rocksdb, -3, 31, parameter, "k byte 31");
    fault_of(ForeignFormat::rocksdb, -1, 9, parameter, "0 9");
    fault_of(rocksdb_legacy, -5, 0xFF, parameter, "k=255");
    fault_of(rocksdb_legacy, -4, 77, LoadFault::size, "77 lines");
    fault_of(rocksdb_legacy, -4, 0, LoadFault::size, "0 lines");
    fault_of(guava, 0, 2, parameter, "strategy 2");
    fault_of(guava, 1, 0, parameter, "k=0");
    fault_of(guava, 5, 77, LoadFault::size, "77 words");
    fault_of(guava, 2, 0xFF, LoadFault::size, "words");
    fault_of(spark_v1, 3, 2, version, "version 2");
    fault_of(spark_v2, 3, 1, version, "version 1");
    fault_of(spark_v1, 4, 1, parameter, "k=16777224");
    fault_of(spark_v2, 15, 77, LoadFault::size, "77 words");
    fault_of(milvus, 0, 'X', LoadFault::foreign, "MBF1");
    fault_of(milvus, 4, 2, version, "version 2");
    fault_of(milvus, 6, 2, version, "algorithm 2");
    fault_of(milvus, 24, 77, LoadFault::size, "77 blocks");
    fault_of(milvus, 28, 4, parameter, "4 of MBF1");
    fault_of(milvus, 29, 1, parameter, "257 of MBF1");
    fault_of(milvus, 28, 0, parameter, "no domain");
    fault_of(kudu, 1, 7, LoadFault::size, "log_space_bytes=7");
    fault_of(kudu, -3, 2, parameter, "hash_algorithm=2");
    fault_of(kudu, -5, 1, parameter, "always false");
    expect_fault(ByteVector(bytes_of_hex("0806")), kudu, LoadFault::foreign, "without bloom_data");
    expect_fault(ByteVector(96), impala, LoadFault::size, "96 bytes");
    expect_fault(ByteVector(32), impala, LoadFault::size, "32 bytes");
    fault_of(bits_and_blooms, 6, 0xFF, parameter, "m=65408");
    fault_of(bits_and_blooms, 8, 1, parameter, "k=72057594037927943");
    fault_of(bits_and_blooms, 16, 0x7F, LoadFault::size, "bit set of");
    auto little = filled_bytes(bits_and_blooms);
    std::reverse(little.begin() + 16, little.begin() + 24);
    expect_fault(little, bits_and_blooms, parameter, "little-endian");
    fault_of(parquet, 0, 0, parameter, "");
    auto behind = filled_bytes(parquet);
    behind.push_back(std::byte{7});
    expect_fault(behind, parquet, LoadFault::size, "1 bytes behind");
}

TEST(ForeignDamage, NoMoreIsReadThanTheLimitAllows) {
    for (const ForeignFormat format : foreign_formats()) {
        expect_refused(read_foreign(filled_bytes(format), format, {.max_bytes = 16}),
                       LoadFault::limit, "");
    }
}

TEST(ForeignDamage, BytesOfNoFormatAreRefusedWithTheNames) {
    expect_refused(read_foreign(bytes_of_text("a line of text that is no filter\n")),
                   LoadFault::foreign, "bits-and-blooms");
    EXPECT_FALSE(read_foreign({}));
    for (const ForeignFormat format : foreign_formats()) EXPECT_FALSE(read_foreign({}, format));
}

TEST(ForeignFiles, AreWrittenWholeAndReadAgain) {
    const TemporaryFolder folder("foreign");
    const auto path = folder.path / "filter";
    for (const ForeignFormat format : foreign_formats()) {
        const auto bytes = filled_bytes(format);
        save_file(read_foreign(bytes, format).value(), path);
        EXPECT_EQ(std::filesystem::file_size(path), bytes.size());
        auto again = read_foreign_file(path, format);
        ASSERT_TRUE(again) << again.error().message;
        EXPECT_EQ(again->write(), bytes);
        EXPECT_EQ(read_foreign_file(path).has_value(), format != leveldb && format != impala);
    }
    std::filesystem::remove(path);
    expect_refused(read_foreign_file(path), LoadFault::file, path.string());
}

}  // namespace
}  // namespace simdbloom::test
