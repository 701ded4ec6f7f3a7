// One key looked for in a directory of RocksDB tables (SST files): Get by RocksDB's own filters,
// and a FilterBank of a set for each table.
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/table.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <stdexcept>

#include "experiments/experiment.hpp"
#include "simdbloom/bank/filter_bank.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;
namespace fs = std::filesystem;

constexpr std::size_t n_keys = 2'000'000, lookups = 4000;
constexpr unsigned rounds = 5;
constexpr double bits_per_key = 10, more_bits_per_key = 20;

void check(const rocksdb::Status& status) {
    if (!status.ok()) throw std::runtime_error(status.ToString());
}
std::string key(std::uint64_t i) {
    return text("user%016llx", static_cast<unsigned long long>(hash_key(i)));
}

rocksdb::Options options_of(bool filtered) {
    rocksdb::Options options;
    options.create_if_missing = true;
    options.disable_auto_compactions = true;
    options.max_open_files = -1;
    options.write_buffer_size = std::size_t{1} << 30;
    options.level0_slowdown_writes_trigger = options.level0_stop_writes_trigger = 1 << 20;
    rocksdb::BlockBasedTableOptions table;
    table.block_cache = rocksdb::NewLRUCache(std::size_t{1} << 30);
    if (filtered) table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(bits_per_key));
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    return options;
}

/// Table t has the keys i with i % tables == t: all tables have the same range of keys, as tables
/// of level 0 and of tiered compaction do.
std::unique_ptr<rocksdb::DB> fill(const fs::path& path, std::size_t tables, bool filtered) {
    rocksdb::DB* opened = nullptr;
    check(rocksdb::DB::Open(options_of(filtered), path.string(), &opened));
    std::unique_ptr<rocksdb::DB> db(opened);
    rocksdb::WriteOptions write;
    write.disableWAL = true;
    for (std::size_t t = 0; t < tables; ++t) {
        for (std::size_t i = t; i < n_keys; i += tables)
            check(db->Put(write, key(i), std::string(20, 'v')));
        check(db->Flush({}));
    }
    return db;
}

/// The tables of a directory.
class Tables {
public:
    explicit Tables(const fs::path& path) {
        for (const auto& entry : fs::directory_iterator(path)) {
            if (entry.path().extension() != ".sst") continue;
            readers_.push_back(std::make_unique<rocksdb::SstFileReader>(options_of(false)));
            check(readers_.back()->Open(entry.path().string()));
        }
    }
    /// Of their keys: set t is table t.
    FilterBank bank(double bits) const {
        std::size_t most = 0;
        for (const auto& reader : readers_)
            most = std::max<std::size_t>(most, reader->GetTableProperties()->num_entries);
        FilterBank bank = FilterBank::with_bits_per_key(readers_.size(), most, bits);
        for (std::size_t t = 0; t < readers_.size(); ++t) {
            std::vector<std::uint64_t> hashes;
            const std::unique_ptr<rocksdb::Iterator> it(readers_[t]->NewIterator({}));
            for (it->SeekToFirst(); it->Valid(); it->Next())
                hashes.push_back(bank.hash_of(it->key().ToStringView()));
            bank.insert(t, simdbloom::Keys::hashes(hashes));
        }
        return bank;
    }
    /// Reads the tables that the bank names, one after the other.
    bool find(const FilterBank& bank, const std::string& key) const {
        for (const auto t : bank.select(key)) {
            const std::unique_ptr<rocksdb::Iterator> it(readers_[t]->NewIterator({}));
            it->Seek(key);
            if (it->Valid() && it->key() == key) return true;
        }
        return false;
    }

private:
    std::vector<std::unique_ptr<rocksdb::SstFileReader>> readers_;
};

bool get(rocksdb::DB& db, const std::string& key) {
    rocksdb::PinnableSlice value;
    return db.Get({}, db.DefaultColumnFamily(), key, &value).ok();
}

/// How many of the keys are found.
using Find = std::function<std::size_t(std::span<const std::string>)>;
struct Way {
    std::string name;
    Find find;
};

