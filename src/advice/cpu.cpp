#include "advice/cpu.hpp"

#include <cstring>
#include <fstream>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace simdbloom::detail {
namespace {

std::string first_line(const char* path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

#if defined(__x86_64__)
struct CpuId {
    char vendor[13] = {};
    unsigned family = 0, model = 0, stepping = 0;

    CpuId() noexcept {
        unsigned a = 0, b = 0, c = 0, d = 0;
        if (__get_cpuid(0, &a, &b, &c, &d) == 0) return;
        std::memcpy(vendor, &b, 4);
        std::memcpy(vendor + 4, &d, 4);
        std::memcpy(vendor + 8, &c, 4);
        if (__get_cpuid(1, &a, &b, &c, &d) == 0) return;
        stepping = a & 15;
        family = a >> 8 & 15;
        model = a >> 4 & 15;
        if (family == 6 || family == 15) model |= a >> 12 & 0xF0;
        if (family == 15) family += a >> 20 & 0xFF;
    }
};
#endif

}  // namespace

std::string cpu_name() {
#if defined(__x86_64__)
    const CpuId id;
    if (id.vendor[0] == '\0') return "unknown";
    return std::string(id.vendor) + " " + std::to_string(id.family) + " " +
           std::to_string(id.model) + " " + std::to_string(id.stepping);
#else
    const std::string id = first_line("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1");
    return id.empty() ? "unknown" : id;
#endif
}

bool halves_lines() noexcept {
#if defined(__x86_64__)
    // Family 25 is Zen 3, which has no AVX-512, and Zen 4.
    const CpuId id;
    return std::strcmp(id.vendor, "AuthenticAMD") == 0 && id.family == 25;
#else
    return false;
#endif
}

std::string chosen_word(const std::string& line) {
    const auto open = line.find('['), close = line.find(']', open);
    return close == std::string::npos ? "unknown" : line.substr(open + 1, close - open - 1);
}

std::string huge_page_mode() {
    return chosen_word(first_line("/sys/kernel/mm/transparent_hugepage/enabled"));
}

}  // namespace simdbloom::detail
