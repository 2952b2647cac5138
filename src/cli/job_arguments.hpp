#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "core/plan/planner.hpp"

namespace commmap::cli {

/// The arguments that name a job: which profile, which cluster, which part of it.
struct JobArguments {
    std::string profile_file;
    std::string command;
    std::vector<std::string> words;  ///< the command's arguments
    std::string directory;           ///< in which it starts; empty: here
    std::uint32_t num_ranks = 0;
    std::string nodelist;
    std::string cpus_per_node;
    std::uint32_t cpus_per_task = 1;
    std::string layout;
};

/// --layout, which may be long: "-" reads it from standard input.
CLI::Option* add_layout_option(CLI::App& command, JobArguments& arguments, const std::string& help);

/// What they stand for.
struct Job {
    Profile profile;
    Cluster cluster;
    Scenario scenario;
};

/// Adds --command with its arguments, --chdir and --ntasks.
void add_command_arguments(CLI::App& command, JobArguments& arguments);

/// Adds those, --profile, --nodelist, --cpus-per-node, --cpus-per-task, --layout and the table's
/// cluster, profile-dir, site-profiles, tag and collectives.
void add_job_arguments(CLI::App& command, Context& context, JobArguments& arguments);

/// The profile that they mean: files that are read as one (read_runs()).
struct ProfileChoice {
    std::vector<std::string> paths;
    std::string application_id;      ///< by executable; empty: by name
    std::vector<std::string> notes;  ///< about runs that were left out
};

/// The profile by name, or by executable and number of ranks out of the user's store or the site's.
/// Errors: those of finding it. Cost: the executable is inspected, the directory read.
[[nodiscard]] Result<ProfileChoice> choose_profile(const JobArguments& arguments,
                                                   const Options& options);

/// The program that --command names or starts, absolute and without links; empty: none, or not
/// found.
[[nodiscard]] std::string path_of_command(const JobArguments& arguments);

/// Reads everything. Without a node list: the whole cluster. Errors: those of the readers, one line
/// each.
[[nodiscard]] Result<Job> load_job(const JobArguments& arguments, const Options& options,
                                   const ProfileChoice& choice);
/// The same, of the profile that is chosen first.
[[nodiscard]] Result<Job> load_job(const JobArguments& arguments, const Options& options);

/// What --nodelist and --cpus-per-node name; both empty: the whole cluster. Errors: invalid_input.
[[nodiscard]] Result<Allocation> named_allocation(const Cluster& cluster,
                                                  const std::string& nodelist,
                                                  const std::string& cpus_per_node);

}  // namespace commmap::cli
