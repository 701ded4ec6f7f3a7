#include "core/os/available_memory.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

#include "core/os/file.hpp"

namespace simdbloom::detail {
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// The beginning of a file of the kernel's, empty if there is no such file. Everything that is
/// asked for stands in the first 8 KiB.
class Text {
public:
    explicit Text(const std::string& path) {
        const File file(path, O_RDONLY);
        if (!file) return;
        ssize_t n;
        while (size_ < bytes_.size() &&
               (n = ::read(file.get(), bytes_.data() + size_, bytes_.size() - size_)) > 0)
            size_ += static_cast<std::size_t>(n);
    }
    std::string_view view() const noexcept { return {bytes_.data(), size_}; }

    /// The number behind `name`, which stands at the beginning of a line. With the name "" it is
    /// the number of the first line.
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

std::uint64_t available_memory(const std::string& root) {
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

}  // namespace simdbloom::detail
