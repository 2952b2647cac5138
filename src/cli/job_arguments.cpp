#include "cli/job_arguments.hpp"

#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "cli/profile_name.hpp"
#include "core/config/sources.hpp"
#include "core/profile/identity.hpp"
#include "core/profile/store.hpp"
#include "core/topology/cluster_yaml.hpp"

namespace commmap::cli {
namespace {

/// The profile by file, or by executable and number of ranks out of the user's store.
Result<Profile> load_profile(const JobArguments& arguments, const Options& options) {
    if (!arguments.profile_file.empty()) {
        const auto path = find_profile_file(arguments.profile_file, options);
        if (!path) return path.error();
        return read_profile_file(path.value());
    }
    if (arguments.command.empty() || arguments.num_ranks == 0) {
        return Error{Errc::invalid_input,
                     "which profile? give --profile FILE, or --command PROGRAM with --ntasks N"};
    }
    const char* search_path = std::getenv("PATH");
    const auto path =
        find_executable(arguments.command, search_path == nullptr ? "" : search_path, ".");
    if (!path) return path.error();
    const auto executable = inspect_executable(path.value());
    if (!executable) return executable.error();
    const auto directory = profile_directory(options);
    if (!directory) return directory.error();
    return ProfileStore(directory.value())
        .load(executable.value().application_id, arguments.num_ranks, arguments.command);
}

}  // namespace

void add_job_arguments(CLI::App& command, Context& context, JobArguments& arguments) {
    command
        .add_option("--profile", arguments.profile_file,
                    "a path, or a name that commmap profile list shows")
        ->type_name("FILE");
    command
        .add_option("--command", arguments.command,
                    "program whose profile to take, instead of --profile")
        ->type_name("PROGRAM");
    command.add_option("-n,--ntasks", arguments.num_ranks, "number of ranks [the profile's]")
        ->type_name("N");

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
    add_table_options(command, context, {"cluster", "profile-dir"});
}

Result<Allocation> named_allocation(const Cluster& cluster, const std::string& nodelist,
                                    const std::string& cpus_per_node) {
    if (!nodelist.empty()) return parse_slurm_allocation(nodelist, cpus_per_node);
    if (!cpus_per_node.empty())
        return Error{Errc::invalid_input, "--cpus-per-node needs --nodelist"};
    return whole_cluster(cluster);
}

Result<Job> load_job(const JobArguments& arguments, const Options& options) {
    auto profile = load_profile(arguments, options);
    if (!profile) return profile.error();
    auto cluster = read_cluster_yaml(options.cluster_file);
    if (!cluster) return cluster.error();
    const char* own_nodes = std::getenv("SLURM_JOB_NODELIST");
    const char* own_cpus = std::getenv("SLURM_JOB_CPUS_PER_NODE");
    const bool inside_a_job = arguments.nodelist.empty() && arguments.cpus_per_node.empty() &&
                              own_nodes != nullptr && *own_nodes != '\0';
    const auto allocation =
        inside_a_job
            ? parse_slurm_allocation(own_nodes, own_cpus == nullptr ? "" : own_cpus)
            : named_allocation(cluster.value(), arguments.nodelist, arguments.cpus_per_node);
    if (!allocation) return allocation.error();
    const auto ranks = arguments.num_ranks != 0
                           ? arguments.num_ranks
                           : static_cast<std::uint32_t>(profile.value().num_ranks());
    auto scenario = make_scenario(profile.value(), cluster.value(), allocation.value(), ranks);
    if (!scenario) return scenario.error();
    return Job{std::move(profile).value(), std::move(cluster).value(), std::move(scenario).value()};
}

}  // namespace commmap::cli
