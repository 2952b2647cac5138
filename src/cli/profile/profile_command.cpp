// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/profile/profile_diff.hpp"
#include "cli/profile/profile_formats.hpp"
#include "cli/profile/profile_gc.hpp"
#include "cli/profile/profile_identify.hpp"
#include "cli/profile/profile_import.hpp"
#include "cli/profile/profile_list.hpp"
#include "cli/profile/profile_text.hpp"
#include "cli/profile/profile_verify.hpp"
#include "cli/profile_name.hpp"
#include "cli/profile_stores.hpp"
#include "core/base/number.hpp"
#include "core/profile/store/store.hpp"
#include "core/profile/store/unfinished_run.hpp"
#include "core/program/application_id.hpp"
#include "core/text/text_table.hpp"

namespace commmap::cli {
namespace {

struct ProfileArguments {
    std::vector<std::string> files;
    std::string output;
    bool json = false;
    std::string format = "json";
    std::vector<std::string> limits;
    GcLimits gc;
    std::optional<std::string> tag;  ///< only profiles with this tag; empty: without a tag
    bool runs = false;
};

Status list(const ProfileArguments& arguments, const Options& options) {
    const auto stores = profile_stores(options);
    if (!stores) return stores.error();
    const auto text =
        profile_list(stores.value(), std::time(nullptr), arguments.runs, arguments.tag);
    if (!text) return text.error();
    return write_output("", text.value());
}

/// Prints a line about each run that was collected.
Status collect(const ProfileArguments& arguments, const Options& options) {
    const auto store = own_store(options);
    if (!store) return store.error();
    std::string text;
    for (const std::string& name : arguments.files) {
        const auto dot = name.find('.');
        const auto job = parse_number(std::string_view(name).substr(0, dot));
        const auto step = dot == std::string::npos
                              ? std::nullopt
                              : parse_number(std::string_view(name).substr(dot + 1));
        if (!job || !step || *job > UINT32_MAX || *step > UINT32_MAX)
            return Error{
                Errc::invalid_input,
                fmt::format("'{}' is no job step: give JOB.STEP, for instance 1234.0", name)};
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
        const auto profile = load_named_profile(name, options);
        if (!profile) return profile.error();
        text += print(profile.value());
    }
    return write_output(arguments.output, text);
}

/// Compares two profiles. Fails when a limit is exceeded.
Status diff(const ProfileArguments& arguments, const Options& options) {
    std::vector<ChangeLimit> limits;
    for (const std::string& text : arguments.limits) {
        auto limit = parse_change_limit(text);
        if (!limit) return limit.error();
        limits.push_back(std::move(limit).value());
    }
    const auto before = load_named_profile(arguments.files.front(), options);
    if (!before) return before.error();
    const auto after = load_named_profile(arguments.files.back(), options);
    if (!after) return after.error();
    const ProfileDiff found = diff_profiles(before.value(), after.value(), limits);
    if (Status written = write_output("", found.text); !written) return written;
    if (found.exceeded.empty()) return Ok{};
    std::string all;
    for (const std::string& line : found.exceeded) all += (all.empty() ? "" : "; ") + line;
    return Error{Errc::invalid_input, all};
}

/// Merges all named profiles into one file.
Status merge(const ProfileArguments& arguments, const Options& options) {
    std::vector<std::string> paths;
    std::vector<std::string> notes;
    for (const std::string& name : arguments.files) {
        auto found = find_profile_files(name, options);
        if (!found) return found.error();
        for (std::string& path : found.value().paths) paths.push_back(std::move(path));
        for (std::string& note : found.value().notes) notes.push_back(std::move(note));
    }
    std::vector<std::string> once;  // no run is counted twice
    for (const std::string& path : paths)
        if (std::find(once.begin(), once.end(), path) == once.end()) once.push_back(path);
    const auto loaded = read_runs(once);
    if (!loaded) return loaded.error();
    // These files may be of different kinds, so each of them must be usable.
    notes.insert(notes.end(), loaded.value().notes.begin(), loaded.value().notes.end());
    if (!notes.empty())
        return Error{Errc::invalid_input,
                     fmt::format("they cannot be merged: {}",
                                 notes.front().substr(0, notes.front().find("; ")))};
    return write_output(arguments.output, encode_profile(loaded.value().profile, compress_zstd));
}

Status publish(const ProfileArguments& arguments, const Options& options) {
    const auto store = site_store(options);
    if (!store) return store.error();
    std::vector<Profile> profiles;  // if not all can be read, none is published
    for (const std::string& name : arguments.files) {
        auto profile = load_named_profile(name, options);
        if (!profile) return profile.error();
        if (!profile.value().missing.empty())
            return Error{Errc::invalid_input,
                         fmt::format("'{}' is partial: {} ranks are missing; record it again with "
                                     "srun --commmap=profile",
                                     name, profile.value().missing.size())};
        profiles.push_back(std::move(profile).value());
    }
    std::string text;
    for (const Profile& profile : profiles) {
        const auto path = store.value().publish(profile);
        if (!path) return path.error();
        text += "published " + path.value() + '\n';
    }
    return write_output("", text);
}

Status collect_garbage(const ProfileArguments& arguments, const Options& options) {
    const auto store = own_store(options);
    if (!store) return store.error();
    GcLimits limits = arguments.gc;
    limits.tag = arguments.tag;
    const auto text = cli::collect_garbage(store.value(), limits, std::time(nullptr));
    if (!text) return text.error();
    return write_output("", text.value());
}

std::optional<double> parse_days(const std::string& text) {
    double days = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), days);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(days) ||
        days <= 0.0)
        return std::nullopt;
    return days;
}

