// Files as the operating system gives them: read, and written whole or not at all.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <utility>

#include "simdbloom/export.hpp"

namespace simdbloom::detail {

class File {
public:
    File() noexcept = default;
    /// A signal does not end the wait for the other end of a FIFO.
    File(const char* path, int flags, mode_t mode = 0666) noexcept {
        do descriptor_ = ::open(path, flags | O_CLOEXEC, mode);
        while (descriptor_ < 0 && errno == EINTR);
    }
    File(const std::filesystem::path& path, int flags, mode_t mode = 0666) noexcept
        : File(path.c_str(), flags, mode) {}
    File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    File& operator=(File&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    ~File() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    explicit operator bool() const noexcept { return descriptor_ >= 0; }
    int get() const noexcept { return descriptor_; }
    /// Flushes what was written to the disk.
    bool flush() const noexcept {
        while (::fsync(descriptor_) != 0)
            if (errno != EINTR) return false;
        return true;
    }
    /// Linux closes the file even where close() says EINTR.
    bool close() noexcept { return ::close(std::exchange(descriptor_, -1)) == 0 || errno == EINTR; }

private:
    int descriptor_ = -1;
};

SIMDBLOOM_API bool write_all(int file, std::span<const std::byte> bytes) noexcept;
/// Returns false with errno 0 where the file ends early.
SIMDBLOOM_API bool read_all(int file, std::span<std::byte> bytes) noexcept;

/// Writes the file. Returns false with errno set where it cannot.
using WriteFile = std::function<bool(int file)>;
/// Afterwards the file has the bytes that `write` writes. If that fails, the file is as it was
/// before, and std::system_error with the path is thrown. A symbolic link stays, and the file that
/// it leads to is replaced. Who may read and write the file stays the same; a new file obeys the
/// umask. A file that is no regular file is written to.
SIMDBLOOM_API void save_whole(const std::filesystem::path& path, const WriteFile& write);

}  // namespace simdbloom::detail
