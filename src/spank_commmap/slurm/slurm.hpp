// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "spank_commmap/slurm/slurm_rules.hpp"

namespace commmap::spank {

/// The nodes of a step, and the node of each rank, as Slurm laid them out.
struct StepLayout {
    std::string nodelist;                     ///< in the order of Slurm's node table
    std::vector<std::string> nodes;           ///< the same nodes, expanded
    std::vector<std::uint32_t> node_of_rank;  ///< index into nodes
};

/// Facts of slurm.conf, as slurmctld has it.
struct ControllerFacts {
    std::string mpi_default;
    std::uint16_t inactive_limit = 0;  ///< seconds; 0: no limit
    /// The topology plugin ranks the nodes, not their names (SwitchAsNodeRank and the like).
    bool nodes_ranked = false;
    bool step_ports = false;               ///< every step reserves ports (MpiParams)
    bool block_in_topology_order = false;  ///< the release has such an order, and it is not off
    bool filters_options = false;  ///< a script of the site reads srun's options (cli_filter)
};

/// Answers a launch's questions to Slurm. In srun SlurmLibrary stands behind this interface, and a
/// unit test puts its own answers there.
///
/// Errors: nullopt when Slurm did not say.
/// Cost: one round trip to slurmctld for each call but own_rules (1 to 5 ms).
class Slurm {
public:
    Slurm() = default;
    Slurm(const Slurm&) = delete;
    Slurm& operator=(const Slurm&) = delete;
    virtual ~Slurm() = default;

    [[nodiscard]] virtual std::optional<StepLayout> step_layout(std::uint32_t job,
                                                                std::uint32_t step) = 0;
    [[nodiscard]] virtual std::optional<ControllerFacts> controller_facts() = 0;
    /// Returns how many steps of the job run now, without the batch script, the extern step and the
    /// like.
    [[nodiscard]] virtual std::optional<std::size_t> running_steps(std::uint32_t job) = 0;
    /// Returns the rules of the release that the plugin was built for.
    [[nodiscard]] virtual SlurmRules own_rules() = 0;
    /// Ends the job and its allocation. Returns false when slurmctld refused.
    /// @param wait_status  as waitpid gives it
    virtual bool complete_job(std::uint32_t job, std::uint32_t wait_status) = 0;
};

}  // namespace commmap::spank
