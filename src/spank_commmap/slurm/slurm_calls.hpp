#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "spank_commmap/slurm/slurm_rules.hpp"

namespace commmap::spank {

/// How Slurm laid a step out.
struct StepLayout {
    std::string nodelist;                     ///< in the order of Slurm's node table
    std::vector<std::string> nodes;           ///< the same, expanded
    std::vector<std::uint32_t> node_of_rank;  ///< index into nodes
};

/// What slurm.conf says, as slurmctld has it.
struct ControllerFacts {
    std::string mpi_default;
    std::uint16_t inactive_limit = 0;  ///< seconds; 0: none
    /// Nodes are ranked by the topology plugin, not by name (SwitchAsNodeRank and the like).
    bool nodes_ranked = false;
    bool step_ports = false;               ///< every step reserves ports (MpiParams)
    bool block_in_topology_order = false;  ///< where the release has that, and it is not off
    bool filters_options = false;  ///< a script of the site looks at srun's options (cli_filter)
};

// Requests to slurmctld through Slurm's own library, which every srun has loaded. All that differs
// in them between releases is in the .cpp. nullopt: Slurm did not say. Cost: one round trip each
// (1 to 5 ms).

[[nodiscard]] std::optional<StepLayout> step_layout(std::uint32_t job, std::uint32_t step);
[[nodiscard]] std::optional<ControllerFacts> controller_facts();
/// Steps of the job that run now, without the batch script, the extern step and the like.
[[nodiscard]] std::optional<std::size_t> running_steps(std::uint32_t job);
/// The rules of the release that this was built for.
[[nodiscard]] SlurmRules own_rules();
/// Ends the job and its allocation. `wait_status` as waitpid gives it. False when slurmctld did not
/// take it.
bool complete_job(std::uint32_t job, std::uint32_t wait_status);

}  // namespace commmap::spank
