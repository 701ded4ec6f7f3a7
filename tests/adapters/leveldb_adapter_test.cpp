// A real LevelDB database on disk with our filters: right answers, blocks that are not read, and
// what happens to filters that are foreign or damaged.
#include <leveldb/db.h>

#include <atomic>
#include <fstream>

#include "allocations.hpp"
#include "saved_bytes.hpp"
#include "scale.hpp"
#include "simdbloom/adapters/leveldb.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

using PolicyPointer = std::unique_ptr<const leveldb::FilterPolicy>;

/// Passes everything on and counts what LevelDB asks.
class CountingPolicy final : public leveldb::FilterPolicy {
public:
    explicit CountingPolicy(PolicyPointer policy) : policy_(std::move(policy)) {}
    const char* Name() const override { return policy_->Name(); }
    void CreateFilter(const leveldb::Slice* keys, int n, std::string* dst) const override {
        ++filters;
        const std::size_t before = dst->size();
        policy_->CreateFilter(keys, n, dst);
        made.push_back(dst->substr(before));
    }
    bool KeyMayMatch(const leveldb::Slice& key, const leveldb::Slice& filter) const override {
        ++asked;
        const bool match = policy_->KeyMayMatch(key, filter);
        passed += match;
        return match;
    }
    mutable std::atomic<std::size_t> filters = 0, asked = 0, passed = 0;
    mutable std::vector<std::string> made;

private:
    PolicyPointer policy_;
};