/// Blocks of data that RocksDB looks at for a key: one a table.
double tables_read(const Way& way, std::span<const std::string> keys) {
    rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
    rocksdb::get_perf_context()->Reset();
    (void)way.find(keys);
    const auto& of = *rocksdb::get_perf_context();
    const auto blocks = of.block_cache_hit_count + of.block_read_count;
    rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
    return static_cast<double>(blocks) / static_cast<double>(keys.size());
}

std::size_t filter_bytes(rocksdb::DB& db) {
    rocksdb::TablePropertiesCollection tables;
    check(db.GetPropertiesOfAllTables(&tables));
    std::size_t bytes = 0;
    for (const auto& [name, table] : tables) bytes += table->filter_size;
    return bytes;
}

/// Returns the MiB of RocksDB's filters and of the smaller bank.
std::string print_tables(const fs::path& folder, std::size_t n) {
    const auto plain = fill(folder / "plain", n, false), filtered = fill(folder / "bloom", n, true);
    const Tables tables(folder / "plain");
    const FilterBank bank = tables.bank(bits_per_key), larger = tables.bank(more_bits_per_key);
    std::vector<std::string> present, absent;
    for (std::size_t i = 0; i < lookups; ++i) {
        present.push_back(key(i * 499 % n_keys));
        absent.push_back(key(n_keys + i));
    }
    const auto each = [](const auto& has) {
        return [has](std::span<const std::string> keys) {
            std::size_t found = 0;
            for (const auto& k : keys) found += has(k);
            return found;
        };
    };
    const std::vector<Way> ways{
        {"no filters", each([&](const auto& k) { return get(*plain, k); })},
        {"filters", each([&](const auto& k) { return get(*filtered, k); })},
        {"bank", each([&](const auto& k) { return tables.find(bank, k); })},
        {"larger bank", each([&](const auto& k) { return tables.find(larger, k); })},
    };
    std::vector<Contestant> turns;
    for (const auto& way : ways)
        for (const auto* keys : {&present, &absent}) {
            const std::size_t found = way.find(*keys);
            if (found != (keys == &present ? lookups : 0))
                throw std::runtime_error(way.name + text(": finds %zu keys", found));
            turns.push_back(contestant(way.name, lookups, [&way, keys] { (void)way.find(*keys); }));
        }
    const auto ns = ns_of(rounds, std::move(turns));
    for (const auto* keys : {&present, &absent}) {
        const bool is_present = keys == &present;
        std::vector<std::string> cells{text("%zu", n), is_present ? "present" : "absent"};
        for (std::size_t w = 0; w < ways.size(); ++w) {
            cells.push_back(
                text("%.2f, %.2f", tables_read(ways[w], *keys), ns[2 * w + !is_present] / 1000));
        }
        print_row(cells);
    }
    std::fflush(stdout);
    return text("%.1f and %.1f", in_mib(filter_bytes(*filtered)), in_mib(bank.size_in_bytes()));
}

}  // namespace

int main() {
    const auto folder =
        fs::temp_directory_path() / text("simdbloom-bank-tables-%d", static_cast<int>(::getpid()));
    std::printf(
        "RocksDB %d.%d: %zu keys in tables of one range of keys, not compacted, in its cache. "
        "Tables\nread and µs a key, medians of %u rounds of %zu keys on one thread.\n\n",
        ROCKSDB_MAJOR, ROCKSDB_MINOR, n_keys, rounds, lookups);
    print_header({"tables", "key", "`Get`, no filters",
                  text("filters of %g bits a key", bits_per_key),
                  text("bank of %g bits", bits_per_key), text("of %g bits", more_bits_per_key)});
    std::string bytes;
    for (const std::size_t n : {8u, 512u}) {
        fs::create_directories(folder);
        bytes += (bytes.empty() ? "" : "; ") + print_tables(folder, n);
        fs::remove_all(folder);
    }
    std::printf("\nMiB of the filters and of the bank of %g bits: %s.\n", bits_per_key,
                bytes.c_str());
    print_source("bank_tables");
}
