// The common part of filters, maps and series of filters in files.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/files/saved.hpp"
#include "core/os/available_memory.hpp"
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

SIMDBLOOM_API LoadError file_fault(const std::filesystem::path& path, const std::string& what);
/// The fault that errno names.
LoadError file_fault(const std::filesystem::path& path);
SIMDBLOOM_API LoadError in_file(const std::filesystem::path& path, LoadError error);
/// The fault after a read_all that returned false.
SIMDBLOOM_API LoadError not_read(const std::filesystem::path& path);

struct OpenFile {
    File file;
    std::uint64_t bytes;
};
/// Opens a regular file of at least `least` bytes for reading.
SIMDBLOOM_API Loaded<OpenFile> open_regular(const std::filesystem::path& path, std::uint64_t least);

/// For a file of holes, which takes less of the disk than its length says: checks the checksum
/// before anything is allocated. It covers a header that was read and `parts` of so many bytes
/// each, which come next in the file. Each part is hashed with the hash of the one before as its
/// seed. No byte is kept, so that nobody can make us allocate memory by claiming that a file is
/// long. The position in the file stays what it was.
std::optional<LoadError> check_ahead(const File& file, const std::filesystem::path& path,
                                     Fields header, std::initializer_list<std::uint64_t> parts);

/// Writes the file. Returns false with errno set where it cannot.
using WriteFile = std::function<bool(int file)>;
/// Afterwards the file has the bytes that `write` writes. If that fails, the file is as it was
/// before, and std::system_error with the path is thrown. A symbolic link stays, and the file that
/// it leads to is replaced. Who may read and write the file stays the same; a new file obeys the
/// umask. A file that is no regular file is written to.
SIMDBLOOM_API void save_whole(const std::filesystem::path& path, const WriteFile& write);

/// As save_parts. Returns false with errno set.
bool write_parts(int file, const Header& header, std::span<const std::byte> bits) noexcept;

/// As load_as, of the `bytes` bytes from the present position of the file on. The bits are read to
/// the place where they stay.
template <class F>
Loaded<typename F::Thing> read_as(const File& file, const std::filesystem::path& path,
                                  std::uint64_t bytes, const Options& options) {
    Header header;
    if (bytes < framing_bytes) return in_file(path, too_short(bytes));
    if (!read_all(file.get(), header)) return not_read(path);
    const auto parsed = F::parse(header, bytes, options);
    if (!parsed) return in_file(path, parsed.error());
    if (options.allocator == nullptr) check_available((*parsed).bits_bytes);
    if (auto error = check_ahead(file, path, header, {(*parsed).bits_bytes})) return *error;
    auto thing = F::make(*parsed, options, nullptr);
    const auto bits = F::bits(thing);
    Checksum checksum;
    if (!read_all(file.get(), bits) || !read_all(file.get(), checksum)) return not_read(path);
    if (checksum != checksum_of(header, bits)) return in_file(path, wrong_checksum());
    F::complete(thing);
    return thing;
}
/// The same for a whole file.
template <class F>
Loaded<typename F::Thing> load_file_as(const std::filesystem::path& path, const Options& options) {
    const auto opened = open_regular(path, framing_bytes);
    if (!opened) return opened.error();
    return read_as<F>((*opened).file, path, (*opened).bytes, options);
}

class Mapping {
public:
    Mapping(const File& file, std::size_t bytes) noexcept
        : start_(::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file.get(), 0)), bytes_(bytes) {}
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping() {
        if (*this) ::munmap(start_, bytes_);
    }
    explicit operator bool() const noexcept { return start_ != MAP_FAILED; }
    std::span<const std::byte> bytes() const noexcept {
        return {static_cast<const std::byte*>(start_), bytes_};
    }

private:
    void* start_;
    std::size_t bytes_;
};
/// A file that is mapped into memory for as long as a copy of the pointer lives.
Loaded<std::shared_ptr<const Mapping>> map(const File& file, const std::filesystem::path& path,
                                           std::uint64_t bytes);
/// A whole file of the format F, where view() checks the bytes. A file of holes is checked
/// before: to read its holes through the mapping takes 20 times as long.
template <class F>
Loaded<std::shared_ptr<const Mapping>> map_file_as(const std::filesystem::path& path,
                                                   const Options& options) {
    const auto opened = open_regular(path, framing_bytes);
    if (!opened) return opened.error();
    const auto& [file, bytes] = *opened;
    Header header;
    if (!read_all(file.get(), header)) return not_read(path);
    const auto parsed = F::parse(header, bytes, options);
    if (!parsed) return in_file(path, parsed.error());
    if (auto error = check_ahead(file, path, header, {(*parsed).bits_bytes})) return *error;
    return map(file, path, bytes);
}

}  // namespace simdbloom::detail
