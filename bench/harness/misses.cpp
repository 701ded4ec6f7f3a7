#include "harness/misses.hpp"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <vector>

#include "simdbloom/isa.hpp"

extern char** environ;

namespace simdbloom::bench {
namespace {

int open_event(std::uint32_t type, std::uint64_t config) {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = type;
    attributes.config = config;
    attributes.disabled = 1;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    return static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0));
}

constexpr std::uint64_t probes = 200'000;

// A size cachegrind accepts: sets (size / ways / line) must be a power of two, so the ways take the
// rest.
std::string cache_option(std::uint64_t bytes, std::uint64_t ways_at_least) {
    std::uint64_t ways = ways_at_least;
    const auto power_of_two = [](std::uint64_t x) { return x != 0 && (x & (x - 1)) == 0; };
    while (ways < 4096 && (bytes % (ways * 64) != 0 || !power_of_two(bytes / (ways * 64)))) ++ways;
    return std::to_string(bytes) + "," + std::to_string(ways) + ",64";
}

}  // namespace

std::optional<Misses> hardware_misses(const std::function<void()>& work, double keys) {
    const int l1 =
        open_event(PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_OP_READ << 8 |
                                           PERF_COUNT_HW_CACHE_RESULT_MISS << 16);
    const int last = l1 < 0 ? -1 : open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES);
    std::optional<Misses> misses;
    if (l1 >= 0 && last >= 0) {
        for (const int fd : {l1, last}) ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
        work();
        for (const int fd : {l1, last}) ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
        std::uint64_t a = 0, b = 0;
        if (read(l1, &a, sizeof a) == sizeof a && read(last, &b, sizeof b) == sizeof b)
            misses = Misses{static_cast<double>(a) / keys, static_cast<double>(b) / keys};
    }
    if (l1 >= 0) close(l1);
    if (last >= 0) close(last);
    return misses;
}

std::string cachegrind_isa() {
    const auto isas = usable_isas();
    return std::find(isas.begin(), isas.end(), Isa::avx2) != isas.end() ? "avx2" : "scalar";
}

std::string simulated_caches(const Machine& machine) {
    return "D1 " + cache_option(machine.l1d, 8) + ", LL " + cache_option(machine.l3, 16) +
           " (bytes, ways, line)";
}

std::optional<Misses> cachegrind_misses(const std::string& probe_program, const std::string& spec,
                                        std::uint64_t n_keys, double bits_per_key,
                                        const Machine& machine, const std::string& work_folder) {
    const std::string out = work_folder + "/cachegrind.out";
    char bits[32];
    std::snprintf(bits, sizeof bits, "%.17g", bits_per_key);
    std::vector<std::string> arguments{"valgrind",
                                       "--tool=cachegrind",
                                       "--cache-sim=yes",
                                       "--cachegrind-out-file=" + out,
                                       "--log-file=" + work_folder + "/cachegrind.log",
                                       "--I1=32768,8,64",
                                       "--D1=" + cache_option(machine.l1d, 8),
                                       "--LL=" + cache_option(machine.l3, 16),
                                       probe_program,
                                       spec,
                                       std::to_string(n_keys),
                                       bits,
                                       std::to_string(probes),
                                       cachegrind_isa()};
    std::vector<char*> argv;
    for (auto& a : arguments) argv.push_back(a.data());
    argv.push_back(nullptr);
    pid_t child = 0;
    int status = 0;
    if (posix_spawnp(&child, "valgrind", nullptr, nullptr, argv.data(), environ) != 0)
        return std::nullopt;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return std::nullopt;

    // "events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw", then "fn=NAME" and lines "LINE COUNT COUNT
    // ...".
    std::ifstream file(out);
    std::vector<std::string> events;
    double l1 = 0, last_level = 0;
    bool in_lookup = false, seen = false;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("events:")) {
            std::istringstream words(line.substr(7));
            for (std::string w; words >> w;) events.push_back(w);
        } else if (line.starts_with("fn=")) {
            in_lookup = line.find("lookup<") != std::string::npos;
            seen |= in_lookup;
        } else if (in_lookup && !line.empty() && line[0] >= '0' && line[0] <= '9') {
            std::istringstream words(line);
            double count = 0;
            words >> count;
            for (const auto& event : events) {
                words >> count;
                if (event == "D1mr") l1 += count;
                if (event == "DLmr") last_level += count;
            }
        }
    }
    std::remove(out.c_str());
    std::remove((work_folder + "/cachegrind.log").c_str());
    if (!seen) return std::nullopt;
    return Misses{l1 / static_cast<double>(probes), last_level / static_cast<double>(probes)};
}

}  // namespace simdbloom::bench
