// What Linux and macOS have in common, and the functions of their own that it is built on.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "core/os/file.hpp"

namespace simdbloom::detail {

/// A signal does not end the wait for the other end of a FIFO.
SIMDBLOOM_API File open_file(const char* path, int flags, mode_t mode = 0666) noexcept;
inline File open_file(const std::filesystem::path& path, int flags, mode_t mode = 0666) noexcept {
    return open_file(path.c_str(), flags, mode);
}
std::filesystem::path folder_of(const std::filesystem::path& path);
bool is_link(const std::filesystem::path& path) noexcept;

// Of each system:

/// Flushes what was written to the disk.
bool flush(int file) noexcept;
/// A new file without a name, nothing of which stays after a kill; none if there are no such files.
File open_nameless(const std::filesystem::path& folder, mode_t mode) noexcept;
/// Gives such a file a name that is not taken.
bool name_nameless(int file, const std::filesystem::path& name) noexcept;
/// Whether the path leads to a file that is open, such as /dev/stdout, and not to a name.
bool names_open_file(const std::filesystem::path& path);
/// Gives the file the access control list of the file at `from`, or none.
bool copy_acl(const std::filesystem::path& from, int to) noexcept;
/// Takes these signals, which are blocked, from this thread where they wait for it.
void take_signals(const sigset_t& blocked) noexcept;

}  // namespace simdbloom::detail
