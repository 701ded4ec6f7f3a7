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
    const auto with = [](ForeignFormat format, std::size_t at, unsigned value) {
        auto bytes = filled_bytes(format);
        bytes[at] = static_cast<std::byte>(value);
        return bytes;
    };
    const auto at_end = [](ForeignFormat format, std::size_t from_end, unsigned value) {
        auto bytes = filled_bytes(format);
        bytes[bytes.size() - from_end] = static_cast<std::byte>(value);
        return bytes;
    };
    using enum LoadFault;
    expect_fault({}, leveldb, too_short, "0 bytes");
    expect_fault(at_end(leveldb, 1, 31), leveldb, parameter, "k=31");
    expect_fault(at_end(leveldb, 1, 0), leveldb, parameter, "k=0");
    expect_fault(ByteVector(5), ForeignFormat::rocksdb, too_short, "5 bytes");
    expect_fault(at_end(ForeignFormat::rocksdb, 5, 6), ForeignFormat::rocksdb, LoadFault::foreign,
                 "begin with 6 0");
    expect_fault(at_end(ForeignFormat::rocksdb, 3, 31), ForeignFormat::rocksdb, parameter,
                 "k byte 31");
    expect_fault(at_end(ForeignFormat::rocksdb, 1, 9), ForeignFormat::rocksdb, parameter, "0 9");
    expect_fault(at_end(rocksdb_legacy, 5, 0xFF), rocksdb_legacy, parameter, "k=255");
    expect_fault(at_end(rocksdb_legacy, 4, 77), rocksdb_legacy, LoadFault::size, "77 lines");
    expect_fault(at_end(rocksdb_legacy, 4, 0), rocksdb_legacy, LoadFault::size, "0 lines");
    expect_fault(with(guava, 0, 2), guava, parameter, "strategy 2");
    expect_fault(with(guava, 1, 0), guava, parameter, "k=0");
    expect_fault(with(guava, 5, 77), guava, LoadFault::size, "77 words");
    expect_fault(with(guava, 2, 0xFF), guava, LoadFault::size, "words");
    expect_fault(with(spark_v1, 3, 2), spark_v1, version, "version 2");
    expect_fault(with(spark_v2, 3, 1), spark_v2, version, "version 1");
    expect_fault(with(spark_v1, 4, 1), spark_v1, parameter, "k=16777223");
    expect_fault(with(spark_v2, 15, 77), spark_v2, LoadFault::size, "77 words");
    expect_fault(with(milvus, 0, 'X'), milvus, LoadFault::foreign, "MBF1");
    expect_fault(with(milvus, 4, 2), milvus, version, "version 2");
    expect_fault(with(milvus, 6, 2), milvus, version, "algorithm 2");
    expect_fault(with(milvus, 24, 77), milvus, LoadFault::size, "77 blocks");
    expect_fault(with(milvus, 28, 4), milvus, parameter, "4 of MBF1");
    expect_fault(with(milvus, 29, 1), milvus, parameter, "257 of MBF1");
    expect_fault(with(milvus, 28, 0), milvus, parameter, "no domain");
    expect_fault(with(kudu, 1, 7), kudu, LoadFault::size, "log_space_bytes=7");
    expect_fault(at_end(kudu, 3, 2), kudu, parameter, "hash_algorithm=2");
    expect_fault(at_end(kudu, 5, 1), kudu, parameter, "always false");
    expect_fault(ByteVector(bytes_of_hex("0806")), kudu, LoadFault::foreign, "without bloom_data");
    expect_fault(ByteVector(96), impala, LoadFault::size, "96 bytes");
    expect_fault(ByteVector(32), impala, LoadFault::size, "32 bytes");
    expect_fault(with(bits_and_blooms, 6, 0xFF), bits_and_blooms, parameter, "m=65408");
    expect_fault(with(bits_and_blooms, 8, 1), bits_and_blooms, parameter, "k=72057594037927943");
    expect_fault(with(bits_and_blooms, 16, 0x7F), bits_and_blooms, LoadFault::size, "bit set of");
    auto little = filled_bytes(bits_and_blooms);
    std::reverse(little.begin() + 16, little.begin() + 24);
    expect_fault(little, bits_and_blooms, parameter, "little-endian");
    expect_fault(with(parquet, 0, 0), parquet, parameter, "");
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
