// The commands of the program `simdbloom`. A file has one command, or a few.
#pragma once

#include <CLI/CLI.hpp>

#include <charconv>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "keys.hpp"
#include "simdbloom/loaded.hpp"

namespace simdbloom::tools {

/// A command with what its help and its part of the manual say besides its options. The help, the
/// manual and the completion of shells all read it, and the options of CLI11, and nothing else.
class Command : public CLI::App {
public:
    struct Example {
        std::string line, gives;
    };
    Command(const std::string& name, const std::string& summary, std::string explanation,
            std::vector<Example> shown)
        : CLI::App(summary, name), about(std::move(explanation)), examples(std::move(shown)) {}
    std::string about;
    std::vector<Example> examples;
};

/// Adds a command. `summary` is one line of help, `about` what else there is to say, if anything.
/// Every example is run by the tests.
Command* add_command(CLI::App& app, const std::string& name, const std::string& summary,
                     const std::string& about, std::vector<Command::Example> examples);

/// The help of a command, in lines of 80 columns.
class Help : public CLI::Formatter {
public:
    std::string make_help(const CLI::App* app, std::string name,
                          CLI::AppFormatMode mode) const override;
};

// What the type name of an option says about its values, to readers and to the completion of
// shells: FILE and FILTER are files, SPEC a layout, FORMAT one of another system, "a|b" is a or b.
constexpr const char *file_type = "FILE", *filter_type = "FILTER", *spec_type = "SPEC",
                     *format_type = "FORMAT", *number_type = "N";

/// `text` in lines of at most 80 columns that begin at column `at`. What stands before the first is
/// there.
std::string wrapped(const std::string& text, std::size_t at);
/// The values of an option by its type name, but for files.
std::vector<std::string> values_of(const CLI::Option& option, std::string_view begun);
bool takes_file(const CLI::Option& option);
/// As the user gives it: "-o, --output FILE".
std::string label_of(const CLI::Option& option);
/// What the help says of it: description, default and what it goes with.
std::string help_of(const CLI::Option& option);
/// "simdbloom build [FILE] -o FILE [OPTIONS]"
std::string usage_of(const CLI::App& command, const std::string& name);

struct ExitCode {
    int code;
    const char* meaning;
};
constexpr ExitCode exit_codes[] = {{0, "done"},
                                   {1, "an error"},
                                   {2, "a command line that makes no sense"},
                                   {3, "nothing found (probe, parquet --key)"},
                                   {4, "done, but the filter is overfull (build, merge)"}};

/// Whether a filter has many more keys than it was made for: its FPR is more than twice as high. A
/// filter of another system does not say what it was made for. It is overfull above 10 %.
constexpr double foreign_fpr_as_made = 0.05;
inline bool is_overfull(double fpr, double as_made) { return fpr > 2 * as_made; }
constexpr int overfull = 4;

/// An option that takes one of a few words.
template <class T>
CLI::Option* add_choice(CLI::App& command, const std::string& name, T& value,
                        std::vector<std::pair<std::string, T>> choices, const std::string& help) {
    std::string type, known;
    for (const auto& choice : choices) {
        type += (type.empty() ? "" : "|") + choice.first;
        known += (known.empty() ? "" : ", ") + choice.first;
    }
    const auto take = [&value, choices = std::move(choices), known, name](const std::string& text) {
        for (const auto& choice : choices)
            if (choice.first == text) {
                value = choice.second;
                return;
            }
        throw CLI::ValidationError(name, "\"" + text + "\" is none of " + known);
    };
    return command.add_option_function<std::string>(name, take, help)->type_name(type);
}

/// The option that says how keys are written.
inline void add_format(CLI::App& command, KeyFormat& format) {
    add_choice<KeyFormat>(command, "--format", format,
                          {{"lines", KeyFormat::lines}, {"u64", KeyFormat::u64}},
                          "lines: text, a key a line, which LF or CR LF ends; u64: little-endian "
                          "64-bit integers")
        ->default_str("lines");
}

inline void add_progress(CLI::App& command, bool& progress) {
    command.add_flag("--progress", progress,
                     "show progress even where standard error is no terminal");
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
        ->type_name(number_type)
        ->capture_default_str();
}

/// Whether bytes that are no filter of ours for this reason may be one of another system.
inline bool may_be_foreign(const LoadError& error) {
    return error.fault == LoadFault::foreign || error.fault == LoadFault::too_short;
}
/// The names of the formats of other systems, as text.
std::string foreign_names();
/// Adds --as, which names one of them.
inline CLI::Option* add_as(CLI::App& command, std::string& format) {
    return command.add_option("--as", format, "the format of another system: " + foreign_names())
        ->type_name(format_type);
}

/// Each function adds a command to the program. The exit code of the command that ran is left in
/// `status`.
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
void add_completion(CLI::App& app, int& status);
void add_manual(CLI::App& app, int& status);

/// Prints what the last of the words can be, a candidate a line, with what it means behind a tab.
/// A line ":files" means names of files. The scripts of `simdbloom completion` ask it.
void complete(const CLI::App& app, const std::vector<std::string>& words);
/// The name among the commands or options that looks most like `word`, or an empty string.
std::string nearest(const CLI::App& app, const std::string& word);

}  // namespace simdbloom::tools
