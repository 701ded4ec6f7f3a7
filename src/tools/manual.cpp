// simdbloom man: the page of the manual.
#include "commands.hpp"
#include "simdbloom.h"
#include "terminal.hpp"

#ifndef SIMDBLOOM_RELEASED
#define SIMDBLOOM_RELEASED ""
#endif

namespace simdbloom::tools {
namespace {

/// In roff a backslash, a hyphen and a line that begins with a dot mean something.
std::string roff(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '\\') out += "\\e";
        else if (c == '-') out += "\\-";
        else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n'))
            (out += "\\&") += c;
        else out += c;
    }
    return out;
}

/// Lines that end in a newline.
std::string paragraph(const std::string& text) { return roff(wrapped(text, 0)); }

std::string heading(const std::string& name) { return ".SH " + roff(name) + "\n"; }

std::string entry(const std::string& label, const std::string& text) {
    return ".TP\n\\fB" + roff(label) + "\\fR\n" + paragraph(text);
}

std::string entries(const CLI::App& command, bool positional) {
    std::string out;
    for (const CLI::Option* option : command.get_options())
        if (option->get_positional() == positional && !option->get_group().empty())
            out += entry(label_of(*option), help_of(*option));
    return out;
}

std::string examples(const Command& command) {
    std::string out;
    for (const auto& example : command.examples) out += entry(example.line, example.gives);
    return out;
}

std::string part_of(const Command& command) {
    const std::string name = command.get_name();
    std::string out = ".SS " + roff(name) + "\n" + paragraph(command.get_description() + ".");
    if (!command.about.empty()) out += paragraph(command.about);
    out += ".PP\n.B " + roff(usage_of(command, "simdbloom " + name)) + "\n";
    out += entries(command, true) + entries(command, false);
    return out + examples(command);
}

std::string page(const CLI::App& app) {
    const auto& root = dynamic_cast<const Command&>(app);
    std::string out = ".TH SIMDBLOOM 1 \"" SIMDBLOOM_RELEASED "\" \"simdbloom ";
    out += std::string(simdbloom_version()) + "\" \"User Commands\"\n";
    out += heading("NAME") + "simdbloom \\- " + roff(app.get_description()) + "\n";
    out += heading("SYNOPSIS") + ".B " + roff(usage_of(app, "simdbloom")) + "\n";
    out += heading("DESCRIPTION") + paragraph(root.about);
    out += heading("EXAMPLES") + examples(root);
    out += heading("OPTIONS") + entries(app, false);
    out += heading("COMMANDS");
    for (const CLI::App* sub : app.get_subcommands({}))
        out += part_of(dynamic_cast<const Command&>(*sub));
    out += heading("EXIT STATUS");
    for (const ExitCode& code : exit_codes) out += entry(std::to_string(code.code), code.meaning);
    out += heading("ENVIRONMENT");
    out +=
        entry("SIMDBLOOM_ISA", "instruction set of the kernels; the bits and answers are the same");
    out += entry("NO_COLOR", "if not empty, no colours, which only terminals are given");
    out += entry("NO_PROGRESS", "if not empty, no progress, which only terminals are given");
    return out;
}

}  // namespace

void add_manual(CLI::App& app, int& status) {
    auto* command = add_command(app, "man", "Print the page of the manual", "",
                                {{"simdbloom man >simdbloom.1", "to read with man -l"}});
    command->callback([&app, &status] {
        print_own(stdout, page(app));
        status = 0;
    });
}

}  // namespace simdbloom::tools
