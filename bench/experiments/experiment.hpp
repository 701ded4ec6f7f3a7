// What the experiments share: tables in Markdown, and the line that says where numbers come from.
#pragma once

#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "harness/keys.hpp"
#include "harness/machine.hpp"
#include "harness/timing.hpp"

namespace simdbloom::bench {

inline void print_row(const std::vector<std::string>& cells) {
    std::string line = "|";
    for (const auto& cell : cells) line += " " + cell + " |";
    std::puts(line.c_str());
}
inline void print_header(const std::vector<std::string>& cells) {
    print_row(cells);
    std::string line = "|";
    for (std::size_t i = 0; i < cells.size(); ++i) line += "---|";
    std::puts(line.c_str());
}

template <class... Values>
std::string text(const char* format, Values... values) {
    char buffer[200];
    std::snprintf(buffer, sizeof buffer, format, values...);
    return buffer;
}

/// ns a key of works that take turns: the medians of so many rounds.
inline std::vector<double> ns_of(unsigned rounds, std::vector<Contestant> turns) {
    Timer(rounds).run(turns);
    std::vector<double> ns;
    for (const Contestant& turn : turns) ns.push_back(median(turn.ns_per_key));
    return ns;
}
inline double ns_of(unsigned rounds, std::uint64_t keys, std::function<void()> work) {
    return ns_of(rounds, {contestant("", keys, std::move(work))})[0];
}
inline double in_mib(std::size_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

/// This thread keeps to the first or the last core that the process may use.
inline void pin(bool last) {
    static const cpu_set_t may = [] {
        cpu_set_t set;
        sched_getaffinity(0, sizeof set, &set);
        return set;
    }();
    std::size_t core = CPU_SETSIZE;
    for (std::size_t i = 0; i < CPU_SETSIZE; ++i)
        if (CPU_ISSET(i, &may) && (last || core == CPU_SETSIZE)) core = i;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    sched_setaffinity(0, sizeof one, &one);
}

/// The last line of an experiment.
inline void print_source(const std::string& name) {
    const std::string line = describe_machine().provenance();
    std::printf("\nPrinted on %s, by `bench/experiment %s`.\n", line.c_str(), name.c_str());
}

}  // namespace simdbloom::bench
