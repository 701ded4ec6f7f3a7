// Linux, and WebAssembly, whose C library is Linux's.
#include <linux/magic.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <limits>
#include <optional>
#include <string_view>

#include "core/os/memory.hpp"
#include "core/os/posix.hpp"

namespace simdbloom::detail {
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// The first 8 KiB of a file of the kernel's; empty if there is no such file.
class Text {
public:
    explicit Text(const std::string& path) noexcept : Text(path.c_str()) {}
    explicit Text(const char* path) noexcept {
        const File file = open_file(path, O_RDONLY);
        if (!file) return;
        ssize_t n;
        while (size_ < bytes_.size() &&
               (n = ::read(file.get(), bytes_.data() + size_, bytes_.size() - size_)) > 0)
            size_ += static_cast<std::size_t>(n);
    }
    std::string_view view() const noexcept { return {bytes_.data(), size_}; }
    std::string_view line() const noexcept { return view().substr(0, view().find('\n')); }

    /// The number behind `name`, which begins a line; with the name "" that of the first line.
    std::optional<std::uint64_t> number(std::string_view name) const {
        std::string_view rest = view();
        while (rest.substr(0, name.size()) != name) {
            const auto end = rest.find('\n');
            if (end == rest.npos) return std::nullopt;
            rest.remove_prefix(end + 1);
        }
        rest.remove_prefix(name.size());
        rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
        std::uint64_t value;
        const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), value);
        return read.ec == std::errc() ? std::optional(value) : std::nullopt;
    }

private:
    std::array<char, 8192> bytes_;
    std::size_t size_ = 0;
};

struct Names {
    const char *mount, *limit, *used, *inactive, *active;
};

/// The bytes available in the group at `path` below the mount and in the groups above it.
std::uint64_t available_in_groups(const std::string& root, std::string path, const Names& names) {
    std::uint64_t least = unlimited;
    for (;;) {
        const std::string folder = root + names.mount + path + "/";
        const auto limit = Text(folder + names.limit).number("");  // "max" is none
        const auto used = Text(folder + names.used).number("");
        if (limit && used) {
            const Text stat(folder + "memory.stat");
            const std::uint64_t cached =
                stat.number(names.inactive).value_or(0) + stat.number(names.active).value_or(0);
            const std::uint64_t kept = *used - std::min(*used, cached);
            least = std::min(least, *limit - std::min(*limit, kept));
        }
        if (path.empty()) return least;
        path.resize(path.rfind('/') == path.npos ? 0 : path.rfind('/'));
    }
}

}  // namespace

std::uint64_t available_memory_in(const std::string& root) {
    std::uint64_t least = unlimited;
    const Text machine(root + "/proc/meminfo");
    if (const auto kib = machine.number("MemAvailable:"))
        least = 1024 * (*kib + machine.number("SwapFree:").value_or(0));

    const Text groups(root + "/proc/self/cgroup");
    std::string_view rest = groups.view();
    while (!rest.empty()) {
        // A line is number:controllers:path. In version 2 the controllers are empty.
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        const auto first = line.find(':'), second = line.find(':', first + 1);
        if (second == line.npos) continue;
        const std::string_view kind = line.substr(first + 1, second - first - 1);
        const std::string path(line.substr(line.back() == '/' ? line.size() : second + 1));
        constexpr Names v1{"/sys/fs/cgroup/memory", "memory.limit_in_bytes",
                           "memory.usage_in_bytes", "total_inactive_file", "total_active_file"};
        constexpr Names v2{"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file",
                           "active_file"};
        if (kind == "memory") least = std::min(least, available_in_groups(root, path, v1));
        if (kind.empty()) least = std::min(least, available_in_groups(root, path, v2));
    }
    return least;
}
std::uint64_t available_memory() { return available_memory_in(""); }

namespace {

/// "48K" is 49152; 0 for what is no size.
std::size_t size_of(std::string_view text) noexcept {
    std::size_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc{}) return 0;
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    const auto at = std::string_view("KMG").find(unit);  // 0 also of no unit
    if (unit.size() > 1 || at == unit.npos) return 0;
    const std::size_t shift = unit.empty() ? 0 : 10 * (at + 1);
    return n > (std::uint64_t{1} << 40 >> shift) ? 0 : n << shift;
}

}  // namespace

Caches caches_in(const char* folder) noexcept {
    Caches caches;
    for (int i = 0; i < 8; ++i) {
        const auto read = [&](const char* name) {
            char path[4096];
            const int n = std::snprintf(path, sizeof path, "%s/index%d/%s", folder, i, name);
            return Text(n > 0 && n < static_cast<int>(sizeof path) ? path : "");
        };
        const Text level = read("level"), type = read("type"), size = read("size");
        if (type.line() != "Data" && type.line() != "Unified") continue;
        if (level.line() == "1") caches.l1d = size_of(size.line());
        if (level.line() == "2") caches.l2 = size_of(size.line());
        if (level.line() == "3") caches.l3 = size_of(size.line());
    }
    return caches;
}

Caches read_caches() noexcept { return caches_in("/sys/devices/system/cpu/cpu0/cache"); }

File open_nameless(const std::filesystem::path& folder, mode_t mode) noexcept {
    return open_file(folder, O_TMPFILE | O_WRONLY, mode);
}

bool name_nameless(int file, const std::filesystem::path& name) noexcept {
    char ours[32];
    std::snprintf(ours, sizeof ours, "/proc/self/fd/%d", file);
    return ::linkat(AT_FDCWD, ours, AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

// Links in /proc lead to open files. The name that such a link gives may be another file, or none.
bool names_open_file(const std::filesystem::path& path) {
    struct statfs of;
    return is_link(path) && ::statfs(folder_of(path).c_str(), &of) == 0 &&
           of.f_type == PROC_SUPER_MAGIC;
}

bool copy_acl(const std::filesystem::path& from, int to) noexcept {
    constexpr const char* name = "system.posix_acl_access";
    std::byte list[4096];
    const ssize_t n = ::getxattr(from.c_str(), name, list, sizeof list);
    if (n > 0) return ::fsetxattr(to, name, list, static_cast<std::size_t>(n), 0) == 0;
    const bool none = n == 0 || errno == ENODATA || errno == ENOTSUP;
    // The folder may have given the new file a list.
    if (none) ::fremovexattr(to, name);
    return none;
}

void take_signals(const sigset_t& blocked) noexcept {
    const timespec now{};
    while (sigtimedwait(&blocked, nullptr, &now) > 0) {
    }
}

}  // namespace simdbloom::detail
