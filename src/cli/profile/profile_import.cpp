// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/profile/profile_import.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/profile_stores.hpp"
#include "core/import/importer.hpp"
#include "core/profile/store/store.hpp"
#include "core/program/application_id.hpp"
#include "core/program/content_id.hpp"
#include "core/program/identity.hpp"
#include "core/text/one_line.hpp"
#include "core/text/text_table.hpp"
#include "core/text/units.hpp"

namespace commmap::cli {
namespace {

struct ImportArguments {
    std::string format;
    std::vector<std::string> files;
    std::string program;
    std::string output;
    std::size_t num_ranks = 0;
    bool both_ways = false;
    bool replace = false;
};

std::vector<std::string> import_format_names() {
    std::vector<std::string> names;
    for (const ImportFormat& format : import_format_table()) names.emplace_back(format.name);
    return names;
}

std::string list_of_import_formats() {
    std::vector<std::vector<std::string>> rows;
    for (const ImportFormat& format : import_format_table())
        rows.push_back({std::string(format.name),
                        std::string(format.help) + ": " + std::string(format.files)});
    return text_of(aligned(rows));
}

/// Sets the identity of a profile. With the program's own identity, srun finds the profile.
/// Without a program the identity is made from the profile's content. So the same files with the
/// same tag get the same name each time.
Status identify(Profile& profile, const ImportArguments& arguments, const Options& options) {
    if (profile.command.empty()) profile.command = one_line(arguments.files.front(), 4096);
    if (arguments.program.empty()) {
        std::string hash = text_id(encode_profile(profile));
        hash.erase(0, hash.rfind(':') + 1);
        profile.application_id =
            with_tag("imported-" + arguments.format + "-" + hash.substr(0, 16), options.tag);
        return Ok{};
    }
    const auto program = inspect_executable(arguments.program);
    if (!program) return program.error();
    profile.application_id = with_tag(program.value().application_id, options.tag);
    profile.command = program.value().path;
    return Ok{};
}

/// Keeps an import from replacing a recorded profile by mistake: a recorded profile has more.
Status refuse_to_replace(const ProfileStore& store, const Profile& profile,
                         const ImportArguments& arguments) {
    if (arguments.program.empty() || arguments.replace) return Ok{};
    const auto runs = store.runs_of(profile.application_id, profile.num_ranks());
    if (!runs) return runs.error();
    if (runs.value().empty()) return Ok{};
    return Error{Errc::invalid_input, fmt::format("{} has a profile of {} ranks, {}: --replace "
                                                  "puts this one in its place, -o FILE keeps both",
                                                  quoted(arguments.program, 400),
                                                  profile.num_ranks(), runs.value().front().path)};
}

/// Removes runs that would be read in the profile's place.
void remove_runs(const ProfileStore& store, const Profile& profile) {
    const auto runs = store.runs_of(profile.application_id, profile.num_ranks());
    if (!runs) return;
    std::vector<std::string> removed;
    for (const ProfileStore::Entry& run : runs.value())
        if (!run.name.run.empty() && ::unlink(run.path.c_str()) == 0)
            removed.push_back("removed " + run.path);
    print_notes(removed);
}

Result<std::string> keep(const Profile& profile, const ImportArguments& arguments,
                         const Options& options) {
    if (!arguments.output.empty()) {
        const Status written =
            write_output(arguments.output, encode_profile(profile, compress_zstd));
        if (!written) return written.error();
        return arguments.output;
    }
    const auto store = own_store(options);
    if (!store) return store.error();
    if (Status s = refuse_to_replace(store.value(), profile, arguments); !s) return s.error();
    auto path = store.value().publish(profile);
    if (path && arguments.replace) remove_runs(store.value(), profile);
    return path;
}

Status import_into_profile(const ImportArguments& arguments, const Options& options) {
    if (arguments.format == "help") return write_output("", list_of_import_formats());
    if (arguments.files.empty())
        return Error{Errc::invalid_input,
                     "name the files to import (--format help lists what can be)"};
    const auto formats = import_format_table();
    const auto format = std::find_if(formats.begin(), formats.end(), [&](const ImportFormat& row) {
        return row.name == arguments.format;
    });
    if (format == formats.end())
        return Error{Errc::invalid_input,
                     fmt::format("no format is called '{}'", arguments.format)};
    if (arguments.both_ways && format->name != "mat")
        return Error{Errc::invalid_input, "--both-ways is for --format mat"};
    auto imported =
        import_profile_files(*format, arguments.files,
                             {.num_ranks = arguments.num_ranks, .both_ways = arguments.both_ways});
    if (!imported) return imported.error();
    Profile& profile = imported.value().profile;
    profile.recorder_version = "imported from " + arguments.format;
    if (Status s = identify(profile, arguments, options); !s) return s;
    profile.recorded_unix_s = static_cast<std::uint64_t>(std::time(nullptr));
    const auto path = keep(profile, arguments, options);
    if (!path) return path.error();
    print_notes(imported.value().notes);
    if (arguments.output == "-") return Ok{};
    const Phase whole = whole_run(profile);
    const TrafficSum sent = sum_of(whole.sent.cells());
    return write_output(
        "", fmt::format("{}: {} ranks, {} messages, {}\n", path.value(), profile.num_ranks(),
                        sent.count, format_bytes(static_cast<double>(sent.bytes))));
}

}  // namespace

void add_profile_import(CLI::App& profile, Context& context) {
    auto arguments = std::make_shared<ImportArguments>();
    CLI::App* command =
        profile.add_subcommand("import", "a profile from what another program wrote");
    add_table_options(*command, context, {"profile-dir", "tag"});
    command->add_option("FILE", arguments->files, "files of the other program");
    const std::vector<std::string> names = import_format_names();
    add_format_option(*command, context, arguments->format, "which; 'help' lists them", names,
                      CLI::detail::join(names, ", "))
        ->required();
    command
        ->add_option("--program", arguments->program,
                     "the executable that ran, by which srun --commmap=auto finds the profile")
        ->type_name("PROGRAM");
    command->add_option("-n,--ntasks", arguments->num_ranks, "number of ranks [the file's]")
        ->type_name("N");
    command->add_flag("--both-ways", arguments->both_ways,
                      "mat: a cell has the bytes there and back together");
    command->add_flag("--replace", arguments->replace, "replace the program's existing profile");
    command
        ->add_option("-o,--output", arguments->output,
                     "write the profile here [the profile directory]")
        ->type_name("FILE");
    command->callback([&context, arguments] {
        context.action = [&context, arguments] {
            return import_into_profile(*arguments, context.options);
        };
    });
}

}  // namespace commmap::cli
