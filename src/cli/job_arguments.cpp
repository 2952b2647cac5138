// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/job_arguments.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "cli/profile_name.hpp"
#include "cli/profile_stores.hpp"
#include "core/base/handle.hpp"
#include "core/config/sources.hpp"
#include "core/profile/store/store.hpp"
#include "core/program/application_id.hpp"
#include "core/program/find_executable.hpp"
#include "core/program/identity.hpp"
#include "core/program/launched_program.hpp"
#include "core/text/node_runs.hpp"
#include "core/topology/cluster_yaml.hpp"

namespace commmap::cli {
namespace {

std::string search_path() { return own_variable("PATH").value_or(""); }

std::string directory_of(const JobArguments& arguments) {
    if (!arguments.directory.empty()) return arguments.directory;
    const std::unique_ptr<char, FreeWith<std::free>> here(::getcwd(nullptr, 0));
    return here ? here.get() : "/";
}

LaunchedProgram launched(const JobArguments& arguments) {
    std::vector<std::string> words = {arguments.command};
    words.insert(words.end(), arguments.words.begin(), arguments.words.end());
    return find_launched_program(words, search_path(), directory_of(arguments));
}

/// Reads standard input, while the command line is parsed. Errors: throws CLI::ValidationError.
std::string standard_input() {
    constexpr std::size_t most_bytes = std::size_t{64} << 20;
    std::string text;
    std::array<char, 65536> block{};
    while (const std::size_t got = std::fread(block.data(), 1, block.size(), stdin)) {
        text.append(block.data(), got);
        if (text.size() > most_bytes)
            throw CLI::ValidationError("--layout: more than 64 MiB on standard input");
    }
    text.erase(text.find_last_not_of("\r\n") + 1);
    if (text.empty() || std::ferror(stdin) != 0)
        throw CLI::ValidationError("--layout -: standard input is empty or cannot be read");
    return text;
}

}  // namespace

CLI::Option* add_layout_option(CLI::App& command, JobArguments& arguments,
                               const std::string& help) {
    return command.add_option("--layout", arguments.layout, help + "; '-': from standard input")
        ->type_name("NODES")
        ->transform([](const std::string& text) { return text == "-" ? standard_input() : text; });
}

void add_command_arguments(CLI::App& command, JobArguments& arguments) {
    command
        .add_option(
            "--command", arguments.command,
            "use this program's profile; put its arguments after -- if they name a script or "
            "another program")
        ->type_name("PROGRAM");
    command.add_option("ARGUMENT", arguments.words, "the program's arguments");
    command.add_option("--chdir", arguments.directory, "where the program starts [here]")
        ->type_name("DIR");
    command.add_option("-n,--ntasks", arguments.num_ranks, "number of ranks [the profile's]")
        ->type_name("N");
}

void add_job_arguments(CLI::App& command, Context& context, JobArguments& arguments) {
    command
        .add_option("--profile", arguments.profile_file,
                    "a path, or a name that commmap profile list shows; instead of --command")
        ->type_name("FILE");
    add_command_arguments(command, arguments);
    command
        .add_option(
            "--nodelist", arguments.nodelist,
            "the job's nodes, as in SLURM_JOB_NODELIST [this job's; outside of one the whole "
            "cluster]")
        ->type_name("LIST");
    command
        .add_option("--cpus-per-node", arguments.cpus_per_node,
                    "as in SLURM_JOB_CPUS_PER_NODE: '4(x3),2' [this job's; all]")
        ->type_name("COUNTS");
    command
        .add_option("-c,--cpus-per-task", arguments.cpus_per_task, "CPUs that each rank gets [1]")
        ->type_name("N")
        ->check(CLI::Range(1U, 1U << 16));
    add_layout_option(
        command, arguments,
        "the node of each rank as Slurm lays the step out, as index in the node list: "
        "'0x2,1x2', or 'topology': block in the order of the cluster YAML [block]");
    add_table_options(command, context,
                      {"cluster", "profile-dir", "site-profiles", "tag", "collectives"});
}

Result<Allocation> named_allocation(const Cluster& cluster, const std::string& nodelist,
                                    const std::string& cpus_per_node) {
    if (!nodelist.empty()) return parse_slurm_allocation(nodelist, cpus_per_node);
    if (!cpus_per_node.empty())
        return Error{Errc::invalid_input, "--cpus-per-node needs --nodelist"};
    return whole_cluster(cluster);
}

Result<ProfileChoice> choose_profile(const JobArguments& arguments, const Options& options) {
    if (!arguments.profile_file.empty()) {
        auto found = find_profile_files(arguments.profile_file, options);
        if (!found) return found.error();
        return ProfileChoice{std::move(found.value().paths), "", std::move(found.value().notes)};
    }
    if (arguments.command.empty() && !arguments.words.empty())
        return Error{Errc::invalid_input,
                     fmt::format("'{}' is not expected here (a profile: --profile FILE)",
                                 arguments.words.front())};
    if (arguments.command.empty() || arguments.num_ranks == 0) {
        return Error{Errc::invalid_input,
                     "which profile? give --profile FILE, or --command PROGRAM with --ntasks N"};
    }
    const auto program =
        inspect_launched(launched(arguments), search_path(), directory_of(arguments));
    if (!program) return program.error();
    const auto stores = profile_stores(options);
    if (!stores) return stores.error();
    const std::string id = with_tag(program.value().executable.application_id, options.tag);
    auto found = find_runs(stores.value(), id, arguments.num_ranks, program.value().shown_path);
    if (!found) return found.error();
    return ProfileChoice{std::move(found.value().paths), id, std::move(found.value().notes)};
}

std::string path_of_command(const JobArguments& arguments) {
    const auto path =
        find_executable(launched(arguments).command, search_path(), directory_of(arguments));
    if (!path) return "";
    const std::unique_ptr<char, FreeWith<std::free>> real(
        ::realpath(path.value().c_str(), nullptr));
    return real ? real.get() : "";
}

Result<Job> load_job(const JobArguments& arguments, const Options& options) {
    const auto choice = choose_profile(arguments, options);
    if (!choice) return choice.error();
    return load_job(arguments, options, choice.value());
}

Result<Job> load_job(const JobArguments& arguments, const Options& options,
                     const ProfileChoice& choice) {
    auto loaded = read_runs(choice.paths, choice.application_id,
                            choice.application_id.empty() ? 0 : arguments.num_ranks);
    if (!loaded) return loaded.error();
    Profile& profile = loaded.value().profile;
    auto cluster = read_cluster_yaml(options.cluster_file);
    if (!cluster) return cluster.error();
    const std::string own_nodes = own_variable("SLURM_JOB_NODELIST").value_or("");
    const std::string own_cpus = own_variable("SLURM_JOB_CPUS_PER_NODE").value_or("");
    const bool inside_a_job =
        arguments.nodelist.empty() && arguments.cpus_per_node.empty() && !own_nodes.empty();
    const auto allocation = inside_a_job ? parse_slurm_allocation(own_nodes, own_cpus)
                                         : named_allocation(cluster.value(), arguments.nodelist,
                                                            arguments.cpus_per_node);
    if (!allocation) return allocation.error();
    const auto ranks = arguments.num_ranks != 0 ? arguments.num_ranks
                                                : static_cast<std::uint32_t>(profile.num_ranks());
    SlurmLayout layout{{}, arguments.layout == "topology", arguments.cpus_per_task};
    if (!arguments.layout.empty() && !layout.topology_order) {
        auto parsed = parse_node_runs(arguments.layout);
        if (!parsed) return prefixed("--layout", parsed.error());
        layout.node_of_rank = std::move(parsed).value();
    }
    auto scenario = make_scenario(profile, cluster.value(), allocation.value(), ranks, layout,
                                  options.collectives);
    if (!scenario) return scenario.error();
    std::vector<std::string>& notes = scenario.value().notes;
    notes.insert(notes.begin(), loaded.value().notes.begin(), loaded.value().notes.end());
    notes.insert(notes.begin(), choice.notes.begin(), choice.notes.end());
    return Job{std::move(profile), std::move(cluster).value(), std::move(scenario).value()};
}

}  // namespace commmap::cli
