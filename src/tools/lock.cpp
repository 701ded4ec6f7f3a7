#include "lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <stdexcept>
#include <system_error>

#include "simdbloom/hash.hpp"
#include "terminal.hpp"

namespace simdbloom::tools {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void cannot_lock(const std::string& path) {
    throw std::runtime_error("cannot lock \"" + path +
                             "\": " + std::generic_category().message(errno));
}

/// Whether the name still leads to the open file.
bool is_named(int file, const fs::path& name) noexcept {
    struct stat open, named;
    return ::fstat(file, &open) == 0 && ::stat(name.c_str(), &named) == 0 &&
           open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

}  // namespace

Lock::Lock(const std::string& path) {
    std::error_code none;
    fs::path target = fs::weakly_canonical(path, none);
    if (none) target = path;
    // A name of fixed length: the file's own may already be as long as a name can be.
    char name[40];
    std::snprintf(name, sizeof name, ".simdbloom-%016llx.lock",
                  count_of(hash_bytes(target.filename().string())));
    name_ = target.parent_path() / name;
    do {
        if (file_ >= 0) ::close(file_);
        file_ = ::open(name_.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0666);
        if (file_ < 0) cannot_lock(path);
        if (::flock(file_, LOCK_EX | LOCK_NB) == 0) continue;
        if (errno == EWOULDBLOCK) {
            print_message("waiting for another run that has " + path);
            while (::flock(file_, LOCK_EX) != 0)
                if (errno != EINTR) cannot_lock(path);
        } else if (errno != EINTR) {
            cannot_lock(path);
        }
        // The previous holder of the lock removed the name.
    } while (!is_named(file_, name_));
}

Lock::~Lock() {
    ::unlink(name_.c_str());
    ::close(file_);
}

}  // namespace simdbloom::tools
