// The filter of RocksDB that is measured, against those that the RocksDB on this system writes.
#include <rocksdb/filter_policy.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

#include <fstream>
#include <sstream>

#include "engines/classic.hpp"
#include "saved_bytes.hpp"
#include "support.hpp"

namespace simdbloom::bench::engines {
namespace {

/// A table of these keys, eight bytes each in big-endian order, with a Bloom filter.
std::string table_of(u64 keys, double bits_per_key) {
    const test::TemporaryFolder folder;
    const std::string path = folder.path / "table";
    rocksdb::BlockBasedTableOptions table;
    table.format_version = 5;
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(bits_per_key, false));
    rocksdb::Options options;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
    EXPECT_TRUE(writer.Open(path).ok());
    for (u64 key = 0; key < keys; ++key) {
        std::string bytes(8, 0);
        for (unsigned i = 0; i < 8; ++i) bytes[i] = static_cast<char>(key >> (56 - 8 * i));
        EXPECT_TRUE(writer.Put(bytes, "").ok());
    }
    EXPECT_TRUE(writer.Finish().ok());
    std::ifstream file(path, std::ios::binary);
    std::stringstream bytes;
    bytes << file.rdbuf();
    return bytes.str();
}

TEST(EngineRocksDb, TablesOfRocksDbHoldOurBits) {
    for (const double bits_per_key : {8.0, 10.0, 12.0, 16.0, 20.0})
        for (const u64 keys : {1u, 100u, 5000u}) {
            EngineFilter<RocksDb> filter(keys, bits_per_key);
            for (u64 key = 0; key < keys; ++key) filter.insert(__builtin_bswap64(key));
            const auto& words = filter.design().bits.words;
            std::string bytes(reinterpret_cast<const char*>(words.data()), words.bytes());
            // Behind the bits: "newer than format 4", "FastLocalBloom", k, and two bytes of zeros.
            bytes += {'\xFF', '\0', static_cast<char>(filter.design().k), '\0', '\0'};
            EXPECT_NE(table_of(keys, bits_per_key).find(bytes), std::string::npos)
                << keys << " keys, " << bits_per_key << " bits a key";
        }
}

}  // namespace
}  // namespace simdbloom::bench::engines
