// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/command.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "core/base/file.hpp"
#include "core/mapping/mapper_table.hpp"
#include "core/text/suggest.hpp"

namespace commmap::cli {

namespace {

void add_table_option(CLI::App& command, Context& context, const OptionSpec& spec) {
    const std::string name(spec.name);
    const bool in_environment = (spec.scopes & scope_environment) != 0;
    CLI::Option* option =
        command
            .add_option_function<std::string>(
                "--" + name,
                [&context, name](const std::string& value) {
                    const Status status = set_option(context.options, scope_cli, name, value);
                    if (!status) throw CLI::ValidationError("--" + status.error().message);
                },
                std::string(spec.help) + " [" + std::string(spec.default_text) + "]" +
                    (in_environment ? " (environment: " + environment_name(spec.name) + ")" : ""))
            ->type_name(std::string(spec.value));
    if (spec.value.find('|') != std::string_view::npos)
        context.words[option] = CLI::detail::split(std::string(spec.value), '|');
}

}  // namespace

void add_table_options(CLI::App& command, Context& context,
                       std::initializer_list<std::string_view> names) {
    for (const OptionSpec& spec : option_table()) {
        if (std::find(names.begin(), names.end(), spec.name) != names.end())
            add_table_option(command, context, spec);
    }
}

void add_planner_options(CLI::App& command, Context& context) {
    for (const OptionSpec& spec : option_table()) {
        const bool is_there = command.get_option_no_throw("--" + std::string(spec.name)) != nullptr;
        if (spec.for_planner != nullptr && !is_there) add_table_option(command, context, spec);
    }
}

CLI::Option* add_format_option(CLI::App& command, Context& context, std::string& format,
                               const std::string& help, const std::vector<std::string>& names,
                               const std::string& list) {
    // CLI11's way: returns an empty text, or why this is no format
    const auto refuse = [names, list](const std::string& name) -> std::string {
        if (name == "help" || std::find(names.begin(), names.end(), name) != names.end()) return {};
        const std::vector<std::string_view> known(names.begin(), names.end());
        return fmt::format("no format is called '{}'{} ({})", name, did_you_mean(name, known),
                           list);
    };
    CLI::Option* option =
        command.add_option("--format", format, help)->check(refuse)->type_name("FORMAT");
    context.words[option] = names;
    context.words[option].emplace_back("help");
    return option;
}

std::vector<std::string> mapper_names() {
    std::vector<std::string> names;
    for (const MapperInfo& mapper : mapper_table()) names.emplace_back(mapper.name);
    return names;
}

std::string text_of(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + '\n';
    return text;
}

void print_notes(const std::vector<std::string>& notes) {
    for (const std::string& note : notes) std::fprintf(stderr, "commmap: %s\n", note.c_str());
}

Status write_output(const std::string& path, const std::string& text) {
    if (!path.empty() && path != "-") return write_to(path, text);
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
        std::fflush(stdout) != 0) {
        return Error{Errc::io, "cannot write to standard output"};
    }
    return Ok{};
}

}  // namespace commmap::cli
