// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commmap/ids.hpp"
#include "commmap/result.hpp"
#include "core/base/collective_rules.hpp"
#include "core/estimate/run_cost.hpp"
#include "core/profile/profile.hpp"
#include "core/simulation/run_script.hpp"
#include "core/topology/cluster.hpp"

namespace commmap {

/// A job to be planned: the hardware tree of its allocation, the PUs that its ranks will use, and
/// the traffic between the ranks.
struct Scenario {
    Hct hct;
    std::vector<std::uint32_t> tasks_per_node;  ///< in node-list order
    std::vector<PuId> candidate_pus;            ///< ascending
    std::vector<PuId> default_placement;        ///< Slurm's own placement: the PU of each rank
    CommGraph graph;
    std::vector<std::string> notes;  ///< for the user, one line each
    /// The graph has no collectives, because they would be too many messages. Costs are then those
    /// of the other messages only, and say little about the gain of the whole run.
    bool collectives_missing = false;
    /// What is sent in each step of the run. Empty: steps are not known, or there is only one.
    std::vector<StepGraph> steps = {};
    /// costs of the steps and of the whole graph, on hct
    std::shared_ptr<const RunCost> run = nullptr;
    /// why the rounds of a profile cannot be lined up; empty: they can, or there are none
    std::string no_steps_because = {};
    /// for the simulation; nullptr: the run cannot be simulated
    std::shared_ptr<const RunScript> script = nullptr;
};

/// How Slurm distributes the tasks of a job step.
struct SlurmLayout {
    /// The node of each rank; empty: block distribution over all nodes of the allocation.
    std::vector<std::uint32_t> node_of_rank;
    /// The block distribution follows the order of the tree, not of the node list (Slurm 26.05 with
    /// a topology plugin).
    bool topology_order = false;
    std::uint32_t cpus_per_task = 1;
};

/// Makes the scenario of a job from a profile, the cluster and the job's allocation.
/// @param rules  of collectives; empty: those of the profile's MPI library
/// Errors:
/// - invalid_input when the profile has another number of ranks;
/// - invalid_input when there are more ranks than CPUs, on one node or in total;
/// - invalid_input when the layout has other ranks or nodes;
/// - as build_hct().
[[nodiscard]] Result<Scenario> make_scenario(const Profile& profile, const Cluster& cluster,
                                             const Allocation& allocation, std::uint32_t num_ranks,
                                             const SlurmLayout& layout = {},
                                             std::optional<CollectiveRules> rules = {});

}  // namespace commmap
