// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "core/plan/scenario.hpp"

namespace commmap::cli {

/// Arguments that name a job: its profile, its cluster, and its part of the cluster.
struct JobArguments {
    std::string profile_file;
    std::string command;
    std::vector<std::string> words;  ///< the command's arguments
    std::string directory;           ///< directory in which it starts; empty: here
    std::uint32_t num_ranks = 0;
    std::string nodelist;
    std::string cpus_per_node;
    std::uint32_t cpus_per_task = 1;
    std::string layout;
};

/// Adds --layout, whose value may be long: "-" reads it from standard input.
CLI::Option* add_layout_option(CLI::App& command, JobArguments& arguments, const std::string& help);

/// Content of the files that the arguments name.
struct Job {
    Profile profile;
    Cluster cluster;
    Scenario scenario;
};

/// Adds --command with its arguments, --chdir and --ntasks.
void add_command_arguments(CLI::App& command, JobArguments& arguments);

/// Adds the same, and --profile, --nodelist, --cpus-per-node, --cpus-per-task and --layout.
/// Adds of the option table: cluster, profile-dir, site-profiles, tag and collectives.
void add_job_arguments(CLI::App& command, Context& context, JobArguments& arguments);

/// Profile that the arguments name: files that are read as one (read_runs()).
struct ProfileChoice {
    std::vector<std::string> paths;
    std::string application_id;      ///< set when found by executable; empty: by name
    std::vector<std::string> notes;  ///< about runs that were left out
};

/// Chooses the profile by name, or by executable and number of ranks from the user's store or the
/// site's.
/// Errors: those of finding it.
/// Cost: the executable is inspected, and the directory is read.
[[nodiscard]] Result<ProfileChoice> choose_profile(const JobArguments& arguments,
                                                   const Options& options);

/// Returns the absolute path of the program that --command names or starts, with links resolved;
/// empty: none, or not found.
[[nodiscard]] std::string path_of_command(const JobArguments& arguments);

/// Reads profile and cluster. Without a node list the job has the whole cluster.
/// Errors: those of the readers, one line each.
[[nodiscard]] Result<Job> load_job(const JobArguments& arguments, const Options& options,
                                   const ProfileChoice& choice);
/// Does the same, and chooses the profile first.
[[nodiscard]] Result<Job> load_job(const JobArguments& arguments, const Options& options);

/// Returns the nodes and CPUs that --nodelist and --cpus-per-node name; both empty: the whole
/// cluster.
/// Errors: invalid_input.
[[nodiscard]] Result<Allocation> named_allocation(const Cluster& cluster,
                                                  const std::string& nodelist,
                                                  const std::string& cpus_per_node);

}  // namespace commmap::cli
