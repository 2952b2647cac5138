#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/profile_formats.hpp"
#include "cli/profile_name.hpp"
#include "cli/profile_text.hpp"
#include "cli/profile_verify.hpp"
#include "core/base/number.hpp"
#include "core/base/units.hpp"
#include "core/config/sources.hpp"
#include "core/profile/store.hpp"
#include "core/profile/unfinished_run.hpp"

namespace commmap::cli {
namespace {

struct ProfileArguments {
    std::vector<std::string> files;
    std::string output;
    bool json = false;
    std::string format = "json";
};

Result<ProfileStore> open_store(const Options& options) {
    auto directory = profile_directory(options);
    if (!directory) return directory.error();
    return ProfileStore(std::move(directory).value(), compress_zstd);
}

Status list(const Options& options) {
    const auto store = open_store(options);
    if (!store) return store.error();
    const auto entries = store.value().list();
    if (!entries) return entries.error();
    if (entries.value().empty()) {
        return write_output("", "no profiles in " + store.value().directory() +
                                    " (record one: srun --commmap=profile ./app)\n");
    }
    std::string text = "ranks  size       command and file\n";
    for (const ProfileStore::Entry& entry : entries.value()) {
        const auto profile = open_profile_file(entry.path);
        char line[64];
        std::snprintf(line, sizeof line, "%-6zu %-10s ", entry.num_ranks,
                      format_bytes(static_cast<double>(entry.size_bytes)).c_str());
        text +=
            line + std::string(entry.partial ? "(partial) " : "") +
            (profile ? profile.value().head().command : "(cannot be read: profile show says why)") +
            "  " + entry.path.substr(entry.path.rfind('/') + 1) + '\n';
    }
    return write_output("", text);
}

/// A line about each run that was collected.
Status collect(const ProfileArguments& arguments, const Options& options) {
    const auto store = open_store(options);
    if (!store) return store.error();
    std::string text;
    for (const std::string& name : arguments.files) {
        const auto dot = name.find('.');
        const auto job = parse_number(std::string_view(name).substr(0, dot));
        const auto step = dot == std::string::npos
                              ? std::nullopt
                              : parse_number(std::string_view(name).substr(dot + 1));
        if (!job || !step || *job > UINT32_MAX || *step > UINT32_MAX)
            return Error{Errc::invalid_input,
                         "'" + name + "' is no job step: give JOB.STEP, for instance 1234.0"};
        const auto collected =
            UnfinishedRun(store.value().directory(), static_cast<std::uint32_t>(*job),
                          static_cast<std::uint32_t>(*step))
                .collect(store.value());
        if (!collected) return collected.error();
        text += collected.value();
    }
    return write_output("", text);
}

template <class Print>
Status for_each_file(const ProfileArguments& arguments, const Options& options, Print&& print) {
    std::string text;
    for (const std::string& name : arguments.files) {
        const auto path = find_profile_file(name, options);
        if (!path) return path.error();
        const auto profile = read_profile_file(path.value());
        if (!profile) return profile.error();
        text += print(profile.value());
    }
    return write_output(arguments.output, text);
}

std::vector<std::string> profile_format_names() {
    std::vector<std::string> names;
    for (const ProfileFormat& format : profile_format_table()) names.emplace_back(format.name);
    return names;
}

std::string list_of_formats() {
    std::string text;
    for (const ProfileFormat& format : profile_format_table()) {
        std::string name(format.name);
        name.resize(std::max<std::size_t>(name.size() + 1, 14), ' ');
        text += name + std::string(format.help) + '\n';
    }
    return text;
}

Status export_profile(const ProfileArguments& arguments, const Options& options) {
    if (arguments.format == "help") return write_output("", list_of_formats());
    if (arguments.files.empty())
        return Error{Errc::invalid_input, "name a profile (commmap profile list shows them)"};
    for (const ProfileFormat& format : profile_format_table())
        if (format.name == arguments.format) return for_each_file(arguments, options, format.write);
    return Error{Errc::invalid_input, "no format is called '" + arguments.format + "'"};
}

/// All that are named, or all that there are; a damaged one does not keep the others from being
/// looked at.
Status verify(const ProfileArguments& arguments, const Options& options) {
    std::vector<std::string> paths;
    for (const std::string& name : arguments.files) {
        const auto path = find_profile_file(name, options);
        if (!path) return path.error();
        paths.push_back(path.value());
    }
    if (arguments.files.empty()) {
        const auto store = open_store(options);
        if (!store) return store.error();
        const auto entries = store.value().list();
        if (!entries) return entries.error();
        for (const ProfileStore::Entry& entry : entries.value()) paths.push_back(entry.path);
    }
    std::string text;
    std::size_t damaged = 0;
    for (const std::string& path : paths) {
        const auto verified = verify_profile_file(path);
        if (!verified) ++damaged;
        text += (verified ? verified.value() : verified.error().message) + '\n';
    }
    if (Status written = write_output("", text); !written) return written;
    if (damaged == 0) return Ok{};
    return Error{Errc::corrupt, std::to_string(damaged) + " of " + std::to_string(paths.size()) +
                                    " profiles cannot be used"};
}

Status remove(const ProfileArguments& arguments, const Options& options) {
    for (const std::string& name : arguments.files) {
        const auto path = find_profile_file(name, options);
        if (!path) return path.error();
        // Only what is ours: the command must not become another rm.
        if (!path.value().ends_with(".commmap") && !path.value().ends_with(".commmap.partial"))
            return Error{
                Errc::invalid_input,
                "'" + path.value() + "' is not a profile (its name does not end in .commmap)"};
        if (::unlink(path.value().c_str()) != 0)
            return Error{Errc::io, "cannot remove '" + path.value() + "': " + std::strerror(errno)};
    }
    return Ok{};
}

}  // namespace

void add_profile_command(CLI::App& app, Context& context) {
    auto arguments = std::make_shared<ProfileArguments>();
    CLI::App* command =
        app.add_subcommand("profile", "what was recorded: list, show, export, remove");
    command->require_subcommand(1);
    const auto add = [&](const char* name, const char* help, auto work, bool takes_files) {
        CLI::App* sub = command->add_subcommand(name, help);
        add_table_options(*sub, context, {"profile-dir"});
        if (takes_files) {
            sub->add_option("FILE", arguments->files,
                            "a path, how its name in the profile directory begins, or the "
                            "recorded program's name")
                ->required();
        }
        sub->callback([&context, arguments, work] {
            context.action = [&context, arguments, work] {
                return work(*arguments, context.options);
            };
        });
        return sub;
    };
    add(
        "list", "the profiles of this user",
        [](const ProfileArguments&, const Options& options) { return list(options); }, false);
    add(
        "show", "a summary",
        [](const ProfileArguments& a, const Options& o) {
            return for_each_file(a, o, profile_summary);
        },
        true);
    CLI::App* exporter = add(
        "export", "all of it, or the messages in another program's format",
        [](const ProfileArguments& a, const Options& o) { return export_profile(a, o); }, true);
    // two documents in one file are none; --format help needs none
    exporter->get_option("FILE")->required(false)->expected(0, 1);
    const std::vector<std::string> names = profile_format_names();
    CLI::Option* format =
        add_format_option(*exporter, context, arguments->format, "which; 'help' lists them [json]",
                          names, CLI::detail::join(names, ", "));
    exporter->add_flag("--json", arguments->json, "the same as --format json")->excludes(format);
    exporter->add_option("-o,--output", arguments->output, "write here [standard output]")
        ->type_name("FILE");
    CLI::App* verifier = add(
        "verify", "read all of a profile and check it; without FILE all of this user's",
        [](const ProfileArguments& a, const Options& o) { return verify(a, o); }, true);
    verifier->get_option("FILE")->required(false);
    CLI::App* collector = command->add_subcommand(
        "collect", "a profile from what the nodes of a job step kept (its srun does it as well)");
    add_table_options(*collector, context, {"profile-dir"});
    collector->add_option("JOB.STEP", arguments->files, "the job step, for instance 1234.0")
        ->required();
    collector->callback([&context, arguments] {
        context.action = [&context, arguments] { return collect(*arguments, context.options); };
    });
    add(
        "rm", "remove profiles",
        [](const ProfileArguments& a, const Options& o) { return remove(a, o); }, true);
}

}  // namespace commmap::cli
