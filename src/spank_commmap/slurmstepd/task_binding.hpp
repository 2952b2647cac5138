// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <slurm/spank.h>

#include <chrono>
#include <string>
#include <utility>

#include "commmap/result.hpp"
#include "spank_commmap/handover/option_value.hpp"
#include "spank_commmap/slurmstepd/node/kept_node.hpp"
#include "spank_commmap/slurmstepd/node/shared_answer.hpp"

namespace commmap::spank {

/// How a node is asked for its CPUs.
struct NodeQuestion {
    std::string kept_directory = "/run/commmap";  ///< where root keeps the answer: see KeptNode
    std::chrono::seconds limit{1};                ///< time that commmap-node may take
};

/// Binds the tasks of a placed step to the CPUs that were planned for them.
/// hwloc says which CPUs this node has, in a program of its own (commmap-node). Root has kept its
/// answer, or the first task asks for all.
class TaskBinding {
public:
    explicit TaskBinding(NodeQuestion question) : question_(std::move(question)) {}

    /// Loads the answer that root has kept, or makes memory in which the tasks share an answer.
    /// Runs in slurmstepd, once before the tasks of a placed step are forked.
    void prepare();
    /// Binds a task, in the task, as the user. If the task cannot be bound, its CPUs are left to
    /// Slurm.
    /// A line says so where other tasks are bound, and with verbose.
    void bind(spank_t spank, const PlacedValue& placed) const;
    /// Asks hwloc once more and keeps the answer for later steps, when a task had to ask. Runs in
    /// slurmstepd, as root, after the tasks.
    /// The end of the job may end this question too (proctrack/linuxproc); then the next step asks.
    [[nodiscard]] Status keep_node() const;

private:
    [[nodiscard]] KeptNode kept_node() const;

    NodeQuestion question_;
    SharedAnswer node_seen_;
};

}  // namespace commmap::spank
