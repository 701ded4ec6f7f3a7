// The table of src/core/filters/kinds.md, which is the rule that all front ends follow.
#pragma once

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>

namespace simdbloom::test {

/// The kinds of questions that a filter of each kind answers, its own among them.
inline std::map<std::string, std::set<std::string>> kinds_table() {
    std::ifstream page(SIMDBLOOM_KINDS_PAGE);
    std::map<std::string, std::set<std::string>> table;
    const std::regex row("\\| `(.*?)` \\|[^|]*\\|([^|]*)\\|.*"), name("`(.*?)`");
    for (std::string line; std::getline(page, line);) {
        std::smatch cells;
        if (!std::regex_match(line, cells, row)) continue;
        const std::string kind = cells[1], answers = cells[2];
        table[kind] = {std::sregex_token_iterator(answers.begin(), answers.end(), name, 1), {}};
        table[kind].insert(kind);
    }
    if (table.empty()) throw std::runtime_error("no table of kinds in " SIMDBLOOM_KINDS_PAGE);
    return table;
}

}  // namespace simdbloom::test
