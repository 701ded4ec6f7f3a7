// What a reader must know about the machine to judge a number.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace simdbloom::bench {

struct Machine {
    std::uint64_t l1d = 32 << 10, l2 = 1 << 20, l3 = 32 << 20;  ///< bytes of one core's caches, the last shared
    /// "L1", "L2", "L3" or "DRAM": the smallest level a filter of that many bytes fits.
    std::string level(std::uint64_t bytes) const;
    /// Name and value, for the header of the report.
    std::vector<std::pair<std::string, std::string>> facts;
};

Machine describe_machine();

}  // namespace simdbloom::bench
