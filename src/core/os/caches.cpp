#include "core/os/caches.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string_view>

#include "core/os/file.hpp"

namespace simdbloom::detail {
namespace {

/// The first line of a short file.
struct Line {
    Line(const char* folder, int index, const char* name) noexcept {
        char path[4096];
        const int n = std::snprintf(path, sizeof path, "%s/index%d/%s", folder, index, name);
        if (n < 0 || static_cast<std::size_t>(n) >= sizeof path) return;
        const File file(path, O_RDONLY);
        if (!file) return;
        const ssize_t got = ::read(file.get(), text_, sizeof text_);
        std::string_view all(text_, got < 0 ? 0 : static_cast<std::size_t>(got));
        text = all.substr(0, all.find('\n'));
    }
    std::string_view text;

private:
    char text_[32];
};

/// "48K" is 49152; 0 for what is no size.
std::size_t size_of(std::string_view text) noexcept {
    std::size_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc{}) return 0;
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    const int shift = unit.empty()  ? 0
                      : unit == "K" ? 10
                      : unit == "M" ? 20
                      : unit == "G" ? 30
                                    : -1;
    return shift < 0 || n > (std::uint64_t{1} << 40 >> shift) ? 0 : n << shift;
}

}  // namespace

Caches read_caches(const char* folder) noexcept {
    Caches caches;
    for (int i = 0; i < 8; ++i) {
        const Line level(folder, i, "level"), type(folder, i, "type"), size(folder, i, "size");
        if (type.text != "Data" && type.text != "Unified") continue;
        if (level.text == "1") caches.l1d = size_of(size.text);
        if (level.text == "2") caches.l2 = size_of(size.text);
        if (level.text == "3") caches.l3 = size_of(size.text);
    }
    return caches;
}

const Caches& caches() noexcept {
    static const Caches of_cpu0 = read_caches("/sys/devices/system/cpu/cpu0/cache");
    return of_cpu0;
}

// Where nothing is said: the level-2 cache that servers have, and a small level-3 cache.
std::size_t level2_bytes(const Caches& of) noexcept {
    return of.l2 != 0 ? of.l2 : std::size_t{1} << 20;
}

// The filters of two threads stay in the level-3 cache. A virtual machine may have a small share of
// a large one: hence the second bound (bench/pages/tried.md, "Builds on two threads").
std::size_t merged_up_to(const Caches& of) noexcept {
    const std::size_t l3 = of.l3 != 0 ? of.l3 : std::size_t{8} << 20;
    return std::min(l3 / 2, 16 * level2_bytes(of));
}

}  // namespace simdbloom::detail
