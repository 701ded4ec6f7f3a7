#include "machine.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <thread>

#include "simdbloom/isa.hpp"

namespace simdbloom::bench {
namespace {

std::string first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

std::string cpu_model() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    return "unknown";
}

// From the kernel, not from CPUID: inside virtual machines CPUID can report the host's whole L3.
std::uint64_t cache_bytes(int level) {
    for (int i = 0; i < 8; ++i) {
        const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
        if (first_line(folder + "level") != std::to_string(level) || first_line(folder + "type") == "Instruction") continue;
        const std::string size = first_line(folder + "size");
        if (size.empty()) continue;
        const std::uint64_t n = std::stoull(size);
        return size.back() == 'K' ? n << 10 : size.back() == 'M' ? n << 20 : n;
    }
    return 0;
}

std::string kib(std::uint64_t bytes) { return std::to_string(bytes >> 10) + " KiB"; }

}  // namespace

std::string Machine::level(std::uint64_t bytes) const {
    return bytes <= l1d ? "L1" : bytes <= l2 ? "L2" : bytes <= l3 ? "L3" : "DRAM";
}

Machine describe_machine() {
    Machine m;
    if (const auto b = cache_bytes(1)) m.l1d = b;
    if (const auto b = cache_bytes(2)) m.l2 = b;
    if (const auto b = cache_bytes(3)) m.l3 = b;
    utsname u{};
    uname(&u);
    std::time_t now = std::time(nullptr);
    char date[40];
    std::strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", std::gmtime(&now));
    std::string isas;
    for (const Isa isa : usable_isas()) isas += (isas.empty() ? "" : ", ") + std::string(to_string(isa));
    m.facts = {{"date", date},
               {"cpu", cpu_model()},
               {"cores", std::to_string(std::thread::hardware_concurrency())},
               {"caches", "L1d " + kib(m.l1d) + ", L2 " + kib(m.l2) + ", L3 " + kib(m.l3) + " (as the kernel reports them)"},
               {"usable ISAs", isas},
               {"kernel", std::string(u.sysname) + " " + u.release + " " + u.machine},
               {"compiler", SIMDBLOOM_COMPILER},
               {"flags", SIMDBLOOM_FLAGS},
               {"transparent huge pages", first_line("/sys/kernel/mm/transparent_hugepage/enabled")},
               {"load average", first_line("/proc/loadavg")}};
    return m;
}

}  // namespace simdbloom::bench
