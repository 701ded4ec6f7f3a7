// What the program says about its commands and their options.
#include <algorithm>
#include <sstream>

#include "commands.hpp"
#include "simdbloom/detail/layout_traits.hpp"
#include "simdbloom/foreign.hpp"
#include "terminal.hpp"

namespace simdbloom::tools {
namespace {

constexpr std::size_t columns = 80, indent = 2, widest_label = 24;

struct Row {
    std::string left, right;
};

/// Rows of two columns. What is too wide for the left one has a line of its own.
std::string table(const std::string& heading, const std::vector<Row>& rows) {
    if (rows.empty()) return {};
    std::size_t width = 0;
    for (const Row& row : rows)
        if (row.left.size() <= widest_label) width = std::max(width, row.left.size());
    const std::size_t at = indent + width + 2;
    std::string out = "\n" + bold(heading) + "\n";
    for (const Row& row : rows) {
        out += std::string(indent, ' ') + row.left;
        const std::size_t column = indent + row.left.size();
        out += column + 2 <= at ? std::string(at - column, ' ') : "\n" + std::string(at, ' ');
        out += wrapped(row.right, at);
    }
    return out;
}

/// An example and what it gives on one line, if they fit, else below.
std::string examples_of(const Command& command) {
    std::string out = "\n" + bold("Examples:") + "\n";
    std::size_t width = 0;
    for (const auto& example : command.examples) width = std::max(width, example.line.size());
    for (const auto& example : command.examples) {
        const std::size_t at = indent + width + 2;
        const bool fits = at + example.gives.size() <= columns;
        out += "  " + example.line;
        out += fits ? std::string(at - indent - example.line.size(), ' ') + example.gives + "\n"
                    : "\n      " + wrapped(example.gives, 6);
    }
    return out;
}

std::vector<const CLI::Option*> options_of(const CLI::App& command, bool positional) {
    return command.get_options([=](const CLI::Option* option) {
        return !option->get_group().empty() && option->get_positional() == positional;
    });
}

}  // namespace

std::string wrapped(const std::string& text, std::size_t at) {
    std::istringstream words(text);
    std::string out, word;
    std::size_t column = at;
    while (words >> word) {
        if (column > at && column + 1 + word.size() > columns) {
            out += "\n" + std::string(at, ' ');
            column = at;
        }
        if (column > at) {
            out += ' ';
            ++column;
        }
        out += word;
        column += word.size();
    }
    return out + "\n";
}

Command* add_command(CLI::App& app, const std::string& name, const std::string& summary,
                     const std::string& about, std::vector<Command::Example> examples) {
    const auto command = std::make_shared<Command>(name, summary, about, std::move(examples));
    command->formatter(app.get_formatter());
    command->get_help_ptr()->description("print this help");
    app.add_subcommand(command);
    return command.get();
}

std::vector<std::string> values_of(const CLI::Option& option, std::string_view begun) {
    std::vector<std::string> values;
    const std::string type = option.get_type_name();
    const bool choice = type.find('|') != std::string::npos;
    if (type.starts_with(format_type))
        for (const ForeignFormat format : foreign_formats()) values.emplace_back(to_string(format));
    if (type == spec_type) {
        values.emplace_back("growing16");
        for (const detail::LayoutTraits& layout : detail::layout_traits) {
            const std::string name(layout.name);
            values.push_back(name);
            // With a k only once the name is there.
            if (!begun.starts_with(name + ":") || layout.k_step == 0 || layout.fixed_k()) continue;
            for (unsigned k = layout.k_min; k <= layout.k_max; k += layout.k_step)
                values.push_back(name + ":k=" + std::to_string(k));
        }
    } else if (choice) {
        std::istringstream words(type);
        for (std::string word; std::getline(words, word, '|');)
            if (word != format_type) values.push_back(word);
    }
    return values;
}

bool takes_file(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    return type == file_type || type == filter_type;
}

std::string label_of(const CLI::Option& option) {
    if (option.get_positional()) return option.get_name(true, false);
    std::string names = option.get_name(false, true);
    if (const auto comma = names.find(','); comma != std::string::npos)
        names.insert(comma + 1, 1, ' ');
    if (option.get_type_size() == 0 || option.get_type_name().empty()) return names;
    return names + " " + option.get_type_name();
}

std::string help_of(const CLI::Option& option) {
    std::string text = option.get_description(), more;
    const auto add = [&](const std::string& part) { more += (more.empty() ? "" : "; ") + part; };
    if (option.get_required()) add("required");
    if (option.get_type_size() != 0 && !option.get_default_str().empty())
        add("default: " + option.get_default_str());
    for (const CLI::Option* other : option.get_needs()) add("needs " + other->get_name());
    for (const CLI::Option* other : option.get_excludes()) add("not with " + other->get_name());
    return more.empty() ? text : text + " (" + more + ")";
}

std::string usage_of(const CLI::App& command, const std::string& name) {
    std::string usage = name;
    for (const CLI::Option* option : options_of(command, true)) {
        std::string word = option->get_name(true, false);
        if (option->get_expected_max() > 1) word += "...";
        usage += option->get_required() ? " " + word : " [" + word + "]";
    }
    for (const CLI::Option* option : options_of(command, false))
        if (option->get_required()) {
            const std::string names = option->get_name(false, true);
            usage += " " + names.substr(0, names.find(',')) + " " + option->get_type_name();
        }
    const bool root = command.get_parent() == nullptr;
    return usage + (root ? " COMMAND [OPTIONS] ..." : " [OPTIONS]");
}

std::string Help::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const {
    const auto* const command = dynamic_cast<const Command*>(app);
    const bool root = app->get_parent() == nullptr;
    std::string out = wrapped((root ? name + ": " : "") + app->get_description(), 0);
    if (command != nullptr && !command->examples.empty()) out += examples_of(*command);
    out += "\n" + bold("Usage:") + " " + wrapped(usage_of(*app, name), 7);
    if (command != nullptr && !command->about.empty()) out += "\n" + wrapped(command->about, 0);

    std::vector<std::pair<std::string, std::vector<Row>>> groups;
    for (const CLI::App* sub : app->get_subcommands({})) {
        if (groups.empty() || groups.back().first != sub->get_group())
            groups.emplace_back(sub->get_group(), std::vector<Row>());
        groups.back().second.push_back({sub->get_name(), sub->get_description()});
    }
    // One column for the commands of all groups.
    for (auto& group : groups)
        for (auto& row : group.second) row.left.resize(10, ' ');
    for (const auto& group : groups) out += table(group.first + ":", group.second);
    for (const bool positional : {true, false}) {
        std::vector<Row> rows;
        for (const CLI::Option* option : options_of(*app, positional))
            rows.push_back({label_of(*option), help_of(*option)});
        out += table(positional ? "Arguments:" : "Options:", rows);
    }
    if (root) {
        std::string codes = "Exit codes:";
        for (const ExitCode& code : exit_codes)
            codes += (code.code == 0 ? " " : ", ") + std::to_string(code.code) + " " + code.meaning;
        out += "\n" + wrapped(codes + ".", 0);
        out += "Options and examples of a command: " + name + " COMMAND --help\n";
    }
    if (const std::string footer = app->get_footer(); !footer.empty())
        out += "\n" + wrapped(footer, 0);
    return out;
}

}  // namespace simdbloom::tools
