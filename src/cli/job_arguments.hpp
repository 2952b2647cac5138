#pragma once

#include <cstdint>
#include <string>

#include "cli/command.hpp"
#include "core/plan/planner.hpp"

namespace commmap::cli {

/// The arguments that name a job: which profile, which cluster, which part of it.
struct JobArguments {
    std::string profile_file;
    std::string command;
    std::uint32_t num_ranks = 0;
    std::string nodelist;
    std::string cpus_per_node;
};

/// What they stand for.
struct Job {
    Profile profile;
    Cluster cluster;
    Scenario scenario;
};

/// Adds --profile, --command, --ntasks, --nodelist, --cpus-per-node and the table's cluster and
/// profile-dir.
void add_job_arguments(CLI::App& command, Context& context, JobArguments& arguments);

/// Reads everything. Without a node list: the whole cluster. Errors: those of the readers, one line
/// each.
[[nodiscard]] Result<Job> load_job(const JobArguments& arguments, const Options& options);

/// What --nodelist and --cpus-per-node name; both empty: the whole cluster. Errors: invalid_input.
[[nodiscard]] Result<Allocation> named_allocation(const Cluster& cluster,
                                                  const std::string& nodelist,
                                                  const std::string& cpus_per_node);

}  // namespace commmap::cli
