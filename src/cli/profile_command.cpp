#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/profile_formats.hpp"
#include "cli/profile_name.hpp"
#include "core/base/number.hpp"
#include "core/base/ranges.hpp"
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

/// " 3-5 9"
std::string missing_ranks(const Profile& profile) {
    std::string text;
    for (const std::string& range : ranges_of(profile.missing)) text += " " + range;
    return text;
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

std::string time_range(const TimeRange& time) {
    char text[64];
    std::snprintf(text, sizeof text, "%.3g-%.3g s", time.begin_s, time.end_s);
    return text;
}

/// A line about each phase, where there are several.
std::string phases_of(const Profile& profile) {
    std::string text;
    if (profile.phases_lost)
        text += "phases       not kept: a rank had not the memory to keep them apart\n";
    if (profile.phases.size() < 2) return text;
    for (std::size_t i = 0; i < profile.phases.size(); ++i) {
        const Phase& phase = profile.phases[i];
        const TrafficSum sent = sum_of(phase.sent.cells());
        std::string name = phase.label;
        if (profile.slice_s > 0.0)
            name = std::to_string(i);
        else if (name.empty())
            name = "(outside)";
        char numbers[160];
        std::snprintf(numbers, sizeof numbers, ": %.3g s, %.1f %% of it in MPI, %llu messages, %s",
                      phase.wall_s, phase.wall_s > 0.0 ? 100.0 * phase.mpi_s / phase.wall_s : 0.0,
                      static_cast<unsigned long long>(sent.count),
                      format_bytes(static_cast<double>(sent.bytes)).c_str());
        text += "phase        " + name + numbers;
        if (phase.entered > 1) text += ", " + std::to_string(phase.entered) + " times";
        constexpr std::size_t most_times = 4;
        for (std::size_t t = 0; t < std::min(phase.times.size(), most_times); ++t)
            text += (t == 0 ? "; at " : ", ") + time_range(phase.times[t]);
        if (phase.times.size() > most_times) text += ", ...";
        text += '\n';
    }
    return text;
}

/// The calls that most of the time in MPI is spent in.
std::string calls_of(const Profile& profile) {
    struct Sum {
        double seconds = 0.0;
        std::uint64_t count = 0;
        std::uint32_t call = 0;
    };
    std::vector<Sum> sums(profile.call_names.size());
    double all = 0.0;
    for (const RankRecord& rank : profile.ranks)
        for (const CallTime& time : rank.calls) {
            sums[time.call].seconds += static_cast<double>(time.seconds);
            sums[time.call].count += time.count;
            sums[time.call].call = time.call;
            all += static_cast<double>(time.seconds);
        }
    std::sort(sums.begin(), sums.end(),
              [](const Sum& a, const Sum& b) { return a.seconds > b.seconds; });
    constexpr std::size_t most_calls = 5;
    std::string text;
    for (std::size_t i = 0; i < std::min(sums.size(), most_calls); ++i) {
        char line[160];
        std::snprintf(line, sizeof line,
                      "call         %s: %.1f %% of the time in MPI, %llu calls\n",
                      profile.call_names[sums[i].call].c_str(),
                      all > 0.0 ? 100.0 * sums[i].seconds / all : 0.0,
                      static_cast<unsigned long long>(sums[i].count));
        text += line;
    }
    return text;
}

std::string summary(const Profile& profile) {
    std::size_t pairs = 0;
    double wall = 0.0;
    double mpi = 0.0;
    for (const RankRecord& rank : profile.ranks) {
        wall = std::max(wall, rank.wall_s);
        mpi += rank.wall_s > 0.0 ? rank.mpi_s / rank.wall_s : 0.0;
    }
    const Phase whole = whole_run(profile);
    const TrafficSum sent = sum_of(whole.sent.cells());
    std::array<std::uint64_t, num_size_buckets> buckets{};
    for (const TrafficCell& cell : whole.sent.cells()) buckets[cell.bucket] += cell.count;
    for (RankId rank = 0; rank < profile.num_ranks(); ++rank)
        pairs += peers_of(whole.sent.sent_by(rank)).size();
    char numbers[512];
    std::snprintf(
        numbers, sizeof numbers,
        "ranks        %zu on %zu nodes\nwall time    %.3f s, %.1f %% of it in MPI (mean over "
        "ranks)\n"
        "messages     %llu, %s, %zu pairs of ranks\n",
        profile.num_ranks(), profile.nodes.size(), wall,
        profile.ranks.empty() ? 0.0 : 100.0 * mpi / static_cast<double>(profile.ranks.size()),
        static_cast<unsigned long long>(sent.count),
        format_bytes(static_cast<double>(sent.bytes)).c_str(), pairs);
    std::string text = "command      " + profile.command + "\nidentity     " +
                       profile.application_id + "\nMPI          " + profile.mpi_library + '\n' +
                       numbers;
    if (!profile.complete)
        text +=
            "partial      " +
            (profile.missing.empty() ? "until it was ended: not every rank came to MPI_Finalize"
                                     : std::to_string(profile.missing.size()) +
                                           " ranks recorded nothing:" + missing_ranks(profile)) +
            '\n';
    text += calls_of(profile) + phases_of(profile);
    for (std::size_t i = 0; i < num_size_buckets; ++i) {
        if (buckets[i] == 0) continue;
        const bool open = i + 1 == num_size_buckets;
        const std::uint64_t limit = bucket_limit_bytes(open ? i - 1 : i);
        text += std::string("  ") + (open ? "> " : "<= ") + std::to_string(limit) +
                " B: " + std::to_string(buckets[i]) + '\n';
    }
    for (const CollectiveRecord& record : whole.collectives) {
        text += std::string("collective   ") + collective_name(record.op) + " on " +
                std::to_string(profile.communicators[record.communicator].size()) + " ranks" +
                (record.root == no_id ? "" : ", root " + std::to_string(record.root)) + ": " +
                std::to_string(record.calls) + " calls of " +
                std::to_string(record.bytes_per_call()) + " B\n";
    }
    return text;
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
        [](const ProfileArguments& a, const Options& o) { return for_each_file(a, o, summary); },
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
