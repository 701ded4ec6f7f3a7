// Windows, as mingw-w64 compiles for it. Files are opened by the system's own calls, because those
// of the C library neither take wide names nor let others replace or delete an open file.
#define _CRT_RAND_S
#ifndef NOMINMAX  // libstdc++ defines it
#define NOMINMAX
#endif
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
// After windows.h
#include <fcntl.h>
#include <io.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <system_error>
#include <vector>

#include "core/os/file.hpp"
#include "core/os/memory.hpp"

namespace simdbloom::detail {

namespace fs = std::filesystem;

namespace {

constexpr DWORD share_all = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
constexpr std::size_t most_at_once = std::size_t{1} << 30;  // a DWORD counts bytes

void set_errno() noexcept {
    const auto known =
        std::system_category().default_error_condition(static_cast<int>(::GetLastError()));
    errno = known.category() == std::generic_category() ? known.value() : EIO;
}

HANDLE handle_of(int file) noexcept { return reinterpret_cast<HANDLE>(::_get_osfhandle(file)); }

/// A descriptor that owns the handle.
File file_of(HANDLE handle, int flags) noexcept {
    if (handle == INVALID_HANDLE_VALUE) {
        set_errno();
        return {};
    }
    const int file = ::_open_osfhandle(reinterpret_cast<std::intptr_t>(handle),
                                       flags | _O_BINARY | _O_NOINHERIT);
    if (file < 0) ::CloseHandle(handle);
    return File(file);
}

struct CloseIt {
    void operator()(void* handle) const noexcept { ::CloseHandle(handle); }
};
using Handle = std::unique_ptr<void, CloseIt>;

/// Nothing of the file is read or written, and folders can be opened; null where it cannot be.
Handle open_to_look(const fs::path& path) noexcept {
    const HANDLE handle = ::CreateFileW(path.c_str(), FILE_READ_ATTRIBUTES, share_all, nullptr,
                                        OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
    return Handle(handle == INVALID_HANDLE_VALUE ? nullptr : handle);
}

std::optional<FileState> state_of_handle(HANDLE handle) noexcept {
    FILE_STANDARD_INFO info;
    ::SetLastError(NO_ERROR);
    const DWORD type = ::GetFileType(handle);
    if (type == FILE_TYPE_CHAR || type == FILE_TYPE_PIPE) return FileState{};
    if (type != FILE_TYPE_DISK ||
        !::GetFileInformationByHandleEx(handle, FileStandardInfo, &info, sizeof info)) {
        set_errno();
        return std::nullopt;
    }
    return FileState{!info.Directory, static_cast<std::uint64_t>(info.EndOfFile.QuadPart),
                     static_cast<std::uint64_t>(info.AllocationSize.QuadPart)};
}

}  // namespace

bool File::close() noexcept { return ::_close(std::exchange(descriptor_, -1)) == 0; }

File open_to_read(const fs::path& path, bool) noexcept {
    return file_of(::CreateFileW(path.c_str(), GENERIC_READ, share_all, nullptr, OPEN_EXISTING,
                                 FILE_ATTRIBUTE_NORMAL, nullptr),
                   _O_RDONLY);
}

std::optional<FileState> state_of(int file) noexcept { return state_of_handle(handle_of(file)); }

std::optional<FileState> state_of(const fs::path& path) noexcept {
    const Handle file = open_to_look(path);
    if (file != nullptr) return state_of_handle(file.get());
    set_errno();
    return std::nullopt;
}

std::ptrdiff_t read_some(int file, std::span<std::byte> to) noexcept {
    return ::_read(file, to.data(), static_cast<unsigned>(std::min(to.size(), most_at_once)));
}

bool read_at(int file, std::uint64_t offset, std::span<std::byte> to) noexcept {
    while (!to.empty()) {
        OVERLAPPED at{};
        at.Offset = static_cast<DWORD>(offset);
        at.OffsetHigh = static_cast<DWORD>(offset >> 32);
        DWORD n = 0;
        const auto most = static_cast<DWORD>(std::min(to.size(), most_at_once));
        if (!::ReadFile(handle_of(file), to.data(), most, &n, &at) &&
            ::GetLastError() != ERROR_HANDLE_EOF) {
            set_errno();
            return false;
        }
        if (n == 0) {
            errno = 0;
            return false;
        }
        to = to.subspan(n);
        offset += n;
    }
    return true;
}

std::uint64_t data_behind(int, std::uint64_t offset) noexcept { return offset; }

bool write_all(int file, std::span<const std::byte> bytes) noexcept {
    while (!bytes.empty()) {
        const auto most = static_cast<unsigned>(std::min(bytes.size(), most_at_once));
        const int n = ::_write(file, bytes.data(), most);
        if (n < 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    return true;
}

namespace {

[[noreturn]] void cannot_save(const fs::path& path, std::error_code why) {
    throw std::system_error(why, "simdbloom: cannot write " + path.string());
}
/// What GetLastError() says.
[[noreturn]] void cannot_save(const fs::path& path) {
    cannot_save(path, {static_cast<int>(::GetLastError()), std::system_category()});
}
/// What errno says.
[[noreturn]] void not_written(const fs::path& path) {
    cannot_save(path, {errno, std::generic_category()});
}

/// Writes to a pipe or a device.
void write_through(const fs::path& path, const WriteFile& write) {
    File file = file_of(::CreateFileW(path.c_str(), GENERIC_WRITE, share_all, nullptr,
                                      OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr),
                        _O_WRONLY);
    if (!file || !write(file.get()) || !file.close()) not_written(path);
}

/// The name that an existing file has behind symbolic links.
fs::path behind_links(const fs::path& path, HANDLE file) {
    const DWORD attributes = ::GetFileAttributesW(path.c_str());
    if (attributes == INVALID_FILE_ATTRIBUTES || (attributes & FILE_ATTRIBUTE_REPARSE_POINT) == 0)
        return path;
    std::wstring name(32768, L'\0');  // the longest
    const DWORD n = ::GetFinalPathNameByHandleW(file, name.data(), 32768, FILE_NAME_NORMALIZED);
    if (n == 0 || n >= name.size()) cannot_save(path);
    name.resize(n);
    return name;
}

/// The access control list of a file; empty where the file system has none.
std::vector<std::byte> access_to(const fs::path& path) {
    DWORD n = 0;
    ::GetFileSecurityW(path.c_str(), DACL_SECURITY_INFORMATION, nullptr, 0, &n);
    std::vector<std::byte> list(n);
    if (n != 0 && !::GetFileSecurityW(path.c_str(), DACL_SECURITY_INFORMATION, list.data(), n, &n))
        list.clear();
    return list;
}

/// Whether the system removes the file when it is closed, which the end of the process does too.
bool removes_when_closed(HANDLE file, bool removes) noexcept {
    FILE_DISPOSITION_INFO info{};
    info.DeleteFile = removes;
    return ::SetFileInformationByHandle(file, FileDispositionInfo, &info, sizeof info) != 0;
}

bool move(const fs::path& from, const fs::path& to, DWORD how) noexcept {
    return ::MoveFileExW(from.c_str(), to.c_str(), how | MOVEFILE_WRITE_THROUGH) != 0;
}

/// Who has a file open keeps it, under another name: until it is closed, or until the next save.
bool replace_open(const fs::path& name, const fs::path& target) {
    if (::GetLastError() != ERROR_ACCESS_DENIED) return false;
    for (int i = 0; i < 8; ++i) {
        const fs::path old =
            name_beside(target, std::hash<std::wstring>()(target.filename().native()),
                        "-" + std::to_string(i) + ".old");
        ::DeleteFileW(old.c_str());
        if (!move(target, old, 0)) continue;
        if (move(name, target, 0)) {
            ::DeleteFileW(old.c_str());
            return true;
        }
        const DWORD why = ::GetLastError();
        (void)move(old, target, 0);
        ::SetLastError(why);
        return false;
    }
    return false;
}

}  // namespace

// The new file goes when it is closed, until it is whole: also when the process is killed before.
void save_whole(const fs::path& path, const WriteFile& write) {
    if (path == "/dev/stdout") {  // the program's name for it, which Windows has none for
        if (!write(1)) not_written(path);
        return;
    }
    fs::path target = path;
    std::vector<std::byte> access;
    if (const Handle old = open_to_look(path); old != nullptr) {
        const auto state = state_of_handle(old.get());
        if (!state) not_written(path);
        if (!state->is_regular) return write_through(path, write);
        target = behind_links(path, old.get());
        access = access_to(target);
    } else if (::GetFileAttributesW(path.c_str()) != INVALID_FILE_ATTRIBUTES ||
               ::GetLastError() != ERROR_FILE_NOT_FOUND) {
        cannot_save(path);
    }
    std::random_device device;
    const fs::path name =
        name_beside(target, std::uniform_int_distribution<std::uint64_t>()(device), ".part");
    SECURITY_ATTRIBUTES security{sizeof security, access.data(), FALSE};
    const HANDLE handle = ::CreateFileW(
        name.c_str(), GENERIC_READ | GENERIC_WRITE | DELETE, FILE_SHARE_READ | FILE_SHARE_DELETE,
        access.empty() ? nullptr : &security, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr);
    if (handle == INVALID_HANDLE_VALUE) cannot_save(path);
    (void)removes_when_closed(handle, true);
    File file = file_of(handle, _O_RDWR);
    if (!file || !write(file.get())) not_written(path);
    if (!::FlushFileBuffers(handle) || !removes_when_closed(handle, false)) cannot_save(path);
    if (!file.close()) not_written(path);
    if (move(name, target, MOVEFILE_REPLACE_EXISTING) || replace_open(name, target)) return;
    const DWORD why = ::GetLastError();
    ::DeleteFileW(name.c_str());
    ::SetLastError(why);
    cannot_save(path);
}

std::size_t page_size() noexcept {
    SYSTEM_INFO info;
    ::GetSystemInfo(&info);
    return info.dwPageSize;
}

// Huge pages are for processes with a privilege that few have.
void* map_pages(std::size_t bytes, bool) noexcept {
    return ::VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}
void unmap_pages(void* pages, std::size_t) noexcept { ::VirtualFree(pages, 0, MEM_RELEASE); }

void* map_file(int file, std::size_t bytes) noexcept {
    const Handle section(
        ::CreateFileMappingW(handle_of(file), nullptr, PAGE_READONLY, 0, 0, nullptr));
    void* const start =
        section == nullptr ? nullptr : ::MapViewOfFile(section.get(), FILE_MAP_READ, 0, 0, bytes);
    if (start == nullptr) set_errno();
    return start;
}
void unmap_file(void* mapped, std::size_t) noexcept { ::UnmapViewOfFile(mapped); }

void* allocate_aligned(std::size_t alignment, std::size_t bytes) noexcept {
    return ::_aligned_malloc(bytes, alignment);
}
void free_aligned(void* allocated) noexcept { ::_aligned_free(allocated); }

bool fill_random(std::span<std::byte> to) noexcept {
    while (!to.empty()) {
        unsigned bits;
        if ((errno = ::rand_s(&bits)) != 0) return false;
        const std::size_t n = std::min(to.size(), sizeof bits);
        std::memcpy(to.data(), &bits, n);
        to = to.subspan(n);
    }
    return true;
}

std::uint64_t available_memory() {
    MEMORYSTATUSEX status{};
    status.dwLength = sizeof status;
    // What this process may still commit; the free part of the page file is in it.
    return ::GlobalMemoryStatusEx(&status) ? status.ullAvailPageFile : ~std::uint64_t{0};
}

Caches read_caches() noexcept {
    Caches caches;
    alignas(SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX) static std::byte bytes[1 << 16];
    DWORD n = sizeof bytes;
    auto* const first = reinterpret_cast<SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX*>(bytes);
    if (!::GetLogicalProcessorInformationEx(RelationCache, first, &n)) return caches;
    for (DWORD at = 0; at < n;) {
        const auto& one =
            *reinterpret_cast<const SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX*>(bytes + at);
        const CACHE_RELATIONSHIP& cache = one.Cache;
        at += one.Size;
        if (cache.Type == CacheInstruction || (cache.GroupMask.Mask & 1) == 0) continue;
        if (cache.Level == 1) caches.l1d = cache.CacheSize;
        if (cache.Level == 2) caches.l2 = cache.CacheSize;
        if (cache.Level == 3) caches.l3 = cache.CacheSize;
    }
    return caches;
}

}  // namespace simdbloom::detail
