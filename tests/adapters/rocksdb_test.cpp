// Filters of ours with the tables of a RocksDB database on disk.
#include "simdbloom/adapters/rocksdb.hpp"

#include <rocksdb/comparator.h>
#include <rocksdb/db.h>
#include <rocksdb/table.h>

#include "saved_bytes.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

/// A database of its own, with no filters but ours, whose tables stay as they are flushed.
struct Database {
    explicit Database(std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> collector,
                      const rocksdb::Comparator* comparator = rocksdb::BytewiseComparator()) {
        rocksdb::Options options;
        options.create_if_missing = true;
        options.comparator = comparator;
        options.disable_auto_compactions = true;
        if (collector) options.table_properties_collector_factories.push_back(std::move(collector));
        rocksdb::DB* opened = nullptr;
        const auto status = rocksdb::DB::Open(options, folder.path, &opened);
        EXPECT_TRUE(status.ok()) << status.ToString();
        db.reset(opened);
    }
    void put(const std::string& key, const std::string& value) const {
        ASSERT_TRUE(db->Put({}, key, value).ok());
    }
    void flush() const { ASSERT_TRUE(db->Flush({}).ok()); }
    rocksdb::TablePropertiesCollection tables() const {
        rocksdb::TablePropertiesCollection all;
        EXPECT_TRUE(db->GetPropertiesOfAllTables(&all).ok());
        return all;
    }
    /// What an iterator with our table filter finds for the key; and how many tables it was let
    /// into.
    std::optional<std::string> get(const std::string& key, int* opened = nullptr,
                                   const rocksdb::Slice* timestamp = nullptr) const {
        rocksdb::ReadOptions read;
        read.timestamp = timestamp;
        read.table_filter =
            [&, ask = rocksdb_table_filter(key)](const rocksdb::TableProperties& table) {
                const bool may = ask(table);
                if (opened != nullptr) *opened += may;
                return may;
            };
        const std::unique_ptr<rocksdb::Iterator> it(db->NewIterator(read));
        it->Seek(key);
        return it->Valid() && it->key() == key ? std::optional(it->value().ToString())
                                               : std::nullopt;
    }
    test::TemporaryFolder folder{"rocksdb"};
    std::unique_ptr<rocksdb::DB> db;
};

std::string key(int i) { return "key" + std::to_string(i); }

/// Promise: A RocksDB iterator finds its key in every table, and no deleted key.
TEST(RocksDb, IteratorsOpenOnlyTablesThatMayHoldTheKey) {
    for (const char* spec : {"blocked512", "split256", "classic"}) {
        const Database database(make_rocksdb_collector(spec, 12));
        constexpr int tables = 8, keys = 2000;
        // Each table holds every eighth key, so that all of them overlap.
        for (int t = 0; t < tables; ++t) {
            for (int i = t; i < keys; i += tables) database.put(key(i), std::to_string(i));
            database.flush();
        }
        ASSERT_EQ(database.tables().size(), static_cast<std::size_t>(tables));
        int opened = 0, opened_for_absent = 0;
        for (int i = 0; i < keys; ++i) {
            ASSERT_EQ(database.get(key(i), &opened), std::to_string(i)) << spec;
            ASSERT_EQ(database.get("none" + key(i), &opened_for_absent), std::nullopt);
        }
        EXPECT_GE(opened, keys);
        EXPECT_LE(opened, keys + keys * tables / 50) << spec;
        EXPECT_LE(opened_for_absent, keys * tables / 50) << spec;
    }
}

TEST(RocksDb, DeletedKeysStayDeleted) {
    const Database database(make_rocksdb_collector("blocked512", 10));
    for (int i = 0; i < 100; ++i) database.put(key(i), "old");
    database.flush();
    ASSERT_TRUE(database.db->Delete({}, key(7)).ok());
    ASSERT_TRUE(database.db->SingleDelete({}, key(8)).ok());
    database.put(key(9), "new");
    database.flush();
    // The range covers keys that are not among those of its table.
    ASSERT_TRUE(
        database.db->DeleteRange({}, database.db->DefaultColumnFamily(), "key5", "key6").ok());
    database.put("other", "value");
    database.flush();
    int without = 0;
    for (const auto& [path, table] : database.tables())
        without += table->user_collected_properties.count(rocksdb_property) == 0;
    EXPECT_EQ(without, 1);
    EXPECT_EQ(database.get(key(7)), std::nullopt);
    EXPECT_EQ(database.get(key(8)), std::nullopt);
    EXPECT_EQ(database.get(key(9)), "new");
    EXPECT_EQ(database.get(key(55)), std::nullopt);
    EXPECT_EQ(database.get(key(45)), "old");
}

