// Saved filters in files.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "filters/saved.hpp"

namespace simdbloom {
namespace {

namespace fs = std::filesystem;

class File {
public:
    File(const fs::path& path, int flags) noexcept : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
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

bool write_all(int file, std::span<const std::byte> bytes) noexcept {
    while (!bytes.empty()) {
        const ssize_t n = ::write(file, bytes.data(), bytes.size());
        if (n < 0 && errno != EINTR) return false;
        if (n > 0) bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    return true;
}

/// False with errno 0 where the file ends early.
bool read_all(int file, std::span<std::byte> bytes) noexcept {
    while (!bytes.empty()) {
        const ssize_t n = ::read(file, bytes.data(), bytes.size());
        if (n == 0) errno = 0;
        if (n == 0 || (n < 0 && errno != EINTR)) return false;
        if (n > 0) bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    return true;
}

[[noreturn]] void cannot_save(const fs::path& path, const char* what) {
    throw std::system_error(errno, std::generic_category(), "simdbloom: cannot " + std::string(what) + " " + path.string());
}

LoadError file_fault(const fs::path& path, const std::string& what) { return {LoadFault::file, path.string() + ": " + what}; }
LoadError file_fault(const fs::path& path) { return file_fault(path, std::generic_category().message(errno)); }
LoadError in_file(const fs::path& path, LoadError error) { return {error.fault, path.string() + ": " + error.message}; }

/// Bytes of a regular file that may hold a filter.
Loaded<std::uint64_t> size_of(const File& file, const fs::path& path) {
    if (!file) return file_fault(path);
    struct stat status;
    if (::fstat(file.get(), &status) != 0) return file_fault(path);
    if (!S_ISREG(status.st_mode)) return file_fault(path, "not a regular file");
    const auto bytes = static_cast<std::uint64_t>(status.st_size);
    if (bytes < detail::framing_bytes) return in_file(path, detail::too_short(bytes));
    return bytes;
}

/// What a read_all that returned false says.
LoadError not_read(const fs::path& path) { return errno == 0 ? file_fault(path, "it became shorter while it was read") : file_fault(path); }

struct Mapping {
    void* start = MAP_FAILED;
    std::size_t bytes = 0;
    Mapping(int file, std::size_t n) noexcept : start(::mmap(nullptr, n, PROT_READ, MAP_PRIVATE, file, 0)), bytes(n) {}
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping() {
        if (start != MAP_FAILED) ::munmap(start, bytes);
    }
    std::span<const std::byte> span() const noexcept { return {static_cast<const std::byte*>(start), bytes}; }
};

}  // namespace

void save_file(const FilterBase& filter, const fs::path& path) {
    static std::atomic<unsigned> saves{0};
    fs::path beside = path;
    beside += ".part-" + std::to_string(::getpid()) + "-" + std::to_string(saves.fetch_add(1, std::memory_order_relaxed));
    File file(beside, O_WRONLY | O_CREAT | O_EXCL);
    if (!file) cannot_save(beside, "create");
    const detail::Header header = detail::header_of(filter);
    const detail::Checksum checksum = detail::checksum_of(header, filter.bytes());
    if (!write_all(file.get(), header) || !write_all(file.get(), filter.bytes()) || !write_all(file.get(), checksum) || ::fsync(file.get()) != 0 || !file.close() ||
        ::rename(beside.c_str(), path.c_str()) != 0) {
        const int why = errno;
        ::unlink(beside.c_str());
        errno = why;
        cannot_save(path, "write");
    }
    // The new name too is on the disk; where a folder cannot be flushed the file is whole all the same.
    if (File folder(path.has_parent_path() ? path.parent_path() : fs::path("."), O_RDONLY | O_DIRECTORY); folder) ::fsync(folder.get());
}

Loaded<AnyFilter> load_file(const fs::path& path, const Options& options) noexcept {
    return detail::without_throwing<AnyFilter>([&]() -> Loaded<AnyFilter> {
        const File file(path, O_RDONLY);
        auto bytes = size_of(file, path);
        if (!bytes) return bytes.error();
        detail::Header header;
        if (!read_all(file.get(), header)) return not_read(path);
        const auto parsed = detail::parse_header(header, *bytes, options);
        if (!parsed) return in_file(path, parsed.error());
        AnyFilter filter = detail::LoadAccess::make(*parsed, options);
        const auto bits = detail::LoadAccess::bits(filter);
        detail::Checksum checksum;
        if (!read_all(file.get(), bits) || !read_all(file.get(), checksum)) return not_read(path);
        if (checksum != detail::checksum_of(header, bits)) return in_file(path, detail::wrong_checksum());
        detail::LoadAccess::complete(filter);
        return filter;
    });
}

Loaded<FrozenFilter> map_file(const fs::path& path, const Options& options) noexcept {
    return detail::without_throwing<FrozenFilter>([&]() -> Loaded<FrozenFilter> {
        const File file(path, O_RDONLY);
        auto bytes = size_of(file, path);
        if (!bytes) return bytes.error();
        const auto mapping = std::make_shared<const Mapping>(file.get(), *bytes);
        if (mapping->start == MAP_FAILED) return file_fault(path);
        auto viewed = view(mapping->span(), options);
        if (!viewed) return in_file(path, viewed.error());
        // The mapping lives as long as the filter over it.
        struct Held {
            std::shared_ptr<const Mapping> mapping;
            FrozenFilter filter;
        };
        const auto held = std::make_shared<const Held>(Held{mapping, std::move(*viewed)});
        return FrozenFilter(std::shared_ptr<const AnyFilter>(held, &*held->filter));
    });
}

}  // namespace simdbloom
