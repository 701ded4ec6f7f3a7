// Files and memory of Linux and macOS.
#include "core/os/posix.hpp"

#include <sys/mman.h>
#include <sys/random.h>

#include <cstdlib>
#include <limits>

#include "core/os/memory.hpp"

namespace simdbloom::detail {

namespace fs = std::filesystem;

File open_file(const char* path, int flags, mode_t mode) noexcept {
    int descriptor;
    do descriptor = ::open(path, flags | O_CLOEXEC, mode);
    while (descriptor < 0 && errno == EINTR);
    return File(descriptor);
}

// Both systems close the file even where close() says EINTR.
bool File::close() noexcept {
    return ::close(std::exchange(descriptor_, -1)) == 0 || errno == EINTR;
}

File open_to_read(const fs::path& path, bool waits) noexcept {
    return open_file(path, O_RDONLY | (waits ? 0 : O_NONBLOCK));
}

fs::path folder_of(const fs::path& path) {
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

bool is_link(const fs::path& path) noexcept {
    struct stat status;
    return ::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

namespace {

std::optional<FileState> state_of(int failed, const struct stat& s) noexcept {
    if (failed != 0) return std::nullopt;
    return FileState{S_ISREG(s.st_mode), static_cast<std::uint64_t>(s.st_size),
                     512 * static_cast<std::uint64_t>(s.st_blocks)};
}

}  // namespace

std::optional<FileState> state_of(int file) noexcept {
    struct stat status;
    return state_of(::fstat(file, &status), status);
}

std::optional<FileState> state_of(const fs::path& path) noexcept {
    struct stat status;
    return state_of(::stat(path.c_str(), &status), status);
}

std::ptrdiff_t read_some(int file, std::span<std::byte> to) noexcept {
    ssize_t n;
    do n = ::read(file, to.data(), to.size());
    while (n < 0 && errno == EINTR);
    return n;
}

bool read_at(int file, std::uint64_t offset, std::span<std::byte> to) noexcept {
    while (!to.empty()) {
        const ssize_t n = ::pread(file, to.data(), to.size(), static_cast<off_t>(offset));
        if (n == 0) errno = 0;
        if (n == 0 || (n < 0 && errno != EINTR)) return false;
        if (n < 0) continue;
        to = to.subspan(static_cast<std::size_t>(n));
        offset += static_cast<std::uint64_t>(n);
    }
    return true;
}

std::uint64_t data_behind(int file, std::uint64_t offset) noexcept {
#ifdef SEEK_DATA
    const off_t data = ::lseek(file, static_cast<off_t>(offset), SEEK_DATA);
    if (data >= 0) return static_cast<std::uint64_t>(data);
    if (errno == ENXIO) return std::numeric_limits<std::uint64_t>::max();
#else  // WebAssembly does not say where the holes are
    (void)file;
#endif
    return offset;
}

bool write_all(int file, std::span<const std::byte> bytes) noexcept {
    while (!bytes.empty()) {
        const ssize_t n = ::write(file, bytes.data(), bytes.size());
        if (n < 0 && errno != EINTR) return false;
        if (n > 0) bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    return true;
}

bool flush(int file) noexcept {
#ifdef F_FULLFSYNC  // of macOS, whose fsync() leaves the bytes in the drive's cache
    if (::fcntl(file, F_FULLFSYNC) != -1) return true;
#endif
    while (::fsync(file) != 0)
        if (errno != EINTR) return false;
    return true;
}

bool fill_random(std::span<std::byte> to) noexcept {
    return ::getentropy(to.data(), to.size()) == 0;
}

std::size_t page_size() noexcept { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

// Gives back the pages that the alignment cost.
void* map_pages(std::size_t bytes, [[maybe_unused]] bool huge) noexcept {
    const std::size_t reserve = bytes + huge_page;
    constexpr int kind = MAP_PRIVATE | MAP_ANONYMOUS;
    void* const p = mmap(nullptr, reserve, PROT_READ | PROT_WRITE, kind, -1, 0);
    if (p == MAP_FAILED) return nullptr;
    const auto start = reinterpret_cast<std::uintptr_t>(p),
               aligned = (start + huge_page - 1) / huge_page * huge_page;
    if (aligned != start) munmap(p, aligned - start);
    const std::size_t behind = start + reserve - (aligned + bytes);
    if (behind != 0) munmap(reinterpret_cast<void*>(aligned + bytes), behind);
    void* const pages = reinterpret_cast<void*>(aligned);
#ifdef MADV_HUGEPAGE  // of Linux; if it refuses, the pages stay small
    if (huge) madvise(pages, bytes, MADV_HUGEPAGE);
#endif
    return pages;
}

void unmap_pages(void* pages, std::size_t bytes) noexcept { munmap(pages, bytes); }

void* map_file(int file, std::size_t bytes) noexcept {
    void* const start = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
    return start == MAP_FAILED ? nullptr : start;
}

void unmap_file(void* mapped, std::size_t bytes) noexcept { munmap(mapped, bytes); }

void* allocate_aligned(std::size_t alignment, std::size_t bytes) noexcept {
    return std::aligned_alloc(alignment, bytes);
}

void free_aligned(void* allocated) noexcept { std::free(allocated); }

}  // namespace simdbloom::detail
