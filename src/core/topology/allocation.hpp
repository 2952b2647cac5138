#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"

namespace commmap {

/// What of the cluster one job has: nodes in the order of the job's node list, with the CPUs it may
/// use on each.
struct Allocation {
    struct Node {
        std::string name;
        /// PUs the job may use; 0: all that the node class has. Which ones is not known on the
        /// login node: the tree takes the first in hwloc's logical order, and the task binds inside
        /// the set that it really has.
        std::uint32_t num_pus = 0;
    };
    std::vector<Node> nodes;
};

/// From SLURM_JOB_NODELIST and SLURM_JOB_CPUS_PER_NODE ("4(x3),2"; empty: all PUs of every node).
/// Errors: invalid_input when either cannot be read or the numbers of nodes differ.
[[nodiscard]] Result<Allocation> parse_slurm_allocation(std::string_view nodelist,
                                                        std::string_view cpus_per_node);

}  // namespace commmap
