// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"

namespace commmap {

/// The part of the cluster that one job has. It lists the nodes in the order of the job's node
/// list, with the number of CPUs that the job may use on each.
struct Allocation {
    struct Node {
        std::string name;
        /// Number of PUs that the job may use; 0: all that the node class has. The login node does
        /// not know which PUs these are. So the tree takes the first PUs in hwloc's logical order,
        /// and each task later binds inside the set that it really has.
        std::uint32_t num_pus = 0;
    };
    std::vector<Node> nodes;
};

/// Reads an allocation from SLURM_JOB_NODELIST and SLURM_JOB_CPUS_PER_NODE.
/// @param cpus_per_node  "4(x3),2"; empty: all PUs of every node
/// Errors: invalid_input when one of the two cannot be read, or their numbers of nodes differ.
[[nodiscard]] Result<Allocation> parse_slurm_allocation(std::string_view nodelist,
                                                        std::string_view cpus_per_node);

}  // namespace commmap
