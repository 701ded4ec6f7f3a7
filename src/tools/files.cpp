#include "files.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "core/files/files.hpp"
#include "terminal.hpp"

namespace simdbloom::tools {
namespace {

/// The same text for all names of a file. A new file goes by its path. Empty for terminals, pipes
/// and the like: writing to them does not change what is read from them.
std::string identity_of(const std::string& path) {
    struct stat state;
    if ((path == "-" ? ::fstat(0, &state) : ::stat(path.c_str(), &state)) != 0) {
        std::error_code none;
        if (errno != ENOENT || path.empty()) return {};
        return std::filesystem::weakly_canonical(std::filesystem::absolute(path), none).string();
    }
    const bool disk = S_ISBLK(state.st_mode);
    if (!disk && !S_ISREG(state.st_mode)) return {};
    return disk ? formatted("disk %ju", std::uintmax_t{state.st_rdev})
                : formatted("file %ju of %ju", std::uintmax_t{state.st_ino},
                            std::uintmax_t{state.st_dev});
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

void save_text(std::string_view text, const std::string& path) {
    detail::save_whole(
        path, [&](int file) { return detail::write_all(file, std::as_bytes(std::span(text))); });
}

}  // namespace simdbloom::tools
