// macOS. Written to the documented interfaces, and not tried: there was no compiler for it.
#include <copyfile.h>
#include <sys/sysctl.h>

#include <limits>

#include "core/os/memory.hpp"
#include "core/os/posix.hpp"

namespace simdbloom::detail {
namespace {

/// sysctlbyname(3), of numbers with 32 or 64 bits; 0 where there is no such number.
std::uint64_t number(const char* name) noexcept {
    std::uint64_t value = 0;
    std::size_t bytes = sizeof value;
    if (::sysctlbyname(name, &value, &bytes, nullptr, 0) != 0) return 0;
    return bytes == sizeof(std::uint32_t) ? value & 0xFFFFFFFFu : value;
}

/// Of the fast cores, where there are two kinds.
std::size_t cache(const char* of_fast_cores, const char* of_all) noexcept {
    const std::uint64_t bytes = number(of_fast_cores);
    return static_cast<std::size_t>(bytes != 0 ? bytes : number(of_all));
}

}  // namespace

Caches read_caches() noexcept {
    return {cache("hw.perflevel0.l1dcachesize", "hw.l1dcachesize"),
            cache("hw.perflevel0.l2cachesize", "hw.l2cachesize"),
            cache("hw.perflevel0.l3cachesize", "hw.l3cachesize")};
}

// The memory of the machine: macOS does not say for how much swap it could make room.
std::uint64_t available_memory() {
    const std::uint64_t bytes = number("hw.memsize");
    return bytes != 0 ? bytes : std::numeric_limits<std::uint64_t>::max();
}

File open_nameless(const std::filesystem::path&, mode_t) noexcept { return {}; }
bool name_nameless(int, const std::filesystem::path&) noexcept { return false; }

// The files of fd(4) are no links: /dev/fd/1 is what standard output is.
bool names_open_file(const std::filesystem::path& path) { return path.parent_path() == "/dev/fd"; }

bool copy_acl(const std::filesystem::path& from, int to) noexcept {
    const File old = open_file(from, O_RDONLY | O_NONBLOCK);
    return old && ::fcopyfile(old.get(), to, nullptr, COPYFILE_ACL) == 0;
}

// Those of other threads stay; only ours can wait here, because a write raises them in its thread.
void take_signals(const sigset_t& blocked) noexcept {
    for (const int signal : {SIGPIPE, SIGXFSZ}) {
        sigset_t pending, one;
        sigemptyset(&one);
        sigaddset(&one, signal);
        int taken;
        if (sigismember(&blocked, signal) == 1 && sigpending(&pending) == 0 &&
            sigismember(&pending, signal) == 1)
            sigwait(&one, &taken);
    }
}

}  // namespace simdbloom::detail
