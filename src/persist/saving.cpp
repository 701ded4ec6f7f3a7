// Saves files whole or leaves them as they were: a new file is written beside the old one and
// renamed.
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <system_error>

#include "persist/files.hpp"
#include "simdbloom/hash.hpp"

namespace simdbloom::detail {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void cannot_save(const fs::path& path) {
    throw std::system_error(errno, std::generic_category(),
                            "simdbloom: cannot write " + path.string());
}

fs::path folder_of(const fs::path& path) {
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// Links in /proc lead to open files and not to names. The name that such a link gives may be
/// another file, or none.
bool is_in_proc(const fs::path& path) {
    struct statfs of;
    return ::statfs(folder_of(path).c_str(), &of) == 0 && of.f_type == PROC_SUPER_MAGIC;
}

bool is_link(const fs::path& path) noexcept {
    struct stat status;
    return ::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

/// The name that `path` leads to, whether a file has that name or not. For a link in /proc, the
/// link itself.
fs::path behind_links(const fs::path& path) {
    fs::path at = path;
    for (int links = 0; is_link(at) && !is_in_proc(at); ++links) {
        if (links == 40) {  // as the kernel's own limit
            errno = ELOOP;
            cannot_save(path);
        }
        at = folder_of(at) / fs::read_symlink(at);
    }
    return at;
}

/// While this object lives, a reader that is gone gives the error EPIPE and does not end the
/// process.
class NoSigpipe {
public:
    NoSigpipe() noexcept {
        sigset_t pending;
        sigpending(&pending);
        was_pending_ = sigismember(&pending, SIGPIPE) == 1;
        sigemptyset(&pipe_);
        sigaddset(&pipe_, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
    }
    ~NoSigpipe() {
        const timespec now{};
        const int why = errno;
        if (!was_pending_) sigtimedwait(&pipe_, nullptr, &now);
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
        errno = why;
    }
    NoSigpipe(const NoSigpipe&) = delete;
    NoSigpipe& operator=(const NoSigpipe&) = delete;

private:
    sigset_t pipe_, before_;
    bool was_pending_;
};

/// Writes to a FIFO, a device or an open file, as a shell's >> does.
void write_through(const fs::path& path, const WriteFile& write) {
    const NoSigpipe no_sigpipe;
    File file(path, O_WRONLY | O_APPEND | O_NOCTTY);
    if (!file || !write(file.get())) cannot_save(path);
    // A file that cannot be flushed has nothing to flush.
    if (::fsync(file.get()) != 0 && (errno == EIO || errno == ENOSPC)) cannot_save(path);
    if (!file.close()) cannot_save(path);
}

/// The access control list of the file at `from`, or none.
bool copy_acl(const fs::path& from, int to) noexcept {
    constexpr const char* name = "system.posix_acl_access";
    std::byte list[4096];
    const ssize_t n = ::getxattr(from.c_str(), name, list, sizeof list);
    if (n > 0) return ::fsetxattr(to, name, list, static_cast<std::size_t>(n), 0) == 0;
    const bool none = n == 0 || errno == ENODATA || errno == ENOTSUP;
    // The folder may have given the new file a list.
    if (none) ::fremovexattr(to, name);
    return none;
}

/// Gives the new file the rights of the old one; until now only its owner may read it. Where the
/// group or the list cannot be kept, nobody else may do more than before.
void keep_access(const fs::path& from, const struct stat& old, int to) noexcept {
    mode_t mode = old.st_mode & 0777;
    const bool group_kept = ::fchown(to, old.st_uid, old.st_gid) == 0 ||
                            ::fchown(to, static_cast<uid_t>(-1), old.st_gid) == 0;
    if (!group_kept || !copy_acl(from, to)) {
        const mode_t both = mode >> 3 & mode & 07;
        mode = (mode & 0700) | both << 3 | both;
    }
    // A file system without modes refuses this. Nobody was promised a mode there.
    (void)!::fchmod(to, mode);
}

/// A new file in the folder of `target`. It is removed again unless it took the target's name.
class SiblingFile {
public:
    /// `mode` is what open() takes. The name is random and short: no file that a dead process left
    /// has it, and it fits where a name of 255 bytes does.
    SiblingFile(const fs::path& target, mode_t mode) {
        for (int attempt = 0; attempt < 100; ++attempt) {
            char name[40];
            std::snprintf(name, sizeof name, ".simdbloom-%016llx.part",
                          static_cast<unsigned long long>(Secret::random().low));
            path_ = folder_of(target) / name;
            file_ = File(path_, O_WRONLY | O_CREAT | O_EXCL, mode);
            there_ = static_cast<bool>(file_);
            if (there_ || errno != EEXIST) return;
        }
    }
    ~SiblingFile() {
        if (there_) ::unlink(path_.c_str());
    }
    SiblingFile(const SiblingFile&) = delete;
    SiblingFile& operator=(const SiblingFile&) = delete;

    const File& file() const noexcept { return file_; }
    /// Call it once the bytes are on the disk.
    bool take_name(const fs::path& target) noexcept {
        if (::fsync(file_.get()) != 0 || !file_.close()) return false;
        there_ = ::rename(path_.c_str(), target.c_str()) != 0;
        return !there_;
    }

private:
    fs::path path_;
    File file_;
    bool there_ = false;
};

}  // namespace

void save_whole(const fs::path& path, const WriteFile& write) {
    const fs::path target = behind_links(path);
    struct stat old;
    const bool exists = ::stat(target.c_str(), &old) == 0;
    if (!exists && errno != ENOENT) cannot_save(path);
    if (exists && (!S_ISREG(old.st_mode) || is_link(target))) return write_through(path, write);
    {
        SiblingFile beside(target, exists ? 0600 : 0666);
        if (!beside.file()) cannot_save(path);
        if (exists) keep_access(target, old, beside.file().get());
        if (!write(beside.file().get()) || !beside.take_name(target)) cannot_save(path);
    }
    // The new name is flushed to the disk too. Where a folder cannot be flushed, the file is whole
    // all the same.
    if (File folder(folder_of(target), O_RDONLY | O_DIRECTORY); folder) ::fsync(folder.get());
}

}  // namespace simdbloom::detail
