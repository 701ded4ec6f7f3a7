// One row of results.csv, and writing it without ever leaving half a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/machine.hpp"

namespace simdbloom::bench {

struct Row {
    std::string filter, isa, op, output, memory_level, miss_source = "none";
    std::uint64_t batch = 0, n_keys = 0, filter_bytes = 0, seed = 0;
    unsigned threads = 1, repetitions = 0;
    double bits_per_key = 0;
    std::optional<double> hit_ratio;
    double ns_per_key = 0, ns_low = 0, ns_high = 0;
    std::optional<double> touch_ns;
    double fpr = 0, fpr_low = 0, fpr_high = 0, fpr_model = 0;
    std::optional<double> lines_per_key, l1_misses, ll_misses;
    std::optional<double> cycles_per_key;
    double touch_moved = 0;  ///< Rounds::moved of the rounds it was timed in
    bool disturbed = false;
    std::uint64_t sets = 1;  ///< that a key is looked up in: ns are for all of them
};

/// One line a row, and in each what describe_machine() knows of machine and build.
std::string to_csv(const std::vector<Row>& rows, const Machine& machine);

/// Writes a file under a temporary name and renames it into place. Throws std::runtime_error naming
/// the path and the system's reason; nothing is left behind then.
void write_file(const std::string& path, const std::string& content);

}  // namespace simdbloom::bench