std::string present(std::uint64_t i) { return "user" + std::to_string(test::random_key(i)); }
std::string absent(std::uint64_t i) {
    return "user" + std::to_string(test::random_key(i + 1'000'000'000));
}
std::string value(std::uint64_t i) { return "value of " + present(i) + std::string(60, '.'); }

TEST(LevelDbPolicyMemory, AFilterWithoutMemoryIsNoneAndMatchesEveryKey) {
    for (const char* spec : {"classic", "blocked512", "split256"})
        for (const int n : {0, 1, 40, 5'000}) {
            std::vector<std::string> texts;
            for (int i = 0; i < n; ++i) texts.push_back(present(static_cast<std::uint64_t>(i)));
            const std::vector<leveldb::Slice> keys(texts.begin(), texts.end());
            bool done = false;
            for (long k = 0; !done; ++k) {
                ASSERT_LT(k, 100);
                const auto policy = make_leveldb_policy(spec, 10);
                std::string filter = "before";
                {
                    const test::AllocationLimit limit(k);
                    policy->CreateFilter(keys.data(), n, &filter);
                }
                ASSERT_EQ(filter.substr(0, 6), "before");
                done = filter.size() > 6;
                const leveldb::Slice own(filter.data() + 6, filter.size() - 6);
                for (const auto& key : keys) ASSERT_TRUE(policy->KeyMayMatch(key, own)) << k;
                ASSERT_TRUE(done || policy->KeyMayMatch("another", own)) << k;
            }
        }
}

class LevelDbDatabase : public ::testing::Test {
protected:
    void SetUp() override { SIMDBLOOM_SKIP_IF_FORCED(); }
    void open(const leveldb::FilterPolicy* policy, bool checked = false) {
        database_.reset();
        leveldb::Options options;
        options.create_if_missing = true;
        options.filter_policy = policy;
        options.paranoid_checks = checked;
        leveldb::DB* database = nullptr;
        const auto status = leveldb::DB::Open(options, folder_.path, &database);
        ASSERT_TRUE(status.ok()) << status.ToString();
        database_.reset(database);
    }
    void close() { database_.reset(); }
    void write(std::uint64_t first, std::uint64_t n) {
        for (std::uint64_t i = first; i < first + n; ++i)
            ASSERT_TRUE(database_->Put({}, present(i), value(i)).ok());
    }
    void compact() { database_->CompactRange(nullptr, nullptr); }
    /// A database of the first n keys, open and compacted.
    void fill(const leveldb::FilterPolicy* policy, std::uint64_t n) {
        close();
        std::filesystem::remove_all(folder_.path);
        open(policy);
        write(0, n);
        compact();
    }
    /// The first n keys with their values.
    void expect_found(std::uint64_t n) {
        std::string found;
        for (std::uint64_t i = 0; i < n; ++i) {
            const auto status = database_->Get({}, present(i), &found);
            ASSERT_TRUE(status.ok()) << present(i) << ": " << status.ToString();
            ASSERT_EQ(found, value(i));
        }
    }
    void expect_not_found(std::uint64_t n) {
        std::string found;
        for (std::uint64_t i = 0; i < n; ++i)
            ASSERT_TRUE(database_->Get({}, absent(i), &found).IsNotFound()) << absent(i);
    }
    void expect_right_answers(std::uint64_t n) {
        expect_found(n);
        expect_not_found(n);
    }
    std::vector<std::filesystem::path> tables() const {
        std::vector<std::filesystem::path> files;
        for (const auto& entry : std::filesystem::directory_iterator(folder_.path))
            if (entry.path().extension() == ".ldb") files.push_back(entry.path());
        return files;
    }

    const test::TemporaryFolder folder_{"leveldb"};
    std::unique_ptr<leveldb::DB> database_;
};

/// Promise of LevelDbDatabase.*, LevelDbPolicy.*, LevelDbPolicyMemory.*: LevelDB finds exactly its
///   keys, whatever filters it had before, damaged ones and none for lack of memory too.
TEST_F(LevelDbDatabase, AnswersRightlyAndReadsFewBlocksForAbsentKeys) {
    const std::size_t n = test::scaled<std::size_t>(5'000, 20'000, 1'000'000);
    for (const std::string spec :
         {"classic", "blocked512", "split256", "register64", "sector512"}) {
        SCOPED_TRACE(spec);
        const CountingPolicy policy(make_leveldb_policy(spec, 10));
        fill(&policy, n);
        EXPECT_GT(policy.filters, n / 100) << "one for each 2 KiB";
        open(&policy);
        policy.asked = policy.passed = 0;
        expect_found(n);
        EXPECT_GE(policy.asked, n);
        // In a compacted database a key lies in one table at most, and few of those asked for it
        // are not the one.
        EXPECT_GE(policy.passed, n);
        policy.asked = policy.passed = 0;
        expect_not_found(n);
        EXPECT_GE(policy.asked, 0.99 * static_cast<double>(n))
            << "but those before the first or behind the last key of all tables";
        EXPECT_LT(static_cast<double>(policy.passed), 0.03 * static_cast<double>(policy.asked));
        EXPECT_GT(policy.passed, 0u) << "20,000 absent keys and no false positive: is it a filter?";
        close();
    }
}

class LevelDbMillionKeys : public LevelDbDatabase {};

/// Promise: Absent keys read fewer blocks than with LevelDB's own filters.
TEST_F(LevelDbMillionKeys, FiltersSpareAbsentKeysTheirBlocksAndOursMoreOfThemThanLevelDbs) {
    const std::size_t n = test::scaled<std::size_t>(20'000, 100'000, 1'000'000);
    // LevelDB asks the filter of each block that it would read without one.
    const auto share_read = [&](PolicyPointer own) {
        const CountingPolicy policy(std::move(own));
        fill(&policy, n);
        policy.asked = policy.passed = 0;
        expect_not_found(n);
        close();
        EXPECT_GE(policy.asked, 0.99 * static_cast<double>(n));
        return static_cast<double>(policy.passed) / static_cast<double>(policy.asked);
    };
    const double ours = share_read(make_leveldb_policy("classic", 10)),
                 builtin = share_read(PolicyPointer(leveldb::NewBloomFilterPolicy(10)));
    EXPECT_LT(ours, 0.0125);
    EXPECT_GT(ours, 0.005);
    EXPECT_LT(ours, builtin);
}

TEST_F(LevelDbDatabase, OverwrittenAndDeletedKeysAreWhatTheyWereLast) {
    const auto policy = make_leveldb_policy(leveldb_policy_spec, 10);
    open(policy.get());
    write(0, 3000);
    const leveldb::Snapshot* const before = database_->GetSnapshot();
    for (std::uint64_t i = 0; i < 3000; i += 3)
        ASSERT_TRUE(database_->Put({}, present(i), "new").ok());
    for (std::uint64_t i = 1; i < 3000; i += 3) ASSERT_TRUE(database_->Delete({}, present(i)).ok());
    compact();
    leveldb::ReadOptions old;
    old.snapshot = before;
    std::string found;
    for (std::uint64_t i = 0; i < 3000; ++i) {
        const auto status = database_->Get({}, present(i), &found);
        if (i % 3 == 1) ASSERT_TRUE(status.IsNotFound());
        else ASSERT_EQ(found, i % 3 == 0 ? "new" : value(i));
        ASSERT_TRUE(database_->Get(old, present(i), &found).ok());
        ASSERT_EQ(found, value(i));
    }
    database_->ReleaseSnapshot(before);
}

TEST_F(LevelDbDatabase, FiltersOfAnotherLayoutAndSizeAreStillUsed) {
    const auto first = make_leveldb_policy("split256", 8);
    fill(first.get(), 5000);
    const CountingPolicy second(make_leveldb_policy("blocked512", 14));
    open(&second);
    expect_right_answers(5000);
    EXPECT_EQ(second.filters, 0u);
    EXPECT_GE(second.asked, 9900u);
    EXPECT_LT(second.passed, 5000u + 200);
}

TEST_F(LevelDbDatabase, FiltersOfAnotherPolicyAreNotRead) {
    const CountingPolicy builtin{PolicyPointer(leveldb::NewBloomFilterPolicy(10))},
        ours(make_leveldb_policy(leveldb_policy_spec, 10));
    fill(&builtin, 3000);
    open(&ours);
    expect_right_answers(3000);
    EXPECT_EQ(ours.asked, 0u) << "the filters there have another name";
    write(3000, 3000);
    compact();
    EXPECT_GT(ours.filters, 0u);
    builtin.asked = 0;
    open(&builtin);
    expect_right_answers(6000);
    const std::size_t asked = builtin.asked;
    EXPECT_LT(asked, 6000u) << "most tables have our filters now";
    open(nullptr);
    expect_right_answers(6000);
}

TEST_F(LevelDbDatabase, DamagedFiltersLoseNoKey) {
    const CountingPolicy policy(make_leveldb_policy(leveldb_policy_spec, 10));
    fill(&policy, 3000);
    close();
    const auto damage = [&](const auto& change) {
        std::size_t damaged = 0;
        for (const auto& path : tables()) {
            std::ifstream in(path, std::ios::binary);
            std::string table((std::istreambuf_iterator<char>(in)), {});
            for (auto& filter : policy.made) {
                const std::size_t at = table.find(filter);
                if (at == std::string::npos) continue;
                std::ranges::transform(filter, filter.begin(), change);
                table.replace(at, filter.size(), filter);
                ++damaged;
            }
            std::ofstream(path, std::ios::binary) << table;
        }
        ASSERT_GT(damaged, 30u);
    };
    // Zeros would say of every key that it is not there; who checks LevelDB's checksum sees that.
    // All filters are left alone then.
    damage([](char c) { return static_cast<char>(c & 0xF0); });
    policy.asked = 0;
    open(&policy, true);
    expect_right_answers(3000);
    EXPECT_EQ(policy.asked, 0u);
    close();
    damage([](char) { return '\xFF'; });
    open(&policy);
    expect_right_answers(3000);
    EXPECT_GT(policy.asked, 0u);
    EXPECT_EQ(policy.passed, policy.asked);
}

}  // namespace
}  // namespace simdbloom
