// Absent and present keys in a RocksDB database of tables that overlap: iterators with and without
// our table filter, and Get with RocksDB's own filters.
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <vector>

#include "experiments/experiment.hpp"
#include "simdbloom/adapters/rocksdb.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

constexpr int tables = 16, keys = 1'000'000, lookups = 20'000, passes = 7;

void check(const rocksdb::Status& status) {
    if (!status.ok()) throw std::runtime_error(status.ToString());
}

std::string key(std::uint64_t i) {
    return text("key%016llx", static_cast<unsigned long long>(i * 0x9E3779B97F4A7C15u));
}

/// Table t holds the keys i with i % tables == t, which lie among those of all others.
std::unique_ptr<rocksdb::DB> open(const std::filesystem::path& path, bool ours, bool built_in) {
    rocksdb::Options options;
    options.create_if_missing = true;
    options.disable_auto_compactions = true;
    options.write_buffer_size = std::size_t{1} << 30;
    options.level0_slowdown_writes_trigger = options.level0_stop_writes_trigger = 1000;
    rocksdb::BlockBasedTableOptions table;
    table.block_cache = rocksdb::NewLRUCache(std::size_t{1} << 30);
    if (built_in) table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    if (ours)
        options.table_properties_collector_factories.push_back(
            make_rocksdb_collector("blocked512", 10));
    rocksdb::DB* opened = nullptr;
    check(rocksdb::DB::Open(options, path.string(), &opened));
    std::unique_ptr<rocksdb::DB> db(opened);
    rocksdb::WriteOptions write;
    write.disableWAL = true;
    for (int t = 0; t < tables; ++t) {
        for (int i = t; i < keys; i += tables)
            check(db->Put(write, key(static_cast<std::uint64_t>(i)), std::string(100, 'v')));
        check(db->Flush({}));
    }
    return db;
}

struct Way {
    const char* name;
    rocksdb::DB* db;
    bool get, filtered;
    std::vector<double> absent{}, present{};
};

/// Nanoseconds a lookup; all of the first kind must be absent, all of the second present.
double seconds(const Way& way, std::uint64_t first, bool expected) {
    const auto start = std::chrono::steady_clock::now();
    std::string value;
    for (std::uint64_t i = first; i < first + lookups; ++i) {
        // Scattered, so that no lookup is beside the one before.
        const std::string k = key(expected ? i * 7919 % keys : i);
        bool found;
        if (way.get) {
            found = way.db->Get({}, k, &value).ok();
        } else {
            rocksdb::ReadOptions read;
            if (way.filtered) read.table_filter = rocksdb_table_filter(k);
            const std::unique_ptr<rocksdb::Iterator> it(way.db->NewIterator(read));
            it->Seek(k);
            found = it->Valid() && it->key() == k;
        }
        if (found != expected) throw std::runtime_error(std::string(way.name) + ": " + k);
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median_ns(std::vector<double> seconds) { return median(std::move(seconds)) * 1e9 / lookups; }

}  // namespace

int main() {
    const auto folder = std::filesystem::temp_directory_path() /
                        ("simdbloom-rocksdb-seeks-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    {
        const auto plain = open(folder / "plain", false, false),
                   ours = open(folder / "ours", true, false),
                   built_in = open(folder / "built-in", false, true);
        std::vector<Way> ways{
            {"iterator, no filter", plain.get(), false, false},
            {"iterator, table filter over `blocked512`, 10 bits a key", ours.get(), false, true},
            {"`Get`, no filter", plain.get(), true, false},
            {"`Get`, RocksDB's Bloom filter, 10 bits a key", built_in.get(), true, false}};
        for (int pass = 0; pass < passes; ++pass)
            for (auto& way : ways) {
                const auto first = static_cast<std::uint64_t>(pass) * lookups;
                way.absent.push_back(seconds(way, keys + first, false));
                way.present.push_back(seconds(way, first, true));
            }
        std::printf(
            "%d keys in %d tables that overlap, in memory; medians of %d passes of %d lookups.\n\n",
            keys, tables, passes, lookups);
        print_header({"way", "absent key, ns", "present key, ns"});
        for (const auto& way : ways)
            print_row({way.name, text("%.0f", median_ns(way.absent)),
                       text("%.0f", median_ns(way.present))});
    }
    std::filesystem::remove_all(folder);
    print_source("rocksdb_seeks");
}
