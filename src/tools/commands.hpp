// The commands of the program `simdbloom`. Each file has one or a few.
#pragma once

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "files.hpp"
#include "keys.hpp"

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

/// A command's help. `summary` is one line, `about` more.
inline void describe(CLI::App& command, const std::string& summary, const std::string& about,
                     const std::vector<Example>& examples) {
    command.description(summary)->footer(footer_of(about, examples));
}

/// The settings of a command, for its options to fill. The command calls run() with them and stores
/// the exit code in `status`.
template <class Settings>
Settings& settings_of(CLI::App& command, int& status, int (*run)(Settings)) {
    const auto settings = std::make_shared<Settings>();
    command.callback([=, &status] { status = run(*settings); });
    return *settings;
}

// Types of options in the help.
constexpr const char *file_type = "FILE", *filter_type = "FILTER", *spec_type = "SPEC",
                     *format_type = "FORMAT", *number_type = "N";

/// Whether the FPR is more than twice the FPR that the filter was made for. A filter of another
/// system does not record that FPR: it is overfull above 10 %.
constexpr double foreign_fpr_as_made = 0.05;
inline bool is_overfull(double fpr, double as_made) { return fpr > 2 * as_made; }
constexpr int overfull = 4;

/// An option with a value. The help shows its type, and its default unless it is optional.
template <class T>
CLI::Option* add_value(CLI::App& command, const std::string& name, T& value,
                       const std::string& type, const std::string& help) {
    return command.add_option(name, value, help)->type_name(type)->capture_default_str();
}

template <class T>
CLI::Option* add_value(CLI::App& command, const std::string& name, std::optional<T>& value,
                       const std::string& type, const std::string& help) {
    return command.add_option(name, value, help)->type_name(type);
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

/// The files that keys are read from.
inline void add_inputs(CLI::App& command, std::vector<std::string>& paths,
                       const std::string& help) {
    command
        .add_option("FILE", paths, help + "; - for standard input. gzip and zstd are decompressed")
        ->type_name(file_type)
        ->default_str("-");
}

/// A file that is written. "-" is standard output.
inline CLI::Option* add_output(CLI::App& command, const std::string& name, std::string& path,
                               const std::string& help) {
    return add_value(command, name, path, file_type, help + "; - for standard output")
        ->transform(CLI::Validator(
            [](std::string& text) {
                if (text == "-") text = standard_output;
                return std::string();
            },
            ""));
}

/// -0: keys end in NUL.
inline CLI::Option* add_nul(CLI::App& command, KeyFormat& format) {
    return command.add_flag_callback(
        "-0,--null", [&format] { format = KeyFormat::nul; },
        "keys end in NUL, as of find -print0, and are printed so");
}

/// The options for the format of keys.
inline void add_format(CLI::App& command, KeyFormat& format) {
    add_choice<KeyFormat>(command, "--format", format,
                          {{"lines", KeyFormat::lines}, {"u64", KeyFormat::u64}},
                          "lines: text, a key a line, ended by LF or CR LF; u64: little-endian "
                          "64-bit integers, never decompressed")
        ->default_str("lines")
        ->excludes(add_nul(command, format));
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

/// An option that takes a whole number from 0 in decimal digits, or as 1e6. strtoull would take
/// "-1" for 2^64 - 1 and "010" for 8.
template <class T>
CLI::Option* add_whole(CLI::App& command, const std::string& name, T& value,
                       const std::string& help) {
    const auto digits = [](std::string& text) -> std::string {
        T number;
        const bool has_exponent = text.find_first_of("eE") != text.npos;
        const char* const end = text.data() + text.size();
        auto read = std::from_chars(text.data(), end, number);
        if (double real = -1; read.ec == std::errc() && read.ptr != end) {
            read = std::from_chars(text.data(), end, real, std::chars_format::scientific);
            // Up to 2^53 each whole number is a double.
            constexpr auto most = static_cast<double>(std::numeric_limits<T>::max());
            const bool whole =
                real >= 0 && real <= std::min(0x1p53, most) && real == std::floor(real);
            if (whole) number = static_cast<T>(real);
            else read.ptr = nullptr;
        }
        if (read.ec != std::errc() || read.ptr != end || text[0] == '-')
            return "\"" + text + "\" is not a whole number from 0 to " +
                   (has_exponent && sizeof(T) == 8 ? "2^53, the most with an exponent"
                                                   : std::to_string(std::numeric_limits<T>::max()));
        text = std::to_string(number);
        return {};
    };
    return add_value(command, name, value, number_type, help)
        ->transform(CLI::Validator(digits, ""));
}

/// The bits a key of a filter by default: `usual`, or the least that the layout takes. Throws
/// std::invalid_argument for an unknown layout.
double default_bits(const std::string& spec, double usual);
inline CLI::Option* add_bits(CLI::App& command, std::optional<double>& bits, unsigned usual) {
    return add_value(command, "-b,--bits-per-key", bits, number_type,
                     "size of the filter; by default " + std::to_string(usual) +
                         ", or the least of the layout if that is more");
}

/// The names of the formats of other systems, as text.
std::string foreign_names();
/// Adds --as, which names a format of another system.
inline CLI::Option* add_as(CLI::App& command, std::string& format) {
    return command.add_option("--as", format, "the format of another system: " + foreign_names())
        ->type_name(format_type);
}

/// Each function makes a command. The command stores its exit code in `status`.
using MakeCommand = void(CLI::App& command, int& status);
MakeCommand make_build, make_probe, make_info, make_bank, make_unseen, make_merge, make_fold,
    make_convert, make_parquet, make_reconcile, make_advise;

struct Command {
    const char *group, *name;
    MakeCommand* make;

    void add(CLI::App& app, int& status) const {
        make(*app.add_subcommand(name)->group(group), status);
    }
};
/// In the order in which people need them.
constexpr Command commands[] = {
    {"Filters", "build", make_build},         {"Filters", "probe", make_probe},
    {"Filters", "info", make_info},           {"Filters", "unseen", make_unseen},
    {"Filters", "merge", make_merge},         {"Filters", "fold", make_fold},
    {"Filters", "convert", make_convert},     {"Filters", "bank", make_bank},
    {"Other files", "parquet", make_parquet}, {"Other files", "reconcile", make_reconcile},
    {"This machine", "advise", make_advise}};

}  // namespace simdbloom::tools
