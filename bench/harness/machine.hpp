// What a reader must know about the machine and the build to judge a number.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simdbloom::bench {

struct Machine {
    /// Bytes of one core's caches, the last shared, and of the memory.
    std::uint64_t l1d = 32 << 10, l2 = 1 << 20, l3 = 32 << 20, memory = std::uint64_t{16} << 30;
    /// "L1", "L2", "L3" or "DRAM": the smallest level a filter of that many bytes fits.
    std::string level(std::uint64_t bytes) const;
    /// Name and value, for the header of the report.
    std::vector<std::pair<std::string, std::string>> facts;
    /// The value of one of them. Throws std::out_of_range if there is none of that name.
    const std::string& fact(std::string_view name) const;
    /// The line that stands under every printed table: CPU, instruction set, pages, commit,
    /// compiler and date.
    std::string provenance() const;
};

Machine describe_machine();

/// The value of a line "name : value" of /proc/cpuinfo; empty if there is none.
std::string cpuinfo_field(std::istream& file, std::string_view name);

}  // namespace simdbloom::bench
