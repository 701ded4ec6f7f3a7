// Files as the operating system gives them: read, and written whole or not at all. On every system
// a file is a descriptor of the C library, and errno says what failed.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "simdbloom/export.hpp"

namespace simdbloom::detail {

class File {
public:
    File() noexcept = default;
    /// Owns the descriptor; -1 is none.
    explicit File(int descriptor) noexcept : descriptor_(descriptor) {}
    File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    File& operator=(File&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    ~File() {
        if (descriptor_ >= 0) (void)close();
    }
    explicit operator bool() const noexcept { return descriptor_ >= 0; }
    int get() const noexcept { return descriptor_; }
    SIMDBLOOM_API bool close() noexcept;

private:
    int descriptor_ = -1;
};

/// Opens a file for reading, or returns none with errno set. `waits`: for the other end of a FIFO.
SIMDBLOOM_API File open_to_read(const std::filesystem::path& path, bool waits) noexcept;

struct FileState {
    bool is_regular;
    std::uint64_t bytes, bytes_on_disk;  ///< fewer on the disk: the file has holes
};
/// What a file is, or nothing with errno set. A path is not opened: that may wait, or do something.
SIMDBLOOM_API std::optional<FileState> state_of(int file) noexcept;
std::optional<FileState> state_of(const std::filesystem::path& path) noexcept;

/// Reads at least one byte; 0 at the end, -1 with errno set where it cannot.
SIMDBLOOM_API std::ptrdiff_t read_some(int file, std::span<std::byte> to) noexcept;
/// Returns false with errno set; errno is 0 where the file ends early.
SIMDBLOOM_API bool read_at(int file, std::uint64_t offset, std::span<std::byte> to) noexcept;
/// The first byte from `offset` on that is in no hole, else 2^64 - 1; `offset` if it is not known.
std::uint64_t data_behind(int file, std::uint64_t offset) noexcept;
SIMDBLOOM_API bool write_all(int file, std::span<const std::byte> bytes) noexcept;

/// A name for a new file beside the target: .simdbloom-HHHHHHHHHHHHHHHH, then `end`.
inline std::filesystem::path name_beside(const std::filesystem::path& target, std::uint64_t number,
                                         const std::string& end) {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(number));
    return target.parent_path() / (".simdbloom-" + (digits + end));
}

/// Writes the file. Returns false with errno set where it cannot.
using WriteFile = std::function<bool(int file)>;
/// Afterwards the file has the bytes that `write` writes. If that fails, the file is as it was, and
/// std::system_error with the path is thrown. A symbolic link stays; the file that it leads to is
/// replaced and keeps its rights; a new file obeys the umask. Other than regular files are written.
SIMDBLOOM_API void save_whole(const std::filesystem::path& path, const WriteFile& write);

}  // namespace simdbloom::detail
