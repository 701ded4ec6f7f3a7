#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "tools/os/program.hpp"

namespace simdbloom::detail {
namespace {

std::string_view (*words_after_sigbus)();

/// Another program truncated the file of a mapped filter.
extern "C" void end_after_sigbus(int) {
    const std::string_view said = words_after_sigbus();
    (void)!::write(2, said.data(), said.size());
    ::_exit(1);
}

std::optional<std::string> identity_of(int failed, const struct stat& s) {
    if (failed != 0) return std::nullopt;
    if (S_ISBLK(s.st_mode)) return "disk " + std::to_string(s.st_rdev);
    if (!S_ISREG(s.st_mode)) return "";
    return "file " + std::to_string(s.st_ino) + " of " + std::to_string(s.st_dev);
}

/// Whether the name still leads to the open file.
bool is_named(int file, const std::filesystem::path& name) noexcept {
    struct stat open, named;
    return ::fstat(file, &open) == 0 && ::stat(name.c_str(), &named) == 0 &&
           open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

}  // namespace

void prepare_process(std::string_view (*last_words)()) {
    // A closed standard stream would give its number to the next file: /dev/null takes it.
    for (int stream = 0; stream < 3; ++stream)
        if (::fcntl(stream, F_GETFD) < 0) ::open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
    words_after_sigbus = last_words;
    std::signal(SIGXFSZ, SIG_IGN);
    std::signal(SIGBUS, end_after_sigbus);
}

std::vector<std::string> arguments(int argc, char** argv) { return {argv + 1, argv + argc}; }

bool is_terminal(int file) noexcept { return ::isatty(file) == 1; }

std::size_t columns(int file) noexcept {
    winsize size{};
    return ::ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col != 0 ? size.ws_col : 80;
}

bool would_wait(int file) noexcept {
    pollfd there{file, POLLIN, 0};
    return ::poll(&there, 1, 0) == 0;
}

std::optional<std::string> identity_of(int file) {
    struct stat state;
    return identity_of(::fstat(file, &state), state);
}

std::optional<std::string> identity_of(const std::filesystem::path& path) {
    struct stat state;
    return identity_of(::stat(path.c_str(), &state), state);
}

File lock(const std::filesystem::path& name, const std::function<void()>& waits) {
    File file;
    do {
        file = File(::open(name.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0666));
        if (!file) return file;
        if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) continue;
        if (errno == EWOULDBLOCK) {
            waits();
            while (::flock(file.get(), LOCK_EX) != 0)
                if (errno != EINTR) return {};
        } else if (errno != EINTR) {
            return {};
        }
        // The previous holder of the lock removed the name.
    } while (!is_named(file.get(), name));
    return file;
}

void unlock(File& locked, const std::filesystem::path& name) noexcept {
    ::unlink(name.c_str());
    (void)locked.close();
}

}  // namespace simdbloom::detail
