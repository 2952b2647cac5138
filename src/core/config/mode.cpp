// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/config/mode.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "core/text/suggest.hpp"

namespace commmap {
namespace {

constexpr unsigned anywhere = scope_cli | scope_environment | scope_plugstack;
/// For words that a site cannot set. With them a launch does not run, or leaves files that no user
/// asked for.
constexpr unsigned users = scope_cli | scope_environment;

constexpr std::array modes{
    ModeRow{"off", "launch as without commmap", anywhere},
    ModeRow{"profile", "record who sends what to whom, once for a program and a number of ranks",
            anywhere},
    ModeRow{"auto", "place the tasks by that record: rank order and CPU binding", anywhere},
    ModeRow{"help", "print this and end", scope_cli},
};

constexpr std::array words{
    ModeWord{"verbose", "", "off",
             "print the candidates, what is left alone, and which ranks move where", anywhere,
             false,
             [](Options& options, std::string_view) -> Status {
                 options.verbose = true;
                 return Ok{};
             }},
    ModeWord{"keep", "WHAT", "none", "the part of Slurm's layout that stays: none, blocks or order",
             anywhere, true, set_keep},
    ModeWord{"inside", "WHAT", "none", "what runs otherwise inside the tasks: none or collectives",
             anywhere, true, set_inside},
    ModeWord{"tag", "NAME", "none", "record under this name, or use the profiles of this name",
             users, false, set_tag},
    ModeWord{"dry-run", "", "off",
             "print what verbose prints, launch nothing; only in an allocation", users, true,
             [](Options& options, std::string_view) -> Status {
                 options.dry_run = options.verbose = true;
                 return Ok{};
             }},
    ModeWord{"report", "FILE", "none",
             "write the plan, and whether Slurm followed it, to FILE as JSON; %j is the job's "
             "number; no comma in the name",
             users, true,
             [](Options& options, std::string_view value) -> Status {
                 options.report = value;
                 return Ok{};
             }},
};

Error refuse(std::string message) { return {Errc::invalid_input, std::move(message)}; }

template <class Row>
const Row* find(std::span<const Row> table, std::string_view name, unsigned scope) {
    const auto found = std::find_if(table.begin(), table.end(), [&](const Row& row) {
        return row.name == name && (row.scopes & scope) != 0;
    });
    return found == table.end() ? nullptr : &*found;
}

/// Lists the names of a table: "; did you mean 'auto'? (off, profile or auto)".
template <class Row>
std::string known(std::span<const Row> table, std::string_view name, unsigned scope) {
    std::vector<std::string_view> names;
    for (const Row& row : table) {
        if ((row.scopes & scope) != 0) names.push_back(row.name);
    }
    std::string list;
    for (const std::string_view each : names) {
        const bool last = each == names.back() && names.size() > 1;
        list += (list.empty() ? "" : last ? " or " : ", ") + std::string(each);
    }
    return fmt::format("{} ({})", did_you_mean(name, names), list);
}

/// Returns "report=FILE", or just "verbose" for a word without a value.
std::string with_value(std::string_view name, std::string_view value) {
    return value.empty() ? std::string(name) : fmt::format("{}={}", name, value);
}

/// Refuses a setting that is given as a word, and says how to give the setting.
/// @return  nullopt: the name is no setting's, or a word has that name too
std::optional<Error> refuse_setting(std::string_view name, unsigned scope) {
    const unsigned where = scope == scope_plugstack ? scope_plugstack : scope_environment;
    const OptionSpec* const option = find(option_table(), name, where);
    if (option == nullptr || name == "mode" || find<ModeWord>(words, name, anywhere) != nullptr)
        return std::nullopt;
    const std::string known_as =
        where == scope_plugstack ? std::string(name) : environment_name(name);
    return refuse(fmt::format("'{}' is no word of {}: set {}", name,
                              where == scope_plugstack ? "mode" : "--commmap",
                              with_value(known_as, option->value)));
}

Status set_word(Options& options, std::string_view text, unsigned scope, bool automatic) {
    const auto equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    const bool has_value = equals != std::string_view::npos;
    const ModeWord* const word = find<ModeWord>(words, name, scope);
    if (word == nullptr) {
        if (std::optional<Error> refused = refuse_setting(name, scope)) return *std::move(refused);
        const bool after_file = !options.report.empty();
        return refuse(
            fmt::format("unknown word '{}'{}{}", text, known<ModeWord>(words, name, scope),
                        after_file ? "; the file's name after report= can have no comma" : ""));
    }
    if (word->only_automatic && !automatic)
        return refuse(fmt::format("'{}' works with the mode auto only", name));
    if (has_value && word->value.empty())
        return refuse(fmt::format("'{}': {} takes no value", text, name));
    if (!word->value.empty() && (!has_value || equals + 1 == text.size()))
        return refuse(fmt::format("'{}' is not {}", text, with_value(name, word->value)));
    return word->set(options, has_value ? text.substr(equals + 1) : "");
}

std::string help_line(std::string name, std::string_view help, std::string_view default_text) {
    constexpr std::size_t column = 29;
    name.insert(0, "  ");
    name.resize(std::max(column, name.size() + 1), ' ');
    name += help;
    if (!default_text.empty()) name += fmt::format(" [{}]", default_text);
    return name + '\n';
}

}  // namespace

std::span<const ModeRow> mode_table() { return modes; }
std::span<const ModeWord> mode_word_table() { return words; }

Status set_mode(Options& options, std::string_view value, unsigned scope) {
    auto comma = value.find(',');
    const std::string_view mode = value.substr(0, comma);
    if (find<ModeRow>(modes, mode, scope) == nullptr) {
        const std::string_view name = mode.substr(0, mode.find('='));
        if (std::optional<Error> refused = refuse_setting(name, scope)) return *std::move(refused);
        if (const ModeWord* word = find<ModeWord>(words, name, scope); word != nullptr)
            return refuse(fmt::format("'{}' comes after a mode: auto,{}", name,
                                      with_value(name, word->value)));
        return refuse(
            fmt::format("'{}' is not a mode{}", mode, known<ModeRow>(modes, mode, scope)));
    }
    Options changed = options;
    changed.mode = mode == "profile" ? Mode::profile : mode == "auto" ? Mode::automatic : Mode::off;
    changed.help = mode == "help";
    // A later source's mode also replaces the dry-run and the report of an earlier source.
    changed.dry_run = false;
    changed.report.clear();
    while (comma != std::string_view::npos) {
        value.remove_prefix(comma + 1);
        comma = value.find(',');
        Status set =
            set_word(changed, value.substr(0, comma), scope, changed.mode == Mode::automatic);
        if (!set) return set;
    }
    options = std::move(changed);
    return Ok{};
}

std::string mode_help() {
    std::string text = "srun --commmap=MODE[,WORD...]\n\nmodes\n";
    const OptionSpec* const mode_option =
        &*std::find_if(option_table().begin(), option_table().end(),
                       [](const OptionSpec& spec) { return spec.name == "mode"; });
    for (const ModeRow& mode : modes) {
        const bool is_default = mode.name == mode_option->default_text;
        text += help_line(std::string(mode.name), mode.help, is_default ? "default" : "");
    }
    text += "\nwords\n";
    for (const ModeWord& word : words) {
        text += help_line(with_value(word.name, word.value), word.help, word.default_text);
    }
    text += "\nsettings, as environment variables\n";
    for (const OptionSpec& spec : option_table()) {
        if ((spec.scopes & scope_environment) == 0) continue;
        text += help_line(with_value(environment_name(spec.name), spec.value), spec.help,
                          spec.default_text);
    }
    return text;
}

}  // namespace commmap
