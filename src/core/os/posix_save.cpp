// A save writes a new file, which takes the name of the old one once it is whole.
#include <sys/file.h>

#include <random>
#include <string>
#include <system_error>

#include "core/os/posix.hpp"

namespace simdbloom::detail {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void cannot_save(const fs::path& path) {
    throw std::system_error(errno, std::generic_category(),
                            "simdbloom: cannot write " + path.string());
}

/// The name that `path` leads to, of a file or not; for a link to an open file, the link itself.
fs::path behind_links(const fs::path& path) {
    fs::path at = path;
    for (int links = 0; is_link(at) && !names_open_file(at); ++links) {
        if (links == 40) {  // as the kernel's own limit
            errno = ELOOP;
            cannot_save(path);
        }
        at = folder_of(at) / fs::read_symlink(at);
    }
    return at;
}

/// While this object lives, a reader that is gone is the error EPIPE of this thread, and a file
/// beyond RLIMIT_FSIZE the error EFBIG, with no signal that ends the process.
class NoSignals {
public:
    NoSignals() noexcept {
        sigset_t pending;
        sigpending(&pending);
        sigemptyset(&blocked_);
        sigemptyset(&ours_);
        for (const int signal : {SIGPIPE, SIGXFSZ}) {
            sigaddset(&blocked_, signal);
            if (sigismember(&pending, signal) != 1) sigaddset(&ours_, signal);
        }
        pthread_sigmask(SIG_BLOCK, &blocked_, &before_);
    }
    ~NoSignals() {
        const int why = errno;
        take_signals(ours_);
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
        errno = why;
    }
    NoSignals(const NoSignals&) = delete;
    NoSignals& operator=(const NoSignals&) = delete;

private:
    sigset_t blocked_, ours_, before_;
};

/// Writes to a FIFO, a device or an open file, as a shell's >> does.
void write_through(const fs::path& path, const WriteFile& write) {
    File file = open_file(path, O_WRONLY | O_APPEND | O_NOCTTY);
    if (!file || !write(file.get())) cannot_save(path);
    // A file that cannot be flushed has nothing to flush.
    if (!flush(file.get()) && (errno == EIO || errno == ENOSPC)) cannot_save(path);
    if (!file.close()) cannot_save(path);
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

// The new file has no name until it is whole: nothing of it stays behind, even if the process is
// killed. To replace an old file, or where a file system has no files without a name, it is called
//
//   .simdbloom-HHHHHHHHHHHHHHHH-0.part     H: the hash of the target's name
//
// or 1 to 3 in place of 0, while others save the same file. The next save removes those that no
// writer locks. (The number of a process would say nothing in another container.)
class NewFile {
public:
    /// `mode` is what open() takes.
    NewFile(const fs::path& target, mode_t mode) : target_(target), mode_(mode) {
        for (int i = 0; i < most_savers; ++i) remove_orphan(name(i));
        file_ = open_nameless(folder_of(target_), mode_);
        if (!file_) begin_with_a_name();
    }
    ~NewFile() { remove_name(); }
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    const File& file() const noexcept { return file_; }
    bool has_name() const noexcept { return !name_.empty(); }
    /// Starts again with an empty file that has a name from the beginning.
    void begin_with_a_name() {
        remove_name();
        find_name([&](const fs::path& free) {
            file_ = open_file(free, O_WRONLY | O_CREAT | O_EXCL, mode_);
            return file_ && is_ours(file_, free);
        });
    }
    /// Gives the file, which is on the disk, the name of the target.
    bool take_target(bool replaces) {
        if (!has_name()) {
            if (!replaces && name_nameless(file_.get(), target_)) return true;
            // Now somebody else may have made the target.
            (void)::flock(file_.get(), LOCK_EX | LOCK_NB);
            if (!find_name([&](const fs::path& free) { return name_nameless(file_.get(), free); }))
                return false;
        }
        if (::rename(name_.c_str(), target_.c_str()) != 0) return false;
        name_.clear();
        return true;
    }

private:
    static constexpr int most_savers = 4;

    fs::path name(int number) const {
        return name_beside(target_, std::hash<std::string>()(target_.filename().native()),
                           "-" + std::to_string(number) + ".part");
    }
    /// Calls take(name) with names until one is free. The last are random: nobody has them all.
    template <class Take>
    bool find_name(const Take& take) {
        std::random_device device;
        std::uniform_int_distribution<std::uint64_t> any;
        for (int i = 0; i < 2 * most_savers; ++i) {
            fs::path next = i < most_savers ? name(i) : name_beside(target_, any(device), ".part");
            if (take(next)) {
                name_ = std::move(next);
                return true;
            }
            if (errno != EEXIST) return false;
        }
        return false;
    }
    /// Locks the file. Returns false with EEXIST if another save took it for an orphan meanwhile.
    static bool is_ours(const File& file, const fs::path& name) noexcept {
        const bool locked = ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
        // Where a file system has no locks, nobody can take a file for an orphan.
        const bool lost = locked ? !is_same(file, name) : errno == EWOULDBLOCK;
        errno = EEXIST;
        return !lost;
    }
    static bool is_same(const File& file, const fs::path& name) noexcept {
        struct stat here, there;
        return ::fstat(file.get(), &here) == 0 && ::lstat(name.c_str(), &there) == 0 &&
               here.st_ino == there.st_ino && here.st_dev == there.st_dev;
    }
    static void remove_orphan(const fs::path& name) noexcept {
        struct stat status;
        if (::lstat(name.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
        const File file = open_file(name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
        if (file && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0 && is_same(file, name))
            ::unlink(name.c_str());
    }
    void remove_name() noexcept {
        if (has_name()) ::unlink(name_.c_str());
        name_.clear();
    }

    fs::path target_, name_;
    mode_t mode_;
    File file_;
};

}  // namespace

void save_whole(const fs::path& path, const WriteFile& write) {
    const NoSignals no_signals;
    const fs::path target = behind_links(path);
    struct stat old;
    const bool exists = ::stat(target.c_str(), &old) == 0;
    if (!exists && errno != ENOENT) cannot_save(path);
    if (exists && (!S_ISREG(old.st_mode) || names_open_file(target)))
        return write_through(path, write);
    {
        NewFile beside(target, exists ? 0600 : 0666);
        const auto fill = [&] {
            if (!beside.file()) cannot_save(path);
            if (exists) keep_access(target, old, beside.file().get());
            if (!write(beside.file().get()) || !flush(beside.file().get())) cannot_save(path);
        };
        fill();
        if (!beside.take_target(exists)) {
            if (beside.has_name()) cannot_save(path);
            // Only /proc can name it, and there is none.
            beside.begin_with_a_name();
            fill();
            if (!beside.take_target(exists)) cannot_save(path);
        }
    }
    // Where a folder cannot be flushed, the file is whole all the same.
    if (const File folder = open_file(folder_of(target), O_RDONLY | O_DIRECTORY); folder)
        (void)flush(folder.get());
}

}  // namespace simdbloom::detail
