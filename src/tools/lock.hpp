// One run at a time for a file that is read, changed and saved.
#pragma once

#include <filesystem>
#include <string>

namespace simdbloom::tools {

/// Of a file, from here to the end of its scope. Another program that wants it waits, and says so
/// on standard error.
class Lock {
public:
    /// Throws std::runtime_error naming the path where no lock can be made.
    explicit Lock(const std::string& path);
    ~Lock();
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

private:
    // Beside the file, which is another one with each save. It is gone when nobody has it.
    std::filesystem::path name_;
    int file_ = -1;
};

}  // namespace simdbloom::tools
