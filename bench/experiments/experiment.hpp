// What the experiments share: tables in Markdown, and the line that says where numbers come from.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "keys.hpp"
#include "machine.hpp"
#include "simdbloom/isa.hpp"

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

/// The last line of an experiment.
inline void print_source(const std::string& name) {
    std::string cpu, date;
    for (const auto& [fact, value] : describe_machine().facts) {
        if (fact == "cpu") cpu = value;
        if (fact == "date") date = value;
    }
    std::printf("\nPrinted on %s, `%s`, %s, by `bench/experiment %s`.\n", cpu.c_str(), std::string(to_string(default_isa())).c_str(), date.c_str(), name.c_str());
}

}  // namespace simdbloom::bench
