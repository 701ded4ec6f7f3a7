// simdbloom completion: what shells need to complete its command lines.
#include <algorithm>
#include <map>
#include <numeric>

#include "commands.hpp"
#include "terminal.hpp"

namespace simdbloom::tools {
namespace {

// Each script asks `simdbloom complete WORD...`, whose last word is the one that is begun.
constexpr const char* bash_script = R"(# Completion of simdbloom in bash.
_simdbloom() {
    # Bash ends words at = and :, the program does not.
    local i word glued= words=()
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $word =~ ^[=:]+$ ]] && ((${#words[@]} > 0)); then
            words[${#words[@]} - 1]+=$word
            glued=yes
        elif [[ $glued ]]; then
            words[${#words[@]} - 1]+=$word
            glued=
        else
            words+=("$word")
        fi
    done
    local begun=${words[${#words[@]} - 1]} last=${COMP_WORDS[COMP_CWORD]} candidate
    [[ $last =~ ^[=:]+$ ]] && last=
    local before=${begun%"$last"}
    COMPREPLY=()
    while IFS=$'\t' read -r candidate _; do
        if [[ $candidate == :files ]]; then
            compopt -o default 2>/dev/null
        else
            COMPREPLY+=("${candidate#"$before"}")
        fi
    done < <("${COMP_WORDS[0]}" complete "${words[@]}" 2>/dev/null)
}
complete -F _simdbloom simdbloom
)";
constexpr const char* zsh_script = R"(#compdef simdbloom
# Completion of simdbloom in zsh.
_simdbloom() {
    local -a found described
    local line files= before=("${(@Q)words[2,CURRENT-1]}")
    found=("${(@f)$("${words[1]}" complete "${before[@]}" "${(Q)PREFIX}" 2>/dev/null)}")
    for line in $found; do
        if [[ $line == :files ]]; then
            files=yes
        elif [[ $line == *$'\t'* ]]; then
            described+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
        else
            described+=("${line//:/\\:}")
        fi
    done
    (( $#described )) && _describe -V simdbloom described
    if [[ -n $files ]]; then
        [[ $PREFIX == --*=* ]] && compset -P '*='
        _files
    fi
}
if [[ $funcstack[1] == _simdbloom ]]; then
    _simdbloom "$@"
else
    compdef _simdbloom simdbloom
fi
)";
constexpr const char* fish_script = R"(# Completion of simdbloom in fish.
function __simdbloom_complete
    set -l words (commandline -opc)
    set -l begun (commandline -ct)
    for line in ($words[1] complete $words[2..] "$begun" 2>/dev/null)
        if test "$line" = :files
            set -l before (string match -r '^--[^=]*=' -- "$begun")
            for path in (__fish_complete_path (string replace -r '^--[^=]*=' '' -- "$begun"))
                echo "$before$path"
            end
        else
            echo "$line"
        end
    end
end
complete -c simdbloom -f -k -a '(__simdbloom_complete)'
)";

bool takes_value(const CLI::Option& option) { return option.get_type_size() != 0; }

void offer(const std::string& begun, const std::string& word, const std::string& meaning) {
    if (!word.starts_with(begun)) return;
    print_own(stdout, word + (meaning.empty() ? "" : "\t" + meaning) + "\n");
}

void offer_values(const CLI::Option& option, const std::string& before, const std::string& begun) {
    if (takes_file(option)) print_own(stdout, ":files\n");
    for (const std::string& value : values_of(option, begun))
        offer(before + begun, before + value, "");
}

/// The names of an option: "-o", "--output".
std::vector<std::string> names_of(const CLI::Option& option) {
    std::vector<std::string> names;
    for (const auto& name : option.get_snames()) names.push_back("-" + name);
    for (const auto& name : option.get_lnames()) names.push_back("--" + name);
    return names;
}

void offer_options(const CLI::App& command, const std::vector<const CLI::Option*>& given,
                   const std::string& begun) {
    for (const CLI::Option* option : command.get_options()) {
        if (option->get_positional() || std::ranges::count(given, option) != 0) continue;
        // The long name says more; the short one is offered where there is no other.
        const auto names = names_of(*option);
        const bool one = begun.size() > 1 && !begun.starts_with("--");
        for (std::size_t i = one ? 0 : names.size() - 1; i < names.size(); ++i)
            offer(begun, names[i], option->get_description());
    }
}

std::size_t distance(const std::string& a, const std::string& b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t changed = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

}  // namespace

void complete(const CLI::App& app, const std::vector<std::string>& words) {
    const std::string begun = words.empty() ? "" : words.back();
    const CLI::App* command = &app;
    const CLI::Option* awaits = nullptr;  // the option that the next word is the value of
    std::vector<const CLI::Option*> given;
    std::size_t positionals = 0;
    bool only_positionals = false;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        const std::string& word = words[i];
        if (std::exchange(awaits, nullptr) != nullptr) continue;
        if (word == "--" && !only_positionals) {
            only_positionals = true;
        } else if (word.size() > 1 && word[0] == '-' && !only_positionals) {
            const auto* const option = command->get_option_no_throw(word.substr(0, word.find('=')));
            if (option == nullptr) continue;
            given.push_back(option);
            if (takes_value(*option) && word.find('=') == std::string::npos) awaits = option;
        } else if (command == &app) {
            try {
                command = app.get_subcommand(word);
            } catch (const CLI::OptionNotFound&) {
                return;
            }
        } else {
            ++positionals;
        }
    }
    const auto equals = begun.find('=');
    if (awaits != nullptr) {
        offer_values(*awaits, "", begun);
    } else if (begun.starts_with("--") && equals != std::string::npos && !only_positionals) {
        const auto* const option = command->get_option_no_throw(begun.substr(0, equals));
        if (option != nullptr && takes_value(*option))
            offer_values(*option, begun.substr(0, equals + 1), begun.substr(equals + 1));
    } else if (begun.starts_with("-") && !only_positionals) {
        offer_options(*command, given, begun);
    } else if (command == &app) {
        for (const CLI::App* sub : app.get_subcommands({}))
            offer(begun, sub->get_name(), sub->get_description());
    } else {
        const auto all = command->get_options(
            [](const CLI::Option* option) { return option->get_positional(); });
        if (positionals < all.size()) offer_values(*all[positionals], "", begun);
        else if (!all.empty() && all.back()->get_expected_max() > 1)
            offer_values(*all.back(), "", begun);
    }
}

std::string nearest(const CLI::App& app, const std::string& word) {
    std::vector<std::string> names;
    for (const CLI::App* sub : app.get_subcommands({})) names.push_back(sub->get_name());
    for (const CLI::Option* option : app.get_options())
        for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    const std::string asked = word.substr(0, word.find('='));
    const auto found = std::ranges::min_element(
        names, {}, [&](const std::string& name) { return distance(name, asked); });
    // Two letters swapped are two changes.
    return found != names.end() && distance(*found, asked) <= 2 ? *found : "";
}

void add_completion(CLI::App& app, int& status) {
    auto* command = add_command(
        app, "completion", "Print the script that completes command lines in a shell",
        "Installed packages bring the scripts along. Otherwise the script goes where the shell "
        "looks for it.",
        {{"simdbloom completion bash >completions/simdbloom",
          "for ~/.local/share/bash-completion/completions"},
         {"simdbloom completion zsh >completions/_simdbloom", "for a folder of zsh's fpath"},
         {"simdbloom completion fish >completions/simdbloom.fish",
          "for ~/.config/fish/completions"}});
    const auto script = std::make_shared<const char*>(nullptr);
    add_choice<const char*>(*command, "SHELL", *script,
                            {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}},
                            "bash, zsh or fish")
        ->required();
    command->callback([=, &status] {
        print_own(stdout, *script);
        status = 0;
    });
}

}  // namespace simdbloom::tools
