// Measures one case: builds the filter, checks it, times it.
#pragma once

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

Outcome measure(const Case& c, const Context& context);

}  // namespace simdbloom::bench
