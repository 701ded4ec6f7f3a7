#include "experiments/leveldb/database.hpp"

#include <leveldb/env.h>
#include <leveldb/write_batch.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <stdexcept>
#include <system_error>

#include "simdbloom/adapters/leveldb.hpp"

namespace simdbloom::bench {
namespace {

std::uint64_t splitmix(std::uint64_t x) {
    x *= 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

class CountingPolicy final : public leveldb::FilterPolicy {
public:
    CountingPolicy(std::unique_ptr<const leveldb::FilterPolicy> policy, Counts& counts)
        : policy_(std::move(policy)), counts_(counts) {}
    const char* Name() const override { return policy_->Name(); }
    void CreateFilter(const leveldb::Slice* keys, int n, std::string* dst) const override {
        ++counts_.filters_made;
        counts_.keys_in_filters += static_cast<std::uint64_t>(n);
        const std::size_t before = dst->size();
        policy_->CreateFilter(keys, n, dst);
        counts_.filter_bytes += dst->size() - before;
    }
    bool KeyMayMatch(const leveldb::Slice& key, const leveldb::Slice& filter) const override {
        const bool match = policy_->KeyMayMatch(key, filter);
        ++counts_.filters_asked;
        counts_.filters_passed += match;
        return match;
    }

private:
    std::unique_ptr<const leveldb::FilterPolicy> policy_;
    Counts& counts_;
};

class CountingFile final : public leveldb::RandomAccessFile {
public:
    CountingFile(leveldb::RandomAccessFile* file, Counts& counts) : file_(file), counts_(counts) {}
    leveldb::Status Read(std::uint64_t offset, std::size_t n, leveldb::Slice* result,
                         char* scratch) const override {
        ++counts_.blocks_read;
        return file_->Read(offset, n, result, scratch);
    }

private:
    std::unique_ptr<leveldb::RandomAccessFile> file_;
    Counts& counts_;
};

void check(const leveldb::Status& status, const std::filesystem::path& folder) {
    if (!status.ok())
        throw std::runtime_error("the database in \"" + folder.string() +
                                 "\": " + status.ToString());
}

double thread_seconds() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

class Database::CountingEnv final : public leveldb::EnvWrapper {
public:
    explicit CountingEnv(Counts& counts) : EnvWrapper(leveldb::Env::Default()), counts_(counts) {}
    leveldb::Status NewRandomAccessFile(const std::string& name,
                                        leveldb::RandomAccessFile** result) override {
        const auto status = target()->NewRandomAccessFile(name, result);
        if (status.ok()) *result = new CountingFile(*result, counts_);  // LevelDB deletes it
        return status;
    }

private:
    Counts& counts_;
};

std::unique_ptr<const leveldb::FilterPolicy> make_policy(const std::string& name,
                                                         int bits_per_key) {
    if (name == no_policy) return nullptr;
    if (name == builtin_policy)
        return std::unique_ptr<const leveldb::FilterPolicy>(
            leveldb::NewBloomFilterPolicy(bits_per_key));
    return make_leveldb_policy(name, bits_per_key);
}

std::string shown(const std::string& policy) {
    return policy == no_policy || policy == builtin_policy ? policy : "`" + policy + "`";
}

std::string key_text(std::uint64_t i) {
    char text[32];
    std::snprintf(text, sizeof text, "user%016llx",
                  static_cast<unsigned long long>(splitmix(i + 1)));
    return text;
}

TemporaryFolder::TemporaryFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "simdbloom-leveldb-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
        throw std::system_error(errno, std::generic_category(), name);
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

Database::Database(const std::filesystem::path& folder, const std::string& policy, int bits_per_key,
                   Counts* counts)
    : folder_(folder), policy_(make_policy(policy, bits_per_key)) {
    leveldb::Options
        options;  // else LevelDB's defaults: blocks of 4 KiB, Snappy, 8 MiB of block cache
    options.create_if_missing = true;
    if (counts != nullptr) {
        if (policy_) policy_ = std::make_unique<CountingPolicy>(std::move(policy_), *counts);
        env_ = std::make_unique<CountingEnv>(*counts);
        options.env = env_.get();
    }
    options.filter_policy = policy_.get();
    leveldb::DB* database = nullptr;
    check(leveldb::DB::Open(options, folder_, &database), folder_);
    database_.reset(database);
}

Database::~Database() = default;

void Database::fill(std::uint64_t n) {
    std::vector<std::uint64_t> order(n);
    for (std::uint64_t i = 0; i < n; ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
    leveldb::WriteBatch batch;
    std::string value(100, '.');
    for (std::uint64_t at = 0; at < n; ++at) {
        for (std::size_t i = 0; i < 50; i += 8) {
            const std::uint64_t random = splitmix(order[at] * 7 + i + 1);
            for (std::size_t j = 0; j < 8 && i + j < 50; ++j)
                value[i + j] = static_cast<char>(random >> (8 * j));
        }
        batch.Put(key_text(order[at]), value);
        if (at % 1000 == 999 || at + 1 == n) {
            check(database_->Write({}, &batch), folder_);
            batch.Clear();
        }
    }
    database_->CompactRange(nullptr, nullptr);
}

void Database::expect(const std::vector<std::string>& keys, bool present) {
    std::string value;
    for (const auto& key : keys) {
        const auto status = database_->Get({}, key, &value);
        if (!status.ok() && !status.IsNotFound()) check(status, folder_);
        if (status.ok() != present)
            throw std::runtime_error("the database in \"" + folder_.string() + "\" " +
                                     (present ? "does not find " : "finds ") + key);
    }
}

double Database::time(const std::vector<std::string>& keys) {
    std::string value;
    const double start = thread_seconds();
    for (const auto& key : keys) (void)database_->Get({}, key, &value);
    return 1e9 * (thread_seconds() - start) / static_cast<double>(keys.size());
}

}  // namespace simdbloom::bench
