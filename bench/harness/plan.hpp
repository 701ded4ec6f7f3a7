// What a run measures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/machine.hpp"

namespace simdbloom::bench {

enum class Depth { quick, standard, full };

/// One filter of one size, and what is done with it.
struct Case {
    std::string spec;  ///< one of ours, or a peer's name
    std::uint64_t n_keys;
    double bits_per_key;
    bool every_isa = false;  ///< lookups on each usable ISA, not only the best
    bool every_op = false;   ///< hit ratios 0.5 and 1, all outputs, inserts, erases
    bool family = false;     ///< not one of the ten: measured beside them, in a section of its own
    bool misses = false;     ///< with a cachegrind pass where there are no hardware counters
};

struct Plan {
    std::vector<Case> cases;
    unsigned repetitions;
    double seconds_per_repetition;
    std::uint64_t fpr_probes;
    std::uint64_t most_keys_erased;  ///< filters of more keys are not timed for inserts and erases
                                     ///< of all of them
};

/// For generated keys: sizes in every cache level and DRAM.
Plan make_plan(Depth depth, const Machine& machine);
/// For a file with that many keys, half of them inserted.
Plan make_plan_for_keys(Depth depth, std::uint64_t keys_in_file);

}  // namespace simdbloom::bench
