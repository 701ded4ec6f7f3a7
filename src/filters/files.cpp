#include "filters/files.hpp"

#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <system_error>

namespace simdbloom::detail {

namespace fs = std::filesystem;

bool write_all(int file, std::span<const std::byte> bytes) noexcept {
    while (!bytes.empty()) {
        const ssize_t n = ::write(file, bytes.data(), bytes.size());
        if (n < 0 && errno != EINTR) return false;
        if (n > 0) bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    return true;
}

bool read_all(int file, std::span<std::byte> bytes) noexcept {
    while (!bytes.empty()) {
        const ssize_t n = ::read(file, bytes.data(), bytes.size());
        if (n == 0) errno = 0;
        if (n == 0 || (n < 0 && errno != EINTR)) return false;
        if (n > 0) bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    return true;
}

LoadError file_fault(const fs::path& path, const std::string& what) { return {LoadFault::file, path.string() + ": " + what}; }
LoadError file_fault(const fs::path& path) { return file_fault(path, std::generic_category().message(errno)); }
LoadError in_file(const fs::path& path, LoadError error) { return {error.fault, path.string() + ": " + error.message}; }

Loaded<std::uint64_t> size_of(const File& file, const fs::path& path, std::uint64_t least) {
    if (!file) return file_fault(path);
    struct stat status;
    if (::fstat(file.get(), &status) != 0) return file_fault(path);
    if (!S_ISREG(status.st_mode)) return file_fault(path, "not a regular file");
    const auto bytes = static_cast<std::uint64_t>(status.st_size);
    if (bytes < least) return in_file(path, too_short(bytes));
    return bytes;
}

LoadError not_read(const fs::path& path) { return errno == 0 ? file_fault(path, "it became shorter while it was read") : file_fault(path); }

namespace {

[[noreturn]] void cannot_save(const fs::path& path, const char* what) {
    throw std::system_error(errno, std::generic_category(), "simdbloom: cannot " + std::string(what) + " " + path.string());
}

}  // namespace

void save_whole(const fs::path& path, const std::function<bool(int)>& write) {
    static std::atomic<unsigned> saves{0};
    fs::path beside = path;
    beside += ".part-" + std::to_string(::getpid()) + "-" + std::to_string(saves.fetch_add(1, std::memory_order_relaxed));
    File file(beside, O_WRONLY | O_CREAT | O_EXCL);
    if (!file) cannot_save(beside, "create");
    if (!write(file.get()) || ::fsync(file.get()) != 0 || !file.close() || ::rename(beside.c_str(), path.c_str()) != 0) {
        const int why = errno;
        ::unlink(beside.c_str());
        errno = why;
        cannot_save(path, "write");
    }
    // The new name too is on the disk; where a folder cannot be flushed the file is whole all the same.
    if (File folder(path.has_parent_path() ? path.parent_path() : fs::path("."), O_RDONLY | O_DIRECTORY); folder) ::fsync(folder.get());
}

bool write_parts(int file, const Header& header, std::span<const std::byte> bits) noexcept {
    return write_all(file, header) && write_all(file, bits) && write_all(file, checksum_of(header, bits));
}

Loaded<std::shared_ptr<const Mapping>> map_whole(const fs::path& path, std::uint64_t least) {
    const File file(path, O_RDONLY);
    const auto bytes = size_of(file, path, least);
    if (!bytes) return bytes.error();
    auto mapping = std::make_shared<const Mapping>(file, *bytes);
    if (!*mapping) return file_fault(path);
    return mapping;
}

}  // namespace simdbloom::detail
