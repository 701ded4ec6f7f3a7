// Rounds of times as samples.
#pragma once

#include <functional>
#include <vector>

#include "harness/timing.hpp"
#include "replication/probes.hpp"

namespace simdbloom::replication {

constexpr std::size_t batch = 16'384;
constexpr double shortest_turn = 4e-3;  // seconds

/// One object a round, of A B .. B A and A once more, which is the A/A pair; extra(times, GHz) may
/// add a number called "value".
void print_rounds(Setup& s, std::vector<bench::Contestant> members,
                  const std::function<double(const std::vector<double>&, double)>& extra = {});

}  // namespace simdbloom::replication
