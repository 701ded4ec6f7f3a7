// The commands of the program `simdbloom`. Each file has one or a few.
#pragma once

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "keys.hpp"
#include "simdbloom/loaded.hpp"

namespace simdbloom::tools {

/// A command line and its result. The tests run every example.
struct Example {
    std::string line, gives;
};

/// The text below the options in a command's help: `about` and examples.
inline std::string footer_of(const std::string& about, const std::vector<Example>& examples) {
    std::string out = (about.empty() ? "" : about + "\n\n") + "Examples:";
    for (const auto& [line, gives] : examples) out += "\n  " + line + "  # " + gives;
    return out;
}

/// Adds a command. `summary` is one line of help, `about` more.
inline CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& summary,
                             const std::string& about, const std::vector<Example>& examples) {
    return app.add_subcommand(name, summary)->footer(footer_of(about, examples));
}

// Types of options in the help.
constexpr const char *file_type = "FILE", *filter_type = "FILTER", *spec_type = "SPEC",
                     *format_type = "FORMAT", *number_type = "N";

/// Whether the FPR is more than twice the FPR that the filter was made for. A filter of another
/// system does not record that FPR: it is overfull above 10 %.
constexpr double foreign_fpr_as_made = 0.05;
inline bool is_overfull(double fpr, double as_made) { return fpr > 2 * as_made; }
constexpr int overfull = 4;

/// An option with a value. The help shows its type and its default, if there is one.
template <class T>
CLI::Option* add_value(CLI::App& command, const std::string& name, T& value,
                       const std::string& type, const std::string& help) {
    return command.add_option(name, value, help)->type_name(type)->capture_default_str();
}

template <class T>
CLI::Option* add_required(CLI::App& command, const std::string& name, T& value,
                          const std::string& type, const std::string& help) {
    return add_value(command, name, value, type, help)->required();
}

/// An option with a fixed set of values.
template <class T>
CLI::Option* add_choice(CLI::App& command, const std::string& name, T& value,
                        std::vector<std::pair<std::string, T>> choices, const std::string& help) {
    std::string type;
    for (const auto& choice : choices) type += (type.empty() ? "" : "|") + choice.first;
    const auto take = [&value, choices = std::move(choices), type, name](const std::string& text) {
        const auto chosen = std::ranges::find(choices, text, &std::pair<std::string, T>::first);
        if (chosen == choices.end())
            throw CLI::ValidationError(name, "\"" + text + "\" is not one of " + type);
        value = chosen->second;
    };
    return command.add_option_function<std::string>(name, take, help)->type_name(type);
}

/// The option for the format of keys.
inline void add_format(CLI::App& command, KeyFormat& format) {
    add_choice<KeyFormat>(command, "--format", format,
                          {{"lines", KeyFormat::lines}, {"u64", KeyFormat::u64}},
                          "lines: text, a key a line, ended by LF or CR LF; u64: little-endian "
                          "64-bit integers")
        ->default_str("lines");
}

inline void add_progress(CLI::App& command, bool& progress) {
    command.add_flag("--progress", progress,
                     "show progress even if standard error is not a terminal");
}

/// The text of an exception, without the library's name at its beginning.
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
    return add_value(command, name, value, number_type, help)
        ->transform(CLI::Validator(digits, ""));
}

/// Whether bytes that are not our filter, for this reason, may be a filter of another system.
inline bool may_be_foreign(const LoadError& error) {
    return error.fault == LoadFault::foreign || error.fault == LoadFault::too_short;
}
/// The names of the formats of other systems, as text.
std::string foreign_names();
/// Adds --as, which names a format of another system.
inline CLI::Option* add_as(CLI::App& command, std::string& format) {
    return command.add_option("--as", format, "the format of another system: " + foreign_names())
        ->type_name(format_type);
}

/// Each function adds a command to the program. A command stores its exit code in `status`.
void add_build(CLI::App& app, int& status);
void add_probe(CLI::App& app, int& status);
void add_info(CLI::App& app, int& status);
void add_unseen(CLI::App& app, int& status);
void add_merge(CLI::App& app, int& status);
void add_fold(CLI::App& app, int& status);
void add_convert(CLI::App& app, int& status);
void add_parquet(CLI::App& app, int& status);
void add_reconcile(CLI::App& app, int& status);
void add_advise(CLI::App& app, int& status);

}  // namespace simdbloom::tools
