// LevelDB databases of the same keys and values, each with another filter policy.
#pragma once

#include <leveldb/db.h>
#include <leveldb/filter_policy.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace simdbloom::bench {

inline const std::string no_policy = "none", builtin_policy = "built-in";
/// What is compared with no filter at all.
inline const std::vector<std::string> policy_names{builtin_policy, "classic",  "blocked512",
                                                   "sector512",    "split256", "register64"};
/// As a table has it.
std::string shown(const std::string& policy);

/// "none" is nullptr, "built-in" LevelDB's own, anything else a spec.
std::unique_ptr<const leveldb::FilterPolicy> make_policy(const std::string& name, int bits_per_key);

/// Keys from this number on are in no database.
inline constexpr std::uint64_t absent_from = std::uint64_t{1} << 40;
/// 20 bytes: "user" and 16 hexadecimal digits, distinct for every i.
std::string key_text(std::uint64_t i);

/// In the folder for temporary files; gone with all that is in it at the end.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

/// What a database was asked and did since the last reset().
struct Counts {
    std::atomic<std::uint64_t> filters_made = 0, keys_in_filters = 0, filter_bytes = 0,
                               filters_asked = 0, filters_passed = 0, blocks_read = 0;
    void reset() {
        filters_made = keys_in_filters = filter_bytes = filters_asked = filters_passed =
            blocks_read = 0;
    }
};

class Database {
public:
    /// Opens the database in that folder, or makes an empty one. With `counts`, everything is
    /// counted there, which costs time.
    Database(const std::filesystem::path& folder, const std::string& policy, int bits_per_key,
             Counts* counts);
    ~Database();

    /// Keys 0 .. n - 1, in one shuffled order, with values of 100 bytes that Snappy halves; then
    /// everything is compacted.
    void fill(std::uint64_t n);
    /// Throws std::runtime_error if one of the keys is not found (or found, if absent).
    void expect(const std::vector<std::string>& keys, bool present);
    /// Nanoseconds a Get of CPU time of this thread.
    double time(const std::vector<std::string>& keys);

private:
    class CountingEnv;
    std::filesystem::path folder_;
    std::unique_ptr<const leveldb::FilterPolicy> policy_;
    std::unique_ptr<leveldb::Env> env_;
    std::unique_ptr<leveldb::DB> database_;
};

}  // namespace simdbloom::bench
