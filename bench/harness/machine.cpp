#include "harness/machine.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <istream>
#include <stdexcept>
#include <thread>

#include "commit.hpp"
#include "core/os/memory.hpp"
#include "simdbloom/isa.hpp"

namespace simdbloom::bench {
namespace {

std::string first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

std::string cpu_field(std::string_view name) {
    std::ifstream file("/proc/cpuinfo");
    return cpuinfo_field(file, name);
}

std::string first_known(std::string_view name, std::string_view on_arm) {
    std::string value = cpu_field(name);
    if (value.empty()) value = cpu_field(on_arm);
    return value.empty() ? "unknown" : value;
}

/// The mode of transparent huge pages, the word in brackets in "always [madvise] never".
std::string huge_page_mode() {
    const std::string line = first_line("/sys/kernel/mm/transparent_hugepage/enabled");
    const auto open = line.find('['), close = line.find(']', open);
    return close == std::string::npos ? "unknown" : line.substr(open + 1, close - open - 1);
}

std::string kib(std::uint64_t bytes) { return std::to_string(bytes >> 10) + " KiB"; }

}  // namespace

std::string Machine::level(std::uint64_t bytes) const {
    return bytes <= l1d ? "L1" : bytes <= l2 ? "L2" : bytes <= l3 ? "L3" : "DRAM";
}

const std::string& Machine::fact(std::string_view name) const {
    for (const auto& [known, value] : facts)
        if (known == name) return value;
    throw std::out_of_range("no fact \"" + std::string(name) + "\" is known of the machine");
}

std::string Machine::provenance() const {
    return fact("cpu") + " (family " + fact("cpu family") + ", model " + fact("cpu model") +
           ", stepping " + fact("cpu stepping") + "), `" + fact("best ISA") + "`, pages of " +
           fact("page bytes") + " bytes, huge pages " + fact("huge pages") + ", commit " +
           fact("commit") + ", " + fact("compiler") + " " + fact("flags") + ", " + fact("date");
}

std::string cpuinfo_field(std::istream& file, std::string_view name) {
    for (std::string line; std::getline(file, line);) {
        const auto colon = line.find(':');
        if (colon == std::string::npos) continue;
        const auto end = line.find_last_not_of(" \t", colon - 1);
        if (colon == 0 || end == std::string::npos) continue;
        if (std::string_view(line).substr(0, end + 1) != name) continue;
        const auto value = line.find_first_not_of(" \t", colon + 1);
        return value == std::string::npos ? "" : line.substr(value);
    }
    return "";
}

Machine describe_machine() {
    Machine m;
    const detail::Caches& caches = detail::caches();
    if (caches.l1d != 0) m.l1d = caches.l1d;
    if (caches.l2 != 0) m.l2 = caches.l2;
    if (caches.l3 != 0) m.l3 = caches.l3;
    if (const long pages = sysconf(_SC_PHYS_PAGES); pages > 0)
        m.memory =
            static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    utsname u{};
    uname(&u);
    std::time_t now = std::time(nullptr);
    char date[40];
    std::strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", std::gmtime(&now));
    std::string isas;
    for (const Isa isa : usable_isas())
        isas += (isas.empty() ? "" : ", ") + std::string(to_string(isa));
    m.facts = {{"date", date},
               {"commit", SIMDBLOOM_COMMIT},
               {"cpu", first_known("model name", "CPU implementer")},
               {"cpu family", first_known("cpu family", "CPU architecture")},
               {"cpu model", first_known("model", "CPU part")},
               {"cpu stepping", first_known("stepping", "CPU revision")},
               {"cores", std::to_string(std::thread::hardware_concurrency())},
               {"caches", "L1d " + kib(m.l1d) + ", L2 " + kib(m.l2) + ", L3 " + kib(m.l3) +
                              " (as the kernel reports them)"},
               {"memory", std::to_string(m.memory >> 20) + " MiB"},
               {"usable ISAs", isas},
               {"best ISA", std::string(to_string(default_isa()))},
               {"kernel", std::string(u.sysname) + " " + u.release + " " + u.machine},
               {"compiler", SIMDBLOOM_COMPILER},
               {"flags", SIMDBLOOM_FLAGS},
               {"page bytes", std::to_string(sysconf(_SC_PAGESIZE))},
               {"huge pages", huge_page_mode()},
               {"load average", first_line("/proc/loadavg")}};
    return m;
}

}  // namespace simdbloom::bench