std::vector<std::string> profile_format_names() {
    std::vector<std::string> names;
    for (const ProfileFormat& format : profile_format_table()) names.emplace_back(format.name);
    return names;
}

std::string list_of_formats() {
    std::vector<std::vector<std::string>> rows;
    for (const ProfileFormat& format : profile_format_table())
        rows.push_back({std::string(format.name), std::string(format.help)});
    return text_of(aligned(rows));
}

Status export_profile(const ProfileArguments& arguments, const Options& options) {
    if (arguments.format == "help") return write_output("", list_of_formats());
    if (arguments.files.empty())
        return Error{Errc::invalid_input, "name a profile (commmap profile list shows them)"};
    for (const ProfileFormat& format : profile_format_table())
        if (format.name == arguments.format) return for_each_file(arguments, options, format.write);
    return Error{Errc::invalid_input, fmt::format("no format is called '{}'", arguments.format)};
}

/// Returns whether a file is in a store; else the user chose its name.
bool is_in(const std::vector<ProfileStore>& stores, const std::string& path) {
    const std::filesystem::path directory = std::filesystem::path(path).parent_path();
    return std::any_of(stores.begin(), stores.end(), [&](const ProfileStore& store) {
        std::error_code error;
        return std::filesystem::equivalent(directory.empty() ? "." : directory, store.directory(),
                                           error);
    });
}

/// Verifies all named profiles, or all that there are. A damaged profile does not keep the others
/// from being checked.
Status verify(const ProfileArguments& arguments, const Options& options) {
    const auto stores = profile_stores(options);
    if (!stores) return stores.error();
    std::vector<std::string> paths;
    for (const std::string& name : arguments.files) {
        const auto some = find_all_profile_files(name, options);
        if (!some) return some.error();
        paths.insert(paths.end(), some.value().begin(), some.value().end());
    }
    if (arguments.files.empty()) {
        const auto entries = stores.value().front().list();
        if (!entries) return entries.error();
        for (const ProfileStore::Entry& entry : entries.value()) paths.push_back(entry.path);
    }
    if (paths.empty()) return write_output("", "no profiles to verify\n");
    std::string text;
    std::size_t damaged = 0;
    for (const std::string& path : paths) {
        const auto verified = verify_profile_file(path, is_in(stores.value(), path));
        if (!verified) ++damaged;
        text += (verified ? verified.value() : verified.error().message) + '\n';
    }
    if (Status written = write_output("", text); !written) return written;
    if (damaged == 0) return Ok{};
    return Error{Errc::corrupt,
                 fmt::format("{} of {} profiles cannot be used", damaged, paths.size())};
}

std::string tag_of_file(const std::string& path) {
    const auto name = parse_stored_name(std::string_view(path).substr(path.rfind('/') + 1));
    return name ? tag_of(name->application_id) : "";
}

/// Removes profiles. A program's name stands for all of its runs.
Status remove(const ProfileArguments& arguments, const Options& options) {
    std::vector<std::string> paths;  // if not all are there, none is removed
    for (const std::string& name : arguments.files) {
        const auto some = find_all_profile_files(name, options, Where::users);
        if (!some) return some.error();
        for (const std::string& path : some.value())
            // Only our own files are removed: this command must not become another rm.
            if (!path.ends_with(".commmap") && !path.ends_with(".commmap.partial"))
                return Error{
                    Errc::invalid_input,
                    fmt::format("'{}' is not a profile (its name does not end in .commmap)", path)};
        for (const std::string& path : some.value())
            if (arguments.tag && tag_of_file(path) != *arguments.tag)
                return Error{Errc::invalid_input,
                             fmt::format("'{}' does not have the tag '{}': nothing is removed",
                                         path, *arguments.tag)};
        paths.insert(paths.end(), some.value().begin(), some.value().end());
    }
    std::string text;
    for (const std::string& path : paths) {
        if (::unlink(path.c_str()) != 0) {
            const Error failed{Errc::io,
                               fmt::format("cannot remove '{}': {}", path, std::strerror(errno))};
            static_cast<void>(write_output("", text));
            return failed;
        }
        text += "removed " + path + '\n';
    }
    return write_output("", text);
}

}  // namespace