TEST(RocksDb, PartsOfKeys) {
    const auto user = [](const rocksdb::Slice& k) {
        return rocksdb::Slice(k.data(), std::min<std::size_t>(k.size(), 5));
    };
    const Database database(make_rocksdb_collector("blocked512", 16, user));
    for (int t = 0; t < 4; ++t) {
        for (int i = 0; i < 100; ++i)
            database.put("user" + std::to_string(t) + "/" + std::to_string(i), "x");
        database.flush();
    }
    rocksdb::ReadOptions read;
    read.table_filter = rocksdb_table_filter("user2");
    const std::unique_ptr<rocksdb::Iterator> it(database.db->NewIterator(read));
    int rows = 0;
    for (it->Seek("user2"); it->Valid() && it->key().starts_with("user2"); it->Next()) ++rows;
    EXPECT_EQ(rows, 100);
    for (const auto& [path, table] : database.tables()) {
        int may = 0;
        for (int t = 0; t < 4; ++t) may += rocksdb_may_contain(*table, "user" + std::to_string(t));
        EXPECT_EQ(may, 1);
        EXPECT_LE(table->user_collected_properties.at(rocksdb_property).size(),
                  65u);  // of one part, not of a hundred keys
    }
}

TEST(RocksDb, TablesWithoutAFilterMayHoldAnything) {
    const Database database(nullptr);
    database.put("key", "value");
    database.flush();
    EXPECT_EQ(database.get("key"), "value");
    for (const auto& [path, table] : database.tables())
        EXPECT_TRUE(rocksdb_may_contain(*table, "absent"));
    rocksdb::TableProperties damaged;
    damaged.user_collected_properties[rocksdb_property] = std::string("\x01\xFF", 2);
    EXPECT_TRUE(rocksdb_may_contain(damaged, "anything"));
}

TEST(RocksDb, RefusesSpecsAndSizesThatMeanNothing) {
    EXPECT_INVALID("cuckoo8", make_rocksdb_collector("cuckoo8", 10));
    EXPECT_INVALID("0", make_rocksdb_collector("split256", 0));
}

/// Keys that end in timestamps of 8 bytes, of which the latest comes first.
class WithTimestamps : public rocksdb::Comparator {
public:
    WithTimestamps() : Comparator(8) {}
    using Comparator::CompareWithoutTimestamp;
    int Compare(const rocksdb::Slice& a, const rocksdb::Slice& b) const override {
        const int order = CompareWithoutTimestamp(a, true, b, true);
        return order != 0 ? order : -timestamp(a).compare(timestamp(b));
    }
    int CompareTimestamp(const rocksdb::Slice& a, const rocksdb::Slice& b) const override {
        return a.compare(b);
    }
    int CompareWithoutTimestamp(const rocksdb::Slice& a, bool a_has, const rocksdb::Slice& b,
                                bool b_has) const override {
        return key_of(a, a_has).compare(key_of(b, b_has));
    }
    const char* Name() const override { return "simdbloom.test.timestamps"; }
    void FindShortestSeparator(std::string*, const rocksdb::Slice&) const override {}
    void FindShortSuccessor(std::string*) const override {}

private:
    static rocksdb::Slice key_of(const rocksdb::Slice& key, bool has) {
        return {key.data(), key.size() - (has ? 8 : 0)};
    }
    static rocksdb::Slice timestamp(const rocksdb::Slice& key) {
        return {key.data() + key.size() - 8, 8};
    }
};

TEST(RocksDb, KeysWithTimestampsAreFoundWhetherTheirSizeIsGivenOrNot) {
    const WithTimestamps comparator;
    const auto with_part = [](const rocksdb::Slice& k) {
        EXPECT_EQ(k.size(), 5u) << "the part of a key with its timestamp";
        return rocksdb::Slice(k.data(), 5);
    };
    for (const std::size_t given : {0u, 8u, 4u}) {
        for (const bool part : {false, true}) {
            if (part && given != 8) continue;
            const Database database(
                make_rocksdb_collector("blocked512", 12, part ? with_part : RocksDbPart{}, given),
                &comparator);
            const std::string early(8, '\1'), late(8, '\2');
            for (const auto& time : {early, late}) {
                for (int i = 100; i < 150; ++i) {
                    const std::string k = "ke" + std::to_string(i + (time == late ? 50 : 0));
                    ASSERT_TRUE(database.db->Put({}, k, time, "v").ok());
                }
                database.flush();
            }
            int found = 0, opened = 0;
            const rocksdb::Slice now(late);
            for (int i = 100; i < 200; ++i)
                found += database.get("ke" + std::to_string(i), &opened, &now) == "v";
            EXPECT_EQ(found, 100) << given;
            if (given == 8) EXPECT_LE(opened, 110);
            else EXPECT_EQ(opened, 200) << "both tables, for each key: " << given;
        }
    }
}

}  // namespace
}  // namespace simdbloom
