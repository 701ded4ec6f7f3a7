// The program `simdbloom`.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>

#include "commands.hpp"
#include "json.hpp"
#include "simdbloom.h"
#include "terminal.hpp"

namespace simdbloom::tools {
namespace {

void add_commands(Command& app, int& status) {
    using Add = void (*)(CLI::App&, int&);
    // In the order in which people need them.
    const std::pair<const char*, std::vector<Add>> groups[] = {
        {"Filters", {add_build, add_probe, add_info, add_unseen, add_merge, add_fold, add_convert}},
        {"Other files", {add_parquet, add_reconcile}},
        {"This machine", {add_advise, add_calibrate, add_completion, add_manual}}};
    for (const auto& group : groups)
        for (const Add add : group.second) {
            add(app, status);
            app.get_subcommands({}).back()->group(group.first);
        }
}

bool in_json = false;

/// What went wrong, on standard error.
void say(const std::string& message, int code = 1) {
    if (in_json) {
        const Json error = {{"error", message}, {"exit_code", code}};
        const auto replace = Json::error_handler_t::replace;
        std::fprintf(stderr, "%s\n", error.dump(-1, ' ', false, replace).c_str());
        return;
    }
    std::fprintf(stderr, "%s%s\n", said_by_us().c_str(), message.c_str());
}

/// A command line that makes no sense: what is wrong with it, and where to look.
int refuse(const CLI::App& app, const CLI::ParseError& error,
           const std::vector<std::string>& words) {
    if (words.empty()) {
        std::fputs(app.help().c_str(), stderr);
        say("a command is required", 2);
        return 2;
    }
    const auto chosen = app.get_subcommands();
    const CLI::App& asked = chosen.empty() ? app : *chosen.front();
    std::string message = error.what(), meant;
    if (chosen.empty()) {
        message = "there is no " + std::string(words[0][0] == '-' ? "option" : "command") + " \"" +
                  words[0] + "\"";
        meant = nearest(app, words[0]);
    } else if (const auto extra = asked.remaining(); !extra.empty()) {
        message = asked.get_name() + " takes no \"" + extra[0] + "\"";
        if (extra[0][0] == '-') meant = nearest(asked, extra[0]);
    }
    if (!meant.empty()) message += "; did you mean " + meant + "?";
    say(message, 2);
    if (in_json) return 2;
    std::fprintf(stderr, "See: simdbloom%s --help\n",
                 chosen.empty() ? "" : (" " + asked.get_name()).c_str());
    return 2;
}

int run(const std::vector<std::string>& words) {
    int status = 0;
    in_json = std::ranges::count(words.begin(), std::ranges::find(words, "--"), "--json") != 0;
    Command app("simdbloom", "filters of keys, made, asked and kept in files",
                "A filter says \"certainly not\" or \"probably\" about a key, in a few bits for "
                "each key that it was made of. It has no false negatives.",
                {{"simdbloom build keys.txt -o keys.bloom", "a filter of the lines of a file"},
                 {"simdbloom probe keys.bloom others.txt", "the lines that it finds"},
                 {"simdbloom info keys.bloom", "what it is, and its FPR"}});
    app.formatter(std::make_shared<Help>());
    app.get_help_ptr()->description("print this help");
    app.require_subcommand(1);
    app.set_version_flag("--version", simdbloom_version(), "print the version");
    add_commands(app, status);
    if (!words.empty() && words[0] == "complete") {
        complete(app, {words.begin() + 1, words.end()});
        return 0;
    }
    try {
        app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    } catch (const CLI::Success& e) {
        return app.exit(e);
    } catch (const CLI::ParseError& e) {
        return refuse(app, e, words);
    } catch (const std::exception& e) {
        say(without_name(e.what()));
        return 1;
    }
    return status;
}

}  // namespace
}  // namespace simdbloom::tools

int main(int argc, char** argv) {
    std::ios::sync_with_stdio(false);
    const int status = simdbloom::tools::run({argv + 1, argv + argc});
    // For every command: what was printed has been written, or the program fails.
    const bool printed = static_cast<bool>(std::cout.flush());
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && printed) return status;
    if (status == 0 || status == 3) simdbloom::tools::say("writing to standard output failed");
    return 1;
}
