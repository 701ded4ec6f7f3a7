// A hash join of one's own, which asks a filter first or does not.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "experiments/experiment.hpp"
#include "harness/subject.hpp"
#include "simdbloom/join.hpp"

namespace simdbloom::bench {

constexpr std::size_t vector_rows = 2048;  // as engines have them

/// absl::flat_hash_map (Debian: libabsl-dev): open addressing with control bytes that SIMD
/// compares, well kept, and a prefetch of its own, so that what the filter is compared with is not
/// slower than it must be.
using Table = absl::flat_hash_map<std::uint64_t, std::uint64_t>;

/// Fills the table with the row number of each key, three times, and returns the median ns a row.
inline double fill_timed(Table& table, std::span<const std::uint64_t> build) {
    std::vector<double> times;
    for (int pass = 0; pass < 3; ++pass)
        times.push_back(cpu_seconds_of([&] {
            Table fresh;
            fresh.reserve(build.size());
            for (std::size_t i = 0; i < build.size(); ++i) fresh.emplace(build[i], i);
            table = std::move(fresh);
        }));
    return median(times) * 1e9 / static_cast<double>(build.size());
}

/// What came of a join: its rows, and a sum that depends on each.
struct JoinResult {
    std::uint64_t rows = 0, sum = 0;
    friend bool operator==(const JoinResult&, const JoinResult&) = default;
};

inline void look_up(const Table& table, std::span<const std::uint64_t> keys,
                    std::span<const std::uint32_t> rows, JoinResult& joined) {
    for (const auto row : rows) table.prefetch(keys[row]);
    for (const auto row : rows)
        if (const auto found = table.find(keys[row]); found != table.end()) {
            ++joined.rows;
            joined.sum += found->second ^ row;
        }
}

/// One pass of the probe side: a vector at a time, through the filter if there is one, then the
/// table.
inline JoinResult join(const Table& table, std::span<const std::uint64_t> probe,
                       const JoinFilter* filter, Governor* governor) {
    static const std::vector<std::uint32_t> all = [] {
        std::vector<std::uint32_t> rows(vector_rows);
        for (std::uint32_t i = 0; i < vector_rows; ++i) rows[i] = i;
        return rows;
    }();
    JoinResult joined;
    std::array<std::uint32_t, vector_rows> passing;
    for (std::size_t first = 0; first < probe.size(); first += vector_rows) {
        const auto keys = probe.subspan(first, std::min(vector_rows, probe.size() - first));
        if (filter == nullptr || (governor != nullptr && !governor->should_probe(keys.size()))) {
            look_up(table, keys, std::span(all).first(keys.size()), joined);
            continue;
        }
        const std::size_t n = filter->select({keys}, passing);
        if (governor != nullptr) governor->record(keys.size(), n);
        look_up(table, keys, std::span(passing).first(n), joined);
    }
    return joined;
}

/// Where the line of `with` crosses that of `without`, by straight lines between the shares.
inline std::string break_even(std::span<const double> shares, std::span<const double> with,
                              std::span<const double> without) {
    if (with[0] >= without[0]) return "never pays";
    for (std::size_t i = 1; i < with.size(); ++i) {
        const double before = without[i - 1] - with[i - 1], after = without[i] - with[i];
        if (after > 0) continue;
        return text("%.0f %%", 100 * (shares[i - 1] +
                                      (shares[i] - shares[i - 1]) * before / (before - after)));
    }
    return "pays always";
}

}  // namespace simdbloom::bench
