// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "cli/command.hpp"

namespace commmap::cli {
namespace {

/// A sub-command as it is typed, such as "profile show"; the program itself is "".
struct Typed {
    std::string words;
    const CLI::App* app;
};

void collect(const CLI::App& app, const std::string& words, std::vector<Typed>& all) {
    all.push_back({words, &app});
    for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
        collect(*sub, words + (words.empty() ? "" : " ") + sub->get_name(), all);
}

std::string joined(const std::vector<std::string>& words, const std::string& between) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
    return text;
}

std::vector<std::string> names_of(const CLI::Option& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.get_snames()) names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
    return names;
}

/// Returns how bash completes an option's value: an action of compgen ("-f": files), ":" for
/// nothing.
std::string value_of(const CLI::Option& option, const WordLists& words) {
    if (const auto known = words.find(&option); known != words.end())
        return "-W \"" + joined(known->second, " ") + "\"";
    const std::string type = option.get_type_name();
    if (type == "FILE") return "-f";
    if (type == "DIR") return "-d";
    if (type == "PROGRAM") return "-c";
    return ":";
}

/// Returns one branch of `case $command`: the words and options that may come next.
std::string branch(const Typed& typed) {
    std::vector<std::string> commands;
    std::vector<std::string> options;
    bool takes_files = false;
    for (const CLI::App* sub : typed.app->get_subcommands([](const CLI::App*) { return true; }))
        commands.push_back(sub->get_name());
    for (const CLI::Option* option : typed.app->get_options()) {
        for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
        takes_files = takes_files || option->get_positional();
    }
    return fmt::format("        \"{}\") next=\"{}\" options=\"{}\"{} ;;\n", typed.words,
                       joined(commands, " "), joined(options, " "), takes_files ? " files=-f" : "");
}

std::string bash_completion(const CLI::App& app, const WordLists& words) {
    std::vector<Typed> all;
    collect(app, "", all);
    std::string branches;
    std::vector<std::string> commands;
    std::map<std::string, std::vector<std::string>> options_by_value;
    for (const Typed& typed : all) {
        branches += branch(typed);
        if (!typed.words.empty()) {
            const bool top = typed.words.find(' ') == std::string::npos;
            commands.push_back('"' + std::string(top ? " " : "") + typed.words + '"');
        }
        for (const CLI::Option* option : typed.app->get_options()) {
            if (option->get_items_expected_max() == 0 || option->get_positional()) continue;
            for (const std::string& name : names_of(*option))
                options_by_value[value_of(*option, words)].push_back('"' + typed.words + ' ' +
                                                                     name + '"');
        }
    }
    std::string values;
    for (const auto& [value, options] : options_by_value) {
        values += fmt::format("        {})\n            {} ;;\n", joined(options, " | "),
                              value == ":" ? "return" : "_commmap_complete_with " + value);
    }
    return R"(# bash completion of commmap, written by: commmap completion bash
_commmap() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    local command="" next="" options="" files="" i
    # bash splits --name=value into three words
    [[ $cur != = ]] || cur=""
    [[ $prev != = ]] || prev=${COMP_WORDS[COMP_CWORD - 2]}
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "$command ${COMP_WORDS[i]}" in
            )" +
           joined(commands, " | ") + R"()
                command="${command:+$command }${COMP_WORDS[i]}" ;;
        esac
    done
    case $command in
)" + branches +
           R"(    esac
    case "$command $prev" in
)" + values +
           R"(        *)
            if [[ $cur == -* ]]; then
                _commmap_complete_with -W "$options"
            elif [[ $next ]]; then
                _commmap_complete_with -W "$next"
            elif [[ $files ]]; then
                _commmap_complete_with "$files"
            fi ;;
    esac
}
_commmap_complete_with() {
    # names of files are escaped, and a directory gets its slash
    [[ $1 == -W ]] || compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen "$@" -- "$cur")
}
complete -F _commmap commmap
)";
}

}  // namespace

void add_completion_command(CLI::App& app, Context& context) {
    CLI::App* command =
        app.add_subcommand("completion", "what a shell needs to complete this command line: bash");
    command->require_subcommand(1);
    CLI::App* bash = command->add_subcommand("bash", "for: source <(commmap completion bash)");
    bash->callback([&app, &context] {
        context.action = [&app, &context] {
            return write_output("", bash_completion(app, context.words));
        };
    });
}

}  // namespace commmap::cli
