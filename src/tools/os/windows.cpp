#ifndef NOMINMAX  // libstdc++ defines it
#define NOMINMAX
#endif
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
// After windows.h
#include <fcntl.h>
#include <io.h>
#include <shellapi.h>

#include <cstdlib>
#include <memory>
#include <utility>

#include "tools/os/program.hpp"

namespace simdbloom::detail {
namespace {

UINT code_page_before;

HANDLE handle_of(int file) noexcept { return reinterpret_cast<HANDLE>(::_get_osfhandle(file)); }

std::string utf8(const wchar_t* text) {
    const int n = ::WideCharToMultiByte(CP_UTF8, 0, text, -1, nullptr, 0, nullptr, nullptr);
    std::string made(static_cast<std::size_t>(n > 0 ? n : 1), '\0');
    ::WideCharToMultiByte(CP_UTF8, 0, text, -1, made.data(), n, nullptr, nullptr);
    made.pop_back();  // the NUL
    return made;
}

std::optional<std::string> identity_of_handle(HANDLE handle) {
    BY_HANDLE_FILE_INFORMATION info;
    if (::GetFileType(handle) != FILE_TYPE_DISK) return "";
    if (!::GetFileInformationByHandle(handle, &info)) return std::nullopt;
    if ((info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0) return "";
    return "file " + std::to_string(std::uint64_t{info.nFileIndexHigh} << 32 | info.nFileIndexLow) +
           " of " + std::to_string(info.dwVolumeSerialNumber);
}

}  // namespace

// Nobody can make a file shorter while it is mapped.
void prepare_process(std::string_view (*)()) {
    for (int stream = 0; stream < 3; ++stream) (void)::_setmode(stream, _O_BINARY);
    if (!is_terminal(1)) return;
    code_page_before = ::GetConsoleOutputCP();
    ::SetConsoleOutputCP(CP_UTF8);
    std::atexit([] { ::SetConsoleOutputCP(code_page_before); });
}

std::vector<std::string> arguments(int, char**) {
    int n = 0;
    const std::unique_ptr<wchar_t*, decltype(&::LocalFree)> words(
        ::CommandLineToArgvW(::GetCommandLineW(), &n), &::LocalFree);
    std::vector<std::string> made;
    for (int i = 1; words != nullptr && i < n; ++i) made.push_back(utf8(words.get()[i]));
    return made;
}

bool is_terminal(int file) noexcept {
    DWORD mode;
    return ::GetConsoleMode(handle_of(file), &mode) != 0;
}

std::size_t columns(int file) noexcept {
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (!::GetConsoleScreenBufferInfo(handle_of(file), &info)) return 80;
    return static_cast<std::size_t>(info.srWindow.Right - info.srWindow.Left + 1);
}

bool would_wait(int file) noexcept {
    const HANDLE handle = handle_of(file);
    if (::GetFileType(handle) == FILE_TYPE_DISK) return false;
    if (is_terminal(file)) return ::WaitForSingleObject(handle, 0) != WAIT_OBJECT_0;
    DWORD there = 0;
    if (::PeekNamedPipe(handle, nullptr, 0, nullptr, &there, nullptr)) return there == 0;
    return ::GetLastError() != ERROR_BROKEN_PIPE;  // wine does not look into pipes of Linux
}

std::optional<std::string> identity_of(int file) { return identity_of_handle(handle_of(file)); }

std::optional<std::string> identity_of(const std::filesystem::path& path) {
    const HANDLE handle = ::CreateFileW(
        path.c_str(), FILE_READ_ATTRIBUTES, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
        nullptr, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
    if (handle == INVALID_HANDLE_VALUE) {
        const DWORD why = ::GetLastError();
        errno = why == ERROR_FILE_NOT_FOUND || why == ERROR_PATH_NOT_FOUND ? ENOENT : EACCES;
        return std::nullopt;
    }
    auto identity = identity_of_handle(handle);
    ::CloseHandle(handle);
    return identity;
}

// The system closes the file of a process that ends, and removes it then. No call waits for others
// to do so: hence a look every 50 ms. While it removes the file, it denies access: up to a second.
File lock(const std::filesystem::path& name, const std::function<void()>& waits) {
    bool waited = false;
    for (int denied = 0; denied < 20; ::Sleep(50)) {
        const HANDLE handle = ::CreateFileW(name.c_str(), GENERIC_WRITE, 0, nullptr, CREATE_ALWAYS,
                                            FILE_FLAG_DELETE_ON_CLOSE, nullptr);
        if (handle != INVALID_HANDLE_VALUE)
            return File(::_open_osfhandle(reinterpret_cast<std::intptr_t>(handle), _O_NOINHERIT));
        const DWORD why = ::GetLastError();
        if (why == ERROR_ACCESS_DENIED) {
            ++denied;
        } else if (why != ERROR_SHARING_VIOLATION) {
            errno = why == ERROR_PATH_NOT_FOUND ? ENOENT : EACCES;
            return {};
        } else if (!std::exchange(waited, true)) {
            waits();
        }
    }
    errno = EACCES;
    return {};
}

void unlock(File& locked, const std::filesystem::path&) noexcept { (void)locked.close(); }

}  // namespace simdbloom::detail
