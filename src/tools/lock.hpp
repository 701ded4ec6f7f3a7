// One run at a time for a file that is read, changed and saved.
#pragma once

#include <filesystem>
#include <string>

namespace simdbloom::tools {

/// Locks a file until the end of the scope. Another program that wants the lock waits, and says so
/// on standard error.
class Lock {
public:
    /// Throws std::runtime_error that names the path where no lock can be made.
    explicit Lock(const std::string& path);
    ~Lock();
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

private:
    // The lock is beside the file, because each save makes another file. It is removed when nobody
    // has it.
    std::filesystem::path name_;
    int file_ = -1;
};

}  // namespace simdbloom::tools
