// The table of src/core/filters/kinds.md, which is the rule that all front ends follow.
#pragma once

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>

namespace simdbloom::test {

/// The kinds of questions that a filter of each kind answers, its own among them.
inline std::map<std::string, std::set<std::string>> kinds_table() {
    std::ifstream page(SIMDBLOOM_KINDS_PAGE);
    std::map<std::string, std::set<std::string>> table;
    for (std::string line; std::getline(page, line);) {
        if (!line.starts_with("| `")) continue;
        std::istringstream cells(line.substr(1));
        std::string kind, key, answers;
        std::getline(cells, kind, '|');
        std::getline(cells, key, '|');
        std::getline(cells, answers, '|');
        const auto names_in = [](const std::string& cell) {
            std::set<std::string> names;
            for (std::size_t at = cell.find('`'); at != cell.npos; at = cell.find('`', at + 1)) {
                const std::size_t end = cell.find('`', at + 1);
                names.insert(cell.substr(at + 1, end - at - 1));
                at = end;
            }
            return names;
        };
        const std::string name = *names_in(kind).begin();
        table[name] = names_in(answers);
        table[name].insert(name);
    }
    if (table.empty()) throw std::runtime_error("no table of kinds in " SIMDBLOOM_KINDS_PAGE);
    return table;
}

}  // namespace simdbloom::test
