// Pieces of work that take turns.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "experiments/experiment.hpp"
#include "harness/subject.hpp"

namespace simdbloom::bench {

struct Turn {
    std::string name;
    std::function<void()> work;
    double keys;               ///< of one call of work
    std::vector<double> ns{};  ///< a key, one sample a round
};

/// Every piece of work runs once a round, forwards in even rounds and backwards in odd ones. Times
/// are the CPU time of the thread.
inline void take_turns(std::span<Turn> turns, unsigned rounds) {
    for (unsigned round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < turns.size(); ++i) {
            Turn& turn = turns[round % 2 == 0 ? i : turns.size() - 1 - i];
            turn.ns.push_back(1e9 * cpu_seconds_of(turn.work) / turn.keys);
        }
}

/// 262144 as "256 KiB".
inline std::string size_text(double bytes) {
    if (bytes < 1 << 20) return text("%.3g KiB", bytes / 1024);
    return bytes < 1 << 30 ? text("%.3g MiB", bytes / (1 << 20))
                           : text("%.3g GiB", bytes / (1 << 30));
}

}  // namespace simdbloom::bench
