// The program `simdbloom`.
#include <algorithm>
#include <exception>
#include <new>
#include <sstream>

#include "commands.hpp"
#include "json.hpp"
#include "simdbloom.h"
#include "terminal.hpp"
#include "tools/os/program.hpp"

namespace simdbloom::tools {
namespace {

bool in_json = false;

/// Help in lines of at most 80 columns; the examples stay whole.
std::string wrapped(const std::string& help) {
    constexpr std::size_t width = 80, column = 30;  // where the words about an option stand
    std::string out;
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line); out += line + "\n") {
        const bool is_example = line.find("  # ") != line.npos;
        const std::size_t indent = line.starts_with(' ') ? column : 0;
        while (!is_example && line.size() > width) {
            const std::size_t end = line.rfind(' ', width);
            if (end == line.npos || end <= indent) break;
            out += line.substr(0, end) + "\n";
            line.replace(0, end + 1, indent, ' ');
        }
    }
    return out;
}

/// Prints an error on standard error.
void say(const std::string& message, int code = 1) {
    if (in_json) {
        print_own(stderr, dumped({{"error", message}, {"exit_code", code}}) + "\n");
        return;
    }
    print_message(message);
}

/// Explains an invalid command line and points to the help.
int refuse(const CLI::App& app, const CLI::ParseError& error,
           const std::vector<std::string>& words) {
    if (words.empty()) {
        print_own(stderr, wrapped(app.help()));
        say("a command is required", 2);
        return 2;
    }
    const auto chosen = app.get_subcommands();
    const CLI::App* asked = &app;
    std::string command;
    for (auto next = chosen; !next.empty(); next = asked->get_subcommands()) {
        asked = next.front();
        command += " " + asked->get_name();
    }
    std::string message = error.what();
    if (chosen.empty()) message = "there is no \"" + words[0] + "\"";
    else if (const auto extra = asked->remaining(); !extra.empty())
        message = command.substr(1) + " does not take \"" + extra[0] + "\"";
    say(message, 2);
    if (in_json) return 2;
    print_line(stderr, "See: simdbloom%s --help", command.c_str());
    return 2;
}

int run(const std::vector<std::string>& words) {
    int status = 0;
    in_json = std::ranges::count(words.begin(), std::ranges::find(words, "--"), "--json") != 0;
    CLI::App app(
        "simdbloom: builds, probes and manages filters in files\n\n"
        "A filter says \"certainly not\" or \"probably\" about a key, in a few bits for\n"
        "each key. It has no false negatives.",
        "simdbloom");
    app.footer(
        footer_of("simdbloom SUBCOMMAND --help lists its options, with examples.\n"
                  "Exit codes: 0 done, 1 an error, 2 an invalid command line,\n"
                  "3 nothing found (probe, bank probe, parquet --key),\n"
                  "4 done, but the filter is overfull (build, merge)",
                  {{"simdbloom build keys.txt -o keys.bloom", "a filter of a file's lines"},
                   {"simdbloom probe keys.bloom others.txt", "the lines found"},
                   {"simdbloom info keys.bloom", "its layout and FPR"}}));
    app.allow_windows_style_options(false);  // "/data/keys" is a path
    app.require_subcommand(1);
    app.set_version_flag("-V,--version", simdbloom_version(), "print the version");
    for (const Command& command : commands) command.add(app, status);
    try {
        app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    } catch (const CLI::Success& e) {
        std::ostringstream help;
        const int code = app.exit(e, help, help);
        print_own(stdout, wrapped(help.str()));
        return code;
    } catch (const CLI::ParseError& e) {
        return refuse(app, e, words);
    }
    return status;
}

/// Said where another program truncates the file of a mapped filter.
std::string_view words_after_truncation() {
    constexpr std::string_view text = "simdbloom: a file became shorter while it was read\n";
    constexpr std::string_view json =
        "{\"error\":\"a file became shorter while it was read\",\"exit_code\":1}\n";
    return in_json ? json : text;
}

}  // namespace
}  // namespace simdbloom::tools

int main(int argc, char** argv) {
    using namespace simdbloom::tools;
    simdbloom::detail::prepare_process(words_after_truncation);
    int status = 1;
    try {
        status = run(simdbloom::detail::arguments(argc, argv));
    } catch (const simdbloom::AllocationError& e) {
        say(without_name(e.what()));
    } catch (const std::bad_alloc&) {
        say("out of memory");
    } catch (const std::exception& e) {
        say(without_name(e.what()));
    }
    // Every command fails if its output could not be written.
    if (is_printed()) return status;
    if (status != 1 && status != 2) say("writing to standard output failed");
    return 1;
}
