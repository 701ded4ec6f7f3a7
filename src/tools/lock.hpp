// One run at a time for a file that is read, changed and saved.
#pragma once

#include <filesystem>
#include <string>

namespace simdbloom::tools {

/// Locks a file until the end of the scope. Another program waits for the lock, and says so on
/// standard error.
class Lock {
public:
    /// Throws std::runtime_error that names the path if it cannot be locked.
    explicit Lock(const std::string& path);
    ~Lock();
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

private:
    // The lock is a file beside the locked one, because each save makes a new file. The last holder
    // removes it.
    std::filesystem::path name_;
    int file_ = -1;
};

}  // namespace simdbloom::tools
