// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/topology/allocation.hpp"

#include <cstddef>

#include "core/text/one_line.hpp"
#include "core/text/slurm_counts.hpp"
#include "core/topology/node_names.hpp"

namespace commmap {
Result<Allocation> parse_slurm_allocation(std::string_view nodelist,
                                          std::string_view cpus_per_node) {
    auto names = expand_node_names(nodelist);
    if (!names) return prefixed("job node list", names.error());
    Allocation allocation;
    allocation.nodes.reserve(names.value().size());
    for (std::string& name : names.value()) allocation.nodes.push_back({std::move(name), 0});
    if (cpus_per_node.empty()) return allocation;

    const auto counts = parse_slurm_counts(cpus_per_node);
    if (!counts) return prefixed("job CPUs per node", counts.error());
    if (counts.value().size() != allocation.nodes.size()) {
        return Error{Errc::invalid_input, "node list " + quoted(nodelist) + " has " +
                                              std::to_string(allocation.nodes.size()) +
                                              " nodes, but CPU counts " + quoted(cpus_per_node) +
                                              " are for " + std::to_string(counts.value().size()) +
                                              "; give one count per node, or none"};
    }
    for (std::size_t n = 0; n < allocation.nodes.size(); ++n) {
        allocation.nodes[n].num_pus = counts.value()[n];
    }
    return allocation;
}

}  // namespace commmap
