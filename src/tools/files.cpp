#include "files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "core/files/files.hpp"
#include "input.hpp"
#include "simdbloom/hash.hpp"
#include "terminal.hpp"

namespace simdbloom::tools {

namespace fs = std::filesystem;

namespace {

/// The same text for all names of a file. A new file goes by its path. Empty for terminals, pipes
/// and the like: writing to them does not change what is read from them.
std::string identity_of(const std::string& path) {
    struct stat state;
    if ((path == "-" ? ::fstat(0, &state) : ::stat(path.c_str(), &state)) != 0) {
        std::error_code none;
        if (errno != ENOENT || path.empty()) return {};
        return fs::weakly_canonical(fs::absolute(path), none).string();
    }
    const bool disk = S_ISBLK(state.st_mode);
    if (!disk && !S_ISREG(state.st_mode)) return {};
    return disk ? formatted("disk %ju", std::uintmax_t{state.st_rdev})
                : formatted("file %ju of %ju", std::uintmax_t{state.st_ino},
                            std::uintmax_t{state.st_dev});
}

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

void check_apart(const std::vector<std::string>& read, const std::vector<std::string>& written) {
    for (auto to = written.begin(); to != written.end(); ++to) {
        const std::string target = identity_of(*to);
        if (target.empty()) continue;
        for (const auto& from : read)
            if (identity_of(from) == target)
                throw std::runtime_error("\"" + *to + "\" is the file of the keys, \"" + from +
                                         "\"");
        for (auto other = written.begin(); other != to; ++other)
            if (identity_of(*other) == target)
                throw std::runtime_error("\"" + *other + "\" and \"" + *to + "\" are one file");
    }
}

std::span<const std::byte> standard_input() {
    struct alignas(64) Line {  // where a view begins
        std::byte bytes[64];
    };
    static std::vector<Line> lines;
    static const std::size_t size = [] {
        Input input({"-"}, false);
        std::size_t had = 0;
        for (std::size_t n = 1; n != 0; had += n) {
            lines.resize(std::max<std::size_t>(1024, 2 * had / sizeof(Line)));
            n = input.read(reinterpret_cast<char*>(lines.data()) + had,
                           lines.size() * sizeof(Line) - had);
        }
        return had;
    }();
    return std::as_bytes(std::span(lines)).first(size);
}

Loaded<FrozenFilter> map_filter(const std::string& path) {
    return path != "-" ? map_file(path) : of_standard_input(view(standard_input()));
}

Loaded<ForeignFilter> read_foreign_filter(const std::string& path) {
    return path != "-" ? read_foreign_file(path)
                       : of_standard_input(read_foreign(standard_input()));
}

Loaded<ForeignFilter> read_foreign_filter(const std::string& path, ForeignFormat format) {
    return path != "-" ? read_foreign_file(path, format)
                       : of_standard_input(read_foreign(standard_input(), format));
}

void save_text(std::string_view text, const std::string& path) {
    detail::save_whole(
        path, [&](int file) { return detail::write_all(file, std::as_bytes(std::span(text))); });
}

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
