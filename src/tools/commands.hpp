// The commands of the program `simdbloom`, one file each.
#pragma once

#include <CLI/CLI.hpp>

namespace simdbloom::tools {

/// Adds the command to the program; the exit code of one that ran is left in `status`.
void add_unseen(CLI::App& app, int& status);
void add_reconcile(CLI::App& app, int& status);

}  // namespace simdbloom::tools
