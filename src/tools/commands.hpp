// The commands of the program `simdbloom`, one file each or a few.
#pragma once

#include <CLI/CLI.hpp>

#include "keys.hpp"

namespace simdbloom::tools {

/// The option that says how keys are written.
inline void add_format(CLI::App& command, KeyFormat& format) {
    command.add_option("--format", format, "lines: text, a key a line; u64: little-endian 64-bit integers")
        ->transform(CLI::CheckedTransformer(std::map<std::string, KeyFormat>{{"lines", KeyFormat::lines}, {"u64", KeyFormat::u64}}))
        ->default_str("lines");
}

/// Each adds a command to the program; the exit code of one that ran is left in `status`.
void add_build(CLI::App& app, int& status);
void add_probe(CLI::App& app, int& status);
void add_info(CLI::App& app, int& status);
void add_merge(CLI::App& app, int& status);
void add_fold(CLI::App& app, int& status);
void add_unseen(CLI::App& app, int& status);
void add_reconcile(CLI::App& app, int& status);
void add_parquet(CLI::App& app, int& status);

}  // namespace simdbloom::tools
