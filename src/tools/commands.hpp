// The commands of the program `simdbloom`. A file has one command, or a few.
#pragma once

#include <CLI/CLI.hpp>

#include <charconv>
#include <limits>
#include <map>
#include <string>
#include <system_error>

#include "keys.hpp"
#include "simdbloom/loaded.hpp"

namespace simdbloom::tools {

/// The option that says how keys are written.
inline void add_format(CLI::App& command, KeyFormat& format) {
    command
        .add_option("--format", format,
                    "lines: text, a key a line, which LF or CR LF ends; u64: little-endian 64-bit "
                    "integers")
        ->transform(CLI::CheckedTransformer(
            std::map<std::string, KeyFormat>{{"lines", KeyFormat::lines}, {"u64", KeyFormat::u64}}))
        ->default_str("lines");
}

/// The text of an exception of the library, without the name at its beginning.
inline std::string without_name(std::string text) {
    if (text.starts_with("simdbloom: ")) text.erase(0, 11);
    return text;
}

/// An option that takes a whole number from 0 in decimal digits. strtoull would take "-1" for 2^64
/// - 1 and "010" for 8.
template <class T>
CLI::Option* add_whole(CLI::App& command, const std::string& name, T& value,
                       const std::string& help) {
    const auto digits = [](std::string& text) -> std::string {
        T number;
        const char* const end = text.data() + text.size();
        const auto read = std::from_chars(text.data(), end, number);
        if (read.ec != std::errc() || read.ptr != end || text[0] == '-')
            return "\"" + text + "\" is not a whole number from 0 to " +
                   std::to_string(std::numeric_limits<T>::max());
        text = std::to_string(number);
        return {};
    };
    return command.add_option(name, value, help)
        ->transform(CLI::Validator(digits, ""))
        ->capture_default_str();
}

/// Whether bytes that are no filter of ours for this reason may be one of another system.
inline bool may_be_foreign(const LoadError& error) {
    return error.fault == LoadFault::foreign || error.fault == LoadFault::too_short;
}
/// The names of the formats of other systems, as text.
std::string foreign_names();

/// Each function adds a command to the program. The exit code of the command that ran is left in
/// `status`.
void add_build(CLI::App& app, int& status);
void add_probe(CLI::App& app, int& status);
void add_info(CLI::App& app, int& status);
void add_merge(CLI::App& app, int& status);
void add_fold(CLI::App& app, int& status);
void add_unseen(CLI::App& app, int& status);
void add_reconcile(CLI::App& app, int& status);
void add_parquet(CLI::App& app, int& status);
void add_convert(CLI::App& app, int& status);
void add_calibrate(CLI::App& app, int& status);
void add_advise(CLI::App& app, int& status);

}  // namespace simdbloom::tools
