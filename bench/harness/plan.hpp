// What a run measures.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/machine.hpp"
#include "harness/subject.hpp"

namespace simdbloom::bench {

enum class Depth { quick, standard, full };

/// One subject of one size, and what is done with it.
struct Case {
    const Kind* kind;
    std::uint64_t n_keys;
    double bits_per_key;
    bool every_isa = false;  ///< lookups on each usable ISA, not only the best
    bool every_op = false;   ///< all hit ratios, outputs and batches, inserts, erases, builds
    bool misses = false;     ///< with a cachegrind pass where there are no hardware counters
};

struct Plan {
    std::vector<Case> cases;
    Depth depth;
    unsigned repetitions;  ///< rounds
    double seconds_per_repetition;
    std::uint64_t fpr_probes;
    std::uint64_t most_keys_erased;  ///< filters of more keys are not timed for inserts and erases
                                     ///< of all of them
};

/// For generated keys: sizes in every cache level and DRAM.
Plan make_plan(Depth depth, const Machine& machine);
/// For a file with that many keys, half of them inserted.
Plan make_plan_for_keys(Depth depth, std::uint64_t keys_in_file);

/// The cases that take turns: those of a memory level in the order of the plan, as many as the
/// memory has room for.
std::vector<std::vector<Case>> turns(const Plan& plan, const Machine& machine);

inline constexpr std::size_t standard_batch = 16'384;
/// Of a bank: the bitmaps of a larger one, for 4,096 sets, would leave the caches.
inline constexpr std::size_t bank_batch = 4096;
inline constexpr std::size_t all_batches[] = {1, 8, 64, 1024, bank_batch, standard_batch, 1 << 20};

/// Lookups that a subject can do.
struct LookupRow {
    bool best_isa;
    Output output, usual;  ///< what the lookup gives, and Subject::usual()
    std::size_t batch;
    double hit_ratio;
};
/// Whether a run of that plan times them.
bool is_timed(const Plan& plan, const Case& c, const LookupRow& row);

}  // namespace simdbloom::bench
