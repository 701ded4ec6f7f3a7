// Measures cases together: builds their filters, checks them, and times them in turn.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "harness/keys.hpp"
#include "harness/misses.hpp"
#include "harness/plan.hpp"
#include "harness/results.hpp"
#include "harness/timing.hpp"

namespace simdbloom::bench {

struct Context {
    const Machine& machine;
    const KeySource& keys;
    const KeySource& hashes;  ///< the same for subjects that take hashes
    const Plan& plan;
    Timer& timer;
    std::uint64_t seed;
    std::string probe_program;  ///< empty: no cachegrind passes
    std::string work_folder;
};

struct Outcome {
    std::vector<Row> rows;  ///< empty if there is a complaint
    std::string complaint;  ///< why no time is printed: FPR off its model, or answers that differ
};

/// What is done next, for people: "split256, 256 KiB", "L2, round 3 of 7".
using Progress = std::function<void(const std::string&)>;

/// One outcome a case, and how quiet the machine was meanwhile.
std::pair<std::vector<Outcome>, Rounds> measure(const std::vector<Case>& cases,
                                                const Context& context, const Progress& progress);

}  // namespace simdbloom::bench