void add_profile_command(CLI::App& app, Context& context) {
    auto arguments = std::make_shared<ProfileArguments>();
    CLI::App* command = app.add_subcommand(
        "profile", "what was recorded: list, show, diff, export, import, publish, rm, ...");
    command->require_subcommand(1);
    const auto add = [&](const char* name, const char* help, auto work, bool takes_files) {
        CLI::App* sub = command->add_subcommand(name, help);
        add_table_options(*sub, context, {"profile-dir", "site-profiles"});
        if (!takes_files) {
            // COMMMAP_TAG does not count: profiles with other tags would go unnoticed
            sub->add_option("--tag", arguments->tag,
                            "only profiles with this tag; with '' those without a tag [all]")
                ->type_name("NAME");
        } else {
            add_table_options(*sub, context, {"tag"});
            sub->add_option("FILE", arguments->files,
                            "a path, how its name in the profile directory begins, or the "
                            "recorded program's name")
                ->required();
        }
        sub->callback([&context, arguments, work, sub, takes_files] {
            if (takes_files && sub->count("--tag") > 0) arguments->tag = context.options.tag;
            context.action = [&context, arguments, work] {
                return work(*arguments, context.options);
            };
        });
        return sub;
    };
    add(
        "list", "the profiles of this user and of the site",
        [](const ProfileArguments& a, const Options& o) { return list(a, o); }, false)
        ->add_flag("--runs", arguments->runs, "a line for each run");
    add(
        "show", "a summary",
        [](const ProfileArguments& a, const Options& o) {
            return for_each_file(a, o, profile_summary);
        },
        true);
    CLI::App* exporter = add(
        "export", "all of it, or the messages in another program's format",
        [](const ProfileArguments& a, const Options& o) { return export_profile(a, o); }, true);
    // one file cannot hold two documents; --format help needs no file
    exporter->get_option("FILE")->required(false)->expected(0, 1);
    const std::vector<std::string> names = profile_format_names();
    CLI::Option* format =
        add_format_option(*exporter, context, arguments->format, "which; 'help' lists them [json]",
                          names, CLI::detail::join(names, ", "));
    exporter->add_flag("--json", arguments->json, "the same as --format json")->excludes(format);
    exporter->add_option("-o,--output", arguments->output, "write here [standard output]")
        ->type_name("FILE");
    add_profile_import(*command, context);
    add_profile_identify(*command, context);
    CLI::App* differ = add(
        "diff", "what changed from one profile to another",
        [](const ProfileArguments& a, const Options& o) { return diff(a, o); }, true);
    differ->get_option("FILE")->expected(2);
    differ
        ->add_option("--fail-if", arguments->limits,
                     "exit with 1 when a figure changed more than this, for instance bytes>+10%")
        ->type_name("LIMIT")
        ->allow_extra_args(false)
        ->check([](const std::string& text) {
            const auto limit = parse_change_limit(text);
            return limit ? std::string() : limit.error().message;
        });
    CLI::App* merger = add(
        "merge", "several runs as one profile: the mean",
        [](const ProfileArguments& a, const Options& o) { return merge(a, o); }, true);
    merger->add_option("-o,--output", arguments->output, "write it here")
        ->type_name("FILE")
        ->required();
    add(
        "publish", "put the mean of a profile's runs into the site's directory, for everybody",
        [](const ProfileArguments& a, const Options& o) { return publish(a, o); }, true);
    CLI::App* collector_of_garbage = add(
        "gc", "remove old runs, and what killed runs left behind",
        [](const ProfileArguments& a, const Options& o) { return collect_garbage(a, o); }, false);
    collector_of_garbage
        ->add_option("--keep", arguments->gc.runs, "runs of a program and number of ranks [8]")
        ->type_name("N")
        ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 20));
    collector_of_garbage
        ->add_option("--older-than", arguments->gc.days,
                     "also remove runs older than this [no limit]")
        ->type_name("DAYS")
        ->check([](const std::string& text) {
            const auto days = parse_days(text);
            return days ? std::string() : "'" + text + "' is no number of days above 0";
        });
    collector_of_garbage->add_flag("--dry-run", arguments->gc.dry_run,
                                   "list what would be removed");
    CLI::App* verifier = add(
        "verify", "read all of a profile and check it; without FILE all of this user's",
        [](const ProfileArguments& a, const Options& o) { return verify(a, o); }, true);
    verifier->get_option("FILE")->required(false);
    CLI::App* collector = command->add_subcommand(
        "collect", "make a profile from the nodes' parts of a job step whose srun was killed");
    add_table_options(*collector, context, {"profile-dir", "profile-readers"});
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
