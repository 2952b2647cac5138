// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/topology/allocation.hpp"

#include <fmt/core.h>

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
        return Error{Errc::invalid_input,
                     fmt::format("node list {} has {} nodes, but CPU counts {} are for {}; give "
                                 "one count per node, or none",
                                 quoted(nodelist), allocation.nodes.size(), quoted(cpus_per_node),
                                 counts.value().size())};
    }
    for (std::size_t n = 0; n < allocation.nodes.size(); ++n) {
        allocation.nodes[n].num_pus = counts.value()[n];
    }
    return allocation;
}

}  // namespace commmap
