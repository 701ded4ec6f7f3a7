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

constexpr std::size_t n_keys = 2'000'000, lookups = 4000, batch = 64;
constexpr unsigned rounds = 5;
constexpr double bits_per_key = 10;

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

/// Table t has the keys i with i % tables == t: all tables have the same range of keys, as those of
/// level 0 and of tiered compaction.
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

/// The tables of a directory, and the bank of their keys.
class Tables {
public:
    explicit Tables(const fs::path& path) {
        std::vector<fs::path> files;
        for (const auto& entry : fs::directory_iterator(path))
            if (entry.path().extension() == ".sst") files.push_back(entry.path());
        std::size_t most = 0;
        for (const auto& file : files) {
            readers_.push_back(std::make_unique<rocksdb::SstFileReader>(options_of(false)));
            check(readers_.back()->Open(file.string()));
            most = std::max<std::size_t>(most, readers_.back()->GetTableProperties()->num_entries);
        }
        bank_ = FilterBank::with_bits_per_key(files.size(), most, bits_per_key);
        for (std::size_t t = 0; t < files.size(); ++t) {
            std::vector<std::uint64_t> hashes;
            const std::unique_ptr<rocksdb::Iterator> it(readers_[t]->NewIterator({}));
            for (it->SeekToFirst(); it->Valid(); it->Next())
                hashes.push_back(bank().hash_of(it->key().ToStringView()));
            bank_->insert(t, simdbloom::Keys::hashes(hashes));
        }
    }
    const FilterBank& bank() const { return *bank_; }
    /// Reads the tables that the bank names; adds their number to `read`.
    bool find(const std::string& key, std::size_t& read) const {
        for (const auto t : bank().select(key)) {
            ++read;
            const std::unique_ptr<rocksdb::Iterator> it(readers_[t]->NewIterator({}));
            it->Seek(key);
            if (it->Valid() && it->key() == key) return true;
        }
        return false;
    }

private:
    std::vector<std::unique_ptr<rocksdb::SstFileReader>> readers_;
    std::optional<FilterBank> bank_;
};

bool get(rocksdb::DB& db, const std::string& key) {
    rocksdb::PinnableSlice value;
    return db.Get({}, db.DefaultColumnFamily(), key, &value).ok();
}

struct Way {
    std::string name;
    /// How many of the keys are there.
    std::function<std::size_t(std::span<const std::string>)> find;
};

/// Blocks of data that RocksDB looks at for a key: one a table.
double blocks_read(const Way& way, std::span<const std::string> keys) {
    rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
    rocksdb::get_perf_context()->Reset();
    (void)way.find(keys);
    const auto& of = *rocksdb::get_perf_context();
    const auto blocks = of.block_cache_hit_count + of.block_read_count;
    rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
    return static_cast<double>(blocks) / static_cast<double>(keys.size());
}

void print_tables(const fs::path& folder, std::size_t n) {
    const auto plain = fill(folder / "plain", n, false), filtered = fill(folder / "bloom", n, true);
    const Tables tables(folder / "plain");
    std::vector<std::string> present, absent;
    for (std::size_t i = 0; i < lookups; ++i) {
        present.push_back(key(i * 199 % n_keys));
        absent.push_back(key(n_keys + i));
    }
    const auto each = [](const auto& has) {
        return [has](std::span<const std::string> keys) {
            std::size_t found = 0;
            for (const auto& k : keys) found += has(k);
            return found;
        };
    };
    const auto& bank = tables.bank();
    const std::vector<Way> ways{
        {"`Get`, no filters", each([&](const auto& k) { return get(*plain, k); })},
        {"`Get`, RocksDB's filters", each([&](const auto& k) { return get(*filtered, k); })},
        {text("`MultiGet` of %zu, RocksDB's filters", batch),
         [&](std::span<const std::string> keys) {
             std::size_t found = 0;
             std::vector<std::string> values;
             for (std::size_t i = 0; i < keys.size(); i += batch) {
                 const auto some = keys.subspan(i, std::min(batch, keys.size() - i));
                 const std::vector<rocksdb::Slice> slices(some.begin(), some.end());
                 for (const auto& status : filtered->MultiGet({}, slices, &values))
                     found += status.ok();
             }
             return found;
         }},
        {"the bank, then `Get` with RocksDB's filters",
         each([&](const auto& k) { return bank.count(k) != 0 && get(*filtered, k); })},
        {"the bank, then its tables alone", each([&](const auto& k) {
             std::size_t read = 0;
             return tables.find(k, read);
         })},
    };
    std::vector<Contestant> turns;
    for (const auto& way : ways)
        for (const auto* keys : {&present, &absent}) {
            const std::size_t found = way.find(*keys);
            if (found != (keys == &present ? lookups : 0))
                throw std::runtime_error(way.name + text(" finds %zu keys", found));
            turns.push_back(contestant(way.name, lookups, [&way, keys] { (void)way.find(*keys); }));
        }
    std::vector<std::uint8_t> bitmaps(lookups * bank.bitmap_bytes());
    const std::vector<std::string_view> views(absent.begin(), absent.end());
    turns.push_back(contestant("bank", lookups, [&] { bank.contains(views, bitmaps); }));
    turns.push_back(contestant("bank", lookups, [&] {
        std::size_t found = 0;
        for (const auto& k : absent) found += bank.count(k);
        __asm__ volatile("" : : "r"(found));
    }));
    Timer(rounds).run(turns);
    const auto us = [&](std::size_t i) { return text("%.2f", median(turns[i].ns_per_key) / 1000); };
    for (std::size_t w = 0; w < ways.size(); ++w)
        print_row({text("%zu", n), ways[w].name, text("%.2f", blocks_read(ways[w], present)),
                   text("%.2f", blocks_read(ways[w], absent)), us(2 * w), us(2 * w + 1)});
    print_row({text("%zu", n), "the bank alone, key by key", "", "", "", us(turns.size() - 1)});
    print_row({text("%zu", n), "the bank alone, in batches", "", "", "", us(turns.size() - 2)});
    std::fflush(stdout);
}

}  // namespace

int main() {
    const auto folder =
        fs::temp_directory_path() / text("simdbloom-bank-tables-%d", static_cast<int>(::getpid()));
    std::printf(
        "RocksDB %d.%d: %zu keys in tables of one range of keys, no compaction, everything in its "
        "cache.\nFilters of %g bits a key. Medians of %u rounds of %zu keys in turn, on one "
        "thread.\n\n",
        ROCKSDB_MAJOR, ROCKSDB_MINOR, n_keys, bits_per_key, rounds, lookups);
    print_header({"tables", "way", "tables read: present key", "absent key", "present key, µs",
                  "absent key, µs"});
    for (const std::size_t n : {8u, 64u, 512u}) {
        fs::create_directories(folder);
        print_tables(folder, n);
        fs::remove_all(folder);
    }
    print_source("bank_tables");
}
