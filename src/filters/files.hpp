// Filters in files: what one filter and a series of them have in common.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "filters/saved.hpp"

namespace simdbloom::detail {

class File {
public:
    File(const std::filesystem::path& path, int flags) noexcept : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
    ~File() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    explicit operator bool() const noexcept { return descriptor_ >= 0; }
    int get() const noexcept { return descriptor_; }
    bool close() noexcept { return ::close(std::exchange(descriptor_, -1)) == 0; }

private:
    int descriptor_;
};

bool write_all(int file, std::span<const std::byte> bytes) noexcept;
/// False with errno 0 where the file ends early.
bool read_all(int file, std::span<std::byte> bytes) noexcept;

LoadError file_fault(const std::filesystem::path& path, const std::string& what);
/// By errno.
LoadError file_fault(const std::filesystem::path& path);
LoadError in_file(const std::filesystem::path& path, LoadError error);
/// What a read_all that returned false says.
LoadError not_read(const std::filesystem::path& path);

/// Bytes of a regular file of at least `least` bytes.
Loaded<std::uint64_t> size_of(const File& file, const std::filesystem::path& path, std::uint64_t least);

/// The file is there as `write` makes it, which returns false with errno set where it cannot, or as it was before, which a
/// std::system_error with the path then says.
void save_whole(const std::filesystem::path& path, const std::function<bool(int file)>& write);

/// A filter as save() has it, and of `bytes` bytes that begin where the file stands.
bool write_filter(int file, const FilterBase& filter) noexcept;
Loaded<AnyFilter> read_filter(const File& file, const std::filesystem::path& path, std::uint64_t bytes, const Options& options);

}  // namespace simdbloom::detail
