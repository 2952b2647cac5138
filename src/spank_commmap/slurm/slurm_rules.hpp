// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

namespace commmap::spank {

/// Differences between Slurm releases in how srun reads a launch and how slurmctld lays it out.
/// A new release needs a look at this struct and at slurm_calls.cpp, which has the differences in
/// the library's functions.
/// docs/admin/slurm-versions.md has the sources for each row.
struct SlurmRules {
    /// Variable that srun reads as --cpus-per-task.
    const char* cpus_per_task_variable;
    /// --ntasks-per-node with --nodes on the command line makes srun forget SLURM_NTASKS.
    bool tasks_per_node_before_environment;
    /// Block steps follow the order of the topology plugin, not of the node list.
    bool topology_order;
    /// Among nodes that would all do, slurmctld takes those that follow the last step's nodes.
    bool nodes_in_turn;
    /// srun's own threads take signals, and srun blocks none. In older releases all signals are
    /// blocked until there is a step.
    bool signals_taken_by_threads;
    /// mpi/pmi2 says that every rank of an arbitrary step is on a node of its own.
    bool pmi2_loses_nodes;
};

/// Returns a release's number, as in SLURM_VERSION_NUM of slurm.h.
[[nodiscard]] constexpr std::uint32_t slurm_version(std::uint32_t year, std::uint32_t month) {
    return year << 16U | month << 8U;
}

[[nodiscard]] constexpr SlurmRules slurm_rules(std::uint32_t version) {
    return {
        .cpus_per_task_variable =
            version < slurm_version(23, 11) ? "SRUN_CPUS_PER_TASK" : "SLURM_CPUS_PER_TASK",
        .tasks_per_node_before_environment = version >= slurm_version(23, 2),
        .topology_order = version >= slurm_version(26, 5),
        .nodes_in_turn = version >= slurm_version(24, 11),
        .signals_taken_by_threads = version >= slurm_version(26, 5),
        .pmi2_loses_nodes = version < slurm_version(24, 5),
    };
}

}  // namespace commmap::spank
