// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/plan/history_text.hpp"
#include "core/config/sources.hpp"
#include "core/history/store/history_store.hpp"
#include "core/program/application_id.hpp"
#include "core/program/identity.hpp"

namespace commmap::cli {
namespace {

struct HistoryArguments {
    std::string program;
    std::optional<std::string> tag;
    bool json = false;
    bool forget = false;
};

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// Selects histories by the identity of the program, if it is a file that can be run.
/// Else selects them by the program's name, or by the beginning of the history's file name.
class Wanted {
public:
    explicit Wanted(const HistoryArguments& arguments) : arguments_(arguments) {
        if (::access(arguments.program.c_str(), X_OK) != 0) return;
        const auto program = inspect_executable(arguments.program);
        if (program) identity_ = program.value().application_id;
    }

    [[nodiscard]] bool has(const HistoryStore::Entry& entry) const {
        const std::string& name = arguments_.program;
        const bool is_named =
            name.empty() || (identity_.empty() && file_name(entry.path).starts_with(name));
        if (!entry.history) return is_named && !arguments_.tag;
        const ProgramHistory& history = entry.history.value();
        const std::string& id = history.application_id();
        if (arguments_.tag && tag_of(id) != *arguments_.tag) return false;
        return is_named ||
               (identity_.empty() ? history.program() == name : without_tag(id) == identity_);
    }

private:
    const HistoryArguments& arguments_;
    std::string identity_;
};

Status forget(const HistoryStore& store, const std::vector<HistoryStore::Entry>& entries) {
    std::string text;
    for (const HistoryStore::Entry& entry : entries) {
        if (Status done = store.forget(entry.path); !done) {
            static_cast<void>(write_output("", text));
            return done;
        }
        text += "forgot " + entry.path + '\n';
    }
    return write_output("", text);
}

Status show(const HistoryArguments& arguments, const Options& options) {
    if (arguments.forget && arguments.program.empty())
        return Error{Errc::invalid_input,
                     "whose history is to be forgotten? (commmap history --forget PROGRAM)"};
    const auto profiles = profile_directory(options);
    if (!profiles) return profiles.error();
    const HistoryStore store(profiles.value(), options.profile_visibility);
    for (;;) {  // merges all records, for the user wants all
        const HistoryStore::Merged merged = store.merge();
        print_notes(merged.notes);
        if (merged.num_records < HistoryStore::most_at_once) break;
    }
    std::vector<HistoryStore::Entry> entries;
    const Wanted wanted(arguments);
    for (HistoryStore::Entry& entry : store.list())
        if (wanted.has(entry)) entries.push_back(std::move(entry));
    if (entries.empty()) {
        const std::string nothing = fmt::format(
            "no runs{} are known in {} (srun --commmap=auto leaves a record of each)",
            arguments.program.empty() ? "" : " of '" + arguments.program + "'", store.directory());
        if (!arguments.program.empty()) return Error{Errc::not_found, nothing};
        return write_output("", arguments.json ? "[]\n" : nothing + '\n');
    }
    if (arguments.forget) return forget(store, entries);
    if (arguments.json) return write_output("", history_json(entries));
    return write_output(
        "", arguments.program.empty() ? history_summary(entries) : history_text(entries));
}

}  // namespace

void add_history_command(CLI::App& app, Context& context) {
    auto arguments = std::make_shared<HistoryArguments>();
    CLI::App* command =
        app.add_subcommand("history", "what launches were predicted to take, and what they took");
    add_table_options(*command, context, {"profile-dir"});
    command
        ->add_option(
            "PROGRAM", arguments->program,
            "a program's path or name, or the beginning of its history's name [all, a line each]")
        ->type_name("PROGRAM");
    // COMMMAP_TAG does not count: histories with other tags would go unnoticed
    command
        ->add_option("--tag", arguments->tag,
                     "only histories with this tag; with '' those without a tag [all]")
        ->type_name("NAME");
    CLI::Option* json = command->add_flag("--json", arguments->json, "as JSON, run by run");
    command
        ->add_flag("--forget", arguments->forget,
                   "remove the program's history: later launches are planned without it")
        ->excludes(json);
    command->callback([&context, arguments] {
        context.action = [&context, arguments] { return show(*arguments, context.options); };
    });
}

}  // namespace commmap::cli
